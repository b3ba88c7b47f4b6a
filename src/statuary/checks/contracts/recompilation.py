"""Compare a record with new output of its compiler, which needs the compiler."""

from collections.abc import Iterator, Mapping
from typing import Final

from statuary.checks.contracts.check import Violation
from statuary.checks.contracts.json_comparison import as_json_text, json_bytes, same_json
from statuary.domain.contracts.bytecode.transformations import parse_transformation, value_text
from statuary.domain.contracts.match_level import MatchLevel
from statuary.domain.contracts.record import RecordValue
from statuary.domain.findings import Pointer
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError, shorten

MATCH_RANK: Final = {None: 0, MatchLevel.MATCH.value: 1, MatchLevel.EXACT_MATCH.value: 2}

MATCH_MEMBERS: Final = ("creationMatch", "runtimeMatch")
TRANSFORMATION_MEMBERS: Final = ("transformations", "transformationValues")

NUMBERED_MEMBERS: Final = ("cborAuxdata", "immutableReferences")
"""Members whose keys may be those of another submission with the same code."""

OMITTED_BY_TOOL_CHAINS: Final = ("storageLayout", "transientStorageLayout", "sourceIds")
"""Members that are null in records from the files of a tool chain that does not request them."""

OMISSION_HINT: Final = "add the contract again with --compiler to complete the record"
HINT: Final = "the sources, the settings, the compiler version or this member is wrong"


def recompilation_reproduces_the_record(
    record: RecordValue, recompiled: Mapping[Pointer, Json]
) -> Iterator[Violation]:
    """The recorded compiler, run again on the standard JSON input, gives every member that it determines.

    Args:
        recompiled: the members that follow from the compiler's output, by pointer.
    """
    for member, value in recompiled.items():
        if member[-1] in (*MATCH_MEMBERS, *TRANSFORMATION_MEMBERS):
            continue
        kept = value_at(record, member)
        if not same_json(kept, value) and not (member[-1] in NUMBERED_MEMBERS and _same_values(kept, value)):
            pointer, one, other = first_difference(kept, value, member)
            hint = OMISSION_HINT if is_omission(record, member) else HINT
            yield Violation(f"{'.'.join(map(str, pointer))} {_difference(one, other)}", pointer, hint)
    for side in ("creation", "runtime"):
        yield from _side_violations(record, recompiled, side)


def is_omission(record: RecordValue, pointer: Pointer) -> bool:
    """Return whether a member is only missing because a tool chain did not request it."""
    return pointer[0] in OMITTED_BY_TOOL_CHAINS and value_at(record, pointer) is None


def _side_violations(
    record: RecordValue, recompiled: Mapping[Pointer, Json], side: str
) -> Iterator[Violation]:
    """Compare the match level and the transformations of a side that claims a match."""
    claimed, found = record[f"{side}Match"], recompiled[f"{side}Match",]
    if claimed is None:
        return
    if MATCH_RANK.get(claimed, 2) > MATCH_RANK[found]:
        yield Violation(
            f"{side}Match is {as_json_text(claimed)}, the compiler's output gives {as_json_text(found)}",
            (f"{side}Match",),
            HINT,
        )
    name = f"{side}Bytecode"
    again = {member: recompiled[name, member] for member in TRANSFORMATION_MEMBERS}
    if found is not None and _steps(record[name]) != _steps(again):
        yield Violation(
            f"{name}.transformations differ from those that the compiler's output gives",
            (name, "transformations"),
            HINT,
        )


def _steps(bytecode: Mapping[str, Json]) -> list[tuple[Json, ...]] | None:
    """Return type, position and value of each transformation; None if one is invalid.

    Equal code is stored once, so ids may be those of another submission.
    """
    values = bytecode["transformationValues"] or {}
    try:
        steps = [parse_transformation(step) for step in bytecode["transformations"] or ()]
        texts = [value_text(step, values) for step in steps]
    except InvalidValueError:
        return None
    return sorted(
        (step.offset, step.type, step.reason, -1 if step.length is None else step.length, text)
        for step, text in zip(steps, texts, strict=True)
    )


def _same_values(kept: Json, again: Json) -> bool:
    """Compare two objects without their keys."""
    return (
        isinstance(kept, dict) and isinstance(again, dict) and _sorted_values(kept) == _sorted_values(again)
    )


def _sorted_values(value: dict[str, Json]) -> list[bytes]:
    return sorted(json_bytes(item, sort_keys=True) or b"" for item in value.values())


def first_difference(kept: Json, again: Json, pointer: Pointer) -> tuple[Pointer, Json, Json]:
    """Return the first pointer at which two values differ, and both values there."""
    if isinstance(kept, dict) and isinstance(again, dict):
        pairs = ((key, kept.get(key), again.get(key)) for key in {**kept, **again})
    elif isinstance(kept, list) and isinstance(again, list) and len(kept) == len(again):
        pairs = ((index, *pair) for index, pair in enumerate(zip(kept, again, strict=True)))
    else:
        return pointer, kept, again
    for key, one, other in pairs:
        if not same_json(one, other):
            return first_difference(one, other, (*pointer, key))
    return pointer, kept, again


def _difference(kept: Json, again: Json) -> str:
    if isinstance(kept, str) and isinstance(again, str) and max(len(kept), len(again)) > 60:
        return _text_difference(kept, again)
    return f"is {_short(kept)}, the compiler gives {_short(again)}"


def _text_difference(kept: str, again: str) -> str:
    pairs = enumerate(zip(kept, again, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(kept), len(again)))
    if kept.startswith("0x") and again.startswith("0x"):
        unit, at, sizes = "byte", at // 2 - 1, (len(kept) // 2 - 1, len(again) // 2 - 1)
    else:
        unit, sizes = "character", (len(kept), len(again))
    return (
        f"has {sizes[0]:,} {unit}s, the compiler gives {sizes[1]:,}; the first difference is at {unit} {at:,}"
    )


def _short(value: Json) -> str:
    return shorten(value) if isinstance(value, str) else as_json_text(value)[:80]


def value_at(record: RecordValue, pointer: Pointer) -> Json:
    """Return the value at a pointer; None if there is none."""
    value: Json = record
    for key in pointer:
        value = value.get(key) if isinstance(value, dict) else None
    return value
