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

from statuary.content.contract_places import stat_of
from statuary.domain.catalogue import ContractForm, ContractSource
from statuary.domain.hosting import HostingSettings
from statuary.pipeline.press import Pressed, PressSettings, press
from statuary.publishing.arrange import arranged
from statuary.publishing.shard import write_shard
from statuary.publishing.source_rows import SourceRow, match_order
from statuary.publishing.stager import Offer, Stager

if TYPE_CHECKING:
    from statuary.content.bulk.partitions import Partition as BulkPartition

SMALLEST, LARGEST = 32, 256
"""Sources of the first partition, and of the largest: about a tenth and half a second of work."""

PAGE = 8
"""How many times as much a source costs that has a page: its code is coloured."""

RECENT = 2_000_000_000
"""Nanoseconds before a build within which a changed file's time is not believed: some file systems tell no finer."""


class PlainSource(NamedTuple):
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


class BulkPart(NamedTuple):
    """A part of a bulk source, with why it is pressed.

    Attributes:
        unit: the bulk source's path.
        part: the part.
        reason: why it is pressed.
    """

    unit: str
    part: "BulkPartition"
    reason: str


class Settings(NamedTuple):
    """What every partition of a build has in common.

    Attributes:
        root: the content folder.
        press: what the site demands of each contract.
        hosting: how documents are arranged for hosts.
        began: when the build began, by the clock of the target's file system, in nanoseconds.
    """

    root: Path
    press: PressSettings
    hosting: HostingSettings
    began: int

    def packed(self) -> bytes:
        """Return the settings as bytes, which cost next to nothing to send a hundred times."""
        return pickle.dumps(self)


@lru_cache(maxsize=4)
def unpacked(settings: bytes) -> Settings:
    """Return settings that were packed by this program."""
    found: Settings = pickle.loads(settings)  # noqa: S301 - made by `Settings.packed` in the process that asks
    return found


class Partition(NamedTuple):
    """Sources that are pressed together.

    Attributes:
        name: tells it from the others of the build.
        settings: packed `Settings`.
        held: the sources.
        stager: stages their documents; None if they go nowhere.
        shard: where to write down what came of them; None hands it back.
    """

    name: str
    settings: bytes
    held: tuple[PlainSource, ...] | BulkPart
    stager: Stager | None
    shard: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
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
    offers: tuple[Offer, ...] = ()
    rows: tuple[SourceRow, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(slots=True)
class Result:
    """What a partition has made so far."""

    offers: list[Offer] = field(default_factory=list)
    rows: list[SourceRow] = field(default_factory=list)


def press_all(partition: Partition) -> Done:
    """Press every source of a partition, stage the documents and write down what came of them.

    Raises:
        OSError: if a body cannot be staged.
        ThemeBroken: if a template of the site's own cannot be rendered.
        PublishingRefused: if a document cannot be part of the site.
    """
    settings, stager = unpacked(partition.settings), partition.stager
    result = Result()
    for pressed, row in pressed_of(partition):
        paths = []
        if stager is not None:
            for document in arranged(pressed.all_documents(), settings.hosting):
                offers = list(stager.take(document))
                result.offers += offers
                paths += [offer.path for offer in offers]
        result.rows.append(row._replace(documents="\n".join(paths)))
    folders = () if stager is None else tuple(sorted(stager.folders))
    if partition.shard is None:
        return Done(
            name=partition.name,
            count=len(result.rows),
            shard=None,
            offers=tuple(result.offers),
            rows=tuple(result.rows),
            folders=folders,
        )
    write_shard(partition.shard, result.offers, result.rows, folders)
    return Done(name=partition.name, count=len(result.rows), shard=partition.shard)


def pressed_of(partition: Partition) -> Iterator[tuple[Pressed, SourceRow]]:
    """Press the sources of a partition one by one; each with its row, which names no documents yet."""
    settings = unpacked(partition.settings)
    if isinstance(partition.held, BulkPart):
        from statuary.pipeline.bulk import press_partition

        part = partition.held
        for pressed in press_partition(settings.root, part.part, settings.press):
            yield pressed, row_of(pressed, unit=part.unit, reason=part.reason)
        return
    for plain in partition.held:
        source = plain.source
        stat = stat_of(settings.root, source)  # before reading: what changes meanwhile is seen the next time
        pressed = press(settings.root, source, settings.press)
        told = stat.told_before(settings.began - RECENT)
        yield pressed, row_of(pressed, unit=source.place, git=plain.git, stat=told, reason=plain.reason)


def row_of(pressed: Pressed, *, unit: str, reason: str, git: str = "", stat: str = "") -> SourceRow:
    """Return the row of a source, without its documents."""
    said = pressed.findings or pressed.refused
    filed = pressed.row
    return SourceRow(
        place=pressed.source.place,
        unit=unit,
        git=git,
        stat=stat,
        digest=pressed.digest,
        documents="",
        reason=reason,
        findings=orjson.dumps(said).decode() if said else "",
        refused=bool(pressed.refused),
        published=pressed.published,
        entry=entry_text(pressed),
        match=filed and filed.match,
        creation_match=filed and filed.creationMatch,
        runtime_match=filed and filed.runtimeMatch,
        chain_id=filed and filed.chainId,
        address=filed and filed.address,
        verified_at=filed and filed.verifiedAt,
        match_order=filed and match_order(filed.matchId),
    )


def entry_text(pressed: Pressed) -> str:
    """Return what pages list of a contract besides what lists say, as JSON; empty if they list nothing."""
    entry = pressed.entry
    if entry is None:
        return ""
    return orjson.dumps([entry.name, entry.language, entry.selectors.hex()]).decode()


@dataclass(slots=True)
class Cutter:
    """Cuts the sources of a build into partitions.

    Attributes:
        settings: packed `Settings`.
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

    def plain(self, sources: Iterable[PlainSource]) -> Iterator[Partition]:
        """Yield partitions of sources, small ones first, so that all workers have some soon."""
        cost = PAGE if self.pages else 1
        stream, size = iter(sources), SMALLEST // cost
        while held := tuple(islice(stream, size)):
            yield self.one(held)
            size = min(LARGEST // cost, size + SMALLEST // cost)

    def one(self, held: tuple[PlainSource, ...] | BulkPart) -> Partition:
        """Return the next partition."""
        self.count += 1
        name = f"{self.count:07d}"
        return Partition(
            name=name, settings=self.settings, held=held, stager=self.stager, shard=self.shard(name)
        )
