"""The transformations are the ones that the compiler's open places call for (contract-api measurements 5.1, 5.2)."""

from collections.abc import Iterator, Mapping

from statuary.checks.contracts.check import Evidence, Observation, Violation
from statuary.checks.contracts.record_view import RecordView, SideView, as_json_text, same_json
from statuary.domain.contracts.bytecode.code_references import LIBRARY_BYTES, CodeReference
from statuary.domain.contracts.bytecode.matching import CALL_PROTECTION
from statuary.domain.contracts.bytecode.transformations import (
    TransformationReason,
    TransformationStep,
    TransformationType,
    value_bytes,
    value_names,
)
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError

VYPER_IMMUTABLES = "0"
"""The id under which all immutables of a Vyper contract go, in one piece."""

_CREATION_REASONS = {
    TransformationReason.LIBRARY,
    TransformationReason.CBOR_AUXDATA,
    TransformationReason.CONSTRUCTOR_ARGUMENTS,
}
_RUNTIME_REASONS = {
    TransformationReason.CALL_PROTECTION,
    TransformationReason.IMMUTABLE,
    TransformationReason.LIBRARY,
    TransformationReason.CBOR_AUXDATA,
}
_KINDS = {
    TransformationReason.CALL_PROTECTION: {TransformationType.REPLACE},
    TransformationReason.IMMUTABLE: {TransformationType.REPLACE, TransformationType.INSERT},
    TransformationReason.LIBRARY: {TransformationType.REPLACE},
    TransformationReason.CBOR_AUXDATA: {TransformationType.REPLACE, TransformationType.DELETE},
    TransformationReason.CONSTRUCTOR_ARGUMENTS: {TransformationType.INSERT},
}


def transformations_go_with_a_match(record: RecordView) -> Iterator[Observation]:
    """A side has transformations and values if it matches, and neither if it does not."""
    for side in record.sides:
        for member in ("transformations", "transformationValues"):
            is_there = side.value.get(member) is not None
            if is_there != (side.claimed is not None):
                yield Violation(
                    f"{side.name}Match is {as_json_text(side.claimed)}, but {member} is {'given' if is_there else 'null'}",
                    (side.member, member),
                )
        yield Evidence({side.name: "matched" if side.claimed is not None else "not matched"})


def transformations_are_known_steps(record: RecordView) -> Iterator[Observation]:
    """Every transformation is of a type, reason and side that Sourcify makes."""
    for side in record.sides:
        for place, step in enumerate(side.steps):
            if wrong := _wrong_with(side, step):
                yield Violation(wrong, (side.member, "transformations", place))
        if side.steps:
            yield Evidence({side.name: len(side.steps)})


def library_transformations_fill_link_references(record: RecordView) -> Iterator[Observation]:
    """Library transformations are exactly the places in linkReferences: 20 bytes each, zero in recompiled bytecode."""
    for side in record.sides:
        places = side.parsed_libraries
        if isinstance(places, InvalidValueError):
            yield Violation(str(places), (side.member, "linkReferences"))
            continue
        for place in places:
            if place.length != LIBRARY_BYTES:
                yield Violation(
                    f"the place of {place.id} has {place.length} bytes, not {LIBRARY_BYTES}",
                    (side.member, "linkReferences"),
                )
        yield from _fill(side, places, TransformationReason.LIBRARY, "linkReferences")


def immutable_transformations_fill_immutable_references(record: RecordView) -> Iterator[Observation]:
    """Solidity's immutable transformations are exactly the places in immutableReferences, zero in recompiled bytecode."""
    side = record.runtime
    places = side.parsed_immutables
    if isinstance(places, InvalidValueError):
        yield Violation(str(places), (side.member, "immutableReferences"))
        return
    if record.language == "Solidity":
        yield from _fill(side, places, TransformationReason.IMMUTABLE, "immutableReferences")


def vyper_immutables_follow_the_code(record: RecordView) -> Iterator[Observation]:
    """Vyper's immutables are inserted in one piece behind the runtime code, as long as the creation auxdata says."""
    side = record.runtime
    if record.language != "Vyper" or side.claimed is None or side.recompiled is None:
        return
    inserted = [step for step in side.transformations or () if step.reason is TransformationReason.IMMUTABLE]
    for step in inserted:
        if (
            step.type is not TransformationType.INSERT
            or step.id != VYPER_IMMUTABLES
            or step.offset != len(side.recompiled)
        ):
            yield Violation(
                "immutables are not inserted at the end of the code under the id 0",
                (side.member, "transformations"),
            )
    lengths = sum(_value_length(step, side.values) for step in inserted)
    yield from _vyper_sizes(record, lengths)
    if (known := side.value.get("immutableReferences")) and not same_json(
        known, {VYPER_IMMUTABLES: [{"start": len(side.recompiled), "length": lengths}]}
    ):
        yield Violation(
            f"immutableReferences is {as_json_text(known)}, but {lengths} bytes are inserted at {len(side.recompiled)}",
            (side.member, "immutableReferences"),
        )


def call_protection_is_filled(record: RecordView) -> Iterator[Observation]:
    """A library's runtime bytecode, and no other, has a call protection transformation, at byte 1."""
    side = record.runtime
    if side.claimed is None or side.recompiled is None or side.transformations is None:
        return
    steps = [step for step in side.transformations if step.reason is TransformationReason.CALL_PROTECTION]
    is_protected = side.recompiled.startswith(CALL_PROTECTION)
    if len(steps) != is_protected or any(step.offset != 1 or step.length is not None for step in steps):
        yield Violation(
            f"the bytecode {'begins' if is_protected else 'does not begin'} with a place for call protection,"
            f" and there are {len(steps)} transformations for it",
            (side.member, "transformations"),
        )
    if is_protected:
        yield Evidence({"address": str(side.values.get(TransformationReason.CALL_PROTECTION.value))})


def call_protection_is_own_address(record: RecordView) -> Iterator[Observation]:
    """The call protection of a library holds the library's own address."""
    value, address = record.runtime.values.get("callProtection"), record.value.get("address")
    if not isinstance(value, str) or not isinstance(address, str):
        return
    yield Evidence({"address": value})
    if value != address.lower():
        yield Violation(
            f"the call protection is {value}, but the record's address is {address}",
            ("runtimeBytecode", "transformationValues", "callProtection"),
            "the code was deployed at another address, or the record is another's",
        )


def values_are_all_used(record: RecordView) -> Iterator[Observation]:
    """Every transformation value is used by a transformation."""
    for side in record.sides:
        if side.transformations is None:
            continue
        names = value_names(side.values)
        used = {
            (step.reason.value, _value_id(step))
            for step in side.transformations
            if step.type is not TransformationType.DELETE
        }
        for reason, key in sorted(names - used, key=str):
            yield Violation(
                f"no transformation uses the {reason} value {key or ''}".rstrip(),
                (side.member, "transformationValues"),
            )
        if names:
            yield Evidence({side.name: len(names)})


def transformations_are_sourcifys(record: RecordView) -> Iterator[Observation]:
    """Sourcify's own procedure, run again, gives the same transformations in the same order, and the same values."""
    for side in record.sides:
        if side.claimed is None or side.found is None or side.transformations is None:
            continue
        again = [step.as_json() for step in side.found.transformations]
        # texts and whole numbers throughout, of which == is exact
        if again != side.value.get("transformations"):
            yield Violation(
                f"the procedure gives {len(again)} transformations, the record has {len(side.transformations)}"
                " or has them in another order",
                (side.member, "transformations"),
            )
        if side.found.values != side.values:
            yield Violation("the procedure gives other values", (side.member, "transformationValues"))
        yield Evidence({side.name: len(again)})


def _wrong_with(side: SideView, step: TransformationStep | InvalidValueError) -> str:
    """Say what is wrong with one element of a list of transformations; empty if nothing is."""
    if isinstance(step, InvalidValueError):
        return str(step)
    allowed = _RUNTIME_REASONS if side.name == "runtime" else _CREATION_REASONS
    if step.reason not in allowed:
        return f"a {step.reason} transformation has no place on the {side.name} side"
    if step.type not in _KINDS[step.reason]:
        return f"a {step.reason} transformation is never of type {step.type}"
    needs_id = (
        step.reason
        in (TransformationReason.IMMUTABLE, TransformationReason.LIBRARY, TransformationReason.CBOR_AUXDATA)
        and step.type is not TransformationType.DELETE
    )
    if needs_id != (step.id is not None):
        return f"a {step.reason} transformation of type {step.type} has {'no' if needs_id else 'an'} id"
    return ""


def _fill(
    side: SideView, places: list[CodeReference], reason: TransformationReason, member: str
) -> Iterator[Observation]:
    """Hold the open places of a side against the transformations that fill them."""
    for place in places:
        held = (
            side.recompiled[place.start : place.start + place.length] if side.recompiled is not None else b""
        )
        if len(held) != place.length or any(held):
            yield Violation(
                f"the recompiled bytecode has 0x{held[:20].hex()} at byte {place.start}, where {place.id} is to go",
                (side.member, member),
            )
    if side.claimed is None or side.transformations is None:
        return
    filled = [step for step in side.transformations if step.reason is reason]
    spots = sorted((step.id or "", step.offset, _value_length(step, side.values)) for step in filled)
    expected = sorted((place.id, place.start, place.length) for place in places)
    if spots != expected:
        yield Violation(
            f"{member} has {len(expected)} places, the {reason} transformations fill {len(spots)}:"
            f" {_first_unequal(expected, spots)}",
            (side.member, "transformations"),
        )
    if expected:
        yield Evidence({side.name: len(expected)})


def _first_unequal(expected: list[tuple[str, int, int]], spots: list[tuple[str, int, int]]) -> str:
    left, right = set(expected) - set(spots), set(spots) - set(expected)
    if left:
        name, start, length = min(left)
        return f"{name} at byte {start} ({length} bytes) is not filled"
    name, start, length = min(right) if right else spots[0]
    return f"{name} at byte {start} ({length} bytes) is no such place, or filled twice"


def _vyper_sizes(record: RecordView, immutable_bytes: int) -> Iterator[Observation]:
    for number, fields in record.creation.fields.items():
        runtime_bytes = len(record.runtime.recompiled or b"")
        if fields.runtime_size is None:
            continue
        yield Evidence({"runtimeSize": fields.runtime_size, "immutableSize": fields.immutable_size or 0})
        if (fields.runtime_size, fields.immutable_size) != (runtime_bytes, immutable_bytes):
            yield Violation(
                f"the creation auxdata speaks of {fields.runtime_size} bytes of runtime code and"
                f" {fields.immutable_size} of immutables; there are {runtime_bytes} and {immutable_bytes}",
                ("creationBytecode", "cborAuxdata", number),
            )


def _value_length(step: TransformationStep, values: Mapping[str, Json]) -> int:
    try:
        return len(value_bytes(step, values))
    except InvalidValueError:
        return -1


def _value_id(step: TransformationStep) -> str | None:
    single = (TransformationReason.CALL_PROTECTION, TransformationReason.CONSTRUCTOR_ARGUMENTS)
    return None if step.reason in single else step.id
