"""Whatever of an extension raises, records and the news are published as they are without the extension."""

import inspect
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.registry import EXTENSIONS, load
from support.contracts import made_record
from support.hostile_shapes import at_address
from support.sites import NOW, SITE, SMALL_SITE, files_in, path_of, record_of, write_files

KEYS = """
apis: [signatures, etherscan]
clear_signing: {}
embed: true
hosting: {}
instatus: true
prometheus: true
log: {origin: example.com/example-key-log, example_key: true}
metrics:
  folder: points
  shown: {lag: {name: Lag, unit: s, file: lag.csv}}
notify: {messages: true}
"""
CARDS = "cards: {}\n"
"""Pictures take longer than all else: they are made for their own parts alone."""
NEWS = ("api/v2/incidents", "api/v2/scheduled-maintenances", "api/v2/summary.json", "v2/contract/")


class Part(NamedTuple):
    """A function that the core calls of an extension."""

    name: str
    owner: Any  # its module or class
    attribute: str


def parts() -> Iterator[Part]:
    """Yield each method of a section and of the model of its key, and each function that a run asks for by name."""
    for row in EXTENSIONS:
        needs = ("section of own pages", f"record documents {row.name}", f"status {row.name}")
        for target in filter(None, (row.section, *(row.provides.get(need) for need in needs))):
            value = load(target)
            if isinstance(value, FunctionType):
                yield Part(target, inspect.getmodule(value), value.__name__)
                continue
            model = value.settings_model()
            yield from methods(target, value)
            yield from methods(f"{target}.source", model) if model is not None else ()


def methods(target: str, kind: type) -> Iterator[Part]:
    for name, method in vars(kind).items():
        if isinstance(method, FunctionType) and (name == "__init__" or name[0] != "_"):
            yield Part(f"{target}.{name}", kind, name)


PARTS = list(parts())


def groups() -> dict[str, list[Part]]:
    """Return the functions of one name, which raise in one build: each section calls its own, whatever the others do."""
    found: dict[str, list[Part]] = {}
    for part in PARTS:
        kind = "source " if ".source." in part.name else ""
        if ".cards." not in part.name:
            found.setdefault(f"{kind}{part.attribute}", []).append(part)
    return found


CASES = [
    *(pytest.param(group, id=name) for name, group in groups().items()),
    *(pytest.param([part], marks=pytest.mark.slow, id=part.name) for part in PARTS),
]


class Site(NamedTuple):
    """A site with every extension, and what it says of its incident, its maintenance and its contracts."""

    content: Path
    news: dict[str, bytes]


@pytest.fixture(scope="module", params=["small", pytest.param("large", marks=pytest.mark.slow)])
def site(request, tmp_path_factory) -> Site:
    root = tmp_path_factory.mktemp("site")
    files: dict[str, Any] = dict(SMALL_SITE) | {"pages/about.md": "---\ntitle: About\n---\nWords.\n"}
    if request.param == "large":
        files |= dict(at_address(made_record("everything"), number) for number in (1, 2))
    else:
        files |= dict([at_address(made_record(), 1)])
        files["site.yaml"] = SITE.replace("horizon_days: 2", "horizon_days: 0")
    content = write_files(root / "content", files)
    with (content / "site.yaml").open("a") as settings:
        settings.write(KEYS)
    (root / "points").mkdir()
    (root / "points/lag.csv").write_text("2026-11-20T10:00:00Z,1\n")
    assert build(content, root / "out") == (0, "")
    return Site(content, news_of(root / "out"))


def news_of(out: Path) -> dict[str, bytes]:
    return {path: body for path, body in files_in(out).items() if path.startswith(NEWS)}


def build(content: Path, out: Path) -> tuple[int, str]:
    """Build as the command does; return the exit code, and what was no finding but an exception."""
    arguments = ["build", "--content", str(content), "--out", str(out), "--now", NOW, "--workers", "1"]
    result = CliRunner().invoke(command, arguments)
    is_plain = result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, "" if is_plain and "Traceback" not in result.output else result.output


@pytest.mark.parametrize("broken_parts", CASES)
def test_extension_exception_still_publishes_status(broken_parts, site, tmp_path, monkeypatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("nobody foresaw this")

    content = site.content
    if any(".cards." in part.name for part in broken_parts):
        shutil.copytree(content.parent, tmp_path / "with_cards")
        content = tmp_path / "with_cards/content"
        with (content / "site.yaml").open("a") as settings:
            settings.write(CARDS)
    for part in broken_parts:
        monkeypatch.setattr(part.owner, part.attribute, broken)
    code, traceback = build(content, tmp_path / "out")
    assert (code in (0, 4), traceback) == (True, "")
    assert news_of(tmp_path / "out") == site.news


@pytest.mark.parametrize("count", [0, 1])
def test_extension_settings_exception_keeps_published_files(tmp_path, monkeypatch, count):
    """Also where contracts did not change, so that a build keeps what it does not add."""
    records = {path_of(number): record_of(number) for number in range(1, count + 1)}
    content, out = write_files(tmp_path / "content", SMALL_SITE | records), tmp_path / "out"
    settings = (content / "site.yaml").read_text()
    (content / "site.yaml").write_text(f"{settings}embed: true\ninstatus: true\n")
    assert build(content, out) == (0, "")
    files = files_in(out / "embed")
    row = next(row for row in EXTENSIONS if row.name == "embed")

    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("nobody foresaw this")

    (content / "site.yaml").write_text(f"{settings}embed: true\n")
    with monkeypatch.context() as patched:
        patched.setattr(load(row.section).settings_model(), "to_settings", broken)
        assert build(content, out) == (4, "")
        assert files_in(out / "embed") == files
        assert not (out / "v2/components.json").exists()  # the other extension is off
    (content / "site.yaml").write_text(settings)
    assert build(content, out) == (0, "")
    assert not (out / "embed").exists()


def failing(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("nobody foresaw this")


LATER = "2026-11-19T13:00:00Z"
OUTAGE = """\
name: Outage
components: {explorer: major_outage}
updates: [{at: 2026-11-19T11:00:00Z, status: investigating}]
"""


FOLLOWING = ("embed", "instatus", "languages", "notify", "prometheus")
"""Extensions whose documents change with the status."""

DOCUMENT_METHODS = [
    (row.name, name)
    for row in EXTENSIONS
    if row.name in FOLLOWING
    for name in ("config_documents", "documents_at", "operations")
    if name in vars(load(row.section))
]


@pytest.mark.slow
@pytest.mark.parametrize(("failing_key", "name"), DOCUMENT_METHODS)
def test_extension_exception_keeps_previous_documents(tmp_path, monkeypatch, failing_key, name):
    content, out = write_files(tmp_path / "content", SMALL_SITE), tmp_path / "out"
    with (content / "site.yaml").open("a") as settings:
        settings.write("embed: true\ninstatus: true\nlanguages: [en, de]\n")
        settings.write("prometheus: true\nnotify: {messages: true}\n")
    assert build(content, out) == (0, "")
    before = {path for path in files_in(out) if "_epochs" not in path}
    summary = (out / "summary.json").read_bytes()
    write_files(content, {"incidents/outage.yaml": OUTAGE})
    section = load(next(row for row in EXTENSIONS if row.name == failing_key).section)
    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(section, name, failing)
            code, traceback = build(content, out)
        assert (code, traceback) == (4, "")
        assert not {path for path in before if not (out / path).exists()}
        assert b"Outage" in (out / "api/v2/summary.json").read_bytes()
        is_stale = (out / "summary.json").read_bytes() == summary
        assert is_stale == ((name, failing_key) == ("documents_at", "instatus")), "others go on"
    assert build(content, out) == (0, "")
    fresh = tmp_path / "fresh"
    assert build(content, fresh) == (0, "")
    assert files_in(out) == files_in(fresh)


@pytest.mark.slow
@pytest.mark.parametrize("failing_key", ["instatus", "languages"])
def test_extension_exception_still_removes_deleted_pages(tmp_path, monkeypatch, failing_key):
    """What the content no longer has is removed, although another extension fails."""
    pages = {f"pages/{name}.md": f"---\ntitle: {name}\n---\nText\n" for name in ("kept", "gone")}
    content, out = write_files(tmp_path / "content", SMALL_SITE | pages), tmp_path / "out"
    settings = (content / "site.yaml").read_text() + "instatus: true\nlanguages: [en, de]\n"
    (content / "site.yaml").write_text(f"{settings}embed: true\n")
    assert build(content, out) == (0, "")
    (content / "site.yaml").write_text(settings)
    (content / "pages/gone.md").unlink()
    section = load(next(row for row in EXTENSIONS if row.name == failing_key).section)
    monkeypatch.setattr(section, "config_documents", failing)
    for _ in range(2):
        assert build(content, out) == (4, "")
        assert not (out / "pages/gone.html").exists()
        assert not (out / "embed").exists()
        assert (out / "pages/kept.html").exists()


@pytest.mark.slow
def test_page_exception_still_removes_deleted_pages(tmp_path, monkeypatch):
    pages = {f"pages/{name}.md": f"---\ntitle: {name}\n---\nText\n" for name in ("kept", "gone")}
    content, out = write_files(tmp_path / "content", SMALL_SITE | pages), tmp_path / "out"
    assert build(content, out) == (0, "")
    (content / "pages/gone.md").unlink()
    monkeypatch.setattr("statuary.extensions.own_pages.pages.render_owner_page", failing)
    for _ in range(2):
        assert build(content, out) == (4, "")
        assert (out / "pages/kept.html").exists()
        assert not (out / "pages/gone.html").exists()
