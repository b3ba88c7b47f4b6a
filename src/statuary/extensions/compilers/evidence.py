"""Evidence that a compiler's output confirms a record."""

from collections.abc import Iterable, Iterator
from hashlib import sha256

from statuary.base.findings import Finding, Pointer
from statuary.base.json_values import JsonObject
from statuary.contracts.checks.record_view import is_same_json
from statuary.contracts.model.proof import CompilationEvidence
from statuary.contracts.model.record import RecordValue, sort_members_as_served
from statuary.extensions.compilers.cache import CompilerRun
from statuary.extensions.compilers.recompilation import (
    LAYOUTS,
    MATCH_MEMBERS,
    recompiled_members,
    record_value_at,
)
from statuary.site.document import encode_unchecked
from statuary.version import VERSION


def compilation_evidence(
    record: RecordValue, run: CompilerRun, findings: Iterable[Finding]
) -> CompilationEvidence:
    """Return the evidence from compiling a contract's sources again.

    It contains the SHA-256 of the record, compiler, input and output, and names the parts of
    the record that the output confirms.

    Args:
        record: the record that the output confirms.
        run: the output of the compiler.
        findings: the differences between the record and the output, none of which is an error.
    """
    differing = {finding.pointer for finding in findings}
    return CompilationEvidence(
        record=record_sha256(record),
        compiler_version=run.compiler.version,
        compiler_sha256=run.compiler_sha256,
        input_sha256=run.input_sha256,
        output_sha256=sha256(encode_unchecked(run.output)).hexdigest(),
        statuary=VERSION,
        members=tuple(_members_equal_to_output(record, run.output, differing)),
    )


def record_sha256(record: RecordValue) -> str:
    """Return the SHA-256 of a contract's record as it is published.

    Evidence names the record by this hash, in hex.
    """
    return sha256(encode_unchecked(sort_members_as_served(record))).hexdigest()


def _members_equal_to_output(
    record: RecordValue, compiler_output: JsonObject, differing_members: set[Pointer]
) -> Iterator[str]:
    for pointer, recompiled in recompiled_members(record, compiler_output).items():
        recorded = record_value_at(record, pointer)
        # The server of the record may have rounded large numbers in the storage layout. Do not confirm a
        # layout that equals the compiler's only after rounding.
        is_rounded = pointer[-1] in LAYOUTS and not is_same_json(recorded, recompiled)
        is_given = recorded is not None and pointer[-1] not in MATCH_MEMBERS and not is_rounded
        if is_given and not any(
            other_pointer[: len(pointer)] == pointer for other_pointer in differing_members
        ):
            yield ".".join(map(str, pointer))
