"""A ledger that is damaged in any way is replaced: the next build finishes, and files of others stay."""

import os
import shutil
from pathlib import Path

import pytest

from statuary.base.files import LEDGER, PublishingError
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.ledger.damage import DamagedLedgerError
from statuary.publish.ledger.ledger import OWNED_NAMES
from statuary.site.document import Document
from support.ledger_damages import DAMAGES
from support.sites import tree

pytestmark = pytest.mark.thorough

OLD = [Document(path=f"v2/{n}", aliases=(f"V2/{n}",), body=b"old %d" % n, sources=("a",)) for n in range(300)]
NEW = [
    Document(path=f"v2/{n}", aliases=(f"V2/{n}",), body=b"new %d" % n, sources=("a",)) for n in range(5, 310)
]


def publish(root: Path, documents: list[Document]) -> None:
    with FolderTarget(root) as target:
        target.add(documents)
        target.apply()


@pytest.mark.parametrize("kind", DAMAGES)
def test_damaged_ledger_does_not_block_build(tmp_path, kind):
    publish(tmp_path, OLD)
    (tmp_path / "theirs").write_bytes(b"foreign")
    (tmp_path / "v2/theirs").write_bytes(b"foreign")
    DAMAGES[kind](tmp_path / LEDGER)
    try:
        publish(tmp_path, NEW)
    except DamagedLedgerError:  # found on the way; as the command does, it is tried once more
        publish(tmp_path, NEW)
    expected = {path: one.body for one in NEW for path in (one.path, *one.aliases)}
    assert tree(tmp_path) == expected | {"theirs": b"foreign", "v2/theirs": b"foreign"}
    publish(tmp_path, OLD)
    assert (tmp_path / "v2/3").read_bytes() == b"old 3"


@pytest.mark.parametrize("kind", ["gone", "other bytes", "half", "a folder"])
def test_damaged_ledger_keeps_foreign_files(tmp_path, kind):
    publish(tmp_path, OLD)
    (tmp_path / "v2/999").write_bytes(b"foreign")
    DAMAGES[kind](tmp_path / LEDGER)
    theirs = Document(path="v2/999", body=b"ours", sources=("a",))
    with pytest.raises(PublishingError, match="did not write: v2/999"):
        publish(tmp_path, [*NEW, theirs])
    assert (tmp_path / "v2/999").read_bytes() == b"foreign"


def test_damaged_own_file_list_is_restored(tmp_path):
    publish(tmp_path, OLD)
    (tmp_path / ".statuary" / OWNED_NAMES).write_bytes(b"x" * 5000)
    publish(tmp_path, NEW)
    (tmp_path / LEDGER).unlink()
    publish(tmp_path, OLD)
    assert tree(tmp_path) == {path: one.body for one in OLD for path in (one.path, *one.aliases)}


@pytest.mark.parametrize("dry_run", [False, True])
def test_publication_on_full_disk_is_reported(tmp_path, dry_run):
    publish(tmp_path, OLD)

    def fill_up() -> None:
        with FolderTarget(tmp_path, dry_run=dry_run) as target:
            (pages,) = target.ledger.connection.execute("PRAGMA page_count").fetchone()
            target.ledger.connection.execute(f"PRAGMA max_page_count = {pages}")
            target.ledger.connection.execute("CREATE TABLE large AS SELECT randomblob(1000000)")

    with pytest.raises(PublishingError, match=r"no space is left for .*ledger\.sqlite3"):
        fill_up()
    publish(tmp_path, NEW)
    assert (tmp_path / "v2/7").read_bytes() == b"new 7"


def test_duplicate_document_path_reports_both_sources(tmp_path):
    documents = [Document(path="a", body=b"1", sources=(source,)) for source in ("one.yaml", "two.yaml")]
    with (
        pytest.raises(
            PublishingError, match=r"same path: a, made from one\.yaml, and a, made from two\.yaml"
        ),
        FolderTarget(tmp_path) as target,
    ):
        target.add(documents)


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0,
    reason="permissions bind nobody here; to have them: Linux or macOS, and a user other than root",
)
def test_read_only_output_folder_is_reported(tmp_path):
    publish(tmp_path, OLD)
    for folder in (tmp_path / ".statuary", tmp_path):
        folder.chmod(0o500)
    try:
        with pytest.raises(PublishingError):
            publish(tmp_path, NEW)
    finally:
        for folder in (tmp_path, tmp_path / ".statuary"):
            folder.chmod(0o700)
    shutil.rmtree(tmp_path / ".statuary")
