"""Read bulk sources: files with many contracts, in parts that workers share."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from typing_extensions import override

from statuary.base.budget import INTERRUPTIONS, exception_finding
from statuary.base.findings import Finding
from statuary.contracts.incremental.build_contract import (
    BuiltContract,
    build_contracts_together,
    group_into_batches,
)
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
    """A contract in a bulk source."""

    @property
    def source(self) -> ContractSource:
        """The bulk file, and the line or row of the contract."""

    @property
    def parsed_contract(self) -> ParsedContract:
        """The record, or the findings if it cannot be read."""

    def locate(self, findings: list[Finding]) -> list[Finding]:
        """Add the position in the bulk file to findings about the record."""


class BulkPart(Protocol):
    """A part of a bulk source that a worker can read alone.

    Parts are small and picklable, and give the same contracts each time.
    """

    def read(self, root: Path) -> Iterator[BulkContract]:
        """Yield the contracts of the part.

        A record that cannot be read is yielded with its findings.
        """


class BulkReader(Protocol):
    """Reads a format of bulk sources, such as lines of JSON."""

    def parts(
        self, root: Path, source: BulkSource, *, chains: Collection[str], memory: int, pool: Executor | None
    ) -> AbstractContextManager[Iterator[BulkPart | Finding]]:
        """Divide a source into parts, readable while the context is open.

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
    """Open a bulk source; yield its parts and findings."""
    reader: BulkReader = provided(f"bulk {source.form}")()
    chains = frozenset(chain.chain_id for chain in contracts.chains)
    memory = contracts.settings.join_memory
    with ExitStack() as stack:

        def parts() -> Iterator[BulkPart | Finding]:
            opened = reader.parts(root, source, chains=chains, memory=memory, pool=executor)
            yield from stack.enter_context(opened)

        yield _until_error(parts(), source.path)


def _until_error(items: Iterable[Item], path: str) -> Iterator[Item | Finding]:
    """Yield items until a read fails; then yield a finding."""
    try:
        yield from items
    except UnreadableError as error:
        yield error.finding(path)
    except BaseException as error:
        if isinstance(error, INTERRUPTIONS):
            raise
        yield exception_finding(error, path, "reading the source")


def locate_bulk_findings(findings: Iterable[Finding], contract: BulkContract) -> list[Finding]:
    """Give a contract's findings their line or row in the file."""
    own_findings = list[Finding]()
    other_findings = list[Finding]()
    for finding in findings:
        is_own = finding.position is None and finding.path == contract.source.path
        (own_findings if is_own else other_findings).append(finding)
    return [*other_findings, *contract.locate(own_findings)]


@dataclass(frozen=True, slots=True)
class BulkSourceRange(PartitionSources):
    """The contracts in one part of a bulk source."""

    outdated: OutdatedSource[BulkSource]
    part: BulkPart

    @override
    def build(self, settings: PartitionSettings) -> Iterator[tuple[BuiltContract, SourceRow]]:
        """Build the contracts of the part, with positions in all findings."""
        source, reason, _ = self.outdated
        failed: list[Finding] = []
        last_index = 0
        for batch in group_into_batches(self._contracts(settings.root, failed)):
            together = build_contracts_together([item[:2] for item in batch], settings.contracts)
            for (_, _, contract), built_contract in zip(batch, together, strict=True):
                last_index = built_contract.source.line
                located = built_contract._replace(
                    findings=tuple(locate_bulk_findings(built_contract.findings, contract))
                )
                yield located, located.source_row(unit=source.path, reason=reason)
        if failed:
            end = ContractSource(source.path, "", "", ContractForm.LINE, last_index + 1)
            built_contract = BuiltContract(end, findings=tuple(failed))
            yield built_contract, built_contract.source_row(unit=source.path, reason=reason)

    def _contracts(
        self, root: Path, failed: list[Finding]
    ) -> Iterator[tuple[ContractSource, ParsedContract, BulkContract]]:
        """Yield the readable contracts; if reading stops, append the reason to `failed`."""
        for contract in _until_error(self.part.read(root), self.outdated.source.path):
            if isinstance(contract, Finding):
                failed.append(contract)
            else:
                yield contract.source, contract.parsed_contract, contract
