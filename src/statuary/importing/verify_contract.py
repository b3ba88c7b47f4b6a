"""A contract derived and proved before it is written: what does not match the chain is never content."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statuary.checks.contracts.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove
from statuary.domain.contracts.bytecode.code_references import parse_immutable_references
from statuary.domain.contracts.compiled_members import CompiledMembers, compiled_members
from statuary.domain.contracts.compiler_output import language_of
from statuary.domain.contracts.derivation import derive_record
from statuary.domain.contracts.record import RecordValue
from statuary.domain.contracts.workspace import Workspace
from statuary.domain.findings import Finding, has_errors
from statuary.domain.primitives import Hex, InvalidValueError
from statuary.importing.workspace_files import trim_compiler_output


class VerificationResult(NamedTuple):
    """What deriving and proving gave.

    Attributes:
        workspace: the contract, its compiler's output cut to what is needed.
        record: what follows from it; None if nothing does.
        findings: what is wrong with it.
        notes: which side does not match, where one does.
    """

    workspace: Workspace
    record: RecordValue | None
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the contract may be written."""
        return self.record is not None and not has_errors(self.findings)


def verify_contract(workspace: Workspace, path: str) -> VerificationResult:
    """Derive a contract's record and hold it against every check.

    Args:
        workspace: the contract.
        path: the file that it would be written to, for the findings.
    """
    try:
        lean = trim_compiler_output(workspace)
        record = derive_record(lean)
    except InvalidValueError as malformed:
        finding = Finding(
            rule="derivable", path=path, message=_with_reasons(malformed, workspace), hint=malformed.hint
        )
        return VerificationResult(workspace=workspace, record=None, findings=(finding,))
    proof = prove(record, (*IDENTITY_CHECKS, *CONTRACT_CHECKS))
    return VerificationResult(
        workspace=lean,
        record=record,
        findings=tuple(finding.within(path) for finding in proof.findings),
        notes=tuple(reason for side, reason in bytecode_differences(lean) if record[f"{side}Match"] is None),
    )


def _with_reasons(malformed: InvalidValueError, workspace: Workspace) -> str:
    try:
        found = [reason for _, reason in bytecode_differences(workspace)]
    except InvalidValueError:
        found = []
    return "; ".join([str(malformed), *found])


def bytecode_differences(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yield, for each side that is known on the chain, how it differs from what was compiled, open places aside.

    Raises:
        Malformed: if the compiler's output cannot be read.
    """
    compiled = compiled_members(
        workspace.std_json_output,
        workspace.fully_qualified_name,
        language=language_of(workspace.std_json_input),
        version=workspace.compiler_version,
    )
    for side, code, known in (
        ("creation", compiled.contract.creation.code, workspace.onchain_creation),
        ("runtime", compiled.contract.runtime.code, workspace.onchain_runtime),
    ):
        if known:
            yield side, _difference(side, code, known, _open_places(compiled, side))


def _difference(side: str, compiled: bytes, known: Hex, open_places: Iterable[range]) -> str:
    onchain, filled = bytes.fromhex(known[2:]), set().union(*open_places)
    sizes = f"the {side} bytecode has {len(onchain):,} bytes on the chain, {len(compiled):,} were compiled"
    shorter = min(len(onchain), len(compiled))
    at = next((at for at in range(shorter) if onchain[at] != compiled[at] and at not in filled), None)
    if at is not None:
        return f"{sizes}, and they part at byte {at:,}"
    return f"{sizes}, and as far as both go they are the same"


def _open_places(compiled: CompiledMembers, side: str) -> list[range]:
    """Return the places that linking, deploying or other comments fill."""
    code = compiled.contract.creation if side == "creation" else compiled.contract.runtime
    auxdata = compiled.auxdata.creation if side == "creation" else compiled.auxdata.runtime
    places = [range(place.start, place.start + place.length) for place in code.libraries]
    places += [range(piece.offset, piece.offset + len(piece.value)) for piece in auxdata.values()]
    if side == "runtime":
        immutables = parse_immutable_references(code.artifact.get("immutableReferences"))
        places += [range(one.start, one.start + one.length) for one in immutables]
        places.append(range(1, 21))  # a library's call protection
    return places
