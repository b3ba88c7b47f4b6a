"""The public Python interface: the same bytes as the command's, its clock, its errors, and its names."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

import statuary
from statuary import api
from statuary.cli.main import command
from support.sites import SITE, SMALL_SITE, files_in, tree, write_files

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
LOGGED = (
    f"{SITE}log:\n  origin: example-key.plinth.example/log\n  example_key: true\n  url: http://127.0.0.1:1\n"
)


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """Return a content folder whose site has a log, published where nobody answers."""
    write_files(tmp_path / "content", SMALL_SITE | {"site.yaml": LOGGED})
    return tmp_path / "content"


def test_python_build_equals_build_command(content: Path, tmp_path: Path) -> None:
    result = statuary.build(content, tmp_path / "api", now=NOW)
    assert result.applied
    options = ["--content", str(content), "--out", str(tmp_path / "command"), "--now", NOW.isoformat()]
    assert CliRunner().invoke(command, ["build", *options]).exit_code == 4
    assert tree(tmp_path / "api") == tree(tmp_path / "command")
    assert "cannot be read" in result.checked.skipped[0].message


def test_python_dry_run_writes_nothing(content: Path, tmp_path: Path) -> None:
    preview = statuary.build(content, tmp_path / "site", now=NOW, dry_run=True)
    assert tree(tmp_path / "site") == {}
    assert preview.plan is not None
    assert not preview.applied
    paths = {change.path for change in preview.plan.changes()}
    assert paths == {change.path for change in preview.plan.changes()}
    statuary.build(content, tmp_path / "site", now=NOW)
    assert paths == tree(tmp_path / "site").keys()


def test_python_build_returns_findings_of_content(content: Path, tmp_path: Path) -> None:
    (content / "components.yaml").write_text("components: 7\n", encoding="utf-8")
    result = statuary.build(content, tmp_path / "site", now=NOW)
    assert result.plan is None
    assert not (tmp_path / "site/index.html").exists()
    checked = statuary.check(str(content), now=NOW)
    assert result.checked.all_findings == checked.all_findings
    assert [finding.severity for finding in checked.all_findings] == [statuary.Severity.ERROR]
    assert checked.all_findings[0].position == statuary.Position(1, 13)


def test_python_build_without_content_returns_finding(tmp_path: Path) -> None:
    checked = statuary.check(tmp_path / "none")
    assert [finding.rule for finding in checked.all_findings] == ["missing-content-folder"]


def test_strict_build_with_warning_publishes_nothing(content: Path, tmp_path: Path) -> None:
    (content / "surprise.bin").write_bytes(b"?")
    assert statuary.build(content, tmp_path / "site", now=NOW, strict=True).plan is None
    assert statuary.build(content, tmp_path / "site", now=NOW).plan is not None


@pytest.mark.parametrize("out", ["content", "content/site", "."])
def test_python_build_into_content_raises_error(content: Path, out: str) -> None:
    with pytest.raises(statuary.PublishingError, match="is inside"):
        statuary.build(content, content.parent / out, now=NOW)


def test_unwritable_folder_raises_statuary_error(content: Path, tmp_path: Path) -> None:
    (tmp_path / "site").write_text("a file", encoding="utf-8")
    with pytest.raises(statuary.StatuaryError, match="site"):
        statuary.build(content, tmp_path / "site", now=NOW)


def test_python_build_replaces_damaged_ledger(content: Path, tmp_path: Path) -> None:
    statuary.build(content, tmp_path / "site", now=NOW)
    before = tree(tmp_path / "site")
    (ledger,) = (tmp_path / "site/.statuary").glob("ledger*")
    ledger.write_bytes(b"not a database" * 1000)
    assert statuary.build(content, tmp_path / "site", now=NOW).applied
    assert tree(tmp_path / "site") == before


def test_python_build_uses_source_date_epoch(
    content: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statuary.build(content, tmp_path / "given", now=NOW)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(NOW.timestamp())))
    statuary.build(content, tmp_path / "epoch")
    assert tree(tmp_path / "epoch") == tree(tmp_path / "given")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(statuary.ClockError, match="'soon'"):
        statuary.check(content)
    with pytest.raises(ValueError, match="the datetime has no time zone"):
        statuary.check(content, now=NOW.replace(tzinfo=None))


def test_earlier_python_build_requires_allow_older(content: Path, tmp_path: Path) -> None:
    write_files(content, {"site.yaml": SITE})
    statuary.build(content, tmp_path / "site", now=NOW)
    earlier = NOW - timedelta(days=5)
    before = tree(tmp_path / "site")
    with pytest.raises(
        statuary.PublishingError, match=r"built for 2026-.*, and this build is for an earlier time, 2026-"
    ):
        statuary.build(content, tmp_path / "site", now=earlier)
    arguments = [
        "build",
        "--content",
        str(content),
        "--out",
        str(tmp_path / "site"),
        "--now",
        earlier.isoformat(),
    ]
    refused = CliRunner().invoke(command, arguments)
    assert (refused.exit_code, "--allow-older" in refused.output) == (3, True)
    assert tree(tmp_path / "site") == before
    assert CliRunner().invoke(command, [*arguments, "--allow-older"]).exit_code == 0
    statuary.build(content, tmp_path / "fresh", now=earlier)
    assert files_in(tmp_path / "site") == files_in(tmp_path / "fresh")
    assert statuary.build(content, tmp_path / "site", now=earlier).applied
    assert statuary.build(content, tmp_path / "site", now=earlier - timedelta(1), allow_older=True).applied


def test_public_api_names_exist() -> None:
    assert set(statuary.__all__) == {*api.__all__, "__version__"}
    assert set(statuary.__all__) <= set(dir(statuary))
    assert [name for name in statuary.__all__ if getattr(statuary, name) is None] == []
    assert statuary.build is api.build
    with pytest.raises(AttributeError, match="bild"):
        statuary.__getattr__("bild")


def test_import_loads_only_version_module() -> None:
    program = "import sys, statuary; print(*(name for name in sys.modules if name.startswith('statuary')))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert set(done.stdout.split()) == {"statuary", "statuary.version"}
