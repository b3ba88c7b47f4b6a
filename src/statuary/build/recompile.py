"""All contracts of a site, compiled again: what differs, and what could not be tried.

A contract that others repeat byte for byte (the children of a factory, clones of one library) is compiled once.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final, NamedTuple, TypeVar

from statuary.build.bulk_contracts import bulk_partitions
from statuary.build.progress import Progress, counted, stage
from statuary.checks.contracts.recompilation import recompilation_reproduces_the_record
from statuary.compilers.compiler import Compiler, CompilerError, find_compiler
from statuary.compilers.run_program import RunLimits, stop_all_programs
from statuary.content.bulk.jsonl import BulkContract
from statuary.content.bulk.partitions import locate_in_partition, read_partition
from statuary.content.locate import locate_findings
from statuary.content.parse_record import ParsedRecord
from statuary.content.read_contract import read_contract
from statuary.documents.encode import encode_unchecked
from statuary.domain.catalogue import Catalogue, ContractSource
from statuary.domain.contracts.output_selection import recompilation_input, recompiled_members
from statuary.domain.contracts.record import RecordValue
from statuary.domain.findings import Finding, Pointer, Severity, sorted_findings
from statuary.domain.json_values import Json
from statuary.domain.primitives import InvalidValueError, keccak256

RULE: Final = recompilation_reproduces_the_record.__name__.replace("_", "-")

MAX_CACHED_OUTPUTS: Final = 16
"""Outputs that are kept for contracts with the same input; the largest measured has a few megabytes."""

CompilerBuild = tuple[str, str]
"""A compiler's kind and version, as records name them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecompileOptions:
    """What there is to compile with.

    Attributes:
        compilers: the compilers at hand.
        bounds: what each run may take.
        workers: how many compilers run at a time.
    """

    compilers: Sequence[Compiler]
    bounds: RunLimits = field(default_factory=RunLimits)
    workers: int = 1


class RecompileReport(NamedTuple):
    """What compiling all contracts again gave.

    Attributes:
        findings: differences, failures and absent compilers, placed and in order.
        records: how many records there are.
        tried: how many of them a compiler was at hand for.
        alike: how many of them came out as they are kept.
    """

    findings: tuple[Finding, ...]
    records: int
    compiled: int
    identical: int


def recompile_contracts(
    root: Path, catalogue: Catalogue, options: RecompileOptions, progress_listener: Progress
) -> RecompileReport:
    """Compile every contract again and hold the outcome against its record.

    What cannot be read is passed over: reading it as the other checks do says why.

    Args:
        root: the content folder.
        catalogue: the site, with the contracts of its bulk files.
        workshop: what to compile with.
        announcer: whoever shows progress.
    """
    bench = _Recompiler(root, options)
    findings: list[Finding] = []
    records = compiled = identical = 0
    absent: Counter[CompilerBuild] = Counter()
    total = None if catalogue.bulk else len(catalogue.contracts)
    with (
        TemporaryDirectory(prefix="statuary-join-") as scratch,
        stage(progress_listener, "Compiling again", total),
        ThreadPoolExecutor(options.workers) as pool,
    ):
        contracts = _all_contracts(root, catalogue, Path(scratch))
        for outcome in counted(
            progress_listener, map_in_order(pool, bench.recompile, contracts, 2 * options.workers)
        ):
            records += outcome is not None
            if isinstance(outcome, list):
                compiled, identical = compiled + 1, identical + (not outcome)
                findings += outcome
            elif outcome is not None:
                absent[outcome] += 1
    findings += [_absent(version, number, options) for version, number in absent.items()]
    return RecompileReport(
        findings=tuple(sorted_findings(locate_findings(root, findings))),
        records=records,
        compiled=compiled,
        identical=identical,
    )


def _all_contracts(
    root: Path, catalogue: Catalogue, scratch: Path
) -> Iterator[ContractSource | BulkContract]:
    """Yield where contracts have files of their own, then what bulk files hold, read already."""
    yield from catalogue.contracts
    for part in bulk_partitions(root, catalogue, catalogue.bulk, scratch) if catalogue.bulk else ():
        if not isinstance(part, Finding):
            yield from read_partition(root, part)


class _Recompiler:
    """One site's compiling: remembers the latest outputs, by compiler and input."""

    def __init__(self, root: Path, options: RecompileOptions) -> None:
        self.root = root
        self.options = options
        self.outputs: OrderedDict[bytes, Json] = OrderedDict()
        self.lock = Lock()

    def recompile(self, contract: ContractSource | BulkContract) -> list[Finding] | CompilerBuild | None:
        """Return what differs; or the compiler that is absent; or None if there is no record to try."""
        if isinstance(contract, ContractSource):
            return self._recompile(contract, read_contract(self.root, contract).record)
        outcome = self._recompile(contract.source, contract.read.record)
        return locate_in_partition(outcome, contract) if isinstance(outcome, list) else outcome

    def _recompile(
        self, source: ContractSource, record: ParsedRecord | None
    ) -> list[Finding] | CompilerBuild | None:
        if record is None:
            return None
        compilation = record.value["compilation"]
        wanted = compilation["compiler"], compilation["compilerVersion"]
        compiler = find_compiler(self.options.compilers, *wanted)
        if compiler is None:
            return wanted
        return [finding.within(source.path) for finding in self._differences(record.value, compiler)]

    def _differences(self, record: RecordValue, compiler: Compiler) -> Iterator[Finding]:
        try:
            again = recompiled_members(record, self._output(recompilation_input(record), compiler))
        except CompilerError as failed:
            severity = Severity.ERROR if failed.is_input_rejected else Severity.WARNING
            yield _finding(f"{_spelled(compiler.kind, compiler.version)}: {failed}", severity)
            return
        except InvalidValueError as malformed:
            yield _finding(str(malformed), hint=malformed.hint, pointer=("compilation",))
            return
        for problem in recompilation_reproduces_the_record(record, again):
            yield _finding(problem.message, hint=problem.hint, pointer=problem.pointer)

    def _output(self, std_json_input: Json, compiler: Compiler) -> Json:
        key = keccak256(str(compiler.path).encode() + b"\0" + encode_unchecked(std_json_input))
        with self.lock:
            if key in self.outputs:
                self.outputs.move_to_end(key)
                return self.outputs[key]
        output = compiler.compile(std_json_input, self.options.bounds)
        with self.lock:
            self.outputs[key] = output
            if len(self.outputs) > MAX_CACHED_OUTPUTS:
                self.outputs.popitem(last=False)
        return output


def _finding(
    message: str, severity: Severity = Severity.ERROR, *, hint: str = "", pointer: Pointer = ()
) -> Finding:
    return Finding(rule=RULE, message=message, hint=hint, pointer=pointer, severity=severity)


def _absent(wanted: CompilerBuild, number: int, options: RecompileOptions) -> Finding:
    """Return the finding for a compiler that is not at hand: nothing is passed over in silence."""
    kind, _ = wanted
    others = ", ".join(sorted({one.version for one in options.compilers if one.kind == kind}))
    records = "1 record was" if number == 1 else f"{number:,} records were"
    return _finding(
        f"{_spelled(*wanted)} is not at hand: {records} not compiled again"
        + (f" (there is {kind} {others})" if others else ""),
        Severity.WARNING,
        hint=f"give a {kind} of this version: --compiler {kind}=PATH",
    )


def _spelled(kind: str, version: str) -> str:
    return f"{kind} {version}"


Item = TypeVar("Item")
Made = TypeVar("Made")


def map_in_order(
    pool: ThreadPoolExecutor, make: Callable[[Item], Made], items: Iterable[Item], ahead: int
) -> Iterator[Made]:
    """Yield what a pool makes of items, in their order, with no more than `ahead` of them under way."""
    under_way: deque[Future[Made]] = deque()
    try:
        for item in items:
            under_way.append(pool.submit(make, item))
            if len(under_way) >= ahead:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    except BaseException:
        for future in under_way:
            future.cancel()
        stop_all_programs()
        raise
