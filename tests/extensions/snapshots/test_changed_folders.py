"""A build's folder whose files are changed, removed or added by hand is not passed on without a word."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from statuary import open_snapshot
from statuary.base.files import MANIFEST, SIGNATURE
from statuary.cli.main import command
from statuary.extensions.serving import commands as serving
from statuary.extensions.snapshots.site_reader import open_site
from statuary.publish.folder.changed_files import ChangedFile, changed_files
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.reader import FileChange
from statuary.publish.listing import DamagedSnapshotError
from statuary.publish.site_manifest import add_manifest
from support.snapshots import ORIGIN, contract, small_documents
from support.tiers import few_by_default

CONTRACT = contract(1)
ALIAS = CONTRACT.aliases[0]
REPAIR = "`statuary build --verify` writes the site's own files again"


def write(path: str, text: bytes) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        (folder / path).unlink()  # an address in lower case is another link to the same file
        (folder / path).write_bytes(text)

    return change


def flip(path: str) -> Callable[[Path], object]:
    """Change a bit of a file, as a bad disk does: size and time stay."""

    def change(folder: Path) -> None:
        file = folder / path
        body, there = bytearray(file.read_bytes()), file.stat()
        body[len(body) // 2] ^= 1
        file.write_bytes(body)
        os.utime(file, ns=(there.st_atime_ns, there.st_mtime_ns))

    return change


def remove(path: str) -> Callable[[Path], object]:
    return lambda folder: (folder / path).unlink()


CHANGED = {
    "page": (write("index.html", b"<p>false</p>"), "index.html", FileChange.CHANGED),
    "record": (write(CONTRACT.path, b"{}"), CONTRACT.path, FileChange.CHANGED),
    "alias": (write(ALIAS, b"{}"), ALIAS, FileChange.CHANGED),
    "status of the same size": (
        write("api/v2/status.json", b'{"status":{"indicator":"mild"}}'),
        "api/v2/status.json",
        FileChange.CHANGED,
    ),
    "manifest": (write(MANIFEST, b"{}"), MANIFEST, FileChange.CHANGED),
    "removed page": (remove("index.html"), "index.html", FileChange.REMOVED),
    "removed alias": (remove(ALIAS), ALIAS, FileChange.REMOVED),
}

ADDED = ("robots.txt", "assets/stranger.js", f"{CONTRACT.path}.html", ".well-known/security.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Build a folder with a manifest of its own."""
    with FolderTarget(tmp_path / "site") as target:
        target.add(small_documents())
        add_manifest(target, ORIGIN.instant, verify=False)
        target.apply()
    return tmp_path / "site"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_unchanged_build_folder_is_read(folder, tmp_path):
    (folder / SIGNATURE).write_text("signed later")
    assert list(changed_files(folder)) == []
    out = tmp_path / "site.zip"
    for result in (
        run("snapshot", "create", "--from", folder, out),
        run("extract", folder, "--to", tmp_path / "out"),
    ):
        assert result.exit_code == 0, result.output
        assert "after the build" not in result.output
    with open_snapshot(out) as packed, open_site(folder) as site:
        assert [packed.read(doc.path) for doc in small_documents()] == [
            site.read(doc.path) for doc in small_documents()
        ]


@pytest.mark.parametrize("name", CHANGED)
def test_file_changed_after_build_is_refused(folder, tmp_path, name):
    change, path, kind = CHANGED[name]
    change(folder)
    assert list(changed_files(folder)) == [ChangedFile(kind, path)]
    with pytest.raises(DamagedSnapshotError, match=re.escape(path)), open_site(folder) as site:
        site.source.read(path)
    out = tmp_path / "site.zip"
    result = run("snapshot", "create", "--from", folder, out)
    assert result.exit_code != 0
    assert path in result.output
    assert not out.exists()
    result = run("extract", folder, "*", path, "--to", tmp_path / "out")
    assert result.exit_code != 0
    assert f"{path} in {folder} was {kind}\n    {REPAIR}" in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("path", [doc.path for doc in small_documents() if doc.body])
def test_bit_flipped_after_build_is_refused(folder, tmp_path, path):
    flip(path)(folder)
    assert list(changed_files(folder)) == []  # size and time are the same: only who reads the file sees it
    for result in (
        run("snapshot", "create", "--from", folder, tmp_path / "site.zip"),
        run("extract", folder, path),
    ):
        assert result.exit_code != 0
        assert f"{path} in {folder} was changed after the build" in result.output


@pytest.mark.parametrize("path", ADDED)
def test_file_added_after_build_is_reported(folder, tmp_path, path):
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text("stranger")
    assert list(changed_files(folder)) == [ChangedFile(FileChange.ADDED, path)]
    out = tmp_path / "site.zip"
    for result in (
        run("snapshot", "create", "--from", folder, out),
        run("extract", folder, "--to", tmp_path / "out"),
    ):
        assert result.exit_code == 0, result.output
        assert f"1 file of {folder} was not written by the build: {path}\n" in result.output
    assert not (tmp_path / "out" / path).exists()
    with open_site(out) as packed:
        assert packed.read(path) is None


def test_copied_build_folder_counts_as_unchanged(folder):
    for file in folder.rglob("*"):
        if file.is_file() and ".statuary" not in file.parts:
            os.utime(file, (1, 1))
    assert list(changed_files(folder)) == []


def test_serve_lists_files_changed_after_build(folder, capsys):
    for number in range(5):
        (folder / f"stranger{number}.html").write_text("stranger")
    (folder / "index.html").write_text("false")
    (folder / "assets/noise.js").unlink()
    with serving._open_site_to_serve(str(folder)) as site:
        assert site.read("index.html") == b"false"
    text = capsys.readouterr().err
    assert f"1 file of {folder} was changed after the build: index.html\n    {REPAIR}\n" in text
    assert f"1 file of {folder} was removed after the build: assets/noise.js\n" in text
    assert re.search(r"5 files of .* were not written by the build: stranger\d.html, .* and 2 more\n", text)


@pytest.mark.parametrize("damage", few_by_default([b"", b"no database", None], 1))
def test_site_folder_without_ledger_is_read(folder, damage):
    ledger = folder / ".statuary/ledger.sqlite3"
    ledger.unlink() if damage is None else ledger.write_bytes(damage)
    assert list(changed_files(folder)) == []
    with open_site(folder) as site:
        assert site.read("index.html") == b"<p>" * 40
        (folder / "index.html").write_text("false")
        with pytest.raises(DamagedSnapshotError, match=r"index\.html is damaged"):
            site.read("index.html")
