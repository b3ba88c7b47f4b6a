"""What a run published: its exit code, its last line and its report for programs agree."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.cli.outcome_report import exit_code_of
from statuary.publish.outcome import ALL_PUBLISHED, NOTHING_PUBLISHED, Extent
from support.contracts import made_record
from support.hostile_shapes import at_address
from support.sites import NOW, SITE, SMALL_SITE, small_site, write_files

BAD_RECORD = at_address(made_record() | {"abi": 7}, 1)


def build(folder: Path, files: dict[str, Any], *options: str) -> Result:
    content = write_files(folder / "content", dict(SMALL_SITE) | files)
    arguments = ["build", "--content", str(content), "--out", str(folder / "site"), "--now", NOW]
    return CliRunner().invoke(command, [*arguments, "--workers", "1", *options])


def test_build_with_excluded_record_exits_4(tmp_path):
    done = build(tmp_path, dict([BAD_RECORD]))
    assert done.exit_code == ExitCode.PUBLISHED_WITH_FAULTS
    assert done.stdout.splitlines()[-1] == (
        f"published with faults in {BAD_RECORD[0]} (exit code 4): deploy the site, then fix what is named"
    )
    assert (tmp_path / "site/api/v2/summary.json").is_file()


def test_faulty_record_dry_run_exits_4(tmp_path):
    done = build(tmp_path, dict([BAD_RECORD]), "--dry-run")
    assert done.exit_code == ExitCode.PUBLISHED_WITH_FAULTS
    assert f"would be published with faults in {BAD_RECORD[0]}" in done.stdout


@pytest.mark.parametrize(
    ("files", "published", "missing"),
    [
        ({}, "all", []),
        (dict([BAD_RECORD]), "all-except-missing", [BAD_RECORD[0]]),
        ({"site.yaml": f"{SITE}typo: 1\n"}, "all-except-missing", ["site.yaml: typo"]),
        ({"site.yaml": SITE.replace("url:", "ulr:")}, "nothing", []),
    ],
)
def test_build_json_report_states_outcome(files, published, missing, tmp_path):
    done = build(tmp_path, files, "--format", "json")
    report = json.loads(done.stdout)
    assert report["outcome"] == {"published": published, "missing": missing}
    assert done.exit_code == {"all": 0, "nothing": 1}.get(published, 4)


def test_failed_upload_reports_folder_only_outcome(tmp_path):
    (tmp_path / "taken").write_text("a file")
    target = str(tmp_path / "taken/site")
    done = build(tmp_path, dict([BAD_RECORD]), "--format", "json", "--to", target)
    assert done.exit_code == ExitCode.TARGET_FAILED
    missing = [f"the site at {target}", BAD_RECORD[0]]
    assert json.loads(done.stdout)["outcome"] == {"published": "folder-only", "missing": missing}
    assert f"built, but not published completely (exit code 6): {', '.join(missing)}" in done.stderr
    assert (tmp_path / "site/api/v2/summary.json").is_file()


def test_unknown_publish_target_fails_before_build(tmp_path):
    done = build(tmp_path, {}, "--to", "ftp://plinth.example/site")
    assert done.exit_code == ExitCode.FAILED
    assert "cannot publish to ftp://plinth.example\n" in done.stderr
    assert not (tmp_path / "site").exists()


def test_exit_code_follows_build_outcome():
    assert exit_code_of(NOTHING_PUBLISHED.with_missing(["log/"])) == ExitCode.FINDINGS
    assert exit_code_of(ALL_PUBLISHED.with_missing([])) == ExitCode.OK
    partial = ALL_PUBLISHED.with_missing(["log/"]).with_missing(["cards", "log/"])
    assert (partial.extent, partial.missing) == (Extent.PARTIAL, ("cards", "log/"))
    assert exit_code_of(partial) == ExitCode.PUBLISHED_WITH_FAULTS
    failed = partial.with_failed_target("the site at s3://bucket").with_missing(["cards"])
    assert (failed.extent, len(failed.missing)) == (Extent.FOLDER, 3)
    assert exit_code_of(failed) == ExitCode.TARGET_FAILED


@pytest.mark.slow
def test_tick_after_built_period_exits_5(tmp_path):
    """What is published is up to date, as far as the last build covers it: no fault, and no silence."""
    content, site = small_site(tmp_path), tmp_path / "site"
    for name, now, code in (("build", NOW, 0), ("tick", NOW, 0), ("tick", "2026-12-25T00:00:00Z", 5)):
        options = ["--content", str(content)] if name == "build" else []
        done = CliRunner().invoke(command, [name, *options, "--out", str(site), "--now", now])
        assert done.exit_code == code, done.output
    assert "(exit code 5): run `statuary build`" in done.output
    assert "no transition until" not in done.output  # that time has passed
