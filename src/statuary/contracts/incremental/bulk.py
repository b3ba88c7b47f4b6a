"""The contracts of bulk sources, in independently readable parts."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from typing_extensions import override

from statuary.base.budget import INTERRUPTIONS, exception_finding
from statuary.base.findings import Finding
from statuary.contracts.incremental.build_contract import BuiltContract, build_contracts_together, in_batches
from statuary.contracts.incremental.partitions import OutdatedSource, PartitionSettings, PartitionSources
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import BulkSource, ContractForm, ContractSource
from statuary.contracts.sources.parse_record import ParsedContract
from statuary.publish.ledger.schema import SourceRow
from statuary.registry import provided
from statuary.source.unreadable import UnreadableError
from statuary.workers.executor import Executor

Item = TypeVar("Item")


class BulkContract(Protocol):
    """A contract of a bulk source."""

    @property
    def source(self) -> ContractSource:
        """The location of the contract in the bulk source."""

    @property
    def parsed_contract(self) -> ParsedContract:
        """The parsed record, or the reason why it cannot be read."""

    def locate(self, findings: list[Finding]) -> list[Finding]:
        """Return findings about the record with their positions in the file."""


class BulkPart(Protocol):
    """A part of a bulk source: small, picklable and repeatably readable."""

    def read(self, root: Path) -> Iterator[BulkContract]:
        """Yield the contracts of the part.

        An unreadable record is yielded with a finding.
        """


class BulkReader(Protocol):
    """Reads one form of bulk source."""

    def parts(
        self, root: Path, source: BulkSource, *, chains: Collection[str], memory: int, pool: Executor | None
    ) -> AbstractContextManager[Iterator[BulkPart | Finding]]:
        """Divide a source into parts that are readable inside the context.

        Args:
            chains: the ids of the site's chains; contracts on other chains may be skipped.
            memory: the bytes that dividing may use.
            pool: an executor for some of the work; None for this process only.

        Raises:
            UnreadableError: if the source cannot be read, on entering the context or while iterating.
        """


@contextmanager
def open_bulk_source(
    root: Path, contracts: SiteContracts, source: BulkSource, executor: Executor | None = None
) -> Iterator[Iterator[BulkPart | Finding]]:
    """Open a bulk source: its parts, and findings about the whole."""
    reader: BulkReader = provided(f"bulk {source.form}")()
    chains = frozenset(chain.chain_id for chain in contracts.chains)
    memory = contracts.settings.join_memory
    with ExitStack() as stack:

        def parts() -> Iterator[BulkPart | Finding]:
            opened = reader.parts(root, source, chains=chains, memory=memory, pool=executor)
            yield from stack.enter_context(opened)

        yield _until_error(parts(), source.path)


def _until_error(items: Iterable[Item], path: str) -> Iterator[Item | Finding]:
    """Yield items; if reading fails, the last one is a finding."""
    try:
        yield from items
    except UnreadableError as error:
        yield error.finding(path)
    except BaseException as error:
        if isinstance(error, INTERRUPTIONS):
            raise
        yield exception_finding(error, path, "reading the source")


def locate_in_bulk(findings: Iterable[Finding], contract: BulkContract) -> list[Finding]:
    """Return a contract's findings with their line and column, or row."""
    own_findings = list[Finding]()
    other_findings = list[Finding]()
    for finding in findings:
        is_own = finding.position is None and finding.path == contract.source.path
        (own_findings if is_own else other_findings).append(finding)
    return [*other_findings, *contract.locate(own_findings)]


@dataclass(frozen=True, slots=True)
class BulkSourceRange(PartitionSources):
    """A part of the contracts of a bulk source."""

    outdated: OutdatedSource[BulkSource]
    part: BulkPart

    @override
    def build(self, settings: PartitionSettings) -> Iterator[tuple[BuiltContract, SourceRow]]:
        """Build the contracts one by one, and locate findings in the text."""
        source, reason, _ = self.outdated
        failed: list[Finding] = []
        last_index = 0
        for batch in in_batches(self._contracts(settings.root, failed)):
            together = build_contracts_together([item[:2] for item in batch], settings.contracts)
            for (_, _, contract), built_contract in zip(batch, together, strict=True):
                last_index = built_contract.source.line
                located = built_contract._replace(
                    findings=tuple(locate_in_bulk(built_contract.findings, contract))
                )
                yield located, located.source_row(unit=source.path, reason=reason)
        if failed:
            end = ContractSource(source.path, "", "", ContractForm.LINE, last_index + 1)
            built_contract = BuiltContract(end, findings=tuple(failed))
            yield built_contract, built_contract.source_row(unit=source.path, reason=reason)

    def _contracts(
        self, root: Path, failed: list[Finding]
    ) -> Iterator[tuple[ContractSource, ParsedContract, BulkContract]]:
        """Yield the readable contracts; collect the reason for stopping in `failed`."""
        for contract in _until_error(self.part.read(root), self.outdated.source.path):
            if isinstance(contract, Finding):
                failed.append(contract)
            else:
                yield contract.source, contract.parsed_contract, contract
