"""A delta turns one snapshot into another, byte for byte, or does nothing."""

import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statuary.documents.document import Document
from statuary.publishing.errors import PublishingError
from statuary.publishing.plan import Action
from statuary.snapshots.convert import convert_snapshot
from statuary.snapshots.delta import apply_delta, write_delta
from statuary.snapshots.diff import differences
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.snapshot_reader import read_snapshot
from statuary.snapshots.verify import verify_snapshot
from support.sites import tree
from support.snapshots import ORIGIN, contract, made, small_documents, status


def big(number: int) -> Document:
    return contract(number, body=random.Random(number).randbytes(3000))


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Two snapshots of 300 contracts, one later than the other, and the delta between them."""
    contracts = [big(number) for number in range(300)]
    made(tmp_path / "a.zip", [*contracts, status(), contract(500)])
    made(tmp_path / "b.zip", [*contracts, status(b"major"), contract(501)])
    write_delta(tmp_path / "a.zip", tmp_path / "b.zip", tmp_path / "delta")
    return tmp_path


def test_a_delta_turns_the_earlier_snapshot_into_the_later(world: Path) -> None:
    apply_delta(world / "a.zip", world / "delta", world / "made.zip")
    assert (world / "made.zip").read_bytes() == (world / "b.zip").read_bytes()


def test_a_delta_may_overwrite_the_earlier_snapshot(world: Path) -> None:
    apply_delta(world / "a.zip", world / "delta", world / "a.zip")
    assert (world / "a.zip").read_bytes() == (world / "b.zip").read_bytes()


def test_a_delta_is_small_and_lists_its_changes(world: Path) -> None:
    assert (world / "delta").stat().st_size < (world / "b.zip").stat().st_size / 10
    with zipfile.ZipFile(world / "delta") as opened:
        brought = {name for name in opened.namelist() if not name.startswith("snapshot/")}
    assert brought == {"api/v2/status.json", contract(501).path}


def test_a_delta_without_changes_is_tiny(world: Path) -> None:
    write_delta(world / "a.zip", world / "a.zip", world / "none")
    assert (world / "none").stat().st_size < 3000
    apply_delta(world / "a.zip", world / "none", world / "made.zip")
    assert (world / "made.zip").read_bytes() == (world / "a.zip").read_bytes()


def test_another_snapshot_is_rejected(world: Path) -> None:
    made(world / "c.zip", small_documents())
    for other in ("b.zip", "c.zip"):
        with pytest.raises(DamagedSnapshotError, match="is not the snapshot that"):
            apply_delta(world / other, world / "delta", world / "made.zip")
    assert not (world / "made.zip").exists()


def test_a_damaged_snapshot_or_delta_is_rejected(world: Path) -> None:
    """Either nothing is made, or what should be: some bytes of a delta are not needed."""
    dice = random.Random(5)
    wanted = (world / "b.zip").read_bytes()
    for name in ("a.zip", "delta"):
        whole = (world / name).read_bytes()
        for _ in range(60):
            changed = bytearray(whole)
            changed[dice.randrange(len(whole))] ^= dice.randrange(1, 256)
            (world / "room").mkdir(exist_ok=True)
            damaged = world / f"damaged-{name}"
            damaged.write_bytes(changed)
            before, delta = (damaged, world / "delta") if name == "a.zip" else (world / "a.zip", damaged)
            try:
                apply_delta(before, delta, world / "room/made.zip")
            except DamagedSnapshotError:
                assert tree(world / "room") == {}
            else:
                assert (world / "room/made.zip").read_bytes() == wanted
                (world / "room/made.zip").unlink()


def test_a_snapshot_is_not_a_delta_and_tar_zst_has_no_deltas(world: Path) -> None:
    with pytest.raises(DamagedSnapshotError, match="not a delta"):
        apply_delta(world / "a.zip", world / "b.zip", world / "made.zip")
    with pytest.raises(PublishingError, match="made between zips"):
        write_delta(world / "a.zip", world / "b.tar.zst", world / "delta")


def test_signatures_come_and_go_with_it(world: Path) -> None:
    documents = [big(number) for number in range(5)]
    plain = made(world / "plain.zip", documents)
    signed = made(world / "signed.zip", documents, signer=lambda _: b"signed\n")
    for before, after in ((plain, signed), (signed, plain), (signed, signed)):
        write_delta(before, after, world / "d")
        apply_delta(before, world / "d", world / "made.zip")
        assert (world / "made.zip").read_bytes() == after.read_bytes()


def test_a_file_of_another_program_is_not_overwritten(world: Path) -> None:
    mine = world / "mine.zip"
    with zipfile.ZipFile(mine, "w") as opened:
        opened.writestr("holiday.txt", "sun")
    before = mine.read_bytes()
    with pytest.raises(PublishingError, match="is not a snapshot"):
        apply_delta(world / "a.zip", world / "delta", mine)
    with pytest.raises(PublishingError, match="is not a snapshot"):
        write_delta(world / "a.zip", world / "b.zip", mine)
    with pytest.raises(PublishingError, match="is not a snapshot"):
        convert_snapshot(str(world / "a.zip"), mine)
    assert mine.read_bytes() == before


SITES = st.dictionaries(st.sampled_from([f"n/{letter}" for letter in "abcdefgh"]), st.binary(max_size=60))


@settings(derandomize=True, max_examples=25, deadline=None)
@given(SITES, SITES)
def test_between_any_two_sites(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, site in (("a.zip", one), ("b.zip", other)):
            made(root / name, [Document(path=path, body=body) for path, body in site.items()])
        write_delta(root / "a.zip", root / "b.zip", root / "delta")
        apply_delta(root / "a.zip", root / "delta", root / "made.zip")
        assert (root / "made.zip").read_bytes() == (root / "b.zip").read_bytes()
        with read_snapshot(str(root / "a.zip")) as old, read_snapshot(str(root / "b.zip")) as new:
            output = {(change.action, change.path) for change in differences(old.entries(), new.entries())}
        assert output == {
            *((Action.ADD, path) for path in other.keys() - one.keys()),
            *((Action.REMOVE, path) for path in one.keys() - other.keys()),
            *((Action.REPLACE, path) for path in one.keys() & other.keys() if one[path] != other[path]),
        }


def test_the_result_of_a_delta_verifies(world: Path) -> None:
    apply_delta(world / "a.zip", world / "delta", world / "made.zip")
    verification = verify_snapshot(str(world / "made.zip"))
    assert verification.is_whole
    assert verification.manifest.origin == ORIGIN
