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

from statuary.checks.contracts.recompilation import recompilation_reproduces_the_record
from statuary.content.bulk.lines import BulkContract
from statuary.content.bulk.partitions import in_place, read_partition
from statuary.content.contract_files import read_contract
from statuary.content.places import placed
from statuary.content.record_text import RecordText
from statuary.documents.encode import encode_unchecked
from statuary.domain.catalogue import Catalogue, ContractSource
from statuary.domain.contracts.recompilation import recompilation_input, recompiled_members
from statuary.domain.contracts.record import RecordValue
from statuary.domain.findings import Finding, Pointer, Severity, in_order
from statuary.domain.json_values import Json
from statuary.domain.primitives import Malformed, keccak
from statuary.pipeline.announcements import Announcer, counted, stage
from statuary.pipeline.bounded import Bounds, end_all
from statuary.pipeline.bulk import bulk_partitions
from statuary.pipeline.compilers import Compiler, CompilerFailed, compiler_for

RULE: Final = recompilation_reproduces_the_record.__name__.replace("_", "-")

MOST_REMEMBERED: Final = 16
"""Outputs that are kept for contracts with the same input; the largest measured has a few megabytes."""

Version = tuple[str, str]
"""A compiler's kind and version, as records name them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What there is to compile with.

    Attributes:
        compilers: the compilers at hand.
        bounds: what each run may take.
        hands: how many run at a time.
    """

    compilers: Sequence[Compiler]
    bounds: Bounds = field(default_factory=Bounds)
    hands: int = 1


class Recompiled(NamedTuple):
    """What compiling all contracts again gave.

    Attributes:
        findings: differences, failures and absent compilers, placed and in order.
        records: how many records there are.
        tried: how many of them a compiler was at hand for.
        alike: how many of them came out as they are kept.
    """

    findings: tuple[Finding, ...]
    records: int
    tried: int
    alike: int


def recompile_contracts(
    root: Path, catalogue: Catalogue, workshop: Workshop, announcer: Announcer
) -> Recompiled:
    """Compile every contract again and hold the outcome against its record.

    What cannot be read is passed over: reading it as the other checks do says why.

    Args:
        root: the content folder.
        catalogue: the site, with the contracts of its bulk files.
        workshop: what to compile with.
        announcer: whoever shows progress.
    """
    bench = _Bench(root, workshop)
    findings: list[Finding] = []
    records = tried = alike = 0
    absent: Counter[Version] = Counter()
    total = None if catalogue.bulk else len(catalogue.contracts)
    with (
        TemporaryDirectory(prefix="statuary-join-") as workbench,
        stage(announcer, "Compiling again", total),
        ThreadPoolExecutor(workshop.hands) as pool,
    ):
        contracts = _all_contracts(root, catalogue, Path(workbench))
        for outcome in counted(announcer, in_turn(pool, bench.recompile, contracts, 2 * workshop.hands)):
            records += outcome is not None
            if isinstance(outcome, list):
                tried, alike = tried + 1, alike + (not outcome)
                findings += outcome
            elif outcome is not None:
                absent[outcome] += 1
    findings += [_absent(version, number, workshop) for version, number in absent.items()]
    return Recompiled(
        findings=tuple(in_order(placed(root, findings))), records=records, tried=tried, alike=alike
    )


def _all_contracts(
    root: Path, catalogue: Catalogue, workbench: Path
) -> Iterator[ContractSource | BulkContract]:
    """Yield where contracts have files of their own, then what bulk files hold, read already."""
    yield from catalogue.contracts
    for part in bulk_partitions(root, catalogue, catalogue.bulk, workbench) if catalogue.bulk else ():
        if not isinstance(part, Finding):
            yield from read_partition(root, part)


class _Bench:
    """One site's compiling: remembers the latest outputs, by compiler and input."""

    def __init__(self, root: Path, workshop: Workshop) -> None:
        self.root = root
        self.workshop = workshop
        self.outputs: OrderedDict[bytes, Json] = OrderedDict()
        self.lock = Lock()

    def recompile(self, contract: ContractSource | BulkContract) -> list[Finding] | Version | None:
        """Return what differs; or the compiler that is absent; or None if there is no record to try."""
        if isinstance(contract, ContractSource):
            return self._recompile(contract, read_contract(self.root, contract).record)
        outcome = self._recompile(contract.source, contract.read.record)
        return [in_place(one, contract) for one in outcome] if isinstance(outcome, list) else outcome

    def _recompile(self, source: ContractSource, record: RecordText | None) -> list[Finding] | Version | None:
        if record is None:
            return None
        compilation = record.value["compilation"]
        wanted = compilation["compiler"], compilation["compilerVersion"]
        compiler = compiler_for(self.workshop.compilers, *wanted)
        if compiler is None:
            return wanted
        return [finding.within(source.path) for finding in self._differences(record.value, compiler)]

    def _differences(self, record: RecordValue, compiler: Compiler) -> Iterator[Finding]:
        try:
            again = recompiled_members(record, self._output(recompilation_input(record), compiler))
        except CompilerFailed as failed:
            severity = Severity.ERROR if failed.is_verdict else Severity.WARNING
            yield _finding(f"{_spelled(compiler.kind, compiler.version)}: {failed}", severity)
            return
        except Malformed as malformed:
            yield _finding(str(malformed), remedy=malformed.remedy, pointer=("compilation",))
            return
        for problem in recompilation_reproduces_the_record(record, again):
            yield _finding(problem.message, remedy=problem.remedy, pointer=problem.pointer)

    def _output(self, std_json_input: Json, compiler: Compiler) -> Json:
        key = keccak(str(compiler.path).encode() + b"\0" + encode_unchecked(std_json_input))
        with self.lock:
            if key in self.outputs:
                self.outputs.move_to_end(key)
                return self.outputs[key]
        output = compiler.compile(std_json_input, self.workshop.bounds)
        with self.lock:
            self.outputs[key] = output
            if len(self.outputs) > MOST_REMEMBERED:
                self.outputs.popitem(last=False)
        return output


def _finding(
    message: str, severity: Severity = Severity.ERROR, *, remedy: str = "", pointer: Pointer = ()
) -> Finding:
    return Finding(rule=RULE, message=message, remedy=remedy, pointer=pointer, severity=severity)


def _absent(wanted: Version, number: int, workshop: Workshop) -> Finding:
    """Return the finding for a compiler that is not at hand: nothing is passed over in silence."""
    kind, _ = wanted
    others = ", ".join(sorted({one.version for one in workshop.compilers if one.kind == kind}))
    records = "1 record was" if number == 1 else f"{number:,} records were"
    return _finding(
        f"{_spelled(*wanted)} is not at hand: {records} not compiled again"
        + (f" (there is {kind} {others})" if others else ""),
        Severity.WARNING,
        remedy=f"give a {kind} of this version: --compiler {kind}=PATH",
    )


def _spelled(kind: str, version: str) -> str:
    return f"{kind} {version}"


Item = TypeVar("Item")
Made = TypeVar("Made")


def in_turn(
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
        end_all()
        raise
