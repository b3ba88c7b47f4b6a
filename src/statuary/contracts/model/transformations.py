"""Transformations that turn recompiled bytecode into on-chain bytecode.

Names are Sourcify's and the Verifier Alliance's; members and types are those of real records
(MEASUREMENTS.md, transformations): the published specification lacks `delete` and `length`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

from statuary.base.json_values import Json, is_whole_number
from statuary.base.limits import MAX_RESIZING_STEPS
from statuary.base.primitives import InvalidValueError, decode_hex_digits, shorten


class TransformationType(StrEnum):
    """The kind of edit: the member `type` of a transformation."""

    INSERT = "insert"
    REPLACE = "replace"
    DELETE = "delete"


class TransformationReason(StrEnum):
    """The reason for an edit: the member `reason` of a transformation."""

    CALL_PROTECTION = "callProtection"
    IMMUTABLE = "immutable"
    LIBRARY = "library"
    CBOR_AUXDATA = "cborAuxdata"
    CONSTRUCTOR_ARGUMENTS = "constructorArguments"


_GROUPS = {
    TransformationReason.IMMUTABLE: "immutables",
    TransformationReason.LIBRARY: "libraries",
    TransformationReason.CBOR_AUXDATA: "cborAuxdata",
}
"""The member of `transformationValues` that holds values by id; the other reasons have one value each."""


_KINDS = {kind.value: kind for kind in TransformationType}
_REASONS = {reason.value: reason for reason in TransformationReason}


Choice = TypeVar("Choice")


class TransformationStep(NamedTuple):
    """An edit on the way from recompiled to on-chain code.

    For example, it inserts the address of a library.
    """

    type: TransformationType
    reason: TransformationReason
    offset: int  # byte offset in the code after the previous transformations
    id: str | None = (
        None  # key of the value: an AST id, a library's fully qualified name, or an auxdata number
    )
    length: int | None = None  # bytes removed; None if a `replace` removes as many as it inserts

    def as_json(self) -> dict[str, Json]:
        """Return the edit as JSON, as a contract's record lists it."""
        members: dict[str, Json] = {} if self.id is None else {"id": self.id}
        members["type"] = self.type.value
        if self.length is not None:
            members["length"] = self.length
        members["offset"] = self.offset
        members["reason"] = self.reason.value
        return members


class UnknownTransformationError(InvalidValueError):
    """Raised for a transformation (an edit of code) of an unknown kind.

    Attributes:
        word: the unknown type or reason.
    """

    def __init__(self, message: str, word: str) -> None:
        super().__init__(message)
        self.word = word


def parse_transformation(transformation: Json) -> TransformationStep:
    """Parse an edit of code: an element of a contract's `transformations`.

    Raises:
        UnknownTransformationError: if the type or the reason is unknown.
        InvalidValueError: if the element is malformed.
    """
    if not isinstance(transformation, dict):
        raise InvalidValueError("a transformation should be a JSON object")
    kind = _require_choice(transformation, "type", _KINDS)
    reason = _require_choice(transformation, "reason", _REASONS)
    length = transformation.get("length")
    if not _is_byte_count(transformation.get("offset")) or not (length is None or _is_byte_count(length)):
        raise InvalidValueError(
            "the offset and length of a transformation should be whole numbers, zero or more"
        )
    if kind is TransformationType.DELETE and length is None:
        raise InvalidValueError("a transformation of type delete needs a length")
    if transformation.get("id") is not None and not isinstance(transformation["id"], str):
        raise InvalidValueError("the id of a transformation should be a string")
    return TransformationStep(
        type=kind, reason=reason, offset=transformation["offset"], id=transformation.get("id"), length=length
    )


def _require_choice(
    transformation: Mapping[str, Json], member_name: str, choices: Mapping[str, Choice]
) -> Choice:
    word = transformation.get(member_name)
    if not isinstance(word, str):
        raise InvalidValueError(f"transformation {member_name} {word!r} is not one of {', '.join(choices)}")
    if word not in choices:
        raise UnknownTransformationError(
            f"transformation {member_name} {word!r} is not one of {', '.join(choices)}", word
        )
    return choices[word]


def transformation_value_text(
    transformation: TransformationStep, transformation_values: Mapping[str, Json]
) -> str:
    """Return the hex string that a transformation (an edit of code) inserts.

    Args:
        transformation: the edit, which names the value.
        transformation_values: the record's `transformationValues`.

    Returns:
        The string; empty for a `delete`.

    Raises:
        InvalidValueError: if `transformationValues` has no such string.
    """
    if transformation.type is TransformationType.DELETE:
        return ""
    group = _GROUPS.get(transformation.reason)
    holder = transformation_values.get(group) if group else transformation_values
    key = transformation.id if group else transformation.reason.value
    text = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(text, str):
        where = f"{group}.{key}" if group else key
        raise InvalidValueError(f"transformationValues has no value at {where}, which a transformation needs")
    return text


def transformation_value_bytes(
    transformation: TransformationStep, transformation_values: Mapping[str, Json]
) -> bytes:
    """Return the bytes that a transformation (an edit of code) inserts.

    Args:
        transformation: the edit, which names the value.
        transformation_values: the record's `transformationValues`.

    Raises:
        InvalidValueError: if `transformationValues` has no such value, or it is not hex.
    """
    text = transformation_value_text(transformation, transformation_values)
    if transformation.type is TransformationType.DELETE:
        return b""
    value = decode_hex_digits(text[2:]) if text.startswith("0x") else None
    if value is None:
        raise InvalidValueError(f"the value {shorten(text)} in transformationValues is not 0x and hex digits")
    return value


def transformation_value_keys(transformation_values: Mapping[str, Json]) -> set[tuple[str, str | None]]:
    """Return the keys of all values in `transformationValues`.

    Example: {"immutables": {"12": "0x…"}} -> {("immutable", "12")}

    Returns:
        Pairs of a transformation's reason and an id. The id is None for reasons with only one value.
    """
    single = {TransformationReason.CALL_PROTECTION, TransformationReason.CONSTRUCTOR_ARGUMENTS}
    names: set[tuple[str, str | None]] = {
        (reason.value, None) for reason in single if reason.value in transformation_values
    }
    for reason, group in _GROUPS.items():
        if isinstance(by_id := transformation_values.get(group), dict):
            names |= {(reason.value, key) for key in by_id}
    return names


def _is_byte_count(value: Json) -> bool:
    return is_whole_number(value) and value >= 0


class ReplayError(InvalidValueError):
    """Raised if an edit of code (transformation) cannot be applied."""

    def __init__(self, step: int, message: str) -> None:
        super().__init__(f"transformation {step}: {message}")
        self.step = step  # the index of the transformation


def replay_transformations(
    recompiled_code: bytes,
    transformations: Sequence[TransformationStep],
    transformation_values: Mapping[str, Json],
    *,
    max_bytes: int,
) -> bytes:
    """Apply edits (transformations) to recompiled bytecode, and return the result.

    For example, an edit inserts the address of a library.

    Args:
        transformations: the edits, which are applied in order.
        transformation_values: the record's `transformationValues`.
        max_bytes: the largest allowed size of the result, for example the size of the on-chain code.

    Raises:
        ReplayError: if a value is missing, or an edit reaches outside the code.
    """
    code, resizing = bytearray(recompiled_code), 0
    for step, transformation in enumerate(transformations):
        try:
            start, end, value = _plan_edit(transformation, transformation_values, len(code))
        except InvalidValueError as error:
            raise ReplayError(step, str(error)) from None
        resizing += len(value) != end - start
        if resizing > MAX_RESIZING_STEPS or len(code) + len(value) > max_bytes:
            raise ReplayError(step, "the transformations add more bytes than the on-chain bytecode has")
        code[start:end] = value
    return bytes(code)


class _Edit(NamedTuple):
    start: int
    end: int  # the end of the removed bytes
    value: bytes  # the bytes that replace the removed ones


def _plan_edit(
    transformation: TransformationStep, transformation_values: Mapping[str, Json], code_length: int
) -> _Edit:
    start = transformation.offset
    value = transformation_value_bytes(transformation, transformation_values)
    match transformation.type:
        case TransformationType.INSERT:
            removed = 0
        case TransformationType.DELETE:
            removed = transformation.length or 0
        case TransformationType.REPLACE:
            removed = len(value) if transformation.length is None else transformation.length
    if start + removed > code_length:
        raise InvalidValueError(
            f"the range from byte {start:,} to {start + removed:,} reaches beyond the {code_length:,} bytes "
            "of the code"
        )
    return _Edit(start, start + removed, value)


def first_differing_offset(code: bytes, other_code: bytes) -> int | None:
    """Return the offset of the first byte in which two bytecodes differ.

    Returns:
        The offset, or None if both codes are equal. If one code is the beginning of the other, its length.
    """
    if code == other_code:
        return None
    low, high = 0, min(len(code), len(other_code))
    while low < high:  # halving compares whole slices, at the speed of memcmp
        middle = (low + high + 1) // 2
        if code[low:middle] == other_code[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
