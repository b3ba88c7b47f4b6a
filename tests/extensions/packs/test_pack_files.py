"""Packs as files: what is written is what is read, the same bytes from any workers, and a damaged one is never believed."""

from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import orjson
import pytest

from statuary.base.files import PublishingError
from statuary.extensions.packs import limits, pack_format, pack_writer
from statuary.extensions.packs.codec import Compressor, train_dictionary
from statuary.extensions.packs.pack_format import (
    MARK_DIGITS,
    TAIL_SIZE,
    Frame,
    PackedDocument,
    PackHead,
    Totals,
    encode_document_group,
    encode_pack_end,
    hash_key_prefix,
    make_pack_key,
)
from statuary.extensions.packs.pack_reader import PackReader, verify_pack
from statuary.extensions.packs.pack_writer import INDEX_END, INDEX_ENTRY, compress_groups, write_pack
from statuary.extensions.snapshots.streams import FileRanges
from statuary.publish.listing import DamagedSnapshotError
from support.packed_sites import require_zstd
from support.random_runs import seeded
from support.sites import tree


@pytest.fixture(autouse=True)
def _extra() -> None:
    require_zstd()


def documents(count: int, size: int = 600) -> list[PackedDocument]:
    """Return documents with much in common, by key."""
    dice = seeded(20261123)
    common = dice.randbytes(size // 2).hex().encode()
    made = [
        PackedDocument(
            make_pack_key(f"v2/contract/1/0x{dice.randbytes(20).hex()}"), b'{"a":"%b%d"}' % (common, number)
        )
        for number in range(count)
    ]
    return sorted(made)


def written(
    file: Path, made: list[PackedDocument], *, workers: int = 1, with_dictionary: bool = True
) -> Path:
    bodies = [body or b"" for _, body in made]
    dictionary = train_dictionary(bodies[:200], 8 << 10) if with_dictionary else b""
    write_pack(file, made, dictionary, workers)
    return file


class CountedRanges(FileRanges):
    """The bytes of a file, and what was asked of it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked: list[tuple[int, int]] = []

    def read(self, offset: int, size: int) -> bytes:
        self.asked.append((offset, size))
        return super().read(offset, size)


@pytest.mark.slow
@pytest.mark.parametrize("with_dictionary", [True, False])
def test_written_pack_reads_back_same_documents(tmp_path: Path, with_dictionary: bool) -> None:
    made = documents(5_000)
    made[7] = made[7]._replace(body=None)
    made[8] = made[8]._replace(body=b"")
    file = written(tmp_path / "a.pack", made, with_dictionary=with_dictionary)
    with PackReader(FileRanges(file)) as pack:
        assert (pack.codec.skipped > 0) is with_dictionary
        assert list(pack.documents()) == made
        assert all(pack.find(document.key) == document for document in made[::50])
        found = verify_pack(pack)
    assert found.problems == ()
    assert found.sha256 == sha256(file.read_bytes()).hexdigest()
    size = sum(len(body or b"") for _, body in made)
    assert found.totals == Totals(4_999, 1, size, made[0].key, made[-1].key)


def test_worker_count_does_not_change_pack(tmp_path: Path) -> None:
    made = documents(3_000)
    packs = [
        written(tmp_path / f"{workers}.pack", made, workers=workers).read_bytes() for workers in (1, 2, 7)
    ]
    assert len(set(packs)) == 1


def test_pack_lookup_takes_few_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("statuary.extensions.packs.pack_writer.FRAMES_OF_LEAF", 4)
    made = documents(4_000)
    file = written(tmp_path / "a.pack", made)
    ranges = CountedRanges(file)
    with PackReader(ranges) as pack:
        assert len(pack.head.leaves) > 3
        for key in [*(document.key for document in made[::200]), "a", "v2/zz", made[5].key[:-1] + "g"]:
            pack._leaf.cache_clear()
            ranges.asked.clear()
            document = pack.find(key)
            assert len(ranges.asked) <= (2 if document else 1), key
            assert document == next((one for one in made if one.key == key), None)


def test_small_pack_needs_no_index_read(tmp_path: Path) -> None:
    file = written(tmp_path / "a.pack", documents(50))
    ranges = CountedRanges(file)
    with PackReader(ranges) as pack:
        ranges.asked.clear()
        assert pack.find("v2/contract/1/0x" + "5" * 40) is None
        assert ranges.asked == []


@pytest.mark.parametrize(("count", "size"), [(1, 0), (3, 600), (300, 200_000), (2_500, 0), (2_000, 40)])
def test_pack_size_stays_within_sizes_of_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, size: int
) -> None:
    """Compression gains nothing from random documents, and little from the index."""
    monkeypatch.setattr(pack_writer, "FRAME_DOCUMENTS", 7)
    dice = seeded(20261127)
    long_id = "9" * 20
    keys = sorted(f"v2/contract/{long_id}/0x{dice.randbytes(20).hex()}" for _ in range(count))
    made = [PackedDocument(key, dice.randbytes(size) or None) for key in keys]
    groups = list(compress_groups(made, Compressor()))
    pack = write_pack(tmp_path / "a.pack", made, b"")
    assert pack.size <= sum(group.summary.size_in_pack for group in groups) + INDEX_END


def test_pack_with_many_removals_reads_back(tmp_path: Path) -> None:
    keys = [f"v2/contract/1/0x{number:040x}" for number in range(3 * limits.FRAME_DOCUMENTS)]
    file = written(tmp_path / "a.pack", [PackedDocument(key, None) for key in keys], with_dictionary=False)
    with PackReader(FileRanges(file)) as pack:
        assert [len(frame.marks) // MARK_DIGITS for frame in pack.frames()] == [limits.FRAME_DOCUMENTS] * 3
        assert verify_pack(pack).problems == ()
    largest_entry = 2 * INDEX_ENTRY + MARK_DIGITS * limits.FRAME_DOCUMENTS
    assert limits.FRAMES_OF_LEAF * largest_entry < limits.MAX_LEAF


def test_pack_without_documents_is_valid(tmp_path: Path) -> None:
    file = written(tmp_path / "a.pack", [])
    with PackReader(FileRanges(file)) as pack:
        assert pack.find("a") is None
        assert verify_pack(pack).problems == ()


@pytest.mark.parametrize("order", [lambda made: made[::-1], lambda made: [made[0], made[0]]])
def test_pack_of_unsorted_documents_is_rejected(tmp_path: Path, order) -> None:
    with pytest.raises(PublishingError, match="twice"):
        written(tmp_path / "a.pack", order(documents(2)))
    assert tree(tmp_path) == {}


def test_failed_pack_write_keeps_previous_pack(tmp_path: Path) -> None:
    file = written(tmp_path / "a.pack", documents(10))
    before = file.read_bytes()

    def failing() -> Iterator[PackedDocument]:
        yield from documents(5_000)[:4_000]
        raise PublishingError("the source is gone")

    with pytest.raises(PublishingError, match="gone"):
        write_pack(file, failing(), b"")
    assert tree(tmp_path) == {"a.pack": before}


def read_all(file: Path) -> list[PackedDocument]:
    with closing(FileRanges(file)) as ranges:
        pack = PackReader(ranges)
        found = verify_pack(pack)
        if found.problems:
            raise DamagedSnapshotError(found.problems[0])
        return list(pack.documents())


@pytest.mark.slow
def test_changed_pack_byte_is_detected(tmp_path: Path) -> None:
    whole = written(tmp_path / "whole.pack", documents(24, 40)).read_bytes()
    dice, file = seeded(1), tmp_path / "flipped.pack"
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= dice.randrange(1, 256)
        file.write_bytes(changed)
        with pytest.raises(DamagedSnapshotError):
            read_all(file)


@pytest.mark.slow
def test_changed_pack_length_is_detected(tmp_path: Path) -> None:
    whole = written(tmp_path / "whole.pack", documents(24, 40)).read_bytes()
    file = tmp_path / "cut.pack"
    for text in [*(whole[:length] for length in range(len(whole))), whole + b"\0", whole + whole]:
        file.write_bytes(text)
        with pytest.raises(DamagedSnapshotError):
            read_all(file)


@pytest.mark.slow
def test_damaged_pack_never_returns_wrong_document(tmp_path: Path) -> None:
    made = documents(24, 40)
    whole = written(tmp_path / "whole.pack", made).read_bytes()
    dice, file = seeded(2), tmp_path / "flipped.pack"
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= dice.randrange(1, 256)
        file.write_bytes(changed)
        try:
            with PackReader(FileRanges(file)) as pack:
                assert pack.find(made[3].key) == made[3]
        except DamagedSnapshotError:
            continue


# What somebody would make by hand: a pack as we write it, each SHA-256 right, but for one thing.


def crafted(file: Path, frames: list[tuple[Frame, bytes]], totals: Totals, end: bytes | None = None) -> Path:
    body = b"".join(data for _, data in frames)
    head = PackHead(totals, "1", (), tuple(frame for frame, _ in frames))
    file.write_bytes(body + (end or encode_pack_end(head, len(body), Compressor())))
    return file


def frame_of(made: list[PackedDocument], *, text: bytes = b"", **other: object) -> tuple[Frame, bytes]:
    text = text or encode_document_group(made)
    data = Compressor().compress(text)
    marks = "".join(hash_key_prefix(key) for key, _ in made)
    frame = Frame(made[0].key, 0, len(data), len(text), sha256(data).hexdigest(), marks)
    return frame._replace(**other), data  # type: ignore[arg-type]


ONE = documents(1)
TWO = documents(2)
SIZE = sum(len(body or b"") for _, body in TWO)
RIGHT = Totals(2, 0, SIZE, TWO[0].key, TWO[1].key)


def test_unmodified_crafted_pack_is_valid(tmp_path: Path) -> None:
    assert read_all(crafted(tmp_path / "a.pack", [frame_of(TWO)], RIGHT)) == TWO


@pytest.mark.parametrize(
    ("frame", "totals", "match"),
    [
        (frame_of(TWO), RIGHT._replace(documents=3), "its head says"),
        (frame_of(TWO), RIGHT._replace(last=TWO[0].key), "its head says"),
        (frame_of(TWO[::-1]), RIGHT, "not in order"),
        (frame_of(TWO, marks="00000000" * 2), RIGHT, "do not match the index"),
        (frame_of(TWO, marks="0"), RIGHT, "is not a list of short hashes"),
        (frame_of(TWO, first_key=TWO[1].key), RIGHT, "its documents do not match"),
        (frame_of(TWO, first_key="v2/../../etc/passwd"), RIGHT, "not a path"),
        (frame_of(TWO, first_key="v2/contract/1/0x" + "A" * 40), RIGHT, "lower case"),
        (frame_of(TWO, plain=10), RIGHT, "does not have 10 bytes"),
        (frame_of(TWO, plain=1 << 60), RIGHT, "too large"),
        (frame_of(TWO, plain=100_000), RIGHT, "does not have"),
        (frame_of(TWO, size=1 << 40), RIGHT, "is not a size"),
        (frame_of(TWO, size=-1), RIGHT, "malformed"),
        (frame_of(TWO, text=b"[]\n"), RIGHT, "its documents do not match"),
        (frame_of(TWO, text=b"not json"), RIGHT, "malformed"),
        (frame_of(TWO, text=b'[["a",-1]]\n'), RIGHT, "malformed"),
        (frame_of(TWO, text=b'[["a",9007199254740993]]\n'), RIGHT, "its documents do not match"),
        (frame_of(TWO, text=b'[["a"]]\n'), RIGHT, "malformed"),
        (frame_of(TWO, text=b"[" * 100_000), RIGHT, "malformed"),
    ],
)
def test_malformed_document_group_is_rejected(
    tmp_path: Path, frame: tuple[Frame, bytes], totals: Totals, match: str
) -> None:
    with pytest.raises(DamagedSnapshotError, match=match):
        read_all(crafted(tmp_path / "a.pack", [frame], totals))


def tail_of(offset: int, sizes: tuple[int, int], text: bytes, plain: int, prefix: bytes = b"") -> bytes:
    digest = sha256(prefix + text).hexdigest()
    numbers = f"{offset:016d} {sizes[0]:08d} {sizes[1]:08d} {len(text):08d} {plain:08d}"
    return prefix + text + f"{pack_format.VERSION} {numbers} {digest}\n".encode()


@pytest.mark.parametrize(
    ("head", "match"),
    [
        (b"{}", "malformed"),
        (b"[]", "not a JSON object"),
        (b"{", "not JSON"),
        (
            orjson.dumps({"zstd": "1", **Totals()._asdict(), "leaves": [["a", 0, 9, 9, "0" * 64]]}),
            "beyond the end",
        ),
        (
            orjson.dumps({"zstd": "1", **Totals()._asdict(), "leaves": [["a", 0, 1 << 30, 9, "0" * 64]]}),
            "is not a size",
        ),
        (
            orjson.dumps(
                {"zstd": "1", **Totals()._asdict(), "offset": 0, "frames": [["a", 9, 9, "0" * 64, "0" * 8]]}
            ),
            "beyond the end",
        ),
        (orjson.dumps({"zstd": "1", **Totals()._asdict(), "offset": 1 << 60, "frames": []}), "too large"),
    ],
)
def test_malformed_pack_index_is_rejected(tmp_path: Path, head: bytes, match: str) -> None:
    file = tmp_path / "a.pack"
    file.write_bytes(tail_of(0, (0, 0), Compressor().compress(head), len(head)))
    with pytest.raises(DamagedSnapshotError, match=match):
        read_all(file)


@pytest.mark.parametrize(
    "end",
    [
        tail_of(0, (0, 0), b"x" * 5, 1 << 26),
        tail_of(0, (0, 5), b"x" * 5, 5),
        tail_of(0, (5, 0), b"x" * 5, 5, b"x" * 5),
        tail_of(9, (0, 0), b"x" * 5, 5),
        b"x" * TAIL_SIZE,
        b"",
    ],
)
def test_malformed_pack_end_is_rejected(tmp_path: Path, end: bytes) -> None:
    file = tmp_path / "a.pack"
    file.write_bytes(end)
    with pytest.raises(DamagedSnapshotError):
        read_all(file)


@pytest.mark.slow
def test_pack_decompression_bomb_uses_bounded_memory(tmp_path: Path) -> None:
    """A frame of a gigabyte of zeros that claims to have a thousand bytes is given up after these."""
    import tracemalloc

    bomb = Compressor().compress(bytes(1 << 30))
    frame, _ = frame_of(TWO)
    row = frame._replace(size=len(bomb), plain=1_000, sha256=sha256(bomb).hexdigest())
    file = crafted(tmp_path / "a.pack", [(row, bomb)], RIGHT)
    tracemalloc.start()
    with pytest.raises(DamagedSnapshotError, match="does not have 1,000 bytes"):
        read_all(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


def test_oversized_pack_zstd_window_is_rejected(tmp_path: Path) -> None:
    """A decoder keeps the window in memory: one of 128 MiB is refused before."""
    zstd = Compressor().zstd
    names = zstd.CompressionParameter
    text = encode_document_group(TWO)
    stream = zstd.ZstdCompressor(options={names.window_log: 27})
    data = stream.compress(text, mode=stream.FLUSH_BLOCK) + stream.flush()
    frame = frame_of(TWO)[0]._replace(size=len(data), sha256=sha256(data).hexdigest())
    with pytest.raises(DamagedSnapshotError, match="is damaged"):
        read_all(crafted(tmp_path / "a.pack", [(frame, data)], RIGHT))


def test_pack_group_limit_fits_largest_document() -> None:
    assert (
        limits.LARGEST_DOCUMENT + len(encode_document_group([PackedDocument("a" * 200, b"")]))
        < limits.MAX_FRAME
    )
