"""Differences between two sites, from their sorted listings."""

from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from statuary.base.files import PublishingError
from statuary.base.primitives import Instant, format_utc
from statuary.publish.listing import Entry
from statuary.publish.origin import SiteOrigin
from statuary.publish.plan import Action, Change, Plan


class Difference(NamedTuple):
    """A file that was added, changed or removed."""

    before: Entry | None  # None if the file is new
    after: Entry | None  # None if the file is removed

    @property
    def action(self) -> Action:
        """Whether the file was added, changed or removed."""
        if self.before is None:
            return Action.ADD
        return Action.REMOVE if self.after is None else Action.REPLACE

    @property
    def entry(self) -> Entry:
        """Path, size and digest of the new file, or the removed one."""
        return self.after or self.before or Entry("")

    @property
    def planned_change(self) -> Change:
        """Action, path and size, for a report of changed files."""
        return Change(self.action, self.entry.path, self.after.size if self.after is not None else 0)


def merge_listings(*listings: Iterable[Entry]) -> Iterator[list[Entry | None]]:
    """Merge several lists of files, each sorted by path.

    For example, merging the lists of two sites pairs the old and new entry of each file.

    Yields:
        The entries of a path, one for each list. An entry is None if the list does not have the path.
    """

    def iter_numbered_entries(number: int) -> Iterator[tuple[str, int, Entry]]:
        return ((entry.path, number, entry) for entry in listings[number])

    rows = merge(*map(iter_numbered_entries, range(len(listings))), key=itemgetter(0, 1))
    for _, group in groupby(rows, itemgetter(0)):
        entries = {number: entry for _, number, entry in group}
        yield [entries.get(number) for number in range(len(listings))]


def find_differences(before: Iterable[Entry], after: Iterable[Entry]) -> Iterator[Difference]:
    """Compare two lists of files, and yield each difference.

    Args:
        before: the earlier list, sorted by path.
        after: the later list, sorted by path.

    Yields:
        Each file that was added, changed or removed.
    """
    for old, new in merge_listings(before, after):
        if old != new:
            yield Difference(old, new)


def make_publication_plan(
    iter_differences: Callable[[], Iterator[Difference]],
    document_count: int,
    size_after_build: int,
    conflicting_paths: tuple[str, ...] = (),
) -> Plan:
    """Plan a publication: which files to write and to delete.

    Args:
        iter_differences: a function that yields the differences sorted by path, from the start at each call.
        document_count: the number of files in the site after the publication.
        size_after_build: the size in bytes of the site after the publication.
        conflicting_paths: the paths of the site at which another program wrote files.
    """
    counts, changed_size = dict.fromkeys(Action, 0), 0
    for difference in iter_differences():
        counts[difference.action] += 1
        changed_size += difference.planned_change.size
    return Plan(
        counts=counts,
        unchanged=document_count - counts[Action.ADD] - counts[Action.REPLACE],
        size=size_after_build,
        changed_size=changed_size,
        changes=lambda: (difference.planned_change for difference in iter_differences()),
        conflicts=conflicting_paths,
    )


def refuse_older_snapshot(origin: SiteOrigin, published_instant: Instant | None, location: str) -> None:
    """Raise an error if a snapshot is older than the published site.

    Otherwise an attacker could publish an old snapshot again, whose signature is valid.

    Args:
        origin: the time and revision of the snapshot.
        published_instant: the time of the published site; None if unknown.
        location: the name of the published site, for the error message.

    Raises:
        PublishingError: if the existing site is newer.
    """
    if published_instant is not None and origin.instant < published_instant:
        raise PublishingError(
            f"{location} has a newer site, as of {format_utc(published_instant)};"
            f" this snapshot is as of {format_utc(origin.instant)}",
            "use --allow-older to replace it",
        )
