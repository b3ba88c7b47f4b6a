"""Write packs with little memory."""

import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import IO, NamedTuple, Protocol, Self, TypeVar

import orjson

from statuary.base.cpus import available_cpus
from statuary.base.files import PublishingError
from statuary.extensions.packs.codec import Compressor
from statuary.extensions.packs.limits import FRAME_DOCUMENTS, FRAME_SIZE, FRAMES_OF_LEAF, MAX_COUNT
from statuary.extensions.packs.pack_format import (
    MARK_DIGITS,
    Frame,
    LeafPart,
    PackedDocument,
    PackHead,
    Totals,
    encode_document_group,
    encode_index_entries,
    encode_pack_end,
    hash_key_prefix,
)
from statuary.extensions.packs.pack_reader import KnownEnd
from statuary.extensions.snapshots.streams import CHUNK, HashingWriter
from statuary.system.writing import atomic_file

IN_MEMORY = 16 << 20
"""Bytes of leaves that stay in memory before they go into a temporary file."""

QUEUED_PER_WORKER = 3

INDEX_ENTRY = 128
"""Bytes that the index of a pack has for each group, at most: without keys and marks, before compression."""

INDEX_END = 4 << 10
"""Bytes of a pack, at most, that are neither for a group nor the opening: totals, and what compression adds."""


class SizedDocument(Protocol):
    """A document whose key and size are known."""

    @property
    def key(self) -> str:
        """The document's path, with the contract's address in lower case."""

    @property
    def size(self) -> int:
        """The document's size in bytes; 0 if it is removed."""


Sized = TypeVar("Sized", bound=SizedDocument)


class FrameSummary(NamedTuple):
    """The facts about a compressed group of documents that a pack's index needs."""

    first_key: str
    last_key: str
    documents: int
    removals: int
    body_size: int  # the size of the group's documents, in bytes
    plain: int  # the size of the group before compression
    size: int
    sha256: str  # the digest of the compressed group
    marks: str  # eight hex digits for each document

    @property
    def size_in_pack(self) -> int:
        """The bytes that a pack needs for the group and its entries in the index, at most.

        The index is compressed, which this bound ignores: incompressible JSON grows by less than a 64th.
        """
        marks = len(self.marks) + len(self.marks) // MARK_DIGITS
        return self.size + marks + 2 * len(self.first_key) + INDEX_ENTRY


class CompressedFrame(NamedTuple):
    """A compressed group of documents."""

    summary: FrameSummary
    data: bytes


class WrittenPack(NamedTuple):
    """The result of writing a pack."""

    totals: Totals
    size: int
    sha256: str
    end: KnownEnd


def divide_into_groups(documents: Iterable[Sized]) -> Iterator[list[Sized]]:
    """Divide documents into groups, which are compressed together.

    Args:
        documents: the documents, sorted by key.

    Raises:
        PublishingError: if the documents are not sorted, or two have the same key.
    """
    frame, filled, last_key = list[Sized](), 0, ""
    for document in documents:
        if document.key <= last_key:
            raise PublishingError(f"{document.key} is given twice, or not in order: it follows {last_key}")
        last_key = document.key
        length = document.size
        if len(frame) == FRAME_DOCUMENTS or (frame and filled + length > FRAME_SIZE):
            yield frame
            frame, filled = [], 0
        frame.append(document)
        filled += length
    if frame:
        yield frame


def compress_groups(
    sorted_documents: Iterable[PackedDocument], compressor: Compressor, workers: int | None = None
) -> Iterator[CompressedFrame]:
    """Divide documents into groups, and compress each group in a thread.

    The number of threads does not affect the result.

    Args:
        sorted_documents: the documents, sorted by key.
        compressor: compresses a group.
        workers: the number of threads; None for the number of CPUs.
    """
    workers = workers or available_cpus()
    waiting = deque[Future[CompressedFrame]]()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for frame in divide_into_groups(sorted_documents):
                waiting.append(pool.submit(compress_group, frame, compressor))
                if len(waiting) > QUEUED_PER_WORKER * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def compress_group(group: Sequence[PackedDocument], compressor: Compressor) -> CompressedFrame:
    """Compress documents together, and describe the result."""
    plain = encode_document_group(group)
    data = compressor.compress(plain)
    removals = sum(document.body is None for document in group)
    summary = FrameSummary(
        first_key=group[0].key,
        last_key=group[-1].key,
        documents=len(group) - removals,
        removals=removals,
        body_size=sum(document.size for document in group),
        plain=len(plain),
        size=len(data),
        sha256=sha256(data).hexdigest(),
        marks="".join(hash_key_prefix(document.key) for document in group),
    )
    return CompressedFrame(summary, data)


class PackWriter:
    """Writes a pack, group by group; a context manager."""

    def __init__(self, stream: IO[bytes], compressor: Compressor) -> None:
        self.out = HashingWriter(stream)
        self.compressor = compressor
        self.totals = Totals()
        self._leaf_file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by __exit__
        self._leaves: list[LeafPart] = []  # the offset of each is that in the file of leaves
        self._frames: list[Frame] = []  # the groups of the leaf that is not full yet

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leaf_file.close()

    def add(self, frame: CompressedFrame) -> None:
        """Append a compressed group of documents to the pack.

        The keys of its documents must sort after all keys in the pack so far.
        """
        if len(self._frames) == FRAMES_OF_LEAF:
            self._finish_index_part()
        first_key, last_key, documents, removals, body_size, plain, size, digest, marks = frame.summary
        self._frames.append(Frame(first_key, self.out.position, size, plain, digest, marks))
        self.out.write(frame.data)
        self.totals = Totals(
            documents=self.totals.documents + documents,
            removals=self.totals.removals + removals,
            size=self.totals.size + body_size,
            first=self.totals.first or first_key,
            last=last_key,
        )

    def _finish_index_part(self) -> None:
        plain = orjson.dumps(encode_index_entries(self._frames))
        text = Compressor().compress(plain)
        offset = self._leaf_file.tell()
        digest = sha256(text).hexdigest()
        self._leaves.append(LeafPart(self._frames[0].first_key, offset, len(text), len(plain), digest))
        self._leaf_file.write(text)
        self._frames = []

    def finish(self) -> WrittenPack:
        """Write the end of the pack: its index and the last line.

        Raises:
            PublishingError: if the pack is too large.
        """
        if self._leaves:
            self._finish_index_part()
        start = self.out.position
        self._leaf_file.seek(0)
        while chunk := self._leaf_file.read(CHUNK):
            self.out.write(chunk)
        offset = self.out.position
        if max(offset, self.totals.size) >= MAX_COUNT:
            raise PublishingError(
                "the documents are too large for one pack",
                "split the records into several files, and pack each one",
            )
        leaves = tuple(leaf._replace(offset=start + leaf.offset) for leaf in self._leaves)
        head = PackHead(self.totals, self.compressor.version, leaves, tuple(self._frames))
        end = encode_pack_end(head, offset, self.compressor)
        self.out.write(end)
        known_end = KnownEnd(offset, sha256(end).hexdigest())
        return WrittenPack(self.totals, self.out.position, self.out.digest, known_end)


def write_pack(
    pack_file: Path, documents: Iterable[PackedDocument], dictionary: bytes, workers: int | None = None
) -> WrittenPack:
    """Write documents to a pack file, replacing an existing one.

    Args:
        pack_file: the file of the pack.
        documents: the documents, sorted by key.
        dictionary: the compression dictionary.
        workers: the number of threads, which does not affect the result; None for the number of CPUs.

    Raises:
        MissingExtraError: if no Zstandard library is installed.
        PublishingError: if the file cannot be written, or the documents are not sorted.
    """
    compressor = Compressor(dictionary)
    with atomic_file(pack_file) as stream, PackWriter(stream, compressor) as writer:
        for frame in compress_groups(documents, compressor, workers):
            writer.add(frame)
        return writer.finish()
