"""Bulk sources cut into parts that can be read by themselves, in any order and again: what workers take."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from statuary.content.bulk.export_join import ExportBucket, join_export
from statuary.content.bulk.export_records import locate_in_row, read_bucket
from statuary.content.bulk.export_tables import JoinLimits
from statuary.content.bulk.jsonl import BulkContract, LineRange, line_ranges, locate_in_line, read_line_range
from statuary.content.load_model import unreadable_finding
from statuary.content.unreadable import UnreadableError
from statuary.domain.catalogue import BulkForm, BulkSource
from statuary.domain.findings import Finding

Partition = LineRange | ExportBucket
"""A part of a bulk source. It is small, can be pickled, and reading it always gives the same."""


def partitions(
    root: Path,
    sources: Iterable[BulkSource],
    *,
    chains: Collection[str],
    scratch_dir: Path,
    limits: JoinLimits,
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
                yield from line_ranges(root, source.path)
                continue
            own = scratch_dir / str(number)
            own.mkdir(parents=True)
            joined = join_export(root, source, chains=chains, scratch_dir=own, limits=limits)
            yield from joined.findings
            yield from joined.buckets
        except UnreadableError as unreadable:
            yield unreadable_finding(unreadable, source.path)


def read_partition(root: Path, partition: Partition) -> Iterator[BulkContract]:
    """Yield the contracts of a part."""
    return (
        read_bucket(root, partition)
        if isinstance(partition, ExportBucket)
        else read_line_range(root, partition)
    )


def locate_in_partition(finding: Finding, contract: BulkContract) -> Finding:
    """Return a finding about a contract with its line and column, or its row."""
    if finding.position is not None or finding.path != contract.source.path:
        return finding
    if contract.text is not None:
        return locate_in_line(finding, contract.source.line, contract.text)
    return locate_in_row(finding, contract.source)
