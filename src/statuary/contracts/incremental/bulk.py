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
    build_contract_batch,
    group_into_batches,
)
from statuary.contracts.incremental.partitions import OutdatedSource, PartitionSettings, PartitionSources
from statuary.contracts.incremental.table_schema import SourceRow
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import BulkSource, ContractForm, ContractSource
from statuary.contracts.sources.parse_record import ParsedContract
from statuary.registry import import_provided
from statuary.source.unreadable import UnreadableError
from statuary.workers.executor import Executor

Item = TypeVar("Item")


class BulkContract(Protocol):
    """A contract in a bulk source, which is a file with many contracts."""

    @property
    def source(self) -> ContractSource:
        """The location of the contract: the file, and its line or row."""

    @property
    def parsed_contract(self) -> ParsedContract:
        """The contract's record, or the errors if it cannot be read."""

    def with_location(self, findings: list[Finding]) -> list[Finding]:
        """Return findings about the contract's file with its line or row.

        Errors in a file with many contracts then show where they are.
        """


class BulkPart(Protocol):
    """A part of a file with many contracts, which one worker reads.

    Parts are small, can be pickled, and always yield the same contracts.
    """

    def read(self, root: Path) -> Iterator[BulkContract]:
        """Yield the contracts in this part of the file.

        If a record cannot be read, the contract has the errors instead.
        """


class BulkReader(Protocol):
    """Reads one format of files with many contracts, such as JSON lines."""

    def divide(
        self, root: Path, source: BulkSource, *, chains: Collection[str], memory: int, pool: Executor | None
    ) -> AbstractContextManager[Iterator[BulkPart | Finding]]:
        """Divide a file with many contracts into parts for workers.

        The result is a context manager. The parts can be read until it exits.

        Args:
            root: the content folder.
            source: the file or files.
            chains: the ids of the site's chains; contracts on other chains may be skipped.
            memory: the number of bytes that dividing may use.
            pool: runs some of the work in other processes; None to use only this one.

        Raises:
            UnreadableError: if the source cannot be read, when the context is entered or while iterating.
        """


@contextmanager
def open_bulk_source(
    root: Path, contracts: SiteContracts, source: BulkSource, executor: Executor | None = None
) -> Iterator[Iterator[BulkPart | Finding]]:
    """Open a file with many contracts, and divide it into parts for workers.

    The context yields the parts, which can be read until it exits. If the file cannot be read, it yields a finding instead
    of raising an error.

    Args:
        root: the content folder.
        contracts: the contracts of the site, with its chains and settings.
        source: the file or files.
        executor: runs some of the work in other processes; None to use only this one.
    """
    reader: BulkReader = import_provided(f"bulk {source.form}")()
    chains = frozenset(chain.chain_id for chain in contracts.chains)
    memory = contracts.settings.join_memory
    with ExitStack() as stack:

        def divide() -> Iterator[BulkPart | Finding]:
            opened = reader.divide(root, source, chains=chains, memory=memory, pool=executor)
            yield from stack.enter_context(opened)

        yield _yield_until_error(divide(), source.path)


def _yield_until_error(items: Iterable[Item], path: str) -> Iterator[Item | Finding]:
    try:
        yield from items
    except UnreadableError as error:
        yield error.to_finding(path)
    except BaseException as error:
        if isinstance(error, INTERRUPTIONS):
            raise
        yield exception_finding(error, path, "reading the source")


def locate_bulk_findings(findings: Iterable[Finding], contract: BulkContract) -> list[Finding]:
    """Add a contract's line or row to the findings about it.

    Args:
        findings: the findings. They stay unchanged if they have a position, or are about another file.
        contract: the contract in a file that contains many.
    """
    own_findings = list[Finding]()
    other_findings = list[Finding]()
    for finding in findings:
        is_own = finding.position is None and finding.path == contract.source.path
        (own_findings if is_own else other_findings).append(finding)
    return [*other_findings, *contract.with_location(own_findings)]


@dataclass(frozen=True, slots=True)
class BulkSourceRange(PartitionSources):
    """The contracts in one part of a file with many contracts."""

    outdated: OutdatedSource[BulkSource]
    part: BulkPart

    @override
    def build(self, settings: PartitionSettings) -> Iterator[tuple[BuiltContract, SourceRow]]:
        """Build the contracts in one part of a file with many contracts.

        Args:
            settings: the settings that all contracts share.

        Yields:
            A built contract, and its row for the build database.
        """
        source, reason, _ = self.outdated
        failed: list[Finding] = []
        last_index = 0
        for batch in group_into_batches(self._readable_contracts(settings.root, failed)):
            together = build_contract_batch([item[:2] for item in batch], settings.contracts)
            for (_, _, contract), built_contract in zip(batch, together, strict=True):
                last_index = built_contract.source.line
                located = built_contract._replace(
                    findings=tuple(locate_bulk_findings(built_contract.findings, contract))
                )
                yield located, located.source_row(unit=source.path, reason=reason)
        if failed:
            end = ContractSource(source.path, "", "", ContractForm.LINE, last_index + 1)
            built_contract = BuiltContract(end, findings=tuple(failed), is_unread=True)
            yield built_contract, built_contract.source_row(unit=source.path, reason=reason)

    def _readable_contracts(
        self, root: Path, failed: list[Finding]
    ) -> Iterator[tuple[ContractSource, ParsedContract, BulkContract]]:
        for contract in _yield_until_error(self.part.read(root), self.outdated.source.path):
            if isinstance(contract, Finding):
                failed.append(contract)
            else:
                yield contract.source, contract.parsed_contract, contract
