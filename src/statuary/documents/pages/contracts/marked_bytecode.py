"""Bytecode as it lies on the chain, with everything marked that did not come from the compiler as it is.

The marks follow the replay: each step's place is moved by the steps after it, so that it is where its bytes are
in the end.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from statuary.documents.pages.contracts.lenient_json import as_list, as_object, as_size, as_text
from statuary.documents.pages.visible_text import one_line
from statuary.domain.contracts.bytecode.transformations import (
    TransformationStep,
    TransformationType,
    parse_transformation,
    value_bytes,
)
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError, is_hex_digits

MAX_PLAIN_BYTES = 160
"""Bytes of unmarked code that stand in one piece; of more, the middle is left out."""

KEPT_BYTES = 64
"""Bytes that stay at either end of a piece whose middle is left out."""

AUXDATA = "auxdata"
"""The reason of a mark that is no transformation: metadata that the compiler wrote."""


class BytecodeMark(NamedTuple):
    """A stretch of the code on the chain.

    Attributes:
        start: its first byte.
        end: the byte after its last one; the same as `start` where bytes were taken out.
        reason: a transformation's reason, or `auxdata`.
        id: which value, or empty.
        step: the transformation's place in the list, from 1; 0 of none.
    """

    start: int
    end: int
    reason: str
    id: str = ""
    step: int = 0


class BytecodePiece(NamedTuple):
    """A piece of code on a page.

    Attributes:
        hex: its digits.
        offset: its first byte.
        size: its bytes.
        reason: why it is marked, or empty.
        id: which value, or empty.
        step: the transformation's place in the list, or 0.
        omitted: how many bytes are left out here, instead of digits.
    """

    hex: str
    offset: int
    size: int
    reason: str = ""
    id: str = ""
    step: int = 0
    omitted: int = 0


class TransformationRow(NamedTuple):
    """A transformation in words of the record.

    Attributes:
        number: its place in the list, from 1.
        type: what it does.
        reason: why.
        offset: where, in bytes of the code as it is when its turn comes.
        id: which value, or empty.
        value: what it puts, as hex digits; empty of a deletion.
        bytes: how many it puts, of a deletion how many it takes.
    """

    number: int
    type: str
    reason: str
    offset: int
    id: str
    value: str
    bytes: int


class CodeView(NamedTuple):
    """One side of a contract's code.

    Attributes:
        side: `creation` or `runtime`.
        match: its match level, or None.
        size: bytes on the chain, None if they are not known.
        recompiled: bytes that the compiler gave, None if it gave none.
        pieces: the code on the chain.
        steps: the transformations.
        reasons: the reasons of the marks, each once.
    """

    side: str
    match: str | None
    size: int | None
    recompiled: int | None
    pieces: tuple[BytecodePiece, ...]
    steps: tuple[TransformationRow, ...]
    reasons: tuple[str, ...]


def code_view(side: str, member: Json, match: Json) -> CodeView:
    """Return one side of a record's code."""
    value = as_object(member)
    onchain, recompiled = _digits(value.get("onchainBytecode")), _digits(value.get("recompiledBytecode"))
    steps = _steps(value)
    marks = _marks(value, steps) if onchain is not None else []
    inside = [mark for mark in marks if onchain is not None and mark.end * 2 <= len(onchain)]
    return CodeView(
        side=side,
        match=match if isinstance(match, str) else None,
        size=None if onchain is None else len(onchain) // 2,
        recompiled=None if recompiled is None else len(recompiled) // 2,
        pieces=tuple(_pieces(onchain or "", inside)),
        steps=tuple(_row(number, step, value) for number, step in enumerate(steps, start=1)),
        reasons=tuple(dict.fromkeys(mark.reason for mark in inside)),
    )


def _digits(text: Json) -> str | None:
    held = as_text(text)
    return held[2:] if held.startswith("0x") and is_hex_digits(held[2:]) else None


def _steps(value: Mapping[str, Json]) -> list[TransformationStep]:
    try:
        return [parse_transformation(step) for step in as_list(value.get("transformations"))]
    except InvalidValueError:
        return []


def _value(step: TransformationStep, value: Mapping[str, Json]) -> bytes:
    try:
        return value_bytes(step, as_object(value.get("transformationValues")))
    except InvalidValueError:
        return b""


def _row(number: int, step: TransformationStep, value: Mapping[str, Json]) -> TransformationRow:
    put = _value(step, value)
    return TransformationRow(
        number=number,
        type=step.type.value,
        reason=step.reason.value,
        offset=step.offset,
        id=one_line(step.id or ""),
        value=put.hex(),
        bytes=(step.length or 0) if step.type is TransformationType.DELETE else len(put),
    )


def _marks(value: Mapping[str, Json], steps: Sequence[TransformationStep]) -> list[BytecodeMark]:
    """Return the marks in the order of their places, none overlapping another."""
    marks = list(_auxdata(value))
    for number, step in enumerate(steps, start=1):
        put = len(_value(step, value))
        taken = _taken(step, put)
        start, end = step.offset, step.offset + taken
        marks = [mark for mark in marks if mark.end <= start or mark.start >= end]
        moved = put - taken
        marks = [
            mark._replace(start=mark.start + moved, end=mark.end + moved) if mark.start >= end else mark
            for mark in marks
        ]
        marks.append(BytecodeMark(start, start + put, step.reason.value, step.id or "", number))
    return sorted(marks, key=lambda mark: (mark.start, mark.end))


def _taken(step: TransformationStep, put: int) -> int:
    if step.type is TransformationType.INSERT:
        return 0
    return put if step.length is None else step.length


def _auxdata(value: Mapping[str, Json]) -> Iterator[BytecodeMark]:
    """Yield the pieces of auxdata where the compiler put them."""
    for number, piece in as_object(value.get("cborAuxdata")).items():
        offset = as_size(as_object(piece).get("offset"))
        digits = _digits(as_object(piece).get("value"))
        if offset is not None and digits:
            yield BytecodeMark(offset, offset + len(digits) // 2, AUXDATA, number)


def _pieces(digits: str, marks: Sequence[BytecodeMark]) -> Iterator[BytecodePiece]:
    at = 0
    for mark in marks:
        if mark.start < at:
            continue
        yield from _plain(digits, at, mark.start)
        yield BytecodePiece(
            hex=digits[mark.start * 2 : mark.end * 2],
            offset=mark.start,
            size=mark.end - mark.start,
            reason=mark.reason,
            id=one_line(mark.id),
            step=mark.step,
        )
        at = mark.end
    yield from _plain(digits, at, len(digits) // 2)


def _plain(digits: str, start: int, end: int) -> Iterator[BytecodePiece]:
    size = end - start
    if size <= 0:
        return
    if size <= MAX_PLAIN_BYTES:
        yield BytecodePiece(hex=digits[start * 2 : end * 2], offset=start, size=size)
        return
    yield BytecodePiece(hex=digits[start * 2 : (start + KEPT_BYTES) * 2], offset=start, size=KEPT_BYTES)
    yield BytecodePiece(
        hex="", offset=start + KEPT_BYTES, size=size - 2 * KEPT_BYTES, omitted=size - 2 * KEPT_BYTES
    )
    yield BytecodePiece(
        hex=digits[(end - KEPT_BYTES) * 2 : end * 2], offset=end - KEPT_BYTES, size=KEPT_BYTES
    )
