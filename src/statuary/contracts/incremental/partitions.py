"""Partitions: sources that any worker can build, with the same result.

A partition is a small value that can be sent to another machine. Its result is small too: bodies are staged
in the target, and ledger rows are written to a file beside them.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha1
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from typing_extensions import override

from statuary.base.limits import LARGEST_RECORD
from statuary.contracts.incremental.build_settings import ContractBuildSettings
from statuary.contracts.incremental.contract_table import partition_rows
from statuary.contracts.incremental.table_schema import SourceRow
from statuary.contracts.paths import apply_host_layout
from statuary.contracts.sources.contract_source import BulkSource, ContractForm, ContractSource
from statuary.contracts.sources.source_stat import record_digest, source_stat
from statuary.publish.ledger.schema import PartitionOutput, PartitionResult
from statuary.site.settings import HostingSettings
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError

if TYPE_CHECKING:
    from statuary.contracts.incremental.build_contract import BuiltContract


FIRST_SIZE = 32
"""Sources of the first partition: about a tenth of a second of work."""

LAST_PARTITIONS = 4
"""A partition has at most a fourth of the remaining sources, so that all workers end at about the same time."""

PAGE_COST = 8
"""The factor of the time that a source with a page takes, since its code is highlighted."""

RECENT = 2_000_000_000
"""Nanoseconds before a build in which file times are not trusted: some file systems have coarse clocks."""


class PartitionSettings(NamedTuple):
    """The settings that all workers of a build share."""

    root: Path
    contracts: ContractBuildSettings
    hosting: HostingSettings
    started_at_ns: int  # when the build began, by the clock of the target's file system, in nanoseconds

    def pickled(self) -> bytes:
        """Serialize the settings with pickle, to send them to worker processes."""
        return pickle.dumps(self)


@lru_cache(maxsize=4)
def unpack_settings(pickled_settings: bytes) -> PartitionSettings:
    """Restore the settings that `PartitionSettings.pickled` serialized."""
    shared: PartitionSettings = pickle.loads(pickled_settings)  # noqa: S301 - made by `packed` in the process that asks
    return shared


class PartitionSources(Protocol):
    """The contracts that one worker builds.

    The contracts have files of their own, or are in a bulk file (a file with many contracts).
    """

    def build(self, settings: PartitionSettings) -> Iterator[tuple["BuiltContract", SourceRow]]:
        """Build the contracts, and yield each with its row for the database.

        The documents are not written yet, so the row does not list their paths.
        """


AnySource = ContractSource | BulkSource
Source_co = TypeVar("Source_co", bound=AnySource, covariant=True)


class OutdatedSource(NamedTuple, Generic[Source_co]):
    """A source that must be built, with the reason."""

    source: Source_co
    reason: str  # the reason why the source must be built
    git: str  # the git object id of the source; empty if unknown


@dataclass(frozen=True, slots=True)
class SingleSources(PartitionSources):
    """Contracts that each have their own file or folder."""

    sources: tuple[OutdatedSource[ContractSource], ...]

    @override
    def build(self, settings: PartitionSettings) -> Iterator[tuple["BuiltContract", SourceRow]]:
        from statuary.contracts.incremental.build_contract import build_contracts_of_files

        root = settings.root
        sources = [outdated.source for outdated in self.sources]
        root_path = str(root)
        contracts = build_contracts_of_files(root, sources, settings.contracts)
        for (source, reason, git), (built_contract, stat) in zip(self.sources, contracts, strict=True):
            unit = source.location
            stat_text = stat.text_if_before(settings.started_at_ns - RECENT)
            if stat_text and source_stat(root_path, source) == stat:
                yield (
                    built_contract,
                    built_contract.source_row(unit=unit, reason=reason, git_id=git, stat_text=stat_text),
                )
            else:  # the source may have changed after git's report, or while it was read
                git_id = verify_git_id(root, source, git, built_contract.digest)
                yield built_contract, built_contract.source_row(unit=unit, reason=reason, git_id=git_id)


def verify_git_id(root: Path, source: AnySource, git_id: str, read_digest: bytes) -> str:
    """Return a file's git object id if the content still matches it.

    Args:
        root: the content folder.
        source: the file, which the build has read.
        git_id: the id that git reports; empty if unknown.
        read_digest: the digest of the content that was read.

    Returns:
        The id; empty if the file differs from git or from the content that was read.
    """
    if not git_id or not read_digest or source.form is not ContractForm.RECORD:
        return ""
    try:
        raw = SourceFile(root, source.path).load_bytes(LARGEST_RECORD)
    except UnreadableError:
        return ""
    blob = sha1(b"blob %d\0" % len(raw), usedforsecurity=False)
    blob.update(raw)
    is_read = record_digest(raw) == read_digest
    return git_id if is_read and blob.hexdigest() == git_id else ""


class ContractPartition(NamedTuple):
    """A worker's task: to build the contracts in some files."""

    name: str  # a name that is unique in the build
    settings: bytes  # packed `PartitionSettings`
    sources: PartitionSources
    output: PartitionOutput


def build_partition(partition: ContractPartition) -> PartitionResult:
    """Check the contracts of one worker's task, and make their documents.

    The documents are in a temporary folder until the build ends and publishes them.

    Raises:
        OSError: if a document cannot be written.
        PublishingError: if a document cannot be part of the site.
    """
    settings = unpack_settings(partition.settings)
    output = partition.output
    rows = []
    for built_contract, row in partition.sources.build(settings):
        rows.append(
            row if output.discards else _stage_documents(built_contract, row, output, settings.hosting)
        )
    return output.result(len(rows), partition_rows(rows))


def _stage_documents(
    built_contract: "BuiltContract", row: SourceRow, output: PartitionOutput, hosting: HostingSettings
) -> SourceRow:
    contract, documents = built_contract.with_documents()
    paths = "\n".join(output.add(apply_host_layout(documents, hosting)))
    if contract.findings != built_contract.findings:
        row = contract.source_row(unit=row.unit, reason=row.reason, git_id=row.git, stat_text=row.stat)
    return row._replace(documents=paths)


class Partitioner:
    """Divides the sources of a build into groups (partitions), one per task."""

    def __init__(
        self, settings: PartitionSettings, output: Callable[[str], PartitionOutput], max_partition_size: int
    ) -> None:
        self.root = settings.root
        self.settings = settings.pickled()
        self.output = output
        cost = PAGE_COST if settings.contracts.pages is not None else 1
        self.first_size = max(1, min(FIRST_SIZE, max_partition_size) // cost)
        self.largest_size = max(1, max_partition_size // cost)
        self.count = 0

    def divide(
        self, sources: Iterable[OutdatedSource[ContractSource]], max_source_count: int
    ) -> Iterator[ContractPartition]:
        """Divide content files into groups for workers, small ones first and last.

        At the start, small groups give every worker something to do early. At the end, they let the workers finish together.

        Args:
            sources: the files to build.
            max_source_count: the largest number of files that `sources` may yield.
        """
        stream = iter(sources)
        size = self.first_size
        remaining = max_source_count
        while some := tuple(islice(stream, size)):
            yield self.make_partition(SingleSources(some))
            remaining -= len(some)
            size = max(
                self.first_size, min(self.largest_size, size + self.first_size, remaining // LAST_PARTITIONS)
            )

    def make_partition(self, sources: PartitionSources) -> ContractPartition:
        """Make a worker's task from source files of contracts."""
        self.count += 1
        name = f"contracts-{self.count:07d}"
        return ContractPartition(name, self.settings, sources, self.output(name))
