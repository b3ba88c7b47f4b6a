"""Let workers share the last steps of a large build.

The building process assigns ranges, and reads none of the rows. The bytes are those of a build in one process.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.publish.ledger.ranges import (
    ListedRange,
    SummaryTask,
    divide_site_files,
    divide_worker_files,
    index_rows_by_path,
    merge_into_tables,
    merge_task,
    summarize_files,
    use_merged_tables,
    write_sorted_range,
)
from statuary.publish.ledger.schema import PartitionOutput, PartitionResult, all_names
from statuary.publish.ledger.totals import FileSummary
from statuary.publish.listing import Entry, Part, ends_part, split_into_parts
from statuary.publish.manifest import Manifest, ManifestBuilder, is_listed
from statuary.publish.origin import SiteOrigin
from statuary.publish.target import BuildTarget
from statuary.site.document import Document
from statuary.workers.executor import RUN_HERE, PooledExecutor

PARTITIONS_OF_RANGE = 8
"""Partitions whose rows make about one range: 50,000 rows, a second of work."""

RANGES_OF_WORKER = 2
"""Ranges that each worker gets at least, so that all end at about the same time."""

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SortedWork(Generic[Task, Result]):
    """A task function for workers that also indexes its result's rows."""

    work: Callable[[Task], Result]

    def __call__(self, task: Task) -> Result:
        """Run the task, and index the rows of its result by path."""
        result = self.work(task)
        if isinstance(result, PartitionResult) and result.file is not None:
            index_rows_by_path(result.file)
        return result


def sort_rows_in_ranges(executor: PooledExecutor, files: Sequence[Path]) -> list[Path]:
    """Let the workers sort the rows of all tasks by path, each in some ranges.

    Each row describes a published file that a task made. A task stores its rows in a file.

    Args:
        executor: runs the work.
        files: the files of rows.

    Returns:
        The files of the ranges, in their order; or `files`, if there are only a few.
    """
    least = max(RUN_HERE + 1, RANGES_OF_WORKER * (0 if executor.pool is None else executor.pool.size))
    if len(files) <= least:
        return list(files)
    count = min(len(files) // PARTITIONS_OF_RANGE, executor.most_tasks)
    ranges = divide_worker_files(files, max(least, count))
    return sorted(executor.map_unordered(write_sorted_range, ranges))


def merge_files_by_worker(executor: PooledExecutor, files: Sequence[Path], target: BuildTarget) -> None:
    """Let a worker add the rows of all tasks to the tables of the build.

    Args:
        executor: runs the work.
        files: the files of rows, in the order of their paths.
        target: the site that is being built.
    """
    task = merge_task(target.ledger, files) if len(files) > RUN_HERE else None
    if task is None:
        for file in files:
            target.merge_partition(PartitionResult(items=0, file=file))
    else:
        (merged,) = executor.map_unordered(merge_into_tables, [task])
        use_merged_tables(target.ledger, merged)


class ListingTask(NamedTuple):
    """A worker's task: to list the site's files in some range."""

    name: str
    files: ListedRange
    output: PartitionOutput


class RangeParts(NamedTuple):
    """The parts of the manifest (list of files) from one worker."""

    path_before: str  # the path before the range
    parts: list[Part]
    names: int  # the number of file names in the parts
    size: int  # bytes of all these files
    result: PartitionResult


def make_manifest_parts(task: ListingTask) -> RangeParts:
    """Make some parts of the manifest, a site's list of files.

    Each worker has a range of paths, and makes the parts that begin in this range. The last of these parts
    may end in the next range. Where a part ends depends only on paths, so workers need not know the files
    before their range.
    """
    _, files, output = task
    builder, until = ManifestBuilder(), files.until
    for entries in split_into_parts(_skip_to_first_part_end(files)):
        part, text = builder.add(entries)
        output.add(
            [
                Document(
                    part.path,
                    text,
                    media_type_of(part.path),
                    cache=cache_control_of(part.path),
                    persistent=True,
                )
            ]
        )
        last_path = entries[-1].path
        if until is not None and last_path > until and ends_part(last_path):
            break
    result = output.result(0)
    return RangeParts(files.after, builder.parts, builder.names, builder.size, result)


def _skip_to_first_part_end(files: ListedRange) -> Iterator[Entry]:
    is_within = not files.after
    with closing(files.rows()) as rows:
        for path, aliases, size, digest in rows:
            if not is_listed(path):
                continue
            if is_within:
                names = tuple(all_names(path, aliases)[1:])
                yield Entry(path, names, size, digest.hex(), media_type_of(path))
            elif ends_part(path):
                if files.until is not None and path > files.until:
                    return
                is_within = True


def make_full_manifest(executor: PooledExecutor, target: BuildTarget, origin: SiteOrigin) -> Manifest | None:
    """Let several workers make the manifest, the list of a site's files.

    Args:
        executor: runs the work.
        target: the site that is being built.
        origin: the time and revision of the site.

    Returns:
        The manifest. None if the site is small or only partly rebuilt; the caller then makes the manifest
        itself.
    """
    ranges = [] if target.ledger.keeps_unreplaced else divide_site_files(target.ledger, executor.most_tasks)
    if len(ranges) <= RUN_HERE:
        return None
    named_ranges = [(f"listing-{number:07d}", listed_range) for number, listed_range in enumerate(ranges)]
    summary_task = SummaryTask(ranges[0].tables, target.ledger.lacks_paths())
    tasks: tuple[LastTask, ...] = (
        partial(summarize_files, summary_task),
        *(
            partial(make_manifest_parts, ListingTask(name, listed_range, target.output_for_task(name)))
            for name, listed_range in named_ranges
        ),
    )
    parts_of_ranges = list[RangeParts]()
    for result in executor.map_unordered(_run_task, tasks):
        if isinstance(result, RangeParts):
            parts_of_ranges.append(result)
        else:
            target.ledger.documents.use_summary(result)
    parts_of_ranges.sort(key=attrgetter("path_before"))
    for listed_range in parts_of_ranges:  # nothing is added while workers read
        target.merge_partition(listed_range.result)
    return _combine_range_parts(origin, parts_of_ranges)


LastTask = Callable[[], RangeParts | FileSummary]
"""Makes some parts of the manifest, or counts all files."""


def _run_task(task: LastTask) -> RangeParts | FileSummary:
    return task()


def _combine_range_parts(origin: SiteOrigin, ranges: Sequence[RangeParts]) -> Manifest:
    parts = tuple(part for range_parts in ranges for part in range_parts.parts)
    documents = sum(part.documents for part in parts)
    return Manifest(
        origin,
        documents,
        sum(range_parts.names for range_parts in ranges),
        sum(range_parts.size for range_parts in ranges),
        parts,
    )
