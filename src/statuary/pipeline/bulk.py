"""The contracts of bulk sources, divided into ranges that are read independently."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from statuary.domain.catalogue import BulkSource, Catalogue
from statuary.domain.findings import Finding
from statuary.extensions.bulk.export_tables import JoinLimits
from statuary.extensions.bulk.partitions import Partition, locate_in_partition, partitions, read_partition
from statuary.pipeline.build_contract import BuiltContract, build_contracts_together, in_batches
from statuary.pipeline.partitions import PartitionSettings, PartitionSources
from statuary.publishing.ledger.schema import SourceRow


@dataclass(frozen=True, slots=True)
class BulkSourceRange(PartitionSources):
    """A range of the contracts of a bulk source."""

    source: BulkSource
    contracts: Partition

    @override
    def build(self, settings: PartitionSettings) -> Iterator[tuple[BuiltContract, SourceRow]]:
        """Build the contracts one by one; findings are located here, where the text is available."""
        read = read_partition(settings.root, self.contracts)
        for batch in in_batches((one.source, one.read, one) for one in read):
            made = build_contracts_together([one[:2] for one in batch], settings.contracts)
            for (_, _, contract), built in zip(batch, made, strict=True):
                located = built._replace(
                    findings=tuple(locate_in_partition(built.findings, contract)),
                    rejections=tuple(locate_in_partition(built.rejections, contract)),
                )
                yield located, located.source_row(unit=self.source.path, reason=self.source.reason)


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
