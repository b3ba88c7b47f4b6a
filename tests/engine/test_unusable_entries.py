"""Links out of the content folder, unusable folders, and faults of a theme: the status is published."""

import json
import shutil
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from support.sites import SMALL_SITE, files_in, path_of, record_of, small_site, write_files
from support.tiers import few_by_default

NOW = "2026-11-19T12:00:00Z"
OUTAGE = """\
name: Outage
components: {explorer: major_outage}
updates: [{at: 2026-11-19T11:00:00Z, status: investigating}]
"""
PAGE = "---\ntitle: Terms\n---\nOurs.\n"


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    with chdir(folder):
        done = CliRunner().invoke(command, [*arguments, "--now", NOW])
    assert done.exit_code == code, done.output
    return done.output


def ids(folder: Path) -> set[str]:
    documents = [folder / f"build/api/v2/{name}.json" for name in ("incidents", "scheduled-maintenances")]
    bodies = [json.loads(document.read_bytes()) for document in documents]
    return {record["id"] for body in bodies for records in list(body.values())[1:] for record in records}


def linked(entry: Path) -> None:
    """Replace a file or folder by a link to the same outside of the content."""
    outside = entry.parents[2] / "outside" / entry.name
    outside.parent.mkdir(exist_ok=True)
    shutil.move(entry, outside)
    entry.symlink_to(outside)


LINKS = {
    "site.yaml": "all settings stay as last published",
    "components.yaml": "its components stay as last published",
    "incidents/slow.yaml": "the file stays as last published",
    "incidents": "its files stay as last published",
    "maintenances": "its files stay as last published",
    "pages/terms.md": "the file is left out",
    "pages": "it is left out",
    "theme/style.css": "pages have only statuary's own style",
    "theme": "it is left out",
    "more": "it is left out",
}


@pytest.fixture
def content(tmp_path: Path) -> Path:
    files = {"pages/terms.md": PAGE, "theme/style.css": ":root {}\n", "more/notes.txt": "ours"}
    return write_files(small_site(tmp_path), files)


@pytest.mark.parametrize("path", few_by_default(LINKS, 1))
def test_symlink_outside_content_publishes_other_records(tmp_path, content, path):
    run(tmp_path, "build")
    before = ids(tmp_path)
    assert len(before) >= 2
    linked(content / path)
    for number in range(2):  # the second build has the same components
        folder = "templates" if path == "incidents" else "incidents"
        write_files(content, {f"{folder}/outage{number}.yaml": OUTAGE})
        output = run(tmp_path, "build", code=4)
        assert f"content/{path}" in output
        assert LINKS[path] in output
        assert "[outside-content]" in output
        news = {f"outage{other}" for other in range(number + 1)} if path != "incidents" else set()
        assert ids(tmp_path) == before | news
    assert "nothing was published" in run(tmp_path, "build", "--strict", code=1)
    assert "[outside-content]" in run(tmp_path, "check", code=1)


@pytest.mark.slow
def test_symlinked_contracts_folder_keeps_published_contracts(tmp_path, content):
    write_files(content, {path_of(number): record_of(number) for number in (1, 2)})
    run(tmp_path, "build")
    before = files_in(tmp_path / "build/v2")
    linked(content / "contracts")
    for _ in range(2):
        write_files(content, {"incidents/outage.yaml": OUTAGE})
        output = run(tmp_path, "build", code=4)
        assert "contracts stay as last published" in output
        assert "2 contracts on 1 chain" in output
        assert "outage" in ids(tmp_path)
        assert files_in(tmp_path / "build/v2") == before
    (content / "contracts").unlink()
    write_files(content, {path_of(2): record_of(2), path_of(3): record_of(3)})
    run(tmp_path, "build")
    run(tmp_path, "build", "--out", "fresh")
    assert files_in(tmp_path / "build") == files_in(tmp_path / "fresh")


CHAIN = path_of(2).rpartition("/")[0]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["contracts", CHAIN, "../more"])
def test_unreadable_contracts_stay_as_published(tmp_path, content, path):
    write_files(content, {path_of(number): record_of(number) for number in (1, 2, 3)})
    if path == "../more":
        (content / "contracts").rename(content / path)
        with (content / "site.yaml").open("a") as settings:
            settings.write("contracts: {sources: [../more]}\n")
    run(tmp_path, "build")
    before = files_in(tmp_path / "build/v2")
    away = tmp_path / "away"
    (content / path).rename(away)
    if path == "contracts":  # a file, as git writes a link where the system has none
        (content / path).write_text("../away")
    elif path != "../more":  # which is missing
        (content / path).symlink_to(away)
    for _ in range(2):
        output = run(tmp_path, "build", code=4)
        assert "contracts stay as last published" in output
        assert ("3 contracts on 1 chain" in output, "excluded" in output) == (True, False)
        assert files_in(tmp_path / "build/v2") == before
    run(tmp_path, "check", code=1)
    (content / path).unlink(missing_ok=True)
    away.rename(content / path)
    run(tmp_path, "build")
    run(tmp_path, "build", "--out", "fresh")
    assert files_in(tmp_path / "build") == files_in(tmp_path / "fresh")


@pytest.mark.parametrize("path", ["README.md", ".venv", "incidents/.#slow.yaml", "LICENSE.txt"])
@pytest.mark.slow
def test_ignored_symlink_has_no_finding(tmp_path, content, path):
    (content / path).symlink_to(tmp_path.parent)
    assert "[outside-content]" not in run(tmp_path, "build")


THEMES = {
    "a template with invalid syntax": (
        {"templates/status.html": "{% if %}"},
        "pages use statuary's own template",
    ),
    "a template that raises": ({"templates/status.html": "{{ 1 / 0 }}"}, "pages use statuary's own template"),
    "a template that extends nothing": (
        {"templates/status.html": '{% extends "x" %}'},
        "pages use statuary's own template",
    ),
    "a template in UTF-16": ({"templates/status.html": b"\xff\xfe<\x00"}, "statuary's own template is used"),
    "a style in UTF-16": ({"style.css": b"\xff\xfe<\x00"}, "pages have only statuary's own style"),
    "a logo with a script": ({"logo.svg": "<svg><script/></svg>"}, "the file is left out"),
    "a logo that is no XML": ({"logo.svg": "<svg"}, "the file is left out"),
    "texts that are no YAML": ({"texts/en.yaml": "a: ["}, "statuary's own text is used"),
    "a text with an unknown key": ({"texts/en.yaml": "nothing: x"}, "statuary's own text is used"),
    "a text with an unknown part": ({"texts/en.yaml": "nav.status: '{x}'"}, "statuary's own text is used"),
    "a text with open braces": ({"texts/en.yaml": "nav.status: '{'"}, "statuary's own text is used"),
}


@pytest.mark.parametrize("name", few_by_default(THEMES, 1))
def test_faulty_theme_still_publishes_status(tmp_path, content, name):
    theme, consequence = THEMES[name]
    run(tmp_path, "build")
    before = ids(tmp_path)
    files = {f"theme/{path}": body for path, body in theme.items()}
    write_files(content, {**files, "incidents/outage.yaml": OUTAGE})
    output = run(tmp_path, "build", code=4)
    assert f"content/{next(iter(files))}" in output
    assert consequence in output
    assert ids(tmp_path) == before | {"outage"}
    assert "Outage" in (tmp_path / "build/index.html").read_text()
    run(tmp_path, "tick")


@pytest.mark.slow
def test_unknown_language_keeps_published_language(tmp_path, content):
    write_files(content, {"site.yaml": SMALL_SITE["site.yaml"] + "pages: {language: de}\n"})
    run(tmp_path, "build")
    write_files(content, {"site.yaml": SMALL_SITE["site.yaml"] + "pages: {language: tlh}\n"})
    assert "`pages.language` stays as last published" in run(tmp_path, "build", code=4)
    assert '<html lang="de"' in (tmp_path / "build/index.html").read_text()
