"""Read a pack by ranges of bytes."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from operator import attrgetter
from typing import NamedTuple, Self

from statuary.extensions.packs.codec import Codec
from statuary.extensions.packs.limits import KEPT_LEAVES
from statuary.extensions.packs.pack_format import (
    TAIL_SIZE,
    Frame,
    LeafPart,
    PackedDocument,
    PackHead,
    Tail,
    Totals,
    parse_document_group,
    parse_index_part,
    parse_last_line,
    parse_pack_end,
    require_intact_bytes,
)
from statuary.extensions.snapshots.streams import CHUNK, ByteRanges
from statuary.publish.listing import DamagedSnapshotError


class KnownEnd(NamedTuple):
    """The offset and SHA-256 of a pack's end, from the list of packs."""

    offset: int
    sha256: str


class PackReader:
    """Finds documents in a pack, verifying each part that is read."""

    def __init__(self, ranges: ByteRanges, known_end: KnownEnd | None = None) -> None:
        """Read the end of a pack.

        If this fails, the file or connection is closed.

        Args:
            ranges: reads ranges of the pack's bytes.
            known_end: the position of the end, if a list of packs states it; otherwise the last line is read
                first.

        Raises:
            DamagedSnapshotError: if the file is not a pack, or its end is damaged.
            PublishingError: if the pack cannot be read.
        """
        self.ranges, self.name = ranges, ranges.name
        try:
            self.tail, self.codec, self.head = self._read_end(known_end)
        except BaseException:
            ranges.close()
            raise
        self._firsts = [leaf.first_key for leaf in self.head.leaves]
        self._leaf = lru_cache(KEPT_LEAVES)(self._read_index_part)
        self.documents_of = lru_cache(1)(self._read_group)  # documents are often read in their order

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file or the connection."""
        self.ranges.close()

    @property
    def totals(self) -> Totals:
        """The number of documents and bytes in the pack."""
        return self.head.totals

    def _read_end(self, known_end: KnownEnd | None) -> tuple[Tail, Codec, PackHead]:
        size = self.ranges.size
        if size < TAIL_SIZE:
            raise DamagedSnapshotError(
                f"{self.name} is not a pack: it has only {size:,} bytes, fewer than the smallest pack"
            )
        if known_end is None:
            tail = parse_last_line(self.ranges.read(size - TAIL_SIZE, TAIL_SIZE), self.name, size)
            text = self.ranges.read(tail.offset, size - tail.offset)
        else:
            text = self.ranges.read(known_end.offset, size - known_end.offset)
            require_intact_bytes(text, known_end.sha256, size - known_end.offset, f"the index of {self.name}")
            tail = parse_last_line(text[-TAIL_SIZE:], self.name, size)
        if tail.offset + len(text) != size:
            raise DamagedSnapshotError(f"{self.name} is cut off: its index is incomplete")
        return tail, *parse_pack_end(text, tail, self.name)

    def _read_index_part(self, part_number: int) -> tuple[Frame, ...]:
        leaf = self.head.leaves[part_number]
        what = f"leaf {part_number + 1:,} of {self.name}"
        return parse_index_part(self._read_verified_bytes(leaf, what), leaf, self.tail.offset, what)

    def _read_verified_bytes(self, index_entry: LeafPart | Frame, part_name: str) -> bytes:
        return require_intact_bytes(
            self.ranges.read(index_entry.offset, index_entry.size),
            index_entry.sha256,
            index_entry.size,
            part_name,
        )

    def _find_group_entries(self, document_key: str) -> tuple[Frame, ...]:
        if not self.head.leaves:
            return self.head.frames
        number = bisect_right(self._firsts, document_key) - 1
        return self._leaf(number) if number >= 0 else ()

    def find(self, document_key: str) -> PackedDocument | None:
        """Look up a document in the pack by its key.

        It takes two requests for ranges of bytes: one for the index, which is cached, and one for the
        document.

        Args:
            document_key: the path of the document, with the contract's address in lower case.

        Returns:
            The document, or a note that it was removed; None if the pack has neither.

        Raises:
            DamagedSnapshotError: if a part that is read is damaged.
        """
        frames = self._find_group_entries(document_key)
        number = bisect_right(frames, document_key, key=attrgetter("first_key")) - 1
        if number < 0 or not frames[number].may_contain(document_key):
            return None
        return next(
            (document for document in self.documents_of(frames[number]) if document.key == document_key), None
        )

    def _read_group(self, frame: Frame) -> list[PackedDocument]:
        what = f"the frame at byte {frame.offset:,} of {self.name}"
        return parse_document_group(
            self.codec.decompress(self._read_verified_bytes(frame, what), frame.plain, what), frame, what
        )

    def frames(self) -> Iterator[Frame]:
        """Yield the position and size of each group of documents, in order.

        Raises:
            DamagedSnapshotError: if a part of the pack's index is damaged.
        """
        yield from self.head.frames
        for number in range(len(self.head.leaves)):
            yield from self._read_index_part(number)

    def documents(self) -> Iterator[PackedDocument]:
        """Yield all documents in the pack, sorted by key.

        For a removed document, a marker is yielded.

        Raises:
            DamagedSnapshotError: if the pack is damaged, when reading reaches the damage.
        """
        for frame in self.frames():
            yield from self.documents_of(frame)


class PackVerification(NamedTuple):
    """The result of verifying a pack."""

    totals: Totals  # the number of documents and bytes that were counted
    frames: int
    size: int  # the size of the file, in bytes
    sha256: str  # the digest of the file
    problems: tuple[str, ...]


def verify_pack(pack: PackReader, most_problems: int = 100) -> PackVerification:
    """Verify every byte of a pack, an archive of many documents.

    Args:
        pack: the opened pack.
        most_problems: stop after this number of damaged groups of documents.
    """
    problems = list[str]()
    totals, frames = Totals(), 0
    try:
        for frame in _iter_contiguous_groups(pack):
            frames += 1
            try:
                totals = _add_to_totals(totals, pack.documents_of(frame))
            except DamagedSnapshotError as damaged:
                problems.append(str(damaged))
                if len(problems) >= most_problems:
                    break
    except DamagedSnapshotError as damaged:
        problems.append(str(damaged))
    if not problems and totals != pack.totals:
        problems.append(f"{pack.name} is damaged: it holds {totals}, and its head says {pack.totals}")
    return PackVerification(totals, frames, pack.ranges.size, _hash_pack(pack.ranges), tuple(problems))


def _iter_contiguous_groups(pack: PackReader) -> Iterator[Frame]:
    """Yield the groups of documents, and verify that none leaves a gap.

    Raises:
        DamagedSnapshotError: if other bytes are between groups or parts of the index.
    """
    position = 0
    for frame in pack.frames():
        if frame.offset != position:
            raise DamagedSnapshotError(
                f"{pack.name} is damaged: its bytes from {position:,} on are not in the index"
            )
        position += frame.size
        yield frame
    for leaf in pack.head.leaves:
        if leaf.offset != position:
            raise DamagedSnapshotError(
                f"{pack.name} is damaged: its bytes from {position:,} on are not in the index"
            )
        position += leaf.size
    if position != pack.tail.offset:
        raise DamagedSnapshotError(
            f"{pack.name} is damaged: its bytes from {position:,} on are not in the index"
        )


def _add_to_totals(totals: Totals, documents: list[PackedDocument]) -> Totals:
    """Add the documents of a group to the totals of the pack.

    Raises:
        DamagedSnapshotError: if the documents are out of order.
    """
    if documents[0].key <= totals.last:
        raise DamagedSnapshotError(
            f"the pack is damaged: {documents[0].key!r} comes after {totals.last!r}, not in order"
        )
    bodies = [body for _, body in documents if body is not None]
    return Totals(
        documents=totals.documents + len(bodies),
        removals=totals.removals + len(documents) - len(bodies),
        size=totals.size + sum(map(len, bodies)),
        first=totals.first or documents[0].key,
        last=documents[-1].key,
    )


def _hash_pack(ranges: ByteRanges) -> str:
    digest = sha256()
    for offset in range(0, ranges.size, CHUNK):
        digest.update(ranges.read(offset, CHUNK))
    return digest.hexdigest()
