"""Contracts of bulk sources, a part at a time."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from statuary.content.bulk.export_tables import JoinLimits
from statuary.content.bulk.lines import BulkContract
from statuary.content.bulk.partitions import Partition, in_place, partitions, read_partition
from statuary.domain.catalogue import Catalogue, ContractForm, ContractSource
from statuary.domain.findings import Finding
from statuary.pipeline.announcements import Announcer, counted, stage
from statuary.pipeline.press import Pressed, PressSettings, press_read


def bulk_partitions(root: Path, catalogue: Catalogue, workbench: Path) -> Iterator[Partition | Finding]:
    """Yield the parts of a site's bulk sources, as `partitions` does."""
    return partitions(
        root,
        catalogue.bulk,
        chains=frozenset(chain.chain_id for chain in catalogue.chains),
        workbench=workbench,
        limits=JoinLimits(memory=catalogue.contract_settings.join_memory),
    )


def press_partition(root: Path, partition: Partition, settings: PressSettings) -> Iterator[Pressed]:
    """Press every contract of a part; findings come with their places, since the text is at hand only here."""
    for contract in read_partition(root, partition):
        pressed = press_read(contract.source, contract.read, settings)
        yield replace(
            pressed,
            findings=_placed(pressed.findings, contract),
            refused=_placed(pressed.refused, contract),
        )


def press_bulk(
    root: Path, catalogue: Catalogue, announcer: Announcer, settings: PressSettings
) -> Iterator[Pressed]:
    """Press every contract of a site's bulk sources."""
    with (
        TemporaryDirectory(prefix="statuary-join-") as workbench,
        stage(announcer, "Contracts in bulk files"),
    ):
        for part in bulk_partitions(root, catalogue, Path(workbench)):
            if isinstance(part, Finding):
                source = ContractSource(path=part.path, chain_id="", address="", form=ContractForm.ROW)
                yield Pressed(source=source, findings=(part,))
            else:
                yield from counted(announcer, press_partition(root, part, settings))


def _placed(findings: tuple[Finding, ...], contract: BulkContract) -> tuple[Finding, ...]:
    return tuple(in_place(finding, contract) for finding in findings)
