"""Checks of the values that transformations insert.

The values are libraries, immutables, auxdata, arguments and the call protection.
"""

from collections.abc import Iterator
from typing import Final

from statuary.base.findings import Severity
from statuary.base.json_values import as_object
from statuary.base.limits import MAX_AUXDATA_BYTES
from statuary.base.primitives import InvalidValueError
from statuary.base.rules import check
from statuary.contracts.checks.check import Evidence, Observation, Violation, reads_only_compilation
from statuary.contracts.checks.record_view import RecordView, SideView, format_json_line, is_same_json
from statuary.contracts.model.auxdata import LIBRARY_BYTES, CodeReference, locate_auxdata, parse_auxdata
from statuary.contracts.model.compiler import parse_compiler_version
from statuary.contracts.model.matching import CALL_PROTECTION
from statuary.contracts.model.transformations import TransformationReason, transformation_value_bytes

VYPER_IMMUTABLES = "0"
"""The one id of all immutables of a Vyper contract, which are in one piece."""

_IMMUTABLE_BYTES, _PUSH20, _PUSH32 = 32, 0x73, 0x7F


@check
@reads_only_compilation
def invalid_library_reference(record: RecordView) -> Iterator[Observation]:
    """Each position in `linkReferences` must be 20 zero bytes after a PUSH20 in the recompiled bytecode.

    The address of a library belongs there.
    """
    for side in record.sides:
        yield from _check_references(side, side.library_references, "linkReferences", LIBRARY_BYTES, _PUSH20)


@check
@reads_only_compilation
def invalid_immutable_reference(record: RecordView) -> Iterator[Observation]:
    """Each position in Solidity's `immutableReferences` must be 32 zero bytes after a PUSH32.

    The constructor writes the value of an immutable variable there. Languages other than Solidity and Vyper have no
    immutables.
    """
    side = record.runtime
    if record.language == "Solidity":
        yield from _check_references(
            side, side.immutable_references, "immutableReferences", _IMMUTABLE_BYTES, _PUSH32
        )
    elif record.language != "Vyper" and side.value.get("immutableReferences"):
        yield Violation(f"{record.language} has no immutables", (side.member, "immutableReferences"))


def _check_references(
    side: SideView,
    references: list[CodeReference] | InvalidValueError,
    member: str,
    byte_count: int,
    push_opcode: int,
) -> Iterator[Observation]:
    # The compiler leaves `byte_count` zero bytes after a PUSH instruction, for a value that is known later.
    if isinstance(references, InvalidValueError):
        yield Violation(str(references), (side.member, member))
        return
    code = side.recompiled_code or b""
    for place in references:
        zeros = code[place.start : place.start + place.length]
        if place.length != byte_count or len(zeros) != byte_count or any(zeros):
            yield Violation(
                f"the recompiled bytecode has no {byte_count} zero bytes at byte {place.start}, where {place.id} goes",
                (side.member, member),
            )
        elif not place.start or code[place.start - 1] != push_opcode:
            yield Violation(
                f"the bytes at {place.start}, where {place.id} goes, are not the operand of a PUSH{byte_count}",
                (side.member, member),
            )
    if references:
        yield Evidence({side.name: len(references)})


@check
def invalid_vyper_immutables(record: RecordView) -> Iterator[Observation]:
    """Vyper's immutables must follow the runtime code, with the size that the creation auxdata states.

    Immutables are variables that the constructor sets; auxdata is metadata at the end of code.
    """
    side = record.runtime
    if record.language != "Vyper" or side.claimed_level is None or side.recompiled_code is None:
        return
    digits = as_object(side.transformation_values.get("immutables")).get(VYPER_IMMUTABLES)
    length = len(digits) // 2 - 1 if isinstance(digits, str) else 0
    yield from _vyper_size_violations(record, len(side.recompiled_code), length)
    expected = {VYPER_IMMUTABLES: [{"start": len(side.recompiled_code), "length": length}]}
    if (references := side.value.get("immutableReferences")) and not is_same_json(references, expected):
        yield Violation(
            f"immutableReferences is {format_json_line(references)[:200]}, but {length} bytes are inserted"
            f" at {len(side.recompiled_code)}",
            (side.member, "immutableReferences"),
        )


def _vyper_size_violations(
    record: RecordView, runtime_size: int, immutable_size: int
) -> Iterator[Observation]:
    for number, fields in record.creation.auxdata_fields.items():
        if fields.runtime_size is None:
            continue
        yield Evidence({"runtimeSize": fields.runtime_size, "immutableSize": fields.immutable_size or 0})
        if (fields.runtime_size, fields.immutable_size) != (runtime_size, immutable_size):
            yield Violation(
                f"the creation auxdata states {fields.runtime_size} bytes of runtime code and"
                f" {fields.immutable_size} of immutables; there are {runtime_size} and {immutable_size}",
                ("creationBytecode", "cborAuxdata", number),
            )


@check
@reads_only_compilation
def auxdata_offset(record: RecordView) -> Iterator[Observation]:
    """Each value in `cborAuxdata` must be valid auxdata, and be at its offset in the recompiled bytecode.

    Auxdata is the metadata that compilers append to code.
    """
    for side in record.sides:
        pieces = side.parsed_auxdata
        if isinstance(pieces, InvalidValueError):
            yield Violation(str(pieces), (side.member, "cborAuxdata"))
            continue
        for number, piece in pieces.items():
            value = (side.recompiled_code or b"")[piece.offset : piece.offset + len(piece.value)]
            pointer = (side.member, "cborAuxdata", number)
            if value != piece.value or not piece.value:
                yield Violation(
                    f"cborAuxdata {number} is not at byte {piece.offset} of the recompiled bytecode", pointer
                )
            elif fault := _auxdata_fault(record, piece.value):
                yield Violation(f"cborAuxdata {number}: {fault}", pointer)
        if pieces:
            yield Evidence({side.name: len(pieces)})


@check
def invalid_auxdata_value(record: RecordView) -> Iterator[Observation]:
    """The value that a cborAuxdata transformation inserts must be valid auxdata.

    Such a transformation replaces the metadata that the compiler appended to the code.
    """
    for side in record.sides:
        for place, step in enumerate(side.transformations or ()):
            if step.reason is not TransformationReason.CBOR_AUXDATA:
                continue
            fault = _inserted_auxdata_fault(side, place)
            yield Evidence({side.name: place})
            if fault:
                yield Violation(fault, (side.member, "transformations", place))


def _inserted_auxdata_fault(side: SideView, step_index: int) -> str:
    try:
        value = transformation_value_bytes(
            (side.transformations or ())[step_index], side.transformation_values
        )
    except InvalidValueError as error:
        return str(error)
    return _auxdata_fault(side.record, value) if value else ""


def _auxdata_fault(record: RecordView, auxdata: bytes) -> str:
    if len(auxdata) > MAX_AUXDATA_BYTES:
        return f"{len(auxdata):,} bytes are more than compilers append"
    if not record.is_known:
        return ""  # what an unknown compiler appends is not known
    try:
        parse_auxdata(auxdata, record.auxdata_style)
    except InvalidValueError as error:
        return str(error)
    return ""


@check
@reads_only_compilation
def auxdata_compiler_mismatch(record: RecordView) -> Iterator[Observation]:
    """The compiler version in each auxdata section must be the record's `compilerVersion`.

    Auxdata is the metadata that compilers append to code.
    """
    number = parse_compiler_version(record.version)
    release = f"{number.major}.{number.minor}.{number.patch}"
    for side in record.sides:
        for key, fields in side.auxdata_fields.items():
            if not fields.compiler:
                continue  # solc before 0.5.9 writes none
            yield Evidence({"compiler": fields.compiler})
            # In the metadata after the code, a release of solc writes only its three version numbers, such as
            # 0.8.30. A nightly build writes its whole version string.
            is_named = fields.compiler == release or record.version.startswith(fields.compiler)
            if not is_named or (fields.compiler == release) != number.released:
                yield Violation(
                    f"cborAuxdata {key} was written by compiler {fields.compiler}, but compilerVersion is {record.version}",
                    (side.member, "cborAuxdata", key),
                    f"write the version {fields.compiler} with its commit as compilerVersion",
                )


@check(Severity.WARNING)
@reads_only_compilation
def missing_auxdata(record: RecordView) -> Iterator[Observation]:
    """Each auxdata section of the recompiled bytecode must be listed in `cborAuxdata`.

    Auxdata is the metadata that compilers append to code.
    """
    if not record.is_known:
        return  # where an unknown compiler appends auxdata is not known
    yield from _missing_auxdata_violations(record)


def _missing_auxdata_violations(record: RecordView) -> Iterator[Observation]:
    creation, runtime = record.creation, record.runtime
    if creation.recompiled_code is None or runtime.recompiled_code is None:
        return
    positions = locate_auxdata(
        creation.recompiled_code,
        runtime.recompiled_code,
        language=record.language,
        version=record.version,
        assembly=None,
    )
    for side, pieces in ((creation, positions.creation), (runtime, positions.runtime)):
        if side.value.get("cborAuxdata") is None:
            continue  # the record shows that Sourcify could not find the auxdata
        recorded_auxdata = sorted((piece.offset, piece.value) for piece in side.auxdata.values())
        places = sorted((piece.offset, piece.value) for piece in pieces.values())
        yield Evidence({side.name: len(recorded_auxdata)})
        if list(side.auxdata) != [str(number) for number in range(1, len(recorded_auxdata) + 1)]:
            yield Violation(
                f"the pieces are numbered {', '.join(side.auxdata)[:80]}; numbers begin at 1",
                (side.member, "cborAuxdata"),
                severity=Severity.NOTE,
            )
        if recorded_auxdata != places:
            yield Violation(
                f"cborAuxdata lists {len(recorded_auxdata)} pieces, the recompiled bytecode has {len(places)} or different ones",
                (side.member, "cborAuxdata"),
            )


@check(Severity.WARNING)
def missing_constructor_arguments(record: RecordView) -> Iterator[Observation]:
    """A record must contain constructor arguments if its constructor has inputs."""
    side = record.creation
    if (
        side.claimed_level is None
        or side.transformations is None
        or not record.constructor_parameter_types
        or not record.constructor_parameter_types.items
    ):
        return
    yield Evidence({"inputs": len(record.constructor_parameter_types.items)})
    if "constructorArguments" not in side.transformation_values:
        yield Violation(
            f"the constructor takes {record.constructor_parameter_types.canonical_name}, but there are no constructorArguments",
            ("creationBytecode", "transformationValues"),
        )


@check
def call_protection_mismatch(record: RecordView) -> Iterator[Observation]:
    """The call protection of a library must contain the library's own address.

    The constructor writes this address. Code that no constructor wrote, as in a genesis block, may contain
    zeros instead, which is only a warning.
    """
    value = record.runtime.transformation_values.get("callProtection")
    address = record.value.get("address")
    if not isinstance(value, str) or not isinstance(address, str):
        return
    yield Evidence({"address": value})
    if value != address.lower():
        is_unwritten = value == _UNWRITTEN and record.creation.claimed_level is None
        yield Violation(
            f"the call protection is {value}, but the record's address is {address}",
            ("runtimeBytecode", "transformationValues", "callProtection"),
            "the code was deployed at another address, or the record belongs to another contract",
            Severity.WARNING if is_unwritten else None,
        )


_UNWRITTEN: Final = "0x" + "0" * 40


def is_library(record: RecordView) -> bool:
    """Return whether the contract is a Solidity library.

    Its runtime code then begins with the call protection, a comparison with its own address.
    """
    return (record.runtime.recompiled_code or b"").startswith(CALL_PROTECTION)
