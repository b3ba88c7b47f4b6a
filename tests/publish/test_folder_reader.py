"""Reading a published folder: what is a document of it, and what leads out of it."""

import os
from pathlib import Path

import pytest

from statuary.base.files import LEDGER, PublishingError
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.folder.reader import LARGEST_DOCUMENT, FolderReader, folder_documents, walk_files
from statuary.publish.ledger.read import (
    is_build_unfinished,
    read_ledger_listing,
    read_ledger_meta,
    similar_published_paths,
)
from statuary.site.document import Document
from support.sites import write_files

FILES = {"a.json": "a", "b/c.json": "c", "b/d/e.html": "e", ".nojekyll": "", ".git/config": "hidden"}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_files(tmp_path / "site", FILES)


def test_walking_site_folder_skips_hidden_files(site: Path) -> None:
    assert sorted(walk_files(site)) == [".nojekyll", "a.json", "b/c.json", "b/d/e.html"]
    assert sorted(FolderReader(site).paths()) == sorted(walk_files(site))


def test_reader_returns_only_files_inside_folder(site: Path) -> None:
    reader = FolderReader(site)
    assert reader.read("b/d/e.html") == reader.read_existing("b/d/e.html") == b"e"
    for path in ("missing", "b", "", "../site/a.json", "/etc/passwd", "a.json/", "b/../a.json", "a\0"):
        assert reader.read(path) is None, path
    with pytest.raises(PublishingError, match="missing is missing in"):
        reader.read_existing("missing")


def test_reader_never_follows_links_outside_folder(site: Path) -> None:
    (site.parent / "secret").write_text("secret")
    (site / "inside").symlink_to(site / "a.json")
    (site / "outside").symlink_to(site.parent / "secret")
    (site / "folder").symlink_to(site.parent)
    reader = FolderReader(site)
    assert reader.read("inside") == b"a"
    assert reader.read("outside") is None
    assert reader.read("folder/secret") is None
    with pytest.raises(PublishingError, match="is neither a file nor a folder"):
        list(walk_files(site))


def test_reader_ignores_link_to_sibling_folder(site: Path) -> None:
    """Its name begins with the folder's."""
    beside = write_files(site.parent / "site-2", {"a.json": "other"})
    (site / "beside").symlink_to(beside / "a.json")
    assert FolderReader(site).read("beside") is None


def test_reader_ignores_named_pipe_in_site(site: Path) -> None:
    os.mkfifo(site / "pipe")
    assert FolderReader(site).read("pipe") is None


def test_reader_rejects_document_above_size_limit(site: Path) -> None:
    with (site / "large").open("wb") as file:
        file.truncate(LARGEST_DOCUMENT)
    assert len(FolderReader(site).read("large") or b"") == LARGEST_DOCUMENT
    with (site / "large").open("wb") as file:
        file.truncate(LARGEST_DOCUMENT + 1)
    with pytest.raises(PublishingError, match="large is too large: a document of a site has at most"):
        FolderReader(site).read("large")


def test_reader_rejects_path_without_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", Path(__file__)):
        with pytest.raises(PublishingError, match="is not a folder"):
            FolderReader(path)


def test_case_variants_form_one_document(tmp_path: Path) -> None:
    names = {"v2/0xAB": "one", "v2/0xab": "one", "v2/0xac": "two", "V1/b": "three"}
    documents = list(folder_documents(write_files(tmp_path / "site", names)))
    assert {(document.path, document.aliases, document.body) for document in documents} == {
        ("v2/0xAB", ("v2/0xab",), b"one"),
        ("v2/0xac", (), b"two"),
        ("V1/b", (), b"three"),
    }


def test_differing_case_variants_are_rejected(tmp_path: Path) -> None:
    site = write_files(tmp_path / "site", {"v2/0xAB": "one", "v2/0xab": "two"})
    with pytest.raises(PublishingError, match="v2/0xAB and v2/0xab differ only in case"):
        list(folder_documents(site))


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    bodies = {
        "v2/0xAB": b"1",
        "v2/100%": b"2",
        "v2/1000": b"3",
        "other/a_b": b"4",
        "other/axb": b"5",
        "c\\d": b"6",
    }
    with FolderTarget(tmp_path) as target:
        target.add([Document(path=path, body=body) for path, body in bodies.items() if "\\" not in path])
        target.apply()
    return tmp_path / LEDGER


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("V2/0Xab", ["v2/0xAB"]),
        ("elsewhere/100%", ["v2/100%"]),
        ("elsewhere/a_b", ["other/a_b"]),
        ("elsewhere/1000", ["v2/1000"]),
        ("elsewhere/none", []),
        ("elsewhere/", []),
    ],
)
def test_similar_paths_are_suggested_from_ledger(ledger: Path, path: str, nearest: list[str]) -> None:
    assert similar_published_paths(ledger, path) == nearest


def test_missing_ledger_file_has_no_entries(tmp_path: Path) -> None:
    file = tmp_path / "none"
    assert read_ledger_meta(file, "a") is None
    assert list(read_ledger_listing(file)) == similar_published_paths(file, "a") == []
    assert not is_build_unfinished(file)


def test_ledger_listing_contains_paths_and_sizes(ledger: Path) -> None:
    entries = list(read_ledger_listing(ledger))
    assert [entry.path for entry in entries] == ["other/a_b", "other/axb", "v2/0xAB", "v2/100%", "v2/1000"]
    assert all(entry.size == 1 for entry in entries)
    assert not is_build_unfinished(ledger)


def test_malformed_ledger_file_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "ledger"
    file.write_bytes(b"no database" * 100)
    for read in (
        lambda: read_ledger_meta(file, "a"),
        lambda: list(read_ledger_listing(file)),
        lambda: is_build_unfinished(file),
    ):
        with pytest.raises(PublishingError, match=r"the ledger .* is damaged"):
            read()
