"""Checks of transformations: Sourcify's procedure finds the same ones, at places that a compiler leaves open."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from statuary.checks.contracts.check import Evidence, NotApplicable, Observation, Violation
from statuary.checks.contracts.record_view import RecordView, SideView, as_json_text, same_json
from statuary.domain.contracts.auxdata import LIBRARY_BYTES, CodeReference
from statuary.domain.contracts.matching import CALL_PROTECTION
from statuary.domain.contracts.transformations import TransformationStep, value_bytes, value_names
from statuary.domain.findings import Pointer, Severity
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError

VYPER_IMMUTABLES = "0"
"""The one id of all immutables of a Vyper contract, which are in one piece."""

_IMMUTABLE_BYTES, _PUSH20, _PUSH32 = 32, 0x73, 0x7F


def transformations_go_with_a_match(record: RecordView) -> Iterator[Observation]:
    """A side has transformations and values if it matches, and neither if it does not."""
    for side in record.sides:
        for member in ("transformations", "transformationValues"):
            is_given = side.value.get(member) is not None
            if is_given != (side.claimed is not None):
                yield Violation(
                    f"{side.name}Match is {as_json_text(side.claimed)}, but {member} is"
                    f" {'given' if is_given else 'null'}",
                    (side.member, member),
                )
        for place, step in enumerate(side.steps):
            if isinstance(step, InvalidValueError):
                yield Violation(str(step), (side.member, "transformations", place))
        yield Evidence({side.name: "matched" if side.claimed is not None else "not matched"})


def creation_transformations_are_found_again(record: RecordView) -> Iterator[Observation]:
    """Sourcify's procedure matches the creation bytecode, with the record's transformations and values."""
    return _found_again(record.creation)


def runtime_transformations_are_found_again(record: RecordView) -> Iterator[Observation]:
    """Sourcify's procedure matches the runtime bytecode, with the record's transformations and values."""
    return _found_again(record.runtime)


def libraries_are_pushed_addresses(record: RecordView) -> Iterator[Observation]:
    """Every reference in linkReferences is 20 zero bytes after a PUSH20 in the recompiled bytecode."""
    for side in record.sides:
        yield from _open_places(side, side.parsed_libraries, "linkReferences", LIBRARY_BYTES, _PUSH20)


def immutables_are_pushed_words(record: RecordView) -> Iterator[Observation]:
    """Every reference in Solidity's immutableReferences is 32 zero bytes after a PUSH32.

    Other languages have no references.
    """
    side = record.runtime
    if record.language == "Solidity":
        yield from _open_places(
            side, side.parsed_immutables, "immutableReferences", _IMMUTABLE_BYTES, _PUSH32
        )
    elif record.language != "Vyper" and side.value.get("immutableReferences"):
        yield Violation(f"{record.language} has no immutables", (side.member, "immutableReferences"))


def vyper_immutables_follow_the_code(record: RecordView) -> Iterator[Observation]:
    """Vyper's immutables follow the runtime code in one piece, of the size in the creation auxdata."""
    side = record.runtime
    if record.language != "Vyper" or side.claimed is None or side.recompiled is None:
        return
    value = side.values.get("immutables")
    length = _hex_length(value.get(VYPER_IMMUTABLES)) if isinstance(value, dict) else 0
    yield from _vyper_sizes(record, len(side.recompiled), length)
    expected = {VYPER_IMMUTABLES: [{"start": len(side.recompiled), "length": length}]}
    if (given := side.value.get("immutableReferences")) and not same_json(given, expected):
        yield Violation(
            f"immutableReferences is {as_json_text(given)[:200]}, but {length} bytes are inserted"
            f" at {len(side.recompiled)}",
            (side.member, "immutableReferences"),
        )


def _vyper_sizes(record: RecordView, runtime: int, immutables: int) -> Iterator[Observation]:
    for number, fields in record.creation.fields.items():
        if fields.runtime_size is None:
            continue
        yield Evidence({"runtimeSize": fields.runtime_size, "immutableSize": fields.immutable_size or 0})
        if (fields.runtime_size, fields.immutable_size) != (runtime, immutables):
            yield Violation(
                f"the creation auxdata states {fields.runtime_size} bytes of runtime code and"
                f" {fields.immutable_size} of immutables; there are {runtime} and {immutables}",
                ("creationBytecode", "cborAuxdata", number),
            )


def call_protection_is_own_address(record: RecordView) -> Iterator[Observation]:
    """The call protection of a library is the library's own address."""
    value, address = record.runtime.values.get("callProtection"), record.value.get("address")
    if not isinstance(value, str) or not isinstance(address, str):
        return
    yield Evidence({"address": value})
    if value != address.lower():
        yield Violation(
            f"the call protection is {value}, but the record's address is {address}",
            ("runtimeBytecode", "transformationValues", "callProtection"),
            "the code was deployed at another address, or the record belongs to another contract",
        )


def is_library(record: RecordView) -> bool:
    """Return whether the runtime code begins with Solidity's "Call Protection for Libraries"."""
    return (record.runtime.recompiled or b"").startswith(CALL_PROTECTION)


class _Place(NamedTuple):
    """Type and position of a transformation, without the id of its value."""

    reason: str
    type: str
    offset: int
    length: int | None


def _found_again(side: SideView) -> Iterator[Observation]:
    if side.claimed is None:
        yield NotApplicable(f"the {side.name} bytecode is not claimed to match")
        return
    if side.found is None:
        yield Violation(
            f"Sourcify's procedure finds no match between recompiled and on-chain {side.name} bytecode",
            (f"{side.name}Match",),
            "verify the contract again",
        )
        return
    if side.transformations is None:
        return  # another check names the element that cannot be read
    found, given = side.found.transformations, side.transformations
    yield Evidence({"transformations": len(found)})
    has_places = len({step.offset for step in found}) == len(found)
    if has_places and found == given and side.found.values == side.values:
        return  # as nearly always: the rest shows how they differ
    yield from _other_places(side, found, given)
    yield from _other_values(side, found, given)


def _other_places(
    side: SideView, found: tuple[TransformationStep, ...], given: tuple[TransformationStep, ...]
) -> Iterator[Violation]:
    expected, listed = Counter(map(_place, found)), Counter(map(_place, given))
    pointer = (side.member, "transformations")
    for place in sorted((expected - listed).keys(), key=str)[:1]:
        yield Violation(f"there is no {_described(place)}", pointer)
    for place in sorted((listed - expected).keys(), key=str)[:1]:
        yield Violation(f"there is a {_described(place)}, which does not follow from the bytecode", pointer)
    if expected == listed and [_place(step) for step in found] != [_place(step) for step in given]:
        yield Violation("the order is not Sourcify's", pointer, severity=Severity.NOTE)


def _described(place: _Place) -> str:
    length = "" if place.length is None else f" of length {place.length}"
    return f"{place.reason} transformation of type {place.type}{length} at byte {place.offset}"


def _other_values(
    side: SideView, found: tuple[TransformationStep, ...], given: tuple[TransformationStep, ...]
) -> Iterator[Violation]:
    """Compare values by position."""
    if side.found is None:
        return
    pointer = (side.member, "transformations")
    by_place = {_place(step): step for step in found}
    pairs = [(step, by_place[_place(step)]) for step in given if _place(step) in by_place]
    for step, other in pairs:
        if not _same_value(step, side.values, other, side.found.values):
            yield Violation(
                f"the value of the {step.reason} transformation at byte {step.offset} differs from the bytecode",
                pointer,
            )
    yield from _other_ids(pairs, pointer)
    unused = value_names(side.values) - {(step.reason.value, _value_id(step)) for step in given}
    for reason, key in sorted(unused, key=str):
        yield Violation(
            f"no transformation uses the {reason} value {key or ''}".rstrip(),
            (side.member, "transformationValues"),
        )


def _other_ids(
    pairs: list[tuple[TransformationStep, TransformationStep]], pointer: Pointer
) -> Iterator[Violation]:
    """Compare ids one to one: equal code may have ids of another compilation."""
    named = {((one.reason, one.id), (other.reason, other.id)) for one, other in pairs}
    if len(named) != len({one for one, _ in named}) or len(named) != len({other for _, other in named}):
        yield Violation("an id has two values in the compiler's output, or a value two ids", pointer)
    elif any(one != other for one, other in named):
        yield Violation("the ids differ from those of the compiler's output", pointer, severity=Severity.NOTE)


def _same_value(
    one: TransformationStep, values: Mapping[str, Json], other: TransformationStep, found: Mapping[str, Json]
) -> bool:
    try:
        return value_bytes(one, values) == value_bytes(other, found)
    except InvalidValueError:
        return False


def _value_id(step: TransformationStep) -> str | None:
    return None if step.reason in ("callProtection", "constructorArguments") else step.id


def _place(step: TransformationStep) -> _Place:
    return _Place(step.reason.value, step.type.value, step.offset, step.length)


def _open_places(
    side: SideView, places: list[CodeReference] | InvalidValueError, member: str, size: int, push: int
) -> Iterator[Observation]:
    """Check that references are zeros, as long as the operand of a push."""
    if isinstance(places, InvalidValueError):
        yield Violation(str(places), (side.member, member))
        return
    code = side.recompiled or b""
    for place in places:
        held = code[place.start : place.start + place.length]
        if place.length != size or len(held) != size or any(held):
            yield Violation(
                f"the recompiled bytecode has no {size} zero bytes at byte {place.start}, where {place.id} goes",
                (side.member, member),
            )
        elif not place.start or code[place.start - 1] != push:
            yield Violation(
                f"the bytes at {place.start}, where {place.id} goes, are not the operand of a PUSH{size}",
                (side.member, member),
            )
    if places:
        yield Evidence({side.name: len(places)})


def _hex_length(text: Json) -> int:
    return len(text) // 2 - 1 if isinstance(text, str) else 0
