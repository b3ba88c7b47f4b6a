"""The documents to pack, from JSON lines or published sites.

The keys of the documents are in a temporary database.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from heapq import nsmallest
from pathlib import Path
from typing import IO, NamedTuple, Self

from statuary.base.errors import StatuaryError
from statuary.base.files import PublishingError
from statuary.base.findings import Finding, Position
from statuary.base.limits import LARGEST_RECORD
from statuary.base.primitives import InvalidValueError, parse_address, parse_chain_id, shorten
from statuary.contracts.paths import CONTRACT_PATH, plain_path
from statuary.contracts.sources.parse_record import ParsedContract, parse_record_json
from statuary.contracts.urls import CONTRACT
from statuary.extensions.packs.codec import train_dictionary
from statuary.extensions.packs.limits import DICTIONARY_SHARE, SAMPLE_COUNT, SAMPLE_SIZE
from statuary.extensions.packs.pack_format import PackedDocument, make_pack_key
from statuary.extensions.snapshots.site_reader import SiteReader
from statuary.publish.listing import DamagedSnapshotError
from statuary.site.document import encode_unchecked
from statuary.source.parse_json import locate_in_json
from statuary.source.source_files import decode_utf8
from statuary.source.unreadable import UnreadableError
from statuary.system.databases import open_temporary_database
from statuary.system.files import MAX_FILE, open_file, read_named_file

RULE = "invalid-record-line"

MAX_LINE_FINDINGS = 100
"""Findings about lines, after which reading ends."""


class UnusableLinesError(StatuaryError):
    """Raised if lines of a file are not records, or are repeated."""

    def __init__(self, findings: list[Finding]) -> None:
        lines = len({(finding.path, finding.position and finding.position.line) for finding in findings})
        prefix = "at least " if len(findings) >= MAX_LINE_FINDINGS else ""
        number = f"{prefix}{lines} line" if lines == 1 else f"{prefix}{lines} lines"
        super().__init__(f"{number} cannot be used", "fix them, or build a site, which excludes such records")
        self.findings = findings


class KeyRow(NamedTuple):
    """A document to pack: its key, and where to read it."""

    key: str
    file: int = 0  # the number of the file, from 0
    start: int = 0  # the offset of the document in the file
    size: int = 0  # the document's size in bytes
    line: int = 0  # the line of the document in the file, from 1
    path: str = ""  # the path of the document in a site


class KeyTable:
    """The documents to pack, in a table on disk."""

    def __init__(self, read_document: Callable[[KeyRow], bytes]) -> None:
        self._database = open_temporary_database(
            "CREATE TABLE rows (key TEXT, file INTEGER, start INTEGER, size INTEGER, line INTEGER, path TEXT)"
        )
        self._read_body = read_document
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the table, and delete it from disk."""
        self._database.close()

    def add(self, rows: Iterable[KeyRow]) -> None:
        """Add rows about documents that will be packed.

        Each row has the document's key, and the file and position from which to read the document.
        """
        changes_before: int = self._database.total_changes
        self._database.executemany("INSERT INTO rows VALUES (?,?,?,?,?,?)", rows)
        self.count += self._database.total_changes - changes_before

    def sorted_rows(self) -> Iterator[KeyRow]:
        """Yield the documents to pack, sorted by key, file, line and path."""
        query = "SELECT * FROM rows ORDER BY key COLLATE BINARY, file, line, path COLLATE BINARY"
        return map(KeyRow._make, self._database.execute(query))

    def documents(self) -> Iterator[PackedDocument]:
        """Read the documents to pack, one for each key, sorted by key.

        If a key occurs several times, its first document is read, in the order of file, line and path.
        """
        last_key = ""
        for row in self.sorted_rows():
            if row.key != last_key:
                last_key = row.key
                yield PackedDocument(row.key, self._read_body(row))

    def dictionary(self) -> bytes:
        """Make a compression dictionary from a sample of the documents.

        The sample has the documents whose keys have the lowest SHA-256, so it is always the same.
        """
        rows = map(KeyRow._make, self._database.execute("SELECT * FROM rows"))
        lowest = nsmallest(SAMPLE_COUNT, rows, key=lambda row: (sha256(row.key.encode()).digest(), row))
        samples, size = list[bytes](), 0
        for row in lowest:
            samples.append(self._read_body(row))
            size += len(samples[-1])
            if size > SAMPLE_SIZE:
                break
        mean = size // max(1, len(samples))
        return train_dictionary(samples, mean * self.count // DICTIONARY_SHARE)


class LinesOfRecords:
    """Contract records in JSON lines files; a context manager."""

    def __init__(self, files: Iterable[Path]) -> None:
        """Read every line once, and record the line's position.

        Raises:
            PublishingError: if a file cannot be read, or is compressed.
            UnusableLinesError: if lines are not records, or are repeated.
        """
        self.paths = [*files]
        self.findings: list[Finding] = []
        self._files = [_open_lines_file(path) for path in self.paths]
        self.table = KeyTable(self._encode_record_at)
        try:
            for number in range(len(self.paths)):
                self.table.add(self._iter_file_rows(number))
            self._require_usable_lines()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.table.close()
        for file in self._files:
            file.close()

    def _iter_file_rows(self, file_number: int) -> Iterator[KeyRow]:
        start = 0
        for line_number, line in enumerate(_iter_lines(self._files[file_number], self.paths[file_number]), 1):
            if not line.isspace() and len(self.findings) < MAX_LINE_FINDINGS:
                key = self._parse_line_key(file_number, line_number, line)
                if key:
                    yield KeyRow(key, file_number, start, len(line), line_number)
            start += len(line)

    def _parse_line_key(self, file_number: int, line_number: int, line: bytes) -> str:
        """Return the key of the record on a line.

        If the line has none, a finding is added and the result is empty.
        """
        path = str(self.paths[file_number])
        try:
            parsed_contract = parse_record_json(line.rstrip(b"\r\n"), path)
            if parsed_contract.record is None:
                self._add_positioned_findings(parsed_contract, line_number, line)
                return ""
            chain = str(parsed_contract.record.get("chainId"))
            address = str(parsed_contract.record.get("address"))
            return make_pack_key(
                CONTRACT.path(chain_id=parse_chain_id(chain), address=parse_address(address))
            )
        except UnreadableError as error:
            self._add_finding(path, line_number, str(error), error.hint, error.position.column)
        except (InvalidValueError, DamagedSnapshotError) as error:
            self._add_finding(path, line_number, str(error), error.hint)
        return ""

    def _add_finding(self, path: str, line_number: int, message: str, hint: str, column: int = 1) -> None:
        self.findings.append(
            Finding(rule=RULE, path=path, message=message, hint=hint, position=Position(line_number, column))
        )

    def _add_positioned_findings(
        self, parsed_contract: ParsedContract, line_number: int, line: bytes
    ) -> None:
        pointers = [(finding.pointer, finding.on_key) for finding in parsed_contract.findings]
        positions = locate_in_json(line.decode("utf-8"), pointers)
        for finding, position in zip(parsed_contract.findings, positions, strict=True):
            self._add_finding(finding.path, line_number, finding.message, finding.hint, position.column)

    def _require_usable_lines(self) -> None:
        """Raise UnusableLinesError if a line is invalid or repeats a record."""
        previous_row = KeyRow("")
        for row in self.table.sorted_rows():
            if row.key == previous_row.key and len(self.findings) < MAX_LINE_FINDINGS:
                where = f"{self.paths[previous_row.file]}:{previous_row.line}"
                self._add_finding(
                    str(self.paths[row.file]),
                    row.line,
                    f"the record of {row.key} is also on {where}",
                    "keep one of the two lines",
                )
            previous_row = row
        if self.findings:
            raise UnusableLinesError(self.findings)

    def _encode_record_at(self, row: KeyRow) -> bytes:
        line = _read_bytes_at(self._files[row.file].fileno(), row.start, row.size)
        parsed_contract = parse_record_json(line.rstrip(b"\r\n"), str(self.paths[row.file]))
        if parsed_contract.record is None:
            raise PublishingError(
                f"{self.paths[row.file]} has changed while it was read", "run the command again"
            )
        return parsed_contract.canonical or encode_unchecked(parsed_contract.record)


def read_removed_keys(path_list: Path) -> list[str]:
    """Read a list of the documents to remove from packs.

    Args:
        path_list: a text file in UTF-8, with a path in each line.

    Returns:
        The keys of the documents: their paths, with addresses in lower case.

    Raises:
        PublishingError: if the file cannot be read.
        UnusableLinesError: if a line is not the path of a record or proof.
    """
    try:
        lines = decode_utf8(read_named_file(path_list, MAX_FILE)).splitlines()
    except OSError as error:
        raise PublishingError(f"{path_list} cannot be read: {error.strerror}") from None
    except UnreadableError as error:
        raise UnusableLinesError([error.to_finding(str(path_list))]) from None
    paths = [(number, line.strip().removeprefix("/")) for number, line in enumerate(lines, 1) if line.strip()]
    findings = [
        Finding(
            rule=RULE,
            path=str(path_list),
            message=f"{shorten(path)} is not the path of a record or a proof",
            hint="write it as v2/contract/<chainId>/<address>",
            position=Position(number, 1),
        )
        for number, path in paths
        if not is_packable(path)
    ]
    if findings:
        raise UnusableLinesError(findings[:MAX_LINE_FINDINGS])
    return [make_pack_key(plain_path(path)) for _, path in paths]


def _open_lines_file(file_path: Path) -> IO[bytes]:
    if file_path.suffix in (".gz", ".zst"):
        raise PublishingError(
            f"{file_path} is compressed, which `statuary pack` cannot read", "decompress it first"
        )
    try:
        return open_file(file_path, buffering=1 << 20)
    except OSError as error:
        raise PublishingError(f"{file_path} cannot be read: {error.strerror}") from None


def _iter_lines(stream: IO[bytes], file_path: Path) -> Iterator[bytes]:
    """Yield the lines of a file.

    Raises:
        PublishingError: if a line is longer than the longest possible record, LARGEST_RECORD.
    """
    number = 0
    while line := stream.readline(LARGEST_RECORD + 2):
        number += 1
        if len(line.rstrip(b"\r\n")) > LARGEST_RECORD:
            message = f"{file_path}:{number}:1: the line has more than {LARGEST_RECORD:,} bytes"
            raise PublishingError(message, "write one record on each line")
        yield line


def _read_bytes_at(file_descriptor: int, offset: int, size: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(file_descriptor, size, offset)
    os.lseek(file_descriptor, offset, os.SEEK_SET)
    return os.read(file_descriptor, size)


def is_packable(path: str) -> bool:
    """Return whether a path is that of a contract's record or proof.

    Only these documents can be in packs, which are archives of many documents.
    """
    return CONTRACT_PATH.fullmatch(plain_path(path)) is not None


class DocumentsOfSite:
    """The records and proofs of a site: a folder, snapshot or URL."""

    def __init__(self, site: SiteReader) -> None:
        """List the records and proofs of a site.

        Raises:
            PublishingError: if the site cannot be listed.
        """
        self.site = site
        self.table = KeyTable(self._read_site_document)
        try:
            self.table.add(
                KeyRow(make_pack_key(plain_path(path)), path=path)
                for path in site.paths()
                if is_packable(path)
            )
        except BaseException:
            self.table.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Exception):
            self.site.close()
        self.table.close()

    def _read_site_document(self, row: KeyRow) -> bytes:
        body = self.site.read(row.path)
        if body is None:
            raise PublishingError(f"{row.path} is missing in {self.site.source.name}", "build the site again")
        return body
