"""The CBOR that compilers append: where it stands, what it says, and that none of it was overlooked."""

from collections.abc import Iterator

from statuary.checks.contracts.check import Evidence, Observation, Violation
from statuary.checks.contracts.record_view import RecordView, SideView, as_text
from statuary.domain.contracts.bytecode.auxdata_positions import auxdata_positions
from statuary.domain.contracts.bytecode.transformations import (
    TransformationReason,
    TransformationStep,
    TransformationType,
)
from statuary.domain.contracts.compiler_version import parse_compiler_version
from statuary.domain.primitives import InvalidValueError

INVALID_BYTES = 1
"""solc sets one INVALID before what it appends; a `delete` takes it away as well."""


def auxdata_stands_where_it_says(record: RecordView) -> Iterator[Observation]:
    """Each cborAuxdata value is in the recompiled bytecode at its offset."""
    for side in record.sides:
        pieces = side.parsed_auxdata
        if isinstance(pieces, InvalidValueError):
            yield Violation(str(pieces), (side.member, "cborAuxdata"))
            continue
        for number, piece in pieces.items():
            held = (side.recompiled or b"")[piece.offset : piece.offset + len(piece.value)]
            if held != piece.value or not piece.value:
                yield Violation(
                    f"cborAuxdata {number} is not at byte {piece.offset} of the recompiled bytecode",
                    (side.member, "cborAuxdata", number),
                )
        if pieces:
            yield Evidence({side.name: len(pieces)})


def auxdata_transformations_stand_on_auxdata(record: RecordView) -> Iterator[Observation]:
    """A cborAuxdata transformation replaces or deletes exactly one piece that cborAuxdata lists, under its number."""
    for side in record.sides:
        steps = [
            (place, step)
            for place, step in enumerate(side.transformations or ())
            if step.reason is TransformationReason.CBOR_AUXDATA
        ]
        for place, step in steps:
            if not _stands_on_a_piece(side, step):
                yield Violation(
                    f"no cborAuxdata {step.id or ''} stands where the transformation at byte {step.offset} puts it",
                    (side.member, "transformations", place),
                )
        if steps:
            yield Evidence({side.name: len(steps)})


def auxdata_is_complete(record: RecordView) -> Iterator[Observation]:
    """The cborAuxdata list, its numbers and places are those that the recompiled bytecode shows."""
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
            continue  # Sourcify could not tell, and says so
        listed = sorted((piece.offset, piece.value) for piece in side.auxdata.values())
        found = sorted((piece.offset, piece.value) for piece in shown.values())
        yield Evidence({side.name: len(listed)})
        if listed != found:
            yield Violation(
                f"cborAuxdata lists {len(listed)} pieces, the recompiled bytecode shows {len(found)} or other ones",
                (side.member, "cborAuxdata"),
            )
        if sorted(side.auxdata) != sorted(str(number) for number in range(1, len(listed) + 1)):
            yield Violation(
                f"the pieces of auxdata are numbered {', '.join(side.auxdata)}, not from 1 on",
                (side.member, "cborAuxdata"),
            )


def auxdata_names_the_compiler(record: RecordView) -> Iterator[Observation]:
    """The compiler version in each auxdata is the record's compilerVersion."""
    number = parse_compiler_version(record.version)
    expected = f"{number.major}.{number.minor}.{number.patch}"
    for side in record.sides:
        for key, fields in side.fields.items():
            # a nightly writes its whole name; solc before 0.5.9 writes none
            if not fields.compiler or not number.released:
                continue
            yield Evidence({"compiler": fields.compiler})
            if fields.compiler.partition("-")[0] != expected:
                yield Violation(
                    f"cborAuxdata {key} was written by compiler {fields.compiler}, the record says {record.version}",
                    (side.member, "cborAuxdata", key),
                    f"write the version {fields.compiler} with its commit as compilerVersion",
                )


def compiler_speaks_the_language(record: RecordView) -> Iterator[Observation]:
    """The compiler is one for the language."""
    compilers = {"Solidity": "solc", "Yul": "solc", "Vyper": "vyper", "Fe": "fe"}
    compiler = as_text(record.compilation.get("compiler"))
    yield Evidence({"language": record.language, "compiler": compiler})
    # compilers of other machines (zksolc) put their own name before solc's
    if record.language in compilers and not compiler.endswith(compilers[record.language]):
        yield Violation(f"{compiler!r} does not compile {record.language}", ("compilation", "compiler"))


def _stands_on_a_piece(side: SideView, step: TransformationStep) -> bool:
    if step.type is TransformationType.DELETE:
        return any(
            step.offset == piece.offset - INVALID_BYTES and step.length == len(piece.value) + INVALID_BYTES
            for piece in side.auxdata.values()
        )
    listed = side.auxdata.get(step.id or "")
    if listed is None or listed.offset != step.offset:
        return False
    return step.length is None or step.length == len(listed.value)
