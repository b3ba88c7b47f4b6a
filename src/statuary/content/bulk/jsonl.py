"""A JSONL file: one record a line, its bytes kept exactly.

A plain file is cut at line ends into stretches that can be read by themselves, in any order and again; a
compressed one is one stretch. Memory holds one line.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, NamedTuple

from statuary.content.bulk.compression import BUFFER, damage_errors, is_compressed, open_bulk_file
from statuary.content.bulk.remote_objects import is_remote
from statuary.content.file_kinds import LARGEST_RECORD
from statuary.content.load_model import unreadable_finding
from statuary.content.parse_json import locate_in_json
from statuary.content.parse_record import ParsedRecord, parse_record_json
from statuary.content.read_contract import ParsedContract
from statuary.content.unreadable import UnreadableError
from statuary.domain.catalogue import ContractForm, ContractSource
from statuary.domain.findings import Finding, Position

RANGE_SIZE = 8 << 20
"""Bytes of a stretch: a second of work at most, so that workers end at about the same time, and hold little."""

MAX_UNREADABLE_LINES = 100
"""Lines of a stretch that hold no record, before the rest of it is not looked at any more."""

GIVEN_UP = f"{MAX_UNREADABLE_LINES} lines up to here hold no record; the rest is not looked at"


class LineRange(NamedTuple):
    """Some lines of a JSONL file.

    Attributes:
        path: the file, relative to the content folder, or a URL.
        start: offset of the first line, in bytes.
        end: offset behind the last line; None for the end of the file.
        first_line: number of the first line, counted from 1.
    """

    path: str
    start: int = 0
    end: int | None = None
    first_line: int = 1


class BulkContract(NamedTuple):
    """A contract of a bulk file as read.

    Attributes:
        source: where it is written.
        read: its record, or why there is none.
        text: the bytes that it was read from, to find places in; None where there are no lines.
    """

    source: ContractSource
    read: ParsedContract
    text: bytes | None = None


def line_ranges(root: Path, path: str, size: int = RANGE_SIZE) -> Iterator[LineRange]:
    """Cut a JSONL file into stretches of about `size` bytes, each of whole lines.

    A file that is compressed or lies in an object store is one stretch, since finding the lines is reading it.

    Raises:
        Unreadable: if the file cannot be read.
    """
    if is_compressed(path) or is_remote(path):
        yield LineRange(path=path)
        return
    with open_bulk_file(root, path) as file:
        start, first_line = 0, 1
        while lines := _lines_within(file, size):
            end = file.tell()
            yield LineRange(path=path, start=start, end=end, first_line=first_line)
            start, first_line = end, first_line + lines


def _lines_within(file: IO[bytes], size: int) -> int:
    """Move a file over `size` bytes and to the end of the line there; return how many lines that were."""
    lines, last = 0, b"\n"
    while size > 0 and (block := file.read(min(BUFFER, size))):
        lines, size, last = lines + block.count(b"\n"), size - len(block), block
    if last.endswith(b"\n"):
        return lines
    while (rest := file.readline(BUFFER)) and not rest.endswith(b"\n"):
        pass
    return lines + 1


def read_line_range(root: Path, stretch: LineRange) -> Iterator[BulkContract]:
    """Yield the contracts of a stretch; lines without anything on them are passed over."""
    path, number, unread = stretch.path, stretch.first_line, 0
    damaged: tuple[type[Exception], ...] = ()
    try:
        damaged = damage_errors(path)
        with open_bulk_file(root, path) as file:
            for line in _lines_of(file, stretch):
                if line is None or not line.isspace():
                    contract = _contract(path, number, line)
                    yield contract
                    unread += contract.read.record is None
                if unread == MAX_UNREADABLE_LINES:
                    yield _unread(path, number, GIVEN_UP)
                    return
                number += 1
    except UnreadableError as unreadable:
        yield _unread(path, number, str(unreadable), unreadable.hint)
    except damaged as error:
        yield _unread(path, number, f"the file is damaged, here or soon after: {error}")


def _lines_of(file: IO[bytes], stretch: LineRange) -> Iterator[bytes | None]:
    """Yield the lines of a stretch; None for one that is too long."""
    if stretch.start:
        file.seek(stretch.start)
    return _lines(file, None if stretch.end is None else stretch.end - stretch.start)


def _lines(file: IO[bytes], length: int | None) -> Iterator[bytes | None]:
    """Yield the lines of so many bytes; None for one that is too long."""
    while length is None or length > 0:
        line = file.readline(LARGEST_RECORD + 1)
        if not line:
            return
        read = len(line)
        is_long = read > LARGEST_RECORD and not line.endswith(b"\n")
        while is_long and (rest := file.readline(BUFFER)):
            read += len(rest)
            if rest.endswith(b"\n"):
                break
        length = None if length is None else length - read
        yield None if is_long else line


def _contract(path: str, number: int, line: bytes | None) -> BulkContract:
    if line is None:
        message = f"the line has more than {LARGEST_RECORD:,} bytes"
        return _unread(path, number, message, "write one record on each line")
    line = line.rstrip(b"\r\n")
    try:
        found = parse_record_json(line, path)
    except UnreadableError as unreadable:
        return _unread(path, number, str(unreadable), unreadable.hint, unreadable.position.column)
    if isinstance(found, ParsedRecord):
        return BulkContract(_source(path, number, found), ParsedContract(found, []), line)
    placed = [locate_in_line(finding, number, line) for finding in found]
    return BulkContract(_source(path, number), ParsedContract(None, placed), line)


def _unread(path: str, number: int, message: str, hint: str = "", column: int = 1) -> BulkContract:
    unreadable = UnreadableError(message, hint, Position(number, column))
    finding = unreadable_finding(unreadable, path)
    return BulkContract(_source(path, number), ParsedContract(None, [finding]))


def _source(path: str, number: int, record: ParsedRecord | None = None) -> ContractSource:
    named = {} if record is None else record.value
    return ContractSource(
        path=path,
        chain_id=named.get("chainId", ""),
        address=named.get("address", ""),
        form=ContractForm.LINE,
        line=number,
    )


def locate_in_line(finding: Finding, number: int, line: bytes) -> Finding:
    """Return a finding about a record with its place: the line, and where on the line its pointer points."""
    column = 1
    if finding.pointer:
        column = locate_in_json(line.decode("utf-8"), finding.pointer, on_key=finding.on_key).column
    return replace(finding, position=Position(number, column))
