"""Compile every contract of a site again, and compare.

Contracts with the same input (the children of a factory, clones of a library) are compiled once.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, TypeVar

from statuary.base.findings import Finding, Pointer, Severity, sorted_findings
from statuary.base.json_values import JsonObject
from statuary.base.primitives import InvalidValueError, keccak256
from statuary.base.progress import Progress, report_stage, track_progress
from statuary.contracts.incremental.bulk import BulkContract, locate_bulk_findings, open_bulk_source
from statuary.contracts.model.record import RecordValue
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractSource
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.compilers.compiler import Compiler, CompilerError, find_compiler, install_hint
from statuary.extensions.compilers.recompilation import (
    is_optional_output_missing,
    recompilation_input,
    recompilation_mismatch,
    recompiled_members,
)
from statuary.site.document import encode_unchecked
from statuary.site.site_content import SiteContent
from statuary.source.locate import locate_findings
from statuary.system.programs import RunLimits, stop_all_programs

RULE: Final = recompilation_mismatch.__name__.replace("_", "-")

MAX_CACHED_OUTPUTS: Final = 16
"""Outputs kept for contracts with the same input; the largest measured one has a few megabytes."""

CompilerBuild = tuple[str, str]
"""A compiler's kind and version, as records have them."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecompileOptions:
    """The compilers, their limits, and the number of threads that run them."""

    compilers: Sequence[Compiler]
    limits: RunLimits = field(default_factory=RunLimits)
    workers: int = 1


class RecompileReport(NamedTuple):
    """The result of recompiling all contracts."""

    findings: tuple[Finding, ...]  # differences, failures and missing compilers, located and sorted
    records: int
    compiled: int  # the number of contracts whose compiler is on this machine
    identical: int  # the number of contracts that were reproduced exactly


def recompile_contracts(
    root: Path, site: SiteContent, options: RecompileOptions, progress: Progress
) -> RecompileReport:
    """Compile all contracts of a site again, and compare the results.

    Records that cannot be read are skipped, because other checks report them.

    Args:
        root: the content folder.
        options: the compilers, their limits, and the number of threads.
        progress: shows how many contracts are done.
    """
    recompiler = Recompiler(options)
    findings: list[Finding] = []
    records = compiled = identical = 0
    missing_compilers: Counter[CompilerBuild] = Counter()
    total = None if site.content_of(SiteContracts).bulk else len(site.content_of(SiteContracts).sources)
    with (
        closing(_iterate_contracts(root, site)) as contracts,
        report_stage(progress, "Compiling again", total),
        ThreadPoolExecutor(options.workers) as pool,
    ):
        results = map_in_order(
            pool, partial(_recompile_contract, root, recompiler), contracts, 2 * options.workers
        )
        for result in track_progress(progress, results):
            records += result is not None
            if isinstance(result, list):
                compiled = compiled + 1
                identical = identical + (not result)
                findings += result
            elif result is not None:
                missing_compilers[result] += 1
    findings += [
        missing_compiler_finding(build, number, options) for build, number in missing_compilers.items()
    ]
    return RecompileReport(
        findings=tuple(sorted_findings(locate_findings(root, findings))),
        records=records,
        compiled=compiled,
        identical=identical,
    )


def _iterate_contracts(root: Path, site: SiteContent) -> Generator[ContractSource | BulkContract]:
    yield from site.content_of(SiteContracts).sources
    for source in site.content_of(SiteContracts).bulk:
        with open_bulk_source(root, site.content_of(SiteContracts), source) as parts:
            for part in parts:
                if not isinstance(part, Finding):
                    yield from part.read(root)


def _recompile_contract(
    root: Path, recompiler: "Recompiler", contract: ContractSource | BulkContract
) -> list[Finding] | CompilerBuild | None:
    """Compile a contract's sources again, and compare the output with its record.

    Returns:
        The differences; the compiler's kind and version if it is missing; None if the record cannot be read.
    """
    if isinstance(contract, ContractSource):
        record, path = read_contract(root, contract).record, contract.path
    else:
        record, path = contract.parsed_contract.record, contract.source.path
    if record is None:
        return None
    compiler = recompiler.find_compiler(record)
    if compiler is None:
        return compiler_of_record(record)
    findings = [finding.with_path(path) for finding in recompiler.recompile_and_compare(record, compiler)]
    if isinstance(contract, ContractSource):
        return findings
    return locate_bulk_findings(findings, contract)


def compiler_of_record(record: RecordValue) -> CompilerBuild:
    """Return a contract's compiler, such as ("solc", "0.8.30+commit.73712a01")."""
    compilation = record["compilation"]
    return compilation["compiler"], compilation["compilerVersion"]


class Recompiler:
    """Compiles contracts again, and caches recent outputs in memory."""

    def __init__(self, options: RecompileOptions) -> None:
        self.options = options
        self.outputs: OrderedDict[bytes, JsonObject] = OrderedDict()
        self.lock = Lock()

    def find_compiler(self, record: RecordValue) -> Compiler | None:
        """Return the installed compiler with the contract's version, or None."""
        return find_compiler(self.options.compilers, *compiler_of_record(record))

    def recompile_and_compare(self, record: RecordValue, compiler: Compiler) -> Iterator[Finding]:
        """Compile a contract's sources again, and yield each difference.

        If the compiler fails, its error is yielded instead.
        """
        try:
            output = self.compile(recompilation_input(record), compiler)
        except CompilerError as error:
            severity = Severity.ERROR if error.is_input_rejected else Severity.WARNING
            yield _recompilation_finding(f"{compiler.name}: {error}", severity)
        except InvalidValueError as error:
            yield _recompilation_finding(str(error), hint=error.hint, pointer=("compilation",))
        else:
            yield from compare_with_output(record, output)

    def compile(self, std_json_input: JsonObject, compiler: Compiler) -> JsonObject:
        """Compile an input, or return the output of an earlier call.

        Args:
            std_json_input: the compiler's input in standard JSON.
            compiler: the compiler to run.

        Returns:
            The compiler's output as JSON.

        Raises:
            CompilerError: if the compiler cannot be run, writes no output, or reports an error.
        """
        key = keccak256(str(compiler.path).encode() + b"\0" + encode_unchecked(std_json_input))
        with self.lock:
            if key in self.outputs:
                self.outputs.move_to_end(key)
                return self.outputs[key]
        output = compiler.compile(std_json_input, self.options.limits)
        with self.lock:
            self.outputs[key] = output
            if len(self.outputs) > MAX_CACHED_OUTPUTS:
                self.outputs.popitem(last=False)
        return output


def compare_with_output(record: RecordValue, output: JsonObject) -> Iterator[Finding]:
    """Compare a contract's record with a compiler's output.

    Args:
        record: the record that was recompiled.
        output: the output of the compiler.

    Yields:
        An error or warning for each difference.
    """
    try:
        recompiled = recompiled_members(record, output)
    except InvalidValueError as error:
        yield _recompilation_finding(str(error), hint=error.hint, pointer=("compilation",))
        return
    for violation in recompilation_mismatch(record, recompiled):
        severity = (
            Severity.WARNING if is_optional_output_missing(record, violation.pointer) else Severity.ERROR
        )
        yield _recompilation_finding(
            violation.message, severity, hint=violation.hint, pointer=violation.pointer
        )


def _recompilation_finding(
    message: str, severity: Severity = Severity.ERROR, *, hint: str = "", pointer: Pointer = ()
) -> Finding:
    return Finding(rule=RULE, message=message, hint=hint, pointer=pointer, severity=severity)


def missing_compiler_finding(
    compiler_build: CompilerBuild, record_count: int, options: RecompileOptions
) -> Finding:
    """Warn that a compiler version, which contracts need, is not installed.

    Args:
        compiler_build: the kind and version of the compiler.
        record_count: the number of records that need this compiler.
        options: the available compilers.
    """
    kind, version = compiler_build
    versions = ", ".join(
        sorted({compiler.version for compiler in options.compilers if compiler.kind == kind})
    )
    records = "1 record was" if record_count == 1 else f"{record_count:,} records were"
    return _recompilation_finding(
        f"no compiler for {kind} {version}: {records} not compiled again"
        + (f" (found: {kind} {versions})" if versions else ""),
        Severity.WARNING,
        hint=install_hint(kind, version),
    )


def map_in_order(
    pool: ThreadPoolExecutor, function: Callable[[Item], Result], items: Iterable[Item], max_pending: int
) -> Iterator[Result]:
    """Call a function in threads, and yield the results in order.

    If a call fails, calls that have not begun are cancelled, and running programs are stopped.

    Args:
        pool: the threads.
        function: the function to call.
        items: the arguments of the calls.
        max_pending: how many calls may be queued or running at once.
    """
    pending_futures: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending_futures.append(pool.submit(function, item))
            if len(pending_futures) >= max_pending:
                yield pending_futures.popleft().result()
        while pending_futures:
            yield pending_futures.popleft().result()
    except BaseException:
        for future in pending_futures:
            future.cancel()
        stop_all_programs()
        raise
