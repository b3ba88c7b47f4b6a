"""What a snapshot is made of, and what never gets into one."""

import random
import tracemalloc
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from statuary.base.files import PublishingError
from statuary.extensions.snapshots.site_reader import open_site
from statuary.extensions.snapshots.snapshot_reader import read_snapshot
from statuary.extensions.snapshots.snapshot_target import SnapshotTarget, copy_snapshot
from statuary.publish.plan import Action
from statuary.site.document import Document
from support.sites import tree
from support.snapshots import (
    ORIGIN,
    contract,
    made,
    made_of_folder,
    published,
    small_documents,
    status,
)


def test_identical_site_gives_identical_snapshot_bytes(tmp_path: Path) -> None:
    """In whatever order documents come, however many threads pack them, from content or from a folder."""
    documents = [*small_documents(), *(contract(number, 5) for number in range(40))]
    first = made(tmp_path / "a/site.zip", documents, workers=1).read_bytes()
    shuffled = random.Random(7).sample(documents, len(documents))
    assert made(tmp_path / "b/site.zip", shuffled, workers=5).read_bytes() == first
    folder = published(documents, tmp_path / "folder")
    assert made_of_folder(tmp_path / "c/site.zip", folder).read_bytes() == first
    (folder / ".statuary/ledger.sqlite3").unlink()
    assert made_of_folder(tmp_path / "d/site.zip", folder).read_bytes() == first


def test_changed_document_changes_snapshot_bytes(tmp_path: Path) -> None:
    plain = made(tmp_path / "a.zip", [status()])
    other = made(tmp_path / "b.zip", [status(b"major")])
    assert plain.read_bytes() != other.read_bytes()


def test_snapshot_stores_aliased_document_once(tmp_path: Path) -> None:
    document = contract(1, body=random.Random(1).randbytes(50_000))
    file = made(tmp_path / "site.zip", [document])
    assert file.stat().st_size < 60_000
    with open_site(file) as site:
        assert site.read(document.path) == site.read(document.aliases[0]) == document.body
        assert set(site.paths()) == {document.path, *document.aliases}


def test_alias_unlike_path_becomes_separate_document(tmp_path: Path) -> None:
    document = Document(path="a.json", aliases=("b.json",), body=b"{}")
    with read_snapshot(str(made(tmp_path / "site.zip", [document]))) as snapshot:
        entries = [(entry.path, entry.aliases) for entry in snapshot.entries()]
    assert entries == [("a.json", ()), ("b.json", ())]


@pytest.mark.parametrize(
    "path",
    [
        "../out",
        "/etc/passwd",
        "a/../../b",
        "a//b",
        "a\\b",
        "c:/b",
        ".git/config",
        ".statuary/x",
        "snapshot/manifest.json",
        "snapshot/new",
        "SNAPSHOT/x",
        "a/.hidden",
        "trailing./x",
        "trailing ",
        "new\nline",
        "\ud800",
        "x" * 300,
    ],
)
def test_snapshot_rejects_invalid_document_path(tmp_path: Path, path: str) -> None:
    with pytest.raises(PublishingError, match="path"):
        made(tmp_path / "site.zip", [Document(path=path, body=b"")])
    assert tree(tmp_path) == {}


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("a/b", "a/b", "have the same path"),
        ("a/b", "a/B", "differ only in case"),
        ("straße", "STRASSE", "differ only in case"),
        ("caf\u00e9", "cafe\u0301", "differ only in case"),
        ("a", "a/b", "file and a folder"),
        ("A", "a/b/c", "differ only in case"),
    ],
)
def test_snapshot_rejects_conflicting_document_paths(tmp_path: Path, one: str, other: str, why: str) -> None:
    documents = [Document(path=one, body=b"1"), Document(path=other, body=b"2")]
    with pytest.raises(PublishingError, match=why):
        made(tmp_path / "site.zip", documents)
    assert tree(tmp_path) == {}


def test_snapshot_plan_lists_changed_documents(tmp_path: Path) -> None:
    out = made(tmp_path / "site.zip", [contract(1), contract(2), status()])
    before = out.read_bytes()
    with SnapshotTarget(out, ORIGIN, dry_run=True) as publication:
        publication.add([contract(1), contract(3), status(b"major")])
        plan = publication.plan()
        shown = {(change.action, change.path) for change in plan.changes()}
        with pytest.raises(PublishingError, match="dry run"):
            publication.apply()
    assert plan.counts == {Action.ADD: 1, Action.REPLACE: 1, Action.REMOVE: 1}
    assert plan.unchanged == 1
    assert shown == {
        (Action.ADD, contract(3).path),
        (Action.REPLACE, "api/v2/status.json"),
        (Action.REMOVE, contract(2).path),
    }
    assert out.read_bytes() == before


def test_snapshot_never_replaces_other_file(tmp_path: Path) -> None:
    out = tmp_path / "site.zip"
    out.write_bytes(b"my holiday")
    with SnapshotTarget(out, ORIGIN) as publication:
        publication.add([status()])
        with pytest.raises(PublishingError, match="is not a snapshot, or is damaged"):
            publication.plan()
    with pytest.raises(PublishingError, match="is not a snapshot"):
        copy_snapshot(str(made(tmp_path / "other.zip", [status()])), out)
    assert out.read_bytes() == b"my holiday"


def test_failed_snapshot_write_keeps_existing_snapshot(tmp_path: Path) -> None:
    out = made(tmp_path / "site.zip", [status()])
    before = out.read_bytes()

    def failing(_: bytes) -> bytes:
        raise OSError(28, "No space left on device")

    with pytest.raises(PublishingError, match="No space left"):
        made(out, [contract(1)], signer=failing)
    assert tree(tmp_path) == {"site.zip": before}


@pytest.mark.parametrize("name", ["site.rar", "site.tar.zst", "site"])
def test_snapshot_without_zip_suffix_is_rejected(tmp_path: Path, name: str) -> None:
    file = made(tmp_path / "site.zip", [])
    with pytest.raises(PublishingError, match=r"must end with \.zip"):
        made(tmp_path / name, [])
    with pytest.raises(PublishingError, match=r"must end with \.zip"):
        copy_snapshot(str(file), tmp_path / name)
    assert tree(tmp_path) == {"site.zip": file.read_bytes()}


def test_empty_site_is_valid_snapshot(tmp_path: Path) -> None:
    with read_snapshot(str(made(tmp_path / "site.zip", []))) as snapshot:
        assert list(snapshot.documents()) == []


@pytest.mark.slow
def test_snapshot_memory_use_stays_constant(tmp_path: Path) -> None:
    """It has room for a few bodies and the longest part of the manifest, not for 96 MB of documents."""

    def documents() -> Iterator[Document]:
        for number in range(6000):
            body = sha256(b"%d" % number).digest() * 500
            yield Document(path=f"v2/contract/1/{number}", body=body)

    tracemalloc.start()
    made(tmp_path / "site.zip", documents(), workers=2)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4_000_000
