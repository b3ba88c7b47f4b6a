"""Compile a contract again, and write the evidence beside it."""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from statuary.base.findings import Finding, has_errors
from statuary.contracts.model.proof import CompilationEvidence
from statuary.contracts.model.record import RecordValue
from statuary.contracts.sources.contract_source import ContractSource
from statuary.contracts.sources.evidence import compilation_file_path, encode_compilation_evidence
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.compilers.cache import CompilerRun, compiler_file_sha256
from statuary.extensions.compilers.evidence import compilation_evidence
from statuary.extensions.compilers.recompilation import recompilation_input
from statuary.extensions.compilers.recompile import (
    Recompiler,
    compare_with_output,
    compiler_of_record,
    missing_compiler_finding,
)
from statuary.site.document import encode_unchecked
from statuary.system.writing import atomic_file


class RecompiledContract(NamedTuple):
    """The result of compiling a contract again: differences, and evidence."""

    findings: tuple[Finding, ...]
    evidence: CompilationEvidence | None = None


def compile_contract(root: Path, source: ContractSource, recompiler: Recompiler) -> RecompiledContract:
    """Compile a contract again, and compare the output with its record.

    The record is the JSON that describes the verified contract.

    Args:
        root: the content folder.
        source: the location of the contract in the content folder.
        recompiler: the available compilers.

    Returns:
        The differences. If none of them is an error, also the evidence: a statement, to be published, that
        the compiler's output confirms the record.
    """
    parsed = read_contract(root, source)
    if parsed.record is None or has_errors(parsed.findings):
        return RecompiledContract(tuple(parsed.findings))
    record = parsed.record
    compiler = recompiler.find_compiler(record)
    if compiler is None:
        return RecompiledContract(
            (
                missing_compiler_finding(compiler_of_record(record), 1, recompiler.options).with_path(
                    source.path
                ),
            )
        )
    findings = tuple(
        finding.with_path(source.path) for finding in recompiler.recompile_and_compare(record, compiler)
    )
    # A finding without a pointer is not about a member of the record: the compiler itself has failed.
    if has_errors(findings) or any(not finding.pointer for finding in findings):
        return RecompiledContract(findings)
    std_json_input = recompilation_input(record)
    run = CompilerRun(
        compiler,
        compiler_file_sha256(compiler),
        sha256(encode_unchecked(std_json_input)).hexdigest(),
        recompiler.compile(std_json_input, compiler),
    )
    return RecompiledContract(findings, compilation_evidence(record, run, findings))


def compare_compiler_run(record: RecordValue, run: CompilerRun, record_path: str) -> RecompiledContract:
    """Compare the compiler's output with the record of a new contract.

    The record is the JSON that describes the verified contract.

    Args:
        record: the record.
        run: the output of the compiler.
        record_path: the file of the record, for error messages.

    Returns:
        The differences. If none of them is an error, also the evidence: a statement, to be published, that
        the output confirms the record.
    """
    findings = tuple(compare_with_output(record, run.output))
    located = tuple(finding.with_path(record_path) for finding in findings)
    return RecompiledContract(
        located, None if has_errors(findings) else compilation_evidence(record, run, findings)
    )


def write_evidence(root: Path, source: ContractSource, evidence: CompilationEvidence) -> str:
    """Write `compilation.json`, the proof that a contract was compiled again.

    Returns:
        The path of the file in the content folder.

    Raises:
        PublishingError: if the file cannot be written.
    """
    path = compilation_file_path(source)
    with atomic_file(root / path) as stream:
        stream.write(encode_compilation_evidence(evidence))
    return path
