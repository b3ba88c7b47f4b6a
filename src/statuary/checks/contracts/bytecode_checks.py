"""Checks of bytecode: the on-chain code follows from the compiled code; its auxdata; the match levels of both sides."""

from collections.abc import Iterator

from statuary.checks.contracts.check import Evidence, NotApplicable, Observation, Violation
from statuary.checks.contracts.record_view import RecordView, SideView, as_json_text, as_object, hex_bytes
from statuary.domain.contracts.auxdata import auxdata_positions, parse_auxdata
from statuary.domain.contracts.compiler import parse_compiler_version
from statuary.domain.contracts.matching import MatchLevel, overall_level, side_level
from statuary.domain.contracts.transformations import (
    ReplayError,
    TransformationReason,
    TransformationStep,
    TransformationType,
    first_difference,
    value_bytes,
)
from statuary.domain.findings import Pointer, Severity
from statuary.domain.json_values import UntypedJson as Json
from statuary.domain.limits import MAX_AUXDATA_BYTES
from statuary.domain.primitives import InvalidValueError, shorten

_SINGLE_VALUES = ("callProtection", "constructorArguments")
_GROUPS_OF_VALUES = ("cborAuxdata", "immutables", "libraries")
_PUSH0, _CODECOPY, _RETURN, _MAX_PUSHED_SIZE = 0x5F, 0x39, 0xF3, 4


def hex_is_well_formed(record: RecordView) -> Iterator[Observation]:
    """Every bytecode, auxdata and transformation value is 0x and an even number of lower-case hex digits."""
    count = 0
    for side in record.sides:
        for pointer, text, data in _hex_texts(side):
            count += 1
            if data is None:
                yield Violation(
                    f"{pointer[-1]} {shorten(text) if isinstance(text, str) else repr(text)} is not lower-case hex",
                    pointer,
                    "write 0x and an even number of lower-case hex digits",
                )
    if count:
        yield Evidence({"texts": count})


def creation_replays(record: RecordView) -> Iterator[Observation]:
    """Recompiled creation bytecode, after its transformations, is the on-chain creation bytecode."""
    return _replays(record.creation)


def runtime_replays(record: RecordView) -> Iterator[Observation]:
    """Recompiled runtime bytecode, after its transformations, is the on-chain runtime bytecode."""
    return _replays(record.runtime)


def creation_code_deploys_the_runtime_code(record: RecordView) -> Iterator[Observation]:
    """Recompiled creation bytecode starts with code that returns the recompiled runtime bytecode after it."""
    side = record.creation
    creation, runtime = side.recompiled, record.runtime.recompiled
    if side.claimed is None or not creation or not runtime:
        yield NotApplicable("there is no matching creation bytecode, or no recompiled runtime bytecode")
        return
    if not side.is_exact and record.runtime.claimed is None:
        yield NotApplicable("the runtime bytecode is not claimed to match")
        return  # a constructor may return other code than the compiler's
    place = creation.find(runtime)
    yield Evidence({"at": place, "bytes": len(runtime)})
    if place <= 0:
        yield Violation(
            "the recompiled creation bytecode does not contain the recompiled runtime bytecode after a constructor",
            ("runtimeBytecode", "recompiledBytecode"),
            "take both from one run of the compiler",
        )
    elif not _copies(creation[:place], place, len(runtime)):
        yield Violation(
            f"the constructor does not copy and return the {len(runtime):,} bytes of runtime bytecode at byte {place:,}",
            ("creationBytecode", "recompiledBytecode"),
            "take both from one run of the compiler",
        )


def _copies(constructor: bytes, place: int, size: int) -> bool:
    """Return whether code pushes an offset and a size, copies code and returns it."""
    pushes = all(_is_pushed(constructor, number) for number in (place, size))
    return pushes and _CODECOPY in constructor and _RETURN in constructor


def _is_pushed(code: bytes, number: int) -> bool:
    shortest = -(-number.bit_length() // 8)
    return any(
        bytes((_PUSH0 + width,)) + number.to_bytes(width, "big") in code
        for width in range(shortest, _MAX_PUSHED_SIZE + 1)
    )


def _hex_texts(side: SideView) -> Iterator[tuple[Pointer, Json, bytes | None]]:
    """Yield every text of a side that must be hex: pointer, text, and bytes (None if it is not hex)."""
    for member, data in (("onchainBytecode", side.onchain), ("recompiledBytecode", side.recompiled)):
        if side.value.get(member) is not None:
            yield (side.member, member), side.value[member], data
    for pointer, text in _short_hex_texts(side):
        yield pointer, text, hex_bytes(text)


def _short_hex_texts(side: SideView) -> Iterator[tuple[Pointer, Json]]:
    for number, piece in as_object(side.value.get("cborAuxdata")).items():
        yield (side.member, "cborAuxdata", number, "value"), as_object(piece).get("value")
    where = (side.member, "transformationValues")
    for member in _SINGLE_VALUES:
        if member in side.values:
            yield (*where, member), side.values[member]
    for group in _GROUPS_OF_VALUES:
        for key, text in as_object(side.values.get(group)).items():
            yield (*where, group, key), text


def _replays(side: SideView) -> Iterator[Observation]:
    if side.claimed is None:
        yield NotApplicable(f"the {side.name} bytecode is not claimed to match")
        return
    for member in ("onchainBytecode", "recompiledBytecode"):
        if side.value.get(member) in (None, "0x"):
            yield Violation(
                f"{side.name}Match is {as_json_text(side.claimed)}, but {member} is {as_json_text(side.value.get(member))}",
                (side.member, member),
            )
            return
    replayed = side.replayed
    if isinstance(replayed, ReplayError):
        yield Violation(str(replayed), (side.member, "transformations", replayed.step))
    elif replayed is None or side.onchain is None:
        yield Violation("the replay cannot run: a bytecode or a transformation is malformed", (side.member,))
    else:
        yield Evidence({"transformations": len(side.transformations or ()), "bytes": len(replayed)})
        if (place := first_difference(replayed, side.onchain)) is not None:
            yield _difference(side, replayed, side.onchain, place)


def _difference(side: SideView, replayed: bytes, onchain: bytes, place: int) -> Violation:
    return Violation(
        f"the transformations give {len(replayed):,} bytes that differ from the {len(onchain):,} on the chain"
        f" at byte {place:,}: 0x{replayed[place : place + 8].hex()} instead of 0x{onchain[place : place + 8].hex()}",
        (side.member, "onchainBytecode"),
        "verify the contract again; this record does not reproduce what is on the chain",
    )


def auxdata_is_where_it_says(record: RecordView) -> Iterator[Observation]:
    """Each cborAuxdata value decodes as auxdata, and is in the recompiled bytecode at its offset."""
    for side in record.sides:
        pieces = side.parsed_auxdata
        if isinstance(pieces, InvalidValueError):
            yield Violation(str(pieces), (side.member, "cborAuxdata"))
            continue
        for number, piece in pieces.items():
            held = (side.recompiled or b"")[piece.offset : piece.offset + len(piece.value)]
            pointer = (side.member, "cborAuxdata", number)
            if held != piece.value or not piece.value:
                yield Violation(
                    f"cborAuxdata {number} is not at byte {piece.offset} of the recompiled bytecode", pointer
                )
            elif fault := _decoding_fault(record, piece.value):
                yield Violation(f"cborAuxdata {number}: {fault}", pointer)
        if pieces:
            yield Evidence({side.name: len(pieces)})


def auxdata_values_decode(record: RecordView) -> Iterator[Observation]:
    """The value of a cborAuxdata transformation decodes as auxdata too."""
    for side in record.sides:
        for place, step in enumerate(side.transformations or ()):
            if step.reason is not TransformationReason.CBOR_AUXDATA:
                continue
            fault = _value_fault(side, place)
            yield Evidence({side.name: place})
            if fault:
                yield Violation(fault, (side.member, "transformations", place))


def auxdata_is_complete(record: RecordView) -> Iterator[Observation]:
    """The cborAuxdata list has every piece of auxdata in the recompiled bytecode."""
    creation, runtime = record.creation, record.runtime
    if creation.recompiled is None or runtime.recompiled is None:
        return
    positions = auxdata_positions(
        creation.recompiled,
        runtime.recompiled,
        language=record.language,
        version=record.version,
        assembly=None,
    )
    for side, shown in ((creation, positions.creation), (runtime, positions.runtime)):
        if side.value.get("cborAuxdata") is None:
            continue  # Sourcify could not find it, and records that
        listed = sorted((piece.offset, piece.value) for piece in side.auxdata.values())
        found = sorted((piece.offset, piece.value) for piece in shown.values())
        yield Evidence({side.name: len(listed)})
        if list(side.auxdata) != [str(number) for number in range(1, len(listed) + 1)]:
            yield Violation(
                f"the pieces are numbered {', '.join(side.auxdata)[:80]}; numbers begin at 1",
                (side.member, "cborAuxdata"),
                severity=Severity.NOTE,
            )
        if listed != found:
            yield Violation(
                f"cborAuxdata lists {len(listed)} pieces, the recompiled bytecode has {len(found)} or different ones",
                (side.member, "cborAuxdata"),
            )


def auxdata_names_the_compiler(record: RecordView) -> Iterator[Observation]:
    """The compiler version in each auxdata is the record's compilerVersion."""
    number = parse_compiler_version(record.version)
    release = f"{number.major}.{number.minor}.{number.patch}"
    for side in record.sides:
        for key, fields in side.fields.items():
            if not fields.compiler:
                continue  # solc before 0.5.9 writes none
            yield Evidence({"compiler": fields.compiler})
            # a release writes three numbers, a nightly its whole name
            is_named = fields.compiler == release or record.version.startswith(fields.compiler)
            if not is_named or (fields.compiler == release) != number.released:
                yield Violation(
                    f"cborAuxdata {key} was written by compiler {fields.compiler}, but compilerVersion is {record.version}",
                    (side.member, "cborAuxdata", key),
                    f"write the version {fields.compiler} with its commit as compilerVersion",
                )


def _decoding_fault(record: RecordView, value: bytes) -> str:
    """Return why bytes are not auxdata of the record's compiler; empty if they are."""
    if len(value) > MAX_AUXDATA_BYTES:
        return f"{len(value):,} bytes are more than compilers append"
    try:
        parse_auxdata(value, record.auxdata_style)
    except InvalidValueError as error:
        return str(error)
    return ""


def _value_fault(side: SideView, place: int) -> str:
    try:
        value = value_bytes((side.transformations or ())[place], side.values)
    except InvalidValueError as error:
        return str(error)
    return _decoding_fault(side.record, value) if value else ""


def match_levels_follow_from_the_bytes(record: RecordView) -> Iterator[Observation]:
    """The levels creationMatch and runtimeMatch are no higher than the replay and the auxdata show."""
    for side in record.sides:
        if side.claimed is None or side.replayed is None or side.replayed != side.onchain:
            continue  # the check of the replay reports these
        earned = earned_level(side)
        yield Evidence({side.name: earned.value})
        if side.claimed != earned:
            yield Violation(
                f"{side.name}Match is {as_json_text(side.claimed)}, but the bytes earn {earned.value!r}",
                (f"{side.name}Match",),
                f"write {earned.value}",
                Severity.NOTE if side.claimed == MatchLevel.MATCH else None,
            )


def match_is_the_better_side(record: RecordView) -> Iterator[Observation]:
    """The overall match is exact_match if either side is, and null only if both are."""
    claimed = record.value.get("match")
    earned = overall_level(record.creation.claimed, record.runtime.claimed)
    yield Evidence({"match": str(earned or "null")})
    if claimed != earned:
        yield Violation(
            f"match is {as_json_text(claimed)}, but its sides make it {as_json_text(earned)}",
            ("match",),
            f"write {earned or 'null'}",
        )
    elif earned is None:
        yield Violation("neither side matches: the record verifies nothing", ("match",), "remove it")


def unmatched_side_does_not_match(record: RecordView) -> Iterator[Observation]:
    """A side without a match level does not match."""
    for side in record.sides:
        if side.claimed is not None or not side.onchain:
            continue
        yield Evidence({side.name: "does not match" if side.found is None else side.found.level.value})
        if side.found is not None:
            yield Violation(
                f"{side.name}Match is null, but the bytecode matches with"
                f" {len(side.found.transformations)} transformations: {side.found.level.value}",
                (f"{side.name}Match",),
                "verify the contract again to record the match",
            )


def earned_level(side: SideView) -> MatchLevel:
    """Return the level of a side whose replay succeeds.

    A transformation that inserts the auxdata that is there already changes nothing, so it does not lower the
    level.
    """
    steps = [step for step in side.transformations or () if not _changes_nothing(side, step)]
    return side_level(
        auxdata=[piece.value for piece in side.auxdata.values()],
        transformations=steps,
        language=side.record.language,
        version=side.record.version,
    )


def _changes_nothing(side: SideView, step: TransformationStep) -> bool:
    if step.reason is not TransformationReason.CBOR_AUXDATA or step.type is TransformationType.DELETE:
        return False
    piece = next((piece for piece in side.auxdata.values() if piece.offset == step.offset), None)
    try:
        return piece is not None and value_bytes(step, side.values) == piece.value
    except InvalidValueError:
        return False
