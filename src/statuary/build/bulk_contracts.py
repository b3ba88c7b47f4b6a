"""Contracts of bulk sources, a part at a time."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from statuary.build.contract import BuiltContract, ContractBuildSettings, build_read_contract
from statuary.content.bulk.export_tables import JoinLimits
from statuary.content.bulk.jsonl import BulkContract
from statuary.content.bulk.partitions import Partition, locate_in_partition, partitions, read_partition
from statuary.domain.catalogue import BulkSource, Catalogue
from statuary.domain.findings import Finding


def bulk_partitions(
    root: Path, catalogue: Catalogue, sources: Iterable[BulkSource], scratch: Path
) -> Iterator[Partition | Finding]:
    """Yield the parts of bulk sources of a site, as `partitions` does."""
    return partitions(
        root,
        sources,
        chains=frozenset(chain.chain_id for chain in catalogue.chains),
        scratch_dir=scratch,
        limits=JoinLimits(memory=catalogue.contract_settings.join_memory),
    )


def build_bulk_partition(
    root: Path, partition: Partition, settings: ContractBuildSettings
) -> Iterator[BuiltContract]:
    """Press every contract of a part; findings come with their places, since the text is at hand only here."""
    for contract in read_partition(root, partition):
        built = build_read_contract(contract.source, contract.read, settings)
        yield built._replace(
            findings=_placed(built.findings, contract),
            refused=_placed(built.refused, contract),
        )


def _placed(findings: tuple[Finding, ...], contract: BulkContract) -> tuple[Finding, ...]:
    return tuple(locate_in_partition(findings, contract))
