"""Pack the documents of a build on its workers.

A range of documents is a task. The groups that are compressed together follow from the sizes of all documents
before them, and the packs from the sizes of all compressed groups. So there are three rounds of tasks, and
the building process computes only the beginnings of groups and packs: the bytes are those of one process.

1. `survey_range` finds out where the groups in a range begin, and samples documents for the dictionary.
2. `compress_range` reads the documents of these groups, and writes the compressed groups to a file.
3. `assemble_pack` joins compressed groups, and adds the index.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from itertools import accumulate, islice
from operator import attrgetter
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import orjson

from statuary.extensions.packs.build_documents import BuildDocument, BuildDocuments, KeyRange
from statuary.extensions.packs.codec import Compressor, train_dictionary
from statuary.extensions.packs.limits import (
    DICTIONARY_SHARE,
    FRAME_DOCUMENTS,
    FRAME_SIZE,
    PUBLISHED_SIZE,
    SAMPLE_COUNT,
    SAMPLE_SIZE,
)
from statuary.extensions.packs.pack_list import FOLDER, make_pack_name
from statuary.extensions.packs.pack_writer import (
    INDEX_END,
    CompressedFrame,
    FrameSummary,
    PackWriter,
    WrittenPack,
    compress_group,
    divide_into_groups,
)
from statuary.extensions.snapshots.streams import FileRanges
from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.publish.ledger.schema import PartitionOutput, PartitionResult
from statuary.site.document import Document
from statuary.system.files import read_file
from statuary.system.writing import create_file
from statuary.workers.executor import Executor

DICTIONARY = "dictionary"
"""The file with the dictionary of the packs, in the folder of the compressed groups."""


class PackingJob(NamedTuple):
    """The documents to pack, and the folder for compressed groups."""

    documents: BuildDocuments
    folder: Path

    def frames_file(self, number: int) -> Path:
        """Return the file for the compressed groups of a numbered range."""
        return self.folder / f"{number:07d}.frames"

    def summaries_file(self, number: int) -> Path:
        """Return the file about the compressed groups of a numbered range.

        It has the keys, sizes and digest of each group.
        """
        return self.folder / f"{number:07d}.json"


class DictionarySample(NamedTuple):
    """A document that the dictionary may be made from."""

    digest: bytes  # SHA-256 of the key
    document: BuildDocument


class SurveyTask(NamedTuple):
    """A range of documents to survey."""

    name: str  # for messages
    job: PackingJob
    keys: KeyRange
    sample_bound: bytes | None  # samples have a smaller digest; None for no bound


class Survey(NamedTuple):
    """The facts about a range that other ranges depend on."""

    number: int
    documents: int  # the number of documents in the range
    exits: tuple[int, ...]  # by possible beginning of a group in the range: where the next range's is
    samples: Sequence[DictionarySample]


def survey_range(task: SurveyTask) -> Survey:
    """Measure a range's documents, to find where compressed groups may begin.

    Packing needs three rounds of tasks: survey, compression, assembly. A group may cross the border of two ranges, so
    where the groups of a range begin depends on the ranges before it.
    """
    _, job, (number, after, until), bound = task
    sizes, samples, count, excess = array("Q"), list[DictionarySample](), 0, 0
    with closing(job.documents.after(after)) as documents:
        for document in documents:
            sizes.append(document.size)
            if until is not None and document.key > until:
                excess += document.size
                if excess > FRAME_SIZE:
                    break
                continue
            count += 1
            digest = sha256(document.key.encode()).digest()
            if bound is None or digest < bound:
                samples.append(DictionarySample(digest, document))
    return Survey(number, count, find_exits(sizes, count), sorted(samples)[:SAMPLE_COUNT])


def find_exits(sizes: Sequence[int], count: int) -> tuple[int, ...]:
    """Find where the first group of documents after a range can begin.

    That depends on where the first group in the range begins, which is unknown while ranges are surveyed in parallel.

    Args:
        sizes: the sizes of the range's documents, and of those after it that a group of the range may have.
        count: the number of documents in the range.

    Returns:
        For each document with which the first group in the range may begin, how many documents after the end of the
        range the next group begins. Example: `(0, 1)`: if a group begins with the first document, the next range
        begins with a new group; if with the second, one document of the next range belongs to the last group.
    """
    sums = [0, *accumulate(sizes)]
    first_entries = range(min(count, FRAME_DOCUMENTS, bisect_right(sums, FRAME_SIZE)))
    exits = dict[int, int]()
    for entry in first_entries:
        starts, start = list[int](), entry
        while start < count and start not in exits:
            starts.append(start)
            end = min(start + FRAME_DOCUMENTS, bisect_right(sums, sums[start] + FRAME_SIZE, start) - 1)
            start = max(start + 1, end)
        exits.update(dict.fromkeys(starts, exits.get(start, start - count)))
    return tuple(exits[entry] for entry in first_entries)


class CompressionTask(NamedTuple):
    """A range of documents to compress in groups."""

    name: str  # for messages
    job: PackingJob
    keys: KeyRange
    skipped: int  # the number of documents at its beginning that belong to a group of an earlier range


class CompressedRange(NamedTuple):
    """The bytes that a pack needs for each compressed group that begins in a range."""

    number: int
    sizes: Sequence[int]


def compress_range(task: CompressionTask) -> CompressedRange:
    """Compress the groups of documents that begin in a range of keys.

    This is the second round of tasks, after `survey_range`. The compressed groups are written to a file.
    """
    _, job, (number, after, until), skipped = task
    compressor = Compressor(read_file(job.folder / DICTIONARY))
    frames = list[CompressedFrame]()
    with closing(job.documents.after(after)) as rows, job.documents.reader() as reader:
        for group in divide_into_groups(islice(rows, skipped, None)):
            if until is not None and group[0].key > until:
                break
            frames.append(compress_group([*reader.read_all(group)], compressor))
    _write_file(job.frames_file(number), b"".join(frame.data for frame in frames))
    _write_file(job.summaries_file(number), orjson.dumps([tuple(frame.summary) for frame in frames]))
    return CompressedRange(number, array("Q", (frame.summary.size_in_pack for frame in frames)))


def _write_file(file: Path, body: bytes) -> None:
    """Write a file in one step, so that it is never incomplete.

    If the build started a task again because its worker did not respond, two workers may write the file.
    """
    unfinished = file.with_suffix(f".{token_hex(4)}")
    create_file(unfinished, body)
    unfinished.replace(file)


class PackPart(NamedTuple):
    """Consecutive compressed groups of a range."""

    number: int  # the number of the range
    start: int  # the number of groups before them in the range
    stop: int


def divide_into_packs(ranges: Iterable[CompressedRange], space: int) -> Iterator[tuple[PackPart, ...]]:
    """Divide compressed groups of documents into packs of limited size.

    Args:
        ranges: the sizes of all groups, in order.
        space: the bytes that a pack has for its groups; a larger group has a pack of its own.

    Yields:
        The groups of a pack.
    """
    parts, filled = list[PackPart](), 0
    for number, sizes in ranges:
        start = 0
        for index, size in enumerate(sizes):
            if filled and filled + size > space:
                yield (*parts, PackPart(number, start, index))
                parts, filled, start = [], 0, index
            filled += size
        parts.append(PackPart(number, start, len(sizes)))
    if filled:
        yield tuple(parts)


class PackTask(NamedTuple):
    """A pack to assemble of compressed groups."""

    name: str  # for messages
    job: PackingJob
    parts: tuple[PackPart, ...]
    output: PartitionOutput


class MadePack(NamedTuple):
    """A pack, and the result of the worker that added it to the site."""

    pack: WrittenPack
    result: PartitionResult


def assemble_pack(task: PackTask) -> MadePack:
    """Join compressed groups to a pack, and add it to the site.

    The last of three rounds of tasks.
    """
    stream, compressor = BytesIO(), Compressor(read_file(task.job.folder / DICTIONARY))
    with PackWriter(stream, compressor) as writer:
        for part in task.parts:
            for frame in _read_frames(task.job, part):
                writer.add(frame)
        pack = writer.finish()
    task.output.add([make_pack_document(f"{FOLDER}/{make_pack_name(pack.sha256)}", stream.getvalue())])
    return MadePack(pack, task.output.result(0))


def _read_frames(job: PackingJob, part: PackPart) -> Iterator[CompressedFrame]:
    rows = [FrameSummary(*row) for row in orjson.loads(read_file(job.summaries_file(part.number)))]
    offset = sum(row.size for row in rows[: part.start])
    with closing(FileRanges(job.frames_file(part.number))) as file:
        for row in rows[part.start : part.stop]:
            yield CompressedFrame(row, file.read(offset, row.size))
            offset += row.size


def make_pack_document(pack_path: str, content: bytes) -> Document:
    """Make a document of the site from a pack or pack list."""
    return Document(
        pack_path, content, media_type_of(pack_path), cache=cache_control_of(pack_path), persistent=True
    )


class DictionarySamples:
    """Collects the documents that the dictionary of a site's packs is made from.

    They have the keys with the lowest SHA-256, so they are always the same.
    """

    def __init__(self, *, is_needed: bool) -> None:
        self._samples = list[DictionarySample]()
        self.bound = None if is_needed else b""  # documents whose digest is not less are no samples

    def add(self, samples: Sequence[DictionarySample]) -> None:
        """Add sample documents from a range, with which the dictionary is trained."""
        self._samples += samples
        if len(self._samples) > 2 * SAMPLE_COUNT:
            self._samples = sorted(self._samples)[:SAMPLE_COUNT]
            self.bound = self._samples[-1].digest

    def dictionary(self, documents: BuildDocuments, count: int) -> bytes:
        """Make the compression dictionary from the sample documents.

        Args:
            documents: the documents of the build.
            count: the number of documents.
        """
        bodies, size = list[bytes](), 0
        with documents.reader() as reader:
            for sample in sorted(self._samples)[:SAMPLE_COUNT]:
                bodies.append(reader.read(sample.document).body or b"")
                size += len(bodies[-1])
                if size > SAMPLE_SIZE:
                    break
        mean = size // max(1, len(bodies))
        return train_dictionary(bodies, mean * count // DICTIONARY_SHARE)


def make_packs(
    job: PackingJob,
    executor: Executor,
    output: Callable[[str], PartitionOutput],
    dictionary: bytes | None = None,
) -> list[MadePack]:
    """Pack the documents of a build into archives, on the build's workers.

    Until this function returns, the tables of the build must not be changed.

    Args:
        job: the documents, and a folder for temporary files.
        executor: runs tasks on the workers.
        output: returns the receiver for the documents of a task, by a unique name.
        dictionary: the compression dictionary; None to make one.

    Returns:
        The packs, sorted by key.

    Raises:
        PublishingError: if a document has changed since it was built.
    """
    ranges, samples = job.documents.ranges(), DictionarySamples(is_needed=dictionary is None)
    surveys = list[Survey]()
    surveying = (SurveyTask(f"documents-{keys.number}", job, keys, samples.bound) for keys in ranges)
    for survey in executor.map_unordered(survey_range, surveying):
        samples.add(survey.samples)
        surveys.append(survey._replace(samples=()))
    if dictionary is None:
        dictionary = samples.dictionary(job.documents, sum(survey.documents for survey in surveys))
    _write_file(job.folder / DICTIONARY, dictionary)
    space = PUBLISHED_SIZE - INDEX_END - len(Compressor(dictionary).codec.opening)
    compressing = (
        CompressionTask(f"groups-{number}", job, ranges[number], skipped)
        for number, skipped in _find_entries(surveys)
    )
    compressed = sorted(executor.map_unordered(compress_range, compressing), key=attrgetter("number"))
    assembling = (
        PackTask(f"pack-{number}", job, parts, output(f"packs-{number:07d}"))
        for number, parts in enumerate(divide_into_packs(compressed, space))
    )
    packs = executor.map_unordered(assemble_pack, assembling)
    return sorted(packs, key=lambda made: made.pack.totals.first)


class RangeEntry(NamedTuple):
    """The first document of a range with which a group begins."""

    number: int  # the number of the range
    skipped: int  # the number of documents before it in the range


def _find_entries(surveys: Iterable[Survey]) -> Iterator[RangeEntry]:
    """Yield, for each range, the first document with which a group begins.

    Ranges in which no group begins are left out.

    Args:
        surveys: the results of `survey_range`, in any order.
    """
    entry = 0
    for number, count, exits, _ in sorted(surveys, key=attrgetter("number")):
        if entry < count:
            yield RangeEntry(number, entry)
            entry = exits[entry]
        else:
            entry -= count
