"""Contracts of bulk sources, a part at a time."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from statuary.content.bulk.export_tables import JoinLimits
from statuary.content.bulk.lines import BulkContract
from statuary.content.bulk.partitions import Partition, in_place, partitions, read_partition
from statuary.domain.catalogue import BulkSource, Catalogue
from statuary.domain.findings import Finding
from statuary.pipeline.press import Pressed, PressSettings, press_read


def bulk_partitions(
    root: Path, catalogue: Catalogue, sources: Iterable[BulkSource], workbench: Path
) -> Iterator[Partition | Finding]:
    """Yield the parts of bulk sources of a site, as `partitions` does."""
    return partitions(
        root,
        sources,
        chains=frozenset(chain.chain_id for chain in catalogue.chains),
        workbench=workbench,
        limits=JoinLimits(memory=catalogue.contract_settings.join_memory),
    )


def press_partition(root: Path, partition: Partition, settings: PressSettings) -> Iterator[Pressed]:
    """Press every contract of a part; findings come with their places, since the text is at hand only here."""
    for contract in read_partition(root, partition):
        pressed = press_read(contract.source, contract.read, settings)
        yield pressed._replace(
            findings=_placed(pressed.findings, contract),
            refused=_placed(pressed.refused, contract),
        )


def _placed(findings: tuple[Finding, ...], contract: BulkContract) -> tuple[Finding, ...]:
    return tuple(in_place(finding, contract) for finding in findings)
