"""Bulk sources cut into parts that can be read by themselves, in any order and again: what workers take."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from statuary.content.bulk.export_join import Bucket, join_export
from statuary.content.bulk.export_rows import at_row, read_bucket
from statuary.content.bulk.export_tables import JoinLimits
from statuary.content.bulk.lines import BulkContract, LineStretch, in_line, read_stretch, stretches
from statuary.content.load import unreadable_finding
from statuary.content.unreadable import Unreadable
from statuary.domain.catalogue import BulkForm, BulkSource
from statuary.domain.findings import Finding

Partition = LineStretch | Bucket
"""A part of a bulk source. It is small, can be pickled, and reading it always gives the same."""


def partitions(
    root: Path, sources: Iterable[BulkSource], *, chains: Collection[str], workbench: Path, limits: JoinLimits
) -> Iterator[Partition | Finding]:
    """Yield the parts of bulk sources, and what is wrong with a source as a whole.

    Args:
        root: the content folder.
        sources: what is to be cut.
        chains: ids of the site's chains; of an export only their contracts are taken.
        workbench: an empty folder for the join of exports, which must stay until all parts are read; workers on
            other machines must see it under the same path.
        limits: what the join may take.
    """
    for number, source in enumerate(sources):
        try:
            if source.form is BulkForm.JSONL:
                yield from stretches(root, source.path)
                continue
            own = workbench / str(number)
            own.mkdir(parents=True)
            joined = join_export(root, source, chains=chains, workbench=own, limits=limits)
            yield from joined.findings
            yield from joined.buckets
        except Unreadable as unreadable:
            yield unreadable_finding(unreadable, source.path)


def read_partition(root: Path, partition: Partition) -> Iterator[BulkContract]:
    """Yield the contracts of a part."""
    return read_bucket(root, partition) if isinstance(partition, Bucket) else read_stretch(root, partition)


def in_place(finding: Finding, contract: BulkContract) -> Finding:
    """Return a finding about a contract with its line and column, or its row."""
    if finding.position is not None or finding.path != contract.source.path:
        return finding
    if contract.text is not None:
        return in_line(finding, contract.source.line, contract.text)
    return at_row(finding, contract.source)
