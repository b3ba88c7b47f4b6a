"""Removed and resized files of a published site: found by the times of their folders, or in turn."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from statuary.publish.folder import folder_check
from statuary.publish.folder.folder_check import CHECKED_FOLDERS
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.site_folder import SiteFolder
from statuary.site.document import Document

NAMES = [f"{folder}/{number}" for folder in ("one", "two", "two/below") for number in range(4)]
TURNS = 6
"""Builds that look at all files, two by two."""


@pytest.fixture(autouse=True)
def two_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_check, "FILES_IN_TURN", 2)


def document(path: str) -> Document:
    return Document(path, b"whole", sources=(path,), persistent=True)


def build(root: Path, added: Iterable[str] = ()) -> frozenset[str]:
    """Build a site, and return the sources of files that were missing or resized, which are made again."""
    with FolderTarget(root) as target:
        target.ledger.keep_files_of_unchanged_sources()
        lacking = target.sources_of_damaged_documents(verify=False)
        target.add(map(document, sorted({*lacking, *added})))
        target.apply()
    return lacking


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    build(root, NAMES)
    assert build(root) == frozenset()
    return root


def test_find_resized_includes_missing_files(tmp_path: Path) -> None:
    (tmp_path / "same").write_bytes(b"1")
    (tmp_path / "longer").write_bytes(b"12")
    (tmp_path / "link").symlink_to("s")  # the size of a link is that of its text
    files = [(name, "", 1, b"", name) for name in ("same", "longer", "link", "missing")]
    assert list(SiteFolder(tmp_path).find_resized(files)) == ["longer", "link", "missing"]


@pytest.mark.parametrize("name", NAMES)
def test_next_build_restores_removed_file(site: Path, name: str) -> None:
    (site / name).unlink()
    assert build(site) == {name}
    assert (site / name).read_bytes() == b"whole"
    assert build(site) == frozenset()


def test_next_build_restores_removed_folder(site: Path) -> None:
    shutil.rmtree(site / "two")
    assert build(site) == set(NAMES[4:])
    assert [build(site) for _ in range(TURNS)] == [frozenset()] * TURNS


def test_next_build_restores_replaced_file(site: Path) -> None:
    shorter = site / "two/new"
    shorter.write_bytes(b"who")
    shorter.rename(site / "two/3")
    assert build(site) == {"two/3"}


@pytest.mark.parametrize("name", NAMES)
def test_several_builds_find_truncated_file(site: Path, name: str) -> None:
    os.truncate(site / name, 0)
    found = [build(site) for _ in range(TURNS + 1)]
    assert found.count(frozenset({name})) == 1
    assert found.count(frozenset()) == TURNS


@pytest.mark.parametrize("spare", [0, 1])
def test_every_build_checks_whole_small_site(site: Path, monkeypatch: pytest.MonkeyPatch, spare: int) -> None:
    monkeypatch.setattr(folder_check, "FILES_IN_TURN", len(NAMES) + spare)
    for name in NAMES:
        os.truncate(site / name, 0)
        assert build(site) == {name}


def test_copied_site_is_checked_whole_once(site: Path, tmp_path: Path) -> None:
    for name in NAMES:
        os.truncate(site / name, 0)
    shutil.copytree(site, tmp_path / "copy", copy_function=shutil.copy2)
    assert build(tmp_path / "copy") == set(NAMES)


def test_files_in_new_folder_are_checked(site: Path) -> None:
    build(site, ["three/1", "three/2", "three/3"])
    (site / "three/3").unlink()
    assert build(site) == {"three/3"}


def test_next_build_finds_concurrently_removed_file(site: Path) -> None:
    with FolderTarget(site) as target:
        target.ledger.keep_files_of_unchanged_sources()
        assert target.sources_of_damaged_documents(verify=False) == frozenset()
        (site / "one/3").unlink()
        target.add([document("one/9")])
        target.apply()
    assert build(site) == {"one/3"}


def test_partial_run_keeps_folder_timestamps(site: Path) -> None:
    with FolderTarget(site) as target:
        target.ledger.keep_unreplaced()
        target.add([document("three/1"), document("one/1")])
        noted = target.ledger.get_meta(CHECKED_FOLDERS)
        target.apply()
        assert target.ledger.get_meta(CHECKED_FOLDERS).replace('"three":"",', "") == noted
    (site / "three/1").unlink()
    (site / "two/3").unlink()
    assert build(site) == {"three/1", "two/3"}


def test_build_after_interruption_checks_every_file(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SiteFolder, "move_into_place", interrupt)
        with pytest.raises(KeyboardInterrupt):
            build(site, ["three/1"])
    assert build(site) == frozenset()  # reads every file
    for name in NAMES:
        os.truncate(site / name, 0)
    assert build(site) == set(NAMES)
