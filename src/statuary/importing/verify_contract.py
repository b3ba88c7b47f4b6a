"""Derive and verify a contract before it is written: a contract that does not match the chain is never written."""

from collections.abc import Iterator
from typing import NamedTuple

from statuary.checks.contracts.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove
from statuary.domain.contracts.bytecode.code_references import parse_immutable_references
from statuary.domain.contracts.compiled_members import CompiledMembers, workspace_members
from statuary.domain.contracts.derivation import derive_record
from statuary.domain.contracts.record import RecordValue
from statuary.domain.contracts.workspace import Workspace
from statuary.domain.findings import Finding, has_errors
from statuary.domain.primitives import Hex, InvalidValueError
from statuary.importing.workspace_files import trim_compiler_output

CALL_PROTECTION = range(1, 21)
"""The length of the code at the start of a library that contains its own address."""


class VerificationResult(NamedTuple):
    """The record of a contract, and what is wrong with it."""

    workspace: Workspace  # the contract, its compiler output trimmed
    record: RecordValue | None  # None if none can be derived
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()  # how each side that does not match differs, as sentences

    @property
    def is_valid(self) -> bool:
        """Whether the contract may be written."""
        return self.record is not None and not has_errors(self.findings)


def verify_contract(workspace: Workspace, path: str) -> VerificationResult:
    """Derive a contract's record and run every check on it.

    Args:
        path: the file that it would be written to, for the findings.
    """
    try:
        trimmed = trim_compiler_output(workspace)
        record = derive_record(trimmed)
    except InvalidValueError as error:
        message = "; ".join([str(error), *_readable_differences(workspace)])
        finding = Finding(rule="derivable", path=path, message=message, hint=error.hint)
        return VerificationResult(workspace, None, (finding,))
    proof = prove(record, (*IDENTITY_CHECKS, *CONTRACT_CHECKS))
    return VerificationResult(
        workspace=trimmed,
        record=record,
        findings=tuple(finding.within(path) for finding in proof.findings),
        notes=tuple(text for side, text in bytecode_differences(trimmed) if record[f"{side}Match"] is None),
    )


def _readable_differences(workspace: Workspace) -> list[str]:
    try:
        return [text for _, text in bytecode_differences(workspace)]
    except InvalidValueError:
        return []


def bytecode_differences(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yield how each known side differs from the compiled code, as `creation` or `runtime` and a sentence.

    Bytes that linking, deploying or other comments change are not compared.

    Raises:
        InvalidValueError: if the compiler's output cannot be read.
    """
    compiled = workspace_members(workspace)
    for side, code, onchain in (
        ("creation", compiled.contract.creation.code, workspace.onchain_creation),
        ("runtime", compiled.contract.runtime.code, workspace.onchain_runtime),
    ):
        if onchain:
            yield side, _difference(side, code, onchain, _changing_bytes(compiled, side))


def _difference(side: str, compiled: bytes, onchain_hex: Hex, changing: set[int]) -> str:
    onchain = bytes.fromhex(onchain_hex[2:])
    sizes = (
        f"the {side} bytecode has {len(onchain):,} bytes on the chain and {len(compiled):,} bytes compiled"
    )
    pairs = enumerate(zip(onchain, compiled, strict=False))
    at = next((at for at, (one, other) in pairs if one != other and at not in changing), None)
    if at is None:
        return f"{sizes}; the shorter one is the start of the longer one"
    return f"{sizes}; the first difference is at byte {at:,}"


def _changing_bytes(compiled: CompiledMembers, side: str) -> set[int]:
    code = compiled.contract.creation if side == "creation" else compiled.contract.runtime
    auxdata = compiled.auxdata.creation if side == "creation" else compiled.auxdata.runtime
    spans = [range(one.start, one.start + one.length) for one in code.libraries]
    spans += [range(piece.offset, piece.offset + len(piece.value)) for piece in auxdata.values()]
    if side == "runtime":
        immutables = parse_immutable_references(code.artifact.get("immutableReferences"))
        spans += [range(one.start, one.start + one.length) for one in immutables]
        spans.append(CALL_PROTECTION)
    return set().union(*spans)
