"""Compile a contract again and write the evidence beside it."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from statuary.base.atomic_file import atomic_file
from statuary.base.findings import Finding, Pointer, has_errors
from statuary.base.json_values import JsonObject
from statuary.contracts.checks.record_view import same_json
from statuary.contracts.model.proof import CompilationEvidence
from statuary.contracts.model.record import RecordValue, in_served_order
from statuary.contracts.sources.contract_source import ContractSource
from statuary.contracts.sources.evidence import compilation_json, compilation_path
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.compilers.cache import CompilerRun, program_digest
from statuary.extensions.compilers.recompilation import (
    LAYOUTS,
    MATCH_MEMBERS,
    recompilation_input,
    recompiled_members,
    value_at,
)
from statuary.extensions.compilers.recompile import (
    Recompiler,
    compiler_build,
    differences,
    missing_compiler_finding,
)
from statuary.site.document import encode_unchecked
from statuary.version import VERSION


class RecompiledContract(NamedTuple):
    """The result of recompiling a contract, with evidence if it is equal."""

    findings: tuple[Finding, ...]
    evidence: CompilationEvidence | None = None


def compile_contract(root: Path, source: ContractSource, recompiler: Recompiler) -> RecompiledContract:
    """Compile a contract again and compare the result with its record."""
    parsed = read_contract(root, source)
    if parsed.record is None or has_errors(parsed.findings):
        return RecompiledContract(tuple(parsed.findings))
    record = parsed.record
    compiler = recompiler.find_compiler(record)
    if compiler is None:
        return RecompiledContract(
            (missing_compiler_finding(compiler_build(record), 1, recompiler.options).within(source.path),)
        )
    findings = tuple(finding.within(source.path) for finding in recompiler.compare(record, compiler))
    # without a pointer, the compiler itself failed
    if has_errors(findings) or any(not finding.pointer for finding in findings):
        return RecompiledContract(findings)
    std_json_input = recompilation_input(record)
    run = CompilerRun(
        compiler,
        program_digest(compiler),
        sha256(encode_unchecked(std_json_input)).hexdigest(),
        recompiler.compile(std_json_input, compiler),
    )
    return RecompiledContract(findings, _evidence(record, run, findings))


def evidence_of_run(record: RecordValue, run: CompilerRun, path: str) -> RecompiledContract:
    """Compare a record that is being added with what its compiler made.

    Args:
        path: the file of the record, for the findings.
    """
    findings = tuple(differences(record, run.output))
    located = tuple(finding.within(path) for finding in findings)
    return RecompiledContract(located, None if has_errors(findings) else _evidence(record, run, findings))


def write_evidence(root: Path, source: ContractSource, evidence: CompilationEvidence) -> str:
    """Write evidence beside its contract; return its path in the content folder.

    Raises:
        PublishingError: if it cannot be written.
    """
    path = compilation_path(source)
    with atomic_file(root / path) as stream:
        stream.write(compilation_json(evidence))
    return path


def _evidence(record: RecordValue, run: CompilerRun, findings: Iterable[Finding]) -> CompilationEvidence:
    differing = {finding.pointer for finding in findings}
    return CompilationEvidence(
        record=record_sha256(record),
        compiler_version=run.compiler.version,
        compiler_sha256=run.compiler_sha256,
        input_sha256=run.input_sha256,
        output_sha256=sha256(encode_unchecked(run.output)).hexdigest(),
        statuary=VERSION,
        members=tuple(_equal_members(record, run.output, differing)),
    )


def record_sha256(record: RecordValue) -> str:
    """Return the SHA-256 of a record as it is published, as hex."""
    return sha256(encode_unchecked(in_served_order(record))).hexdigest()


def _equal_members(record: RecordValue, output: JsonObject, differing: set[Pointer]) -> Iterator[str]:
    for pointer, recompiled in recompiled_members(record, output).items():
        recorded = value_at(record, pointer)
        # a compiler pins no number that a server rounded
        is_rounded = pointer[-1] in LAYOUTS and not same_json(recorded, recompiled)
        is_given = recorded is not None and pointer[-1] not in MATCH_MEMBERS and not is_rounded
        if is_given and not any(other_pointer[: len(pointer)] == pointer for other_pointer in differing):
            yield ".".join(map(str, pointer))
