"""On-chain bytecode on pages: marked differences, and their source lines.

Each transformation shifts the marks behind it, so that they end at the final offsets.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from statuary.base.budget import consume_steps
from statuary.base.json_values import Json, as_list, as_non_negative_integer, as_object, as_text
from statuary.base.primitives import InvalidValueError, checksum_address, is_hex_digits
from statuary.contracts.model.auxdata import LIBRARY_BYTES, parse_auxdata
from statuary.contracts.model.compiler_evidence import AuxdataStyle, compiler_evidence
from statuary.contracts.model.metadata_hashes import encode_base58
from statuary.contracts.model.record import RecordValue
from statuary.contracts.model.transformations import (
    TransformationReason,
    TransformationStep,
    TransformationType,
    parse_transformation,
    transformation_value_bytes,
)
from statuary.site.pages.page_texts import one_line

PUSH1, PUSH32 = 0x60, 0x7F


_MAX_PLACE_BYTES = 8_000
"""Bytes of a source map's range that are read: more than the characters of a displayed line."""


class SourcePlace(NamedTuple):
    """A place in a source file: its line, and the text there."""

    path: str
    line: int
    text: str  # the source text from which the bytes were compiled, as one line


def find_source_lines(record: RecordValue, value_offsets: Collection[int]) -> Mapping[int, SourcePlace]:
    """Find the source lines from which values in runtime code come.

    Args:
        record: the record, which contains the compiler's source map (bytecode to source lines).
        value_offsets: the offsets of the PUSH instructions with the values.

    Returns:
        The file and line by offset. Offsets that the source map does not cover are missing.
    """
    code = as_object(record.get("runtimeBytecode"))
    digits = as_text(code.get("recompiledBytecode"))[2:]
    entries = as_text(code.get("sourceMap")).split(";")
    if not value_offsets or len(entries) < 2 or not is_hex_digits(digits):
        return {}
    contents = {
        as_non_negative_integer(as_object(entry).get("id")): _SourceText(
            path, as_text(as_object(file).get("content")).encode()
        )
        for path, entry in as_object(record.get("sourceIds")).items()
        for file in [as_object(record.get("sources")).get(path)]
    }
    return {
        offset: contents[file].place_of_range(start, length)
        for offset, (start, length, file) in _map_pushed_values(bytes.fromhex(digits), entries)
        if offset in value_offsets and file in contents
    }


class _SourceText:
    """A source file as bytes, since source maps count bytes."""

    def __init__(self, path: str, text: bytes) -> None:
        self._path = path
        self._text = text

    def place_of_range(self, start: int, length: int) -> SourcePlace:
        end = min(start + length, start + _MAX_PLACE_BYTES)
        return SourcePlace(
            path=self._path,
            line=bisect_left(self._line_ends, start) + 1,
            text=one_line(self._text[start:end].decode("utf-8", "replace")),
        )

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer(b"\n", self._text)]


def _map_pushed_values(
    code: bytes, source_map_entries: list[str]
) -> Iterator[tuple[int, tuple[int, int, int]]]:
    offset, fields = 0, [0, 0, -1]
    for entry in source_map_entries:
        if offset >= len(code):
            return
        for place, value in enumerate(entry.split(":")[:3]):
            if value:
                fields[place] = as_non_negative_integer(value) if value.isdigit() else -1  # type: ignore[assignment]
        if min(fields) >= 0:
            yield offset + 1, (fields[0], fields[1], fields[2])
        offset += 1 + (code[offset] - PUSH1 + 1 if PUSH1 <= code[offset] <= PUSH32 else 0)


WORD_BYTES = 32
"""Bytes of an immutable in the code."""

MAX_PLAIN_BYTES = 160
"""Bytes of unmarked code that are shown; the middle of a longer piece is cut."""

KEPT_BYTES = 64
"""Bytes at either end of a piece without its middle."""

AUXDATA = "auxdata"
"""The reason of a mark that is not a transformation: metadata that the compiler wrote."""


class BytecodeMark(NamedTuple):
    """A range of on-chain bytecode that the page explains."""

    start: int
    end: int  # the byte after the last one; equal to `start` for removed bytes
    reason: str  # the transformation's reason, or `auxdata`
    id: str = ""  # the key of the value; empty if it has none
    step: int = 0  # the number of the transformation, from 1; 0 for none


class BytecodePiece(NamedTuple):
    """A piece of bytecode on a page, with a reason if marked."""

    hex: str
    offset: int  # the offset of the first byte
    size: int  # in bytes
    reason: str = ""  # the reason of the mark; empty for none
    id: str = ""
    step: int = 0
    omitted: int = 0  # the number of bytes that are not shown here
    value: str = ""  # the value of a mark's bytes: a number, an address, a hash
    place: SourcePlace | None = None  # the source of the marked bytes, if the record's source map contains it


class TransformationRow(NamedTuple):
    """An edit of compiled code, in the table on a contract's page."""

    number: int
    type: str
    reason: str
    offset: int  # byte offset in the code before this step
    id: str
    value: str  # the new bytes as hex; empty for a deletion
    bytes: int  # the number of new bytes, or of deleted ones
    place: SourcePlace | None = None  # the source of the bytes, if the record's source map contains it


class CodeView(NamedTuple):
    """A contract's creation or runtime code, as its page shows it."""

    side: str
    match: str | None
    size: int | None  # bytes on the chain, if they are known
    recompiled: int | None  # bytes of the recompiled code, if there is any
    pieces: tuple[BytecodePiece, ...]
    steps: tuple[TransformationRow, ...]
    reasons: tuple[str, ...]  # the reasons of all marks, each once


def code_view(record: RecordValue, side_name: str) -> CodeView:
    """Prepare a contract's creation or runtime code for its page.

    Args:
        record: the record with the code.
        side_name: `creation` or `runtime`.
    """
    value = as_object(record.get(f"{side_name}Bytecode"))
    match = record.get(f"{side_name}Match")
    onchain = _hex_digits(value.get("onchainBytecode"))
    recompiled = _hex_digits(value.get("recompiledBytecode"))
    steps = _parse_transformations(value)
    inside = _marks_inside(onchain, _marked_ranges(value, steps))
    by_offset = find_source_lines(record, {step.offset for step in steps}) if side_name == "runtime" else {}
    places = {number: by_offset.get(step.offset) for number, step in enumerate(steps, start=1)}
    style = _auxdata_style(as_object(record.get("compilation")))

    def add_value_and_line(piece: BytecodePiece) -> BytecodePiece:
        return piece._replace(value=_display_value(piece, style), place=places.get(piece.step))

    return CodeView(
        side=side_name,
        match=match if isinstance(match, str) else None,
        size=_byte_count(onchain),
        recompiled=_byte_count(recompiled),
        pieces=tuple(map(add_value_and_line, _split_into_pieces(onchain or "", inside))),
        steps=tuple(
            _transformation_row(n, step, value)._replace(place=places[n])
            for n, step in enumerate(steps, start=1)
        ),
        reasons=tuple(dict.fromkeys(mark.reason for mark in inside)),
    )


def _marks_inside(hex_digits: str | None, marks: Sequence[BytecodeMark]) -> list[BytecodeMark]:
    return [mark for mark in marks if mark.end * 2 <= len(hex_digits or "")] if hex_digits is not None else []


def _auxdata_style(compilation: Mapping[str, Json]) -> AuxdataStyle:
    language, version = as_text(compilation.get("language")), as_text(compilation.get("compilerVersion"))
    return compiler_evidence(language, version).auxdata


def _display_value(piece: BytecodePiece, style: AuxdataStyle) -> str:
    value = bytes.fromhex(piece.hex)
    if piece.reason in (AUXDATA, TransformationReason.CBOR_AUXDATA):
        try:
            fields = parse_auxdata(value, style)
        except InvalidValueError:
            return ""
        hashes = (
            f"ipfs://{encode_base58(digest)}" if scheme == "ipfs" else f"{scheme} 0x{digest.hex()}"
            for scheme, digest in fields.hashes.items()
        )
        return ", ".join((*hashes, f"compiler {fields.compiler}"))
    if piece.reason == TransformationReason.IMMUTABLE and len(value) == WORD_BYTES:
        number = int.from_bytes(value, "big")
        return str(number) if number < 1 << 64 else f"0x{number:x}"
    is_address = piece.reason in (TransformationReason.LIBRARY, TransformationReason.CALL_PROTECTION)
    return checksum_address(f"0x{piece.hex}") if is_address and len(value) == LIBRARY_BYTES else ""


def _hex_digits(value: Json) -> str | None:
    text = as_text(value)
    return text[2:] if text.startswith("0x") and is_hex_digits(text[2:]) else None


def _byte_count(hex_digits: str | None) -> int | None:
    return None if hex_digits is None else len(hex_digits) // 2


def _parse_transformations(bytecode_members: Mapping[str, Json]) -> list[TransformationStep]:
    try:
        return [parse_transformation(step) for step in as_list(bytecode_members.get("transformations"))]
    except InvalidValueError:
        return []


def _inserted_bytes(step: TransformationStep, bytecode_members: Mapping[str, Json]) -> bytes:
    try:
        return transformation_value_bytes(step, as_object(bytecode_members.get("transformationValues")))
    except InvalidValueError:
        return b""


def _transformation_row(
    number: int, step: TransformationStep, bytecode_members: Mapping[str, Json]
) -> TransformationRow:
    put = _inserted_bytes(step, bytecode_members)
    return TransformationRow(
        number=number,
        type=step.type.value,
        reason=step.reason.value,
        offset=step.offset,
        id=one_line(step.id or ""),
        value=put.hex(),
        bytes=(step.length or 0) if step.type is TransformationType.DELETE else len(put),
    )


def _marked_ranges(
    bytecode_members: Mapping[str, Json], steps: Sequence[TransformationStep]
) -> list[BytecodeMark]:
    marks = sorted(_auxdata_marks(bytecode_members), key=_place)
    for number, step in enumerate(steps, start=1):
        put = len(_inserted_bytes(step, bytecode_members))
        length = put if step.length is None else step.length
        if step.type is TransformationType.INSERT:
            length = 0
        start, end = step.offset, step.offset + length
        first_overlap = bisect_right(marks, start, key=_end)
        end_overlap = max(first_overlap, bisect_left(marks, end, lo=first_overlap, key=_start))
        moved = put - length
        if moved:
            consume_steps(10 * (len(marks) - end_overlap))
            marks[end_overlap:] = [
                mark._replace(start=mark.start + moved, end=mark.end + moved) for mark in marks[end_overlap:]
            ]
        marks[first_overlap:end_overlap] = [
            BytecodeMark(start, start + put, step.reason.value, step.id or "", number)
        ]
    return sorted(marks, key=_place)


_start = attrgetter("start")
_end = attrgetter("end")
_place = attrgetter("start", "end")


def _auxdata_marks(bytecode_members: Mapping[str, Json]) -> Iterator[BytecodeMark]:
    for number, piece in as_object(bytecode_members.get("cborAuxdata")).items():
        offset = as_non_negative_integer(as_object(piece).get("offset"))
        digits = _hex_digits(as_object(piece).get("value"))
        if offset is not None and digits:
            yield BytecodeMark(offset, offset + len(digits) // 2, AUXDATA, number)


def _split_into_pieces(hex_digits: str, marks: Sequence[BytecodeMark]) -> Iterator[BytecodePiece]:
    offset = 0
    for mark in marks:
        if mark.start < offset:
            continue
        yield from _unmarked_pieces(hex_digits, offset, mark.start)
        yield BytecodePiece(
            hex=hex_digits[mark.start * 2 : mark.end * 2],
            offset=mark.start,
            size=mark.end - mark.start,
            reason=mark.reason,
            id=one_line(mark.id),
            step=mark.step,
        )
        offset = mark.end
    yield from _unmarked_pieces(hex_digits, offset, len(hex_digits) // 2)


def _unmarked_pieces(hex_digits: str, start: int, end: int) -> Iterator[BytecodePiece]:
    size = end - start
    if size <= 0:
        return
    if size <= MAX_PLAIN_BYTES:
        yield BytecodePiece(hex=hex_digits[start * 2 : end * 2], offset=start, size=size)
        return
    yield BytecodePiece(hex=hex_digits[start * 2 : (start + KEPT_BYTES) * 2], offset=start, size=KEPT_BYTES)
    yield BytecodePiece(
        hex="", offset=start + KEPT_BYTES, size=size - 2 * KEPT_BYTES, omitted=size - 2 * KEPT_BYTES
    )
    yield BytecodePiece(
        hex=hex_digits[(end - KEPT_BYTES) * 2 : end * 2], offset=end - KEPT_BYTES, size=KEPT_BYTES
    )
