"""Read JSONL files, plain or compressed, without changing a record's bytes.

A plain file is split at line ends into ranges that are read independently, in any order and repeatedly; a
compressed file is one range. Only one line is in memory.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BufferedReader
from itertools import chain, islice
from pathlib import Path
from typing import IO, NamedTuple

from statuary.base.findings import Finding, Position
from statuary.base.limits import LARGEST_RECORD
from statuary.base.optional import MissingExtraError
from statuary.contracts.model.record import RecordValue
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.parse_record import ParsedContract, parse_record_json
from statuary.extensions.bulk.limits import MAX_BLANK, MAX_SKIPPED, MAX_UNREADABLE_LINES
from statuary.extensions.object_stores.remote_objects import open_remote_object
from statuary.source.parse_json import locate_in_json
from statuary.source.remote_files import is_remote
from statuary.source.source_files import open_content_file
from statuary.source.unreadable import UnreadableError
from statuary.system.archives import STREAM_ERRORS, import_zstandard, open_gzip, open_zstandard
from statuary.system.files import open_descriptor
from statuary.workers.executor import Executor

BUFFER = 1 << 20
"""Bytes per read."""


def is_compressed(file_path: str) -> bool:
    """Return whether a file is compressed, by its ending `.gz` or `.zst`."""
    return file_path.endswith((".gz", ".zst"))


@contextmanager
def open_bulk_file(root: Path, path: str) -> Iterator[IO[bytes]]:
    """Open a file by path or URL, and decompress it while reading.

    Args:
        root: the content folder.
        path: the path in the content folder, or the URL.

    Raises:
        UnreadableError: if the file cannot be opened, or Zstandard is required and not installed.
    """
    with _open_file_or_url(root, path) as raw:
        if is_compressed(path) and not raw.peek(1):
            raise UnreadableError("the file is empty", "compress the records again")
        if path.endswith(".gz"):
            with open_gzip(raw) as unpacked:
                yield unpacked
        elif path.endswith(".zst"):
            with _open_zstandard_stream(raw) as unpacked:
                yield unpacked
        else:
            yield raw


def _open_file_or_url(root: Path, path: str) -> BufferedReader:
    if is_remote(path):
        return open_remote_object(path)
    try:
        return open_descriptor(open_content_file(root, path), buffering=BUFFER)
    except OSError as error:
        raise UnreadableError(f"cannot open the file: {error.strerror}") from None


def _open_zstandard_stream(compressed_stream: IO[bytes]) -> IO[bytes]:
    try:
        return open_zstandard(compressed_stream)
    except MissingExtraError as error:
        raise UnreadableError(str(error), error.hint) from None


def damage_exception_types(path: str) -> tuple[type[Exception], ...]:
    """Return the exceptions to catch when reading a possibly damaged file.

    They depend on how the file is compressed.

    Args:
        path: the path of the file, which may end with `.gz` or `.zst`.

    Raises:
        UnreadableError: if the file is compressed with Zstandard, and the library for it is not installed.
    """
    if not path.endswith(".zst"):
        return STREAM_ERRORS
    try:
        error: type[Exception] = import_zstandard().ZstdError
    except MissingExtraError as missing:
        raise UnreadableError(str(missing), missing.hint) from None
    return (*STREAM_ERRORS, error)


RANGE_SIZE = 8 << 20
"""Bytes of the last ranges: at most a second of work, so that all workers finish at about the same time."""

LARGEST_RANGE = 4
"""Blocks of a range while much of a file is left: each range costs the building process a millisecond."""

TASKS_OF_RANGE = 8
"""A range has at most so many of the `most_tasks` parts of the rest of a file: half of what each worker gets."""


class LineRange(NamedTuple):
    """A range of lines in a JSON Lines file, for one worker."""

    path: str  # the file, relative to the content folder, or a URL
    start: int = 0  # offset of the first line, in bytes
    end: int | None = None  # offset after the last line; None for the end of the file
    first_line: int = 1

    def read(self, root: Path) -> Iterator["LineContract"]:
        """Yield the contracts on these lines of the file.

        Args:
            root: the content folder.
        """
        return read_line_range(root, self)


class LineContract(NamedTuple):
    """A contract's record on a line of a JSON Lines file."""

    source: ContractSource
    parsed_contract: ParsedContract
    text: bytes = b""  # the line; empty if it could not be parsed

    def with_location(self, findings: list[Finding]) -> list[Finding]:
        """Add the line and column to findings about the record."""
        return add_line_positions(findings, self.source.line, self.text) if findings else []


def divide_into_line_ranges(root: Path, path: str, range_size: int = RANGE_SIZE) -> Iterator[LineRange]:
    """Divide a JSON Lines file into ranges of whole lines.

    Several processes can then read it. A compressed or remote file is one range, because finding its lines
    would take as long as reading it.

    Args:
        root: the content folder.
        path: the path of the file.
        range_size: the approximate size of a range in bytes.

    Raises:
        UnreadableError: if the file cannot be read.
    """
    if is_compressed(path) or is_remote(path):
        yield LineRange(path=path)
        return
    with open_bulk_file(root, path) as file:
        start, first_line = 0, 1
        while lines := _skip_to_line_end(file, range_size):
            end = file.tell()
            yield LineRange(path=path, start=start, end=end, first_line=first_line)
            start, first_line = end, first_line + lines


def _skip_to_line_end(file: IO[bytes], byte_count: int) -> int:
    lines, last_bytes = 0, b"\n"
    while byte_count > 0 and (block := file.read(min(BUFFER, byte_count))):
        lines = lines + block.count(b"\n")
        byte_count = byte_count - len(block)
        last_bytes = block
    if last_bytes.endswith(b"\n"):
        return lines
    while (line_rest := file.readline(BUFFER)) and not line_rest.endswith(b"\n"):
        pass
    return lines + 1


class Block(NamedTuple):
    """A part of a file in which a worker counts line breaks."""

    root: Path
    path: str
    start: int
    size: int


class CountedLines(NamedTuple):
    """The number of line breaks in a part of a file."""

    start: int  # the block's offset
    lines: int
    first_line_end: int | None  # the offset after the first of these lines; None if there is none


def count_lines(blocks: Sequence[Block]) -> list[CountedLines]:
    """Count the line breaks in several parts of a file.

    Raises:
        UnreadableError: if the file cannot be read.
    """
    return [_count_lines_in(block) for block in blocks]


def _count_lines_in(block: Block) -> CountedLines:
    """Count the line breaks in a part of a file.

    Args:
        block: the file, and where the part starts and how long it is.

    Raises:
        UnreadableError: if the file cannot be read.
    """
    lines, first_line_end, bytes_left = 0, None, block.size
    with open_bulk_file(block.root, block.path) as file:
        file.seek(block.start)
        while bytes_left > 0 and (text := file.read(min(BUFFER, bytes_left))):
            if first_line_end is None and (line_end := text.find(b"\n")) >= 0:
                first_line_end = block.start + block.size - bytes_left + line_end + 1
            lines = lines + text.count(b"\n")
            bytes_left = bytes_left - len(text)
    return CountedLines(block.start, lines, first_line_end)


BLOCKS = 64
"""Blocks whose lines are counted together: half a gigabyte, which is still in memory when it is read again."""

TASK_BLOCKS = 4
"""Blocks whose lines a worker counts in one task: 50 milliseconds of work."""


def divide_into_line_ranges_by_workers(
    root: Path, path: str, executor: Executor, range_size: int = RANGE_SIZE
) -> Iterator[LineRange]:
    """Divide an uncompressed JSON Lines file into ranges of whole lines.

    Worker processes count the lines. If one process counted them, the others would build contracts faster than it finds
    ranges for them.

    Args:
        root: the content folder.
        path: the path of the file.
        executor: runs the worker processes.
        range_size: the approximate size of the last ranges in bytes.

    Raises:
        UnreadableError: if the file cannot be read.
    """
    with open_bulk_file(root, path) as file:
        end = file.seek(0, os.SEEK_END)
    start, first_line, counted = 0, 1, 0
    blocks = (
        Block(root, path, offset, min(range_size, end - offset)) for offset in range(0, end, range_size)
    )
    while some := list(islice(blocks, BLOCKS)):
        tasks = (some[number : number + TASK_BLOCKS] for number in range(0, len(some), TASK_BLOCKS))
        for offset, lines, line_end in sorted(chain(*executor.map_unordered(count_lines, tasks))):
            least = min(LARGEST_RANGE * range_size, TASKS_OF_RANGE * (end - start) // executor.most_tasks)
            if offset and offset - start >= least and line_end is not None:
                yield LineRange(path=path, start=start, end=line_end, first_line=first_line)
                start, first_line = line_end, counted + 2
            counted += lines
    if start < end:
        yield LineRange(path=path, start=start, end=end, first_line=first_line)


def read_line_range(root: Path, line_range: LineRange) -> Iterator[LineContract]:
    """Read the contracts in some lines of a JSON Lines file.

    Blank lines are skipped. For a line that cannot be read, the contract has an error instead of a
    record. If the file is damaged, or too many lines are blank or unreadable, reading stops. The last contract then has
    the error that says why.
    """
    path, next_line = line_range.path, line_range.first_line
    damaged: tuple[type[Exception], ...] = ()
    try:
        damaged = damage_exception_types(path)
        with open_bulk_file(root, path) as file:
            unreadable = blank = 0
            for number, line in enumerate(_read_lines(file, line_range), line_range.first_line):
                next_line = number
                if line.isspace():
                    blank += len(line)
                    _raise_if(f"more than {MAX_BLANK:,} bytes of blank lines", when=blank > MAX_BLANK)
                    continue
                contract = _parse_line_contract(path, number, line)
                yield contract
                next_line = number + 1
                unreadable += contract.parsed_contract.record is None
                _raise_if(
                    f"{unreadable} lines up to here cannot be read", when=unreadable >= MAX_UNREADABLE_LINES
                )
    except UnreadableError as error:
        yield _contract_with_finding(path, next_line, str(error), error.hint)
    except damaged as error:
        yield _contract_with_finding(path, next_line, f"the file is damaged, here or soon after: {error}")


def _raise_if(message: str, *, when: bool) -> None:
    if when:
        raise UnreadableError(f"{message}; the rest of the file is skipped")


def _read_lines(file: IO[bytes], line_range: LineRange) -> Iterator[bytes]:
    # Skip the rest of a line beyond `LARGEST_RECORD + 1` bytes.
    if line_range.start:
        file.seek(line_range.start)
    bytes_left = None if line_range.end is None else line_range.end - line_range.start
    while bytes_left is None or bytes_left > 0:
        line = file.readline(LARGEST_RECORD + 1)
        if not line:
            return
        read_bytes = len(line)
        if read_bytes > LARGEST_RECORD and not line.endswith(b"\n"):
            read_bytes += _skip_rest_of_line(file)
        bytes_left = None if bytes_left is None else bytes_left - read_bytes
        yield line


def _skip_rest_of_line(file: IO[bytes]) -> int:
    read_bytes = 0
    while line_rest := file.readline(BUFFER):
        read_bytes += len(line_rest)
        _raise_if(f"the line has more than {MAX_SKIPPED:,} bytes", when=read_bytes > MAX_SKIPPED)
        if line_rest.endswith(b"\n"):
            break
    return read_bytes


def _parse_line_contract(path: str, line_number: int, line: bytes) -> LineContract:
    line = line.rstrip(b"\r\n")
    if len(line) > LARGEST_RECORD:
        message = f"the line has more than {LARGEST_RECORD:,} bytes"
        return _contract_with_finding(path, line_number, message, "write one record on each line")
    try:
        parsed_contract = parse_record_json(line, path)
    except UnreadableError as error:
        return _contract_with_finding(path, line_number, str(error), error.hint, error.position.column)
    located = add_line_positions(parsed_contract.findings, line_number, line)
    return LineContract(
        _source_of_line(path, line_number, parsed_contract.record),
        parsed_contract._replace(findings=located),
        line,
    )


def _contract_with_finding(
    path: str, line_number: int, message: str, hint: str = "", column: int = 1
) -> LineContract:
    finding = UnreadableError(message, hint, Position(line_number, column)).to_finding(path)
    return LineContract(_source_of_line(path, line_number), ParsedContract(None, findings=[finding]))


def _source_of_line(path: str, line_number: int, record: RecordValue | None = None) -> ContractSource:
    value: RecordValue = record or {}
    chain_id = value.get("chainId", "")
    address = value.get("address", "")
    return ContractSource(path, chain_id, address, form=ContractForm.LINE, line=line_number)


def add_line_positions(findings: Sequence[Finding], line_number: int, line: bytes) -> list[Finding]:
    """Add the line and column to each error about a contract's record.

    Args:
        findings: the errors and warnings about a record, which is a line of JSON.
        line: the text of the line.
    """
    positions = locate_in_json(
        line.decode("utf-8"), [(finding.pointer, finding.on_key) for finding in findings]
    )
    return [
        replace(finding, position=Position(line_number, position.column if finding.pointer else 1))
        for finding, position in zip(findings, positions, strict=True)
    ]
