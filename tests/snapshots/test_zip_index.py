"""Finding names in an index, by few reads, whatever stands in it."""

import random

import pytest

from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.zip_index import RECORD, IndexTable, find, key_of


class Reads:
    """The bytes of an index, and how often they were read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.count = 0

    def __call__(self, offset: int, size: int) -> bytes:
        assert size <= 4096
        self.count += 1
        return self.data[offset : offset + size]


def index_of(names: dict[str, int]) -> bytes:
    with IndexTable() as table:
        for name, offset in names.items():
            table.add(name, offset)
        return b"".join(table.chunks())


@pytest.mark.parametrize("count", [0, 1, 2, 169, 170, 171, 1000, 50_000])
def test_every_name_is_found_and_no_other(count: int) -> None:
    names = {f"v2/contract/1/{number}": number * 7 for number in range(count)}
    reads = Reads(index_of(names))
    sample = random.Random(1).sample(sorted(names), min(count, 500))
    assert {name: find(reads, count, name) for name in sample} == {name: names[name] for name in sample}
    assert all(find(reads, count, f"absent/{number}") is None for number in range(200))
    assert reads.count <= 3 * (len(sample) + 200)


def test_a_name_twice_is_refused() -> None:
    with IndexTable() as table:
        table.add("a", 1)
        with pytest.raises(DamagedSnapshotError, match="twice"):
            table.add("a", 2)


def test_an_index_that_was_made_to_mislead_ends_the_search() -> None:
    """Records out of order, or heaped up in one place: an answer, right or none, and not too late."""
    dice = random.Random(2)
    shuffled = [RECORD.pack(dice.randbytes(16), number) for number in range(20_000)]
    heaped = sorted(RECORD.pack(key_of("a")[:6] + dice.randbytes(10), number) for number in range(20_000))
    for records in (shuffled, heaped, [bytes(RECORD.size)] * 20_000, [b"\xff" * RECORD.size] * 20_000):
        reads = Reads(b"".join(records))
        for name in ("a", "b", "c"):
            find(reads, len(records), name)
        assert reads.count < 3 * 30
