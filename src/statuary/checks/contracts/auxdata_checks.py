"""Checks of auxdata: position, encoding, content, completeness."""

from collections.abc import Iterator

from statuary.checks.contracts.check import Evidence, Observation, Violation
from statuary.checks.contracts.record_view import RecordView, SideView
from statuary.domain.contracts.bytecode.auxdata import parse_auxdata
from statuary.domain.contracts.bytecode.auxdata_positions import auxdata_positions
from statuary.domain.contracts.bytecode.transformations import TransformationReason, value_bytes
from statuary.domain.contracts.compiler_version import parse_compiler_version
from statuary.domain.findings import Severity
from statuary.domain.limits import MAX_AUXDATA_BYTES
from statuary.domain.primitives import InvalidValueError


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
