"""Splits bulk sources into parts that workers read independently, in any order and repeatedly."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from statuary.content.bulk.export_join import ExportBucket, join_export
from statuary.content.bulk.export_records import locate_in_row, read_bucket
from statuary.content.bulk.export_tables import JoinLimits
from statuary.content.bulk.jsonl import BulkContract, LineRange, line_ranges, locate_in_line, read_line_range
from statuary.content.unreadable import UnreadableError
from statuary.domain.catalogue import BulkForm, BulkSource
from statuary.domain.findings import Finding

Partition = LineRange | ExportBucket
"""A part of a bulk source: small, picklable, and every read of it gives the same contracts."""


def partitions(
    root: Path,
    sources: Iterable[BulkSource],
    *,
    chains: Collection[str],
    scratch_dir: Path,
    limits: JoinLimits,
) -> Iterator[Partition | Finding]:
    """Yield the parts of bulk sources, and findings about sources as a whole.

    Args:
        chains: the ids of the site's chains; contracts of an export on others are left out.
        scratch_dir: an empty folder for the join of exports, which must exist until all parts are read;
            workers on other machines must see it under the same path.
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
        except UnreadableError as error:
            yield error.finding(source.path)


def read_partition(root: Path, partition: Partition) -> Iterator[BulkContract]:
    """Yield the contracts of a part."""
    return (
        read_bucket(root, partition)
        if isinstance(partition, ExportBucket)
        else read_line_range(root, partition)
    )


def locate_in_partition(findings: Iterable[Finding], contract: BulkContract) -> list[Finding]:
    """Return findings about a contract with their positions: line and column, or row."""
    found = list(findings)
    own = [one for one in found if one.position is None and one.path == contract.source.path]
    others = [one for one in found if one.position is not None or one.path != contract.source.path]
    if contract.text is not None:
        return [*others, *locate_in_line(own, contract.source.line, contract.text)]
    return [*others, *(locate_in_row(one, contract.source) for one in own)]
