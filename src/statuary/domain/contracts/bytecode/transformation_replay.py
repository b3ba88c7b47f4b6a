"""Replay one side of a record: recompiled bytecode and transformations give the on-chain bytecode.

Transformations apply in list order, each to the result of the one before (MEASUREMENTS.md, transformations).
"""

from collections.abc import Mapping, Sequence

from statuary.domain.contracts.bytecode.transformations import (
    TransformationStep,
    TransformationType,
    value_bytes,
)
from statuary.domain.json_values import Json
from statuary.domain.limits import MAX_RESIZING_STEPS
from statuary.domain.primitives import InvalidValueError


class ReplayError(InvalidValueError):
    """A transformation cannot be applied."""

    def __init__(self, step: int, message: str) -> None:
        super().__init__(f"transformation {step}: {message}")
        self.step = step  # its index in the list


def replay(
    recompiled: bytes,
    transformations: Sequence[TransformationStep],
    values: Mapping[str, Json],
    *,
    max_bytes: int,
) -> bytes:
    """Apply the transformations to recompiled bytecode and return the result.

    Args:
        values: the record's `transformationValues`.
        max_bytes: length limit of the code: transformations that add more than the on-chain code has are no
            proof.

    Raises:
        ReplayError: if a transformation has no value, or reaches outside the code.
    """
    code, resizing = bytearray(recompiled), 0
    for step, transformation in enumerate(transformations):
        try:
            start, end, value = _edit(transformation, values, len(code))
        except InvalidValueError as error:
            raise ReplayError(step, str(error)) from None
        resizing += len(value) != end - start
        if resizing > MAX_RESIZING_STEPS or len(code) + len(value) > max_bytes:
            raise ReplayError(step, "the steps add more than the on-chain bytecode has")
        code[start:end] = value
    return bytes(code)


def _edit(
    transformation: TransformationStep, values: Mapping[str, Json], code_bytes: int
) -> tuple[int, int, bytes]:
    """Return the range that is removed, and the bytes that replace it."""
    start, value = transformation.offset, value_bytes(transformation, values)
    match transformation.type:
        case TransformationType.INSERT:
            removed = 0
        case TransformationType.DELETE:
            removed = transformation.length or 0
        case TransformationType.REPLACE:
            removed = len(value) if transformation.length is None else transformation.length
    if start + removed > code_bytes:
        raise InvalidValueError(
            f"bytes {start:,} to {start + removed:,} are not all in the {code_bytes:,} bytes of code"
        )
    return start, start + removed, value


def first_difference(one: bytes, other: bytes) -> int | None:
    """Return the first offset at which two codes differ (or the shorter one ends); None if equal."""
    if one == other:
        return None
    low, high = 0, min(len(one), len(other))
    while low < high:  # halving compares whole slices, at the speed of memcmp
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
