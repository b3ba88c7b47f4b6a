"""A partition: some sources that are pressed together, wherever and as often as need be, with the same outcome.

It is a small value that can be sent to another process or machine. What comes back is small as well: bodies are
staged where the site goes, rows are written to a shard beside them.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from statuary.build.contract import BuiltContract, ContractBuildSettings, build_contract
from statuary.content.source_stat import source_stat
from statuary.domain.catalogue import ContractForm, ContractSource
from statuary.domain.hosting_settings import HostingSettings
from statuary.publishing.folder.stager import OfferedFile, Stager
from statuary.publishing.host_layout import laid_out
from statuary.publishing.ledger.partition_file import write_partition_file
from statuary.publishing.ledger.source_rows import SourceRow, match_order

if TYPE_CHECKING:
    from statuary.content.bulk.partitions import Partition as BulkPart

SMALLEST, LARGEST = 32, 256
"""Sources of the first partition, and of the largest: about a tenth and half a second of work."""

PAGE = 8
"""How many times as much a source costs that has a page: its code is coloured."""

RECENT = 2_000_000_000
"""Nanoseconds before a build within which a changed file's time is not believed: some file systems tell no finer."""


class SingleContract(NamedTuple):
    """A contract with a file or a folder of its own, with why it is pressed.

    Attributes:
        path: as in `ContractSource`.
        chain_id: as in `ContractSource`.
        address: as in `ContractSource`.
        form: as in `ContractSource`.
        git: git's id of it, or empty.
        reason: why it is pressed.
    """

    path: str
    chain_id: str
    address: str
    form: str
    git: str
    reason: str

    @property
    def source(self) -> ContractSource:
        """The source."""
        return ContractSource(
            path=self.path, chain_id=self.chain_id, address=self.address, form=ContractForm(self.form)
        )


class BulkPartition(NamedTuple):
    """A part of a bulk source, with why it is pressed.

    Attributes:
        unit: the bulk source's path.
        part: the part.
        reason: why it is pressed.
    """

    unit: str
    part: "BulkPart"
    reason: str


class PartitionSettings(NamedTuple):
    """What every partition of a build has in common.

    Attributes:
        root: the content folder.
        press: what the site demands of each contract.
        hosting: how documents are arranged for hosts.
        began: when the build began, by the clock of the target's file system, in nanoseconds.
    """

    root: Path
    build_contract: ContractBuildSettings
    hosting: HostingSettings
    began: int

    def packed(self) -> bytes:
        """Return the settings as bytes, which cost next to nothing to send a hundred times."""
        return pickle.dumps(self)


@lru_cache(maxsize=4)
def unpacked_settings(settings: bytes) -> PartitionSettings:
    """Return settings that were packed by this program."""
    found: PartitionSettings = pickle.loads(settings)  # noqa: S301 - made by `Settings.packed` in the process that asks
    return found


class ContractPartition(NamedTuple):
    """Sources that are pressed together.

    Attributes:
        name: tells it from the others of the build.
        settings: packed `PartitionSettings`.
        held: the sources.
        stager: stages their documents; None if they go nowhere.
        shard: where to write down what came of them; None hands it back.
    """

    name: str
    settings: bytes
    held: tuple[SingleContract, ...] | BulkPartition
    stager: Stager | None
    shard: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionResult:
    """What came of a partition.

    Attributes:
        name: the partition's.
        count: how many sources were pressed.
        shard: where it is written down, or None.
        offers: the files that were staged, if there is no shard.
        rows: what became of the sources, if there is no shard.
        folders: the folders of the site that they lie in, if there is no shard.
    """

    name: str
    count: int
    shard: Path | None
    offers: tuple[OfferedFile, ...] = ()
    rows: tuple[SourceRow, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(slots=True)
class PartitionOutput:
    """What a partition has made so far."""

    offers: list[OfferedFile] = field(default_factory=list)
    rows: list[SourceRow] = field(default_factory=list)


def build_partition(partition: ContractPartition) -> PartitionResult:
    """Press every source of a partition, stage the documents and write down what came of them.

    Raises:
        OSError: if a body cannot be staged.
        ThemeBroken: if a template of the site's own cannot be rendered.
        PublishingRefused: if a document cannot be part of the site.
    """
    settings, stager = unpacked_settings(partition.settings), partition.stager
    result = PartitionOutput()
    for built, row in built_contracts(partition):
        paths = []
        if stager is not None:
            for document in laid_out(built.all_documents(), settings.hosting):
                offers = list(stager.take(document))
                result.offers += offers
                paths += [offer.path for offer in offers]
        result.rows.append(row._replace(documents="\n".join(paths)))
    folders = () if stager is None else tuple(sorted(stager.folders))
    if partition.shard is None:
        return PartitionResult(
            name=partition.name,
            count=len(result.rows),
            shard=None,
            offers=tuple(result.offers),
            rows=tuple(result.rows),
            folders=folders,
        )
    write_partition_file(partition.shard, result.offers, result.rows, folders)
    return PartitionResult(name=partition.name, count=len(result.rows), shard=partition.shard)


def built_contracts(partition: ContractPartition) -> Iterator[tuple[BuiltContract, SourceRow]]:
    """Press the sources of a partition one by one; each with its row, which names no documents yet."""
    settings = unpacked_settings(partition.settings)
    if isinstance(partition.held, BulkPartition):
        from statuary.build.bulk_contracts import build_bulk_partition

        part = partition.held
        for built in build_bulk_partition(settings.root, part.part, settings.build_contract):
            yield built, source_row_of(built, unit=part.unit, reason=part.reason)
        return
    for plain in partition.held:
        source = plain.source
        stat = source_stat(
            settings.root, source
        )  # before reading: what changes meanwhile is seen the next time
        built = build_contract(settings.root, source, settings.build_contract)
        told = stat.text_if_before(settings.began - RECENT)
        yield built, source_row_of(built, unit=source.location, git=plain.git, stat=told, reason=plain.reason)


def source_row_of(
    built: BuiltContract, *, unit: str, reason: str, git: str = "", stat: str = ""
) -> SourceRow:
    """Return the row of a source, without its documents."""
    said = built.findings or built.refused
    filed = built.row
    return SourceRow(
        place=built.source.location,
        unit=unit,
        git=git,
        stat=stat,
        digest=built.digest,
        documents="",
        reason=reason,
        findings=orjson.dumps(said).decode() if said else "",
        refused=bool(built.refused),
        published=built.published,
        entry=entry_text(built),
        match=filed and filed.match,
        creation_match=filed and filed.creationMatch,
        runtime_match=filed and filed.runtimeMatch,
        chain_id=filed and filed.chainId,
        address=filed and filed.address,
        verified_at=filed and filed.verifiedAt,
        match_order=filed and match_order(filed.matchId),
    )


def entry_text(built: BuiltContract) -> str:
    """Return what pages list of a contract besides what lists say, as JSON; empty if they list nothing."""
    entry = built.entry
    if entry is None:
        return ""
    return orjson.dumps([entry.name, entry.language, entry.selectors.hex()]).decode()


@dataclass(slots=True)
class Partitioner:
    """Cuts the sources of a build into partitions.

    Attributes:
        settings: packed `PartitionSettings`.
        stager: stages documents; None if they go nowhere.
        shard: where a partition of a name writes down what came of it; None hands it back.
        pages: whether each contract has a page of its own.
        count: how many partitions have been cut.
    """

    settings: bytes
    stager: Stager | None
    shard: Callable[[str], Path | None]
    pages: bool = False
    count: int = 0

    def plain(self, sources: Iterable[SingleContract]) -> Iterator[ContractPartition]:
        """Yield partitions of sources, small ones first, so that all workers have some soon."""
        cost = PAGE if self.pages else 1
        stream, size = iter(sources), SMALLEST // cost
        while held := tuple(islice(stream, size)):
            yield self.one(held)
            size = min(LARGEST // cost, size + SMALLEST // cost)

    def one(self, held: tuple[SingleContract, ...] | BulkPartition) -> ContractPartition:
        """Return the next partition."""
        self.count += 1
        name = f"{self.count:07d}"
        return ContractPartition(
            name=name, settings=self.settings, held=held, stager=self.stager, shard=self.shard(name)
        )
