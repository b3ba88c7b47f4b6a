"""Publishing into a folder: what is written, kept, removed and rejected."""

import gc
import os
import sys
from pathlib import Path

import pytest

from statuary.base.files import LEDGER, PublishingError
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.ledger.ledger import Ledger
from statuary.publish.ledger.read import open_ledger_read_only, read_cached_group
from statuary.publish.ledger.schema import CachedGroup, CollectedOutput, NoOutput
from statuary.publish.plan import Action
from statuary.site.document import Document
from support.sites import tree


def document(path: str, body: bytes = b"{}", *aliases: str) -> Document:
    return Document(path=path, body=body, aliases=aliases, sources=("site.yaml",))


def publish(root: Path, *documents: Document, dry_run: bool = False) -> dict[Action, int]:
    with FolderTarget(root, dry_run=dry_run) as publication:
        publication.add(documents)
        plan = publication.plan()
        if not dry_run:
            publication.apply()
        return plan.counts


def test_documents_are_written_under_every_alias(tmp_path: Path) -> None:
    counts = publish(tmp_path, document("a/One", b"1", "a/one"), document("b", b"2"))
    assert tree(tmp_path) == {"a/One": b"1", "a/one": b"1", "b": b"2"}
    assert counts == {Action.ADD: 3, Action.REPLACE: 0, Action.REMOVE: 0}


def test_dry_run_plan_cannot_be_applied(tmp_path: Path) -> None:
    with FolderTarget(tmp_path, dry_run=True) as publication:
        publication.add([document("a")])
        with pytest.raises(PublishingError, match="a plan made as a dry run cannot be published"):
            publication.apply()
    assert tree(tmp_path) == {}


def test_published_document_is_read_back(tmp_path: Path) -> None:
    publish(tmp_path, document("a", b"1"))
    with FolderTarget(tmp_path) as publication:
        assert publication.read_published("a") == b"1"
        assert publication.read_published("b") is None


def test_unchanged_files_are_not_rewritten(tmp_path: Path) -> None:
    publish(tmp_path, document("a", b"1", "twin"), document("b", b"2"))
    before = {path: os.lstat(tmp_path / path) for path in ("a", "twin", "b")}
    counts = publish(tmp_path, document("a", b"1", "twin"), document("b", b"3"))
    assert counts == {Action.ADD: 0, Action.REPLACE: 1, Action.REMOVE: 0}
    for path in ("a", "twin"):
        assert os.lstat(tmp_path / path).st_ino == before[path].st_ino
        assert os.lstat(tmp_path / path).st_mtime_ns == before[path].st_mtime_ns
    assert (tmp_path / "b").read_bytes() == b"3"


def test_changed_document_replaces_its_alias(tmp_path: Path) -> None:
    publish(tmp_path, document("A", b"1", "twin"))
    publish(tmp_path, document("A", b"2", "twin"))
    assert tree(tmp_path) == {"A": b"2", "twin": b"2"}


def test_publication_removes_only_its_own_files(tmp_path: Path) -> None:
    publish(tmp_path, document("old/deep/a"), document("b"))
    (tmp_path / "old" / "theirs").write_text("x")
    (tmp_path / ".gitignore").write_text("*")
    counts = publish(tmp_path, document("b"))
    assert counts[Action.REMOVE] == 1
    assert tree(tmp_path) == {".gitignore": b"*", "b": b"{}", "old/theirs": b"x"}
    assert not (tmp_path / "old/deep").exists()


def test_conflicting_foreign_file_stops_publication(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("theirs")
    with FolderTarget(tmp_path) as publication:
        publication.add([document("a"), document("b")])
        assert publication.plan().conflicts == ("b",)
        with pytest.raises(PublishingError, match="did not write: b"):
            publication.apply()
    assert tree(tmp_path) == {"b": b"theirs"}


def test_identical_foreign_file_is_adopted(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"{}")
    assert publish(tmp_path, document("a"))[Action.ADD] == 0
    assert publish(tmp_path)[Action.REMOVE] == 1
    assert tree(tmp_path) == {}


def test_changed_published_file_is_rewritten(tmp_path: Path) -> None:
    publish(tmp_path, document("a", b"right"))
    (tmp_path / "a").write_bytes(b"wrong")
    assert publish(tmp_path, document("a", b"right"))[Action.REPLACE] == 1
    assert tree(tmp_path) == {"a": b"right"}


def test_removed_published_file_is_rewritten(tmp_path: Path) -> None:
    publish(tmp_path, document("a"))
    (tmp_path / "a").unlink()
    assert publish(tmp_path, document("a"))[Action.ADD] == 1
    assert tree(tmp_path) == {"a": b"{}"}


def test_changed_modification_times_rewrite_no_file(tmp_path: Path) -> None:
    """A restored CI cache or a copied folder has other times than the ledger noted."""
    publish(tmp_path, document("a"))
    os.utime(tmp_path / "a", ns=(1, 1))
    inode = os.lstat(tmp_path / "a").st_ino
    assert publish(tmp_path, document("a")) == {Action.ADD: 0, Action.REPLACE: 0, Action.REMOVE: 0}
    assert os.lstat(tmp_path / "a").st_ino == inode


def test_publication_without_ledger_adopts_identical_files(tmp_path: Path) -> None:
    publish(tmp_path, document("a"), document("b"))
    (tmp_path / LEDGER).unlink()
    assert publish(tmp_path, document("a"), document("b"))[Action.ADD] == 0


def test_folder_dry_run_writes_no_file(tmp_path: Path) -> None:
    publish(tmp_path, document("a", b"1"))
    counts = publish(tmp_path, document("a", b"2"), document("b"), dry_run=True)
    assert counts == {Action.ADD: 1, Action.REPLACE: 1, Action.REMOVE: 0}
    assert tree(tmp_path) == {"a": b"1"}


def test_publication_plan_lists_changes_in_order(tmp_path: Path) -> None:
    publish(tmp_path, document("a", b"1"), document("z"))
    with FolderTarget(tmp_path, dry_run=True) as publication:
        publication.add([document("b", b"12"), document("a", b"123")])
        assert list(map(str, publication.plan().changes())) == ["~ a (3 bytes)", "+ b (2 bytes)", "- z"]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../up",
        "a/../../b",
        "a//b",
        "a/./b",
        "a\\b",
        "C:/x",
        "a\x00b",
        "a\nb",
        ".statuary/ledger",
        "x" * 256,
        "incidents/con.json",
        "a/Nul",
        "COM1.html/x",
        "lpt\u00b9",
        "CONOUT$.txt",
        "a./b",
        "a ",
        "a?b",
        "a*",
        'a"b',
        "a|b",
        "<a>",
    ],
)
def test_unsafe_document_paths_are_rejected(path: str, tmp_path: Path) -> None:
    with (
        FolderTarget(tmp_path / "site") as publication,
        pytest.raises(PublishingError, match="inside the site"),
    ):
        publication.add([document(path)])
    assert tree(tmp_path) == {}


@pytest.mark.parametrize(("other", "message"), [("a", "the same path"), ("A", "differ only in case")])
def test_conflicting_document_paths_report_source_files(tmp_path, other, message) -> None:
    first = document("a", b"1")._replace(sources=("incidents/one.yaml",))
    second = document(other, b"2")._replace(sources=("incidents/two.yaml", "site.yaml"))
    with FolderTarget(tmp_path) as publication, pytest.raises(PublishingError, match=message) as caught:
        publication.add([first, second])
    for name in ("incidents/one.yaml", "incidents/two.yaml, site.yaml"):
        assert name in str(caught.value)


def test_symlinked_folder_in_site_stops_publication(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    site = tmp_path / "site"
    site.mkdir()
    (site / "v2").symlink_to(outside)
    with FolderTarget(site) as publication:
        publication.add([document("v2/contract")])
        with pytest.raises(PublishingError):
            publication.apply()
    assert list(outside.iterdir()) == []


def test_symlink_at_document_path_stops_publication(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    site = tmp_path / "site"
    site.mkdir()
    (site / "a").symlink_to(victim)
    with FolderTarget(site) as publication:
        publication.add([document("a")])
        with pytest.raises(PublishingError):
            publication.apply()
    assert victim.read_text() == "precious"


def test_concurrent_build_reports_locked_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("statuary.publish.ledger.ledger.WAIT_FOR_OTHERS", 0.05)
    with FolderTarget(tmp_path), pytest.raises(PublishingError, match="in use"):
        Ledger(tmp_path / LEDGER)


def test_invalid_ledger_file_is_quarantined(tmp_path: Path) -> None:
    file = tmp_path / LEDGER
    file.parent.mkdir()
    file.write_bytes(b"no ledger" * 100)
    publish(tmp_path, document("a"))
    assert tree(tmp_path) == {"a": b"{}"}
    assert file.with_name("ledger.sqlite3.damaged").read_bytes() == b"no ledger" * 100


@pytest.mark.skipif(sys.platform == "win32", reason="Windows folders have no write permission bit")
def test_output_folder_that_is_file_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(PublishingError, match="the site cannot be written to"):
        FolderTarget(tmp_path / "file")


@pytest.mark.parametrize("listing", ["new_site_files", "files_changed_since_last_build"])
def test_unfinished_ledger_iterator_survives_close(tmp_path: Path, listing: str) -> None:
    with FolderTarget(tmp_path) as publication:
        publication.add([document("a"), document("b")])
        files = getattr(publication.ledger, listing)()
        next(files)
    del files
    gc.collect(1)  # what is young


def test_saved_ledger_group_is_read_back(tmp_path: Path) -> None:
    with FolderTarget(tmp_path) as target:
        run = target.ledger.run
        target.ledger.save_group("packs", "fingerprint", items=7, paths=["a", "b"])
        target.apply()
    with open_ledger_read_only(tmp_path / LEDGER) as connection:
        assert connection is not None
        assert read_cached_group(connection, "packs") == CachedGroup("fingerprint", 7, run=run)
        assert read_cached_group(connection, "other") == CachedGroup("")
    with Ledger(tmp_path / LEDGER) as ledger:
        assert ledger.cached_group("packs") == CachedGroup("fingerprint", 7, ("a", "b"), run)
        assert ledger.cached_group("other") == CachedGroup("")


def test_collected_output_returns_paths_of_documents() -> None:
    output = CollectedOutput()
    first, second, third = (Document(path=name, body=b"") for name in "abc")
    assert output.add([first, second]) == ["a", "b"]
    assert output.add([]) == []
    assert output.add([third]) == ["c"]
    assert output.result(2).documents == [first, second, third]


def test_discarding_output_stores_no_documents() -> None:
    output = NoOutput()
    assert output.discards
    assert output.add([Document(path="a", body=b"")]) == []
    assert not output.result(1).documents
