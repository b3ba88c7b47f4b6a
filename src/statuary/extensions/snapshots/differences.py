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
    """A path that was added, changed or removed."""

    before: Entry | None  # None if it is new
    after: Entry | None  # None if it is removed

    @property
    def action(self) -> Action:
        """Whether the path was added, changed or removed."""
        if self.before is None:
            return Action.ADD
        return Action.REMOVE if self.after is None else Action.REPLACE

    @property
    def entry(self) -> Entry:
        """The entry after the change, else the one before."""
        return self.after or self.before or Entry("")

    @property
    def change(self) -> Change:
        """The difference as a change of a plan."""
        return Change(self.action, self.entry.path, self.after.size if self.after is not None else 0)


def side_by_side(*listings: Iterable[Entry]) -> Iterator[list[Entry | None]]:
    """Yield the entries of each path in several sorted listings.

    They are in the order of the listings, with None where one lacks the path.
    """

    def numbered(number: int) -> Iterator[tuple[str, int, Entry]]:
        return ((entry.path, number, entry) for entry in listings[number])

    rows = merge(*map(numbered, range(len(listings))), key=itemgetter(0, 1))
    for _, group in groupby(rows, itemgetter(0)):
        entries = {number: entry for _, number, entry in group}
        yield [entries.get(number) for number in range(len(listings))]


def diff(before: Iterable[Entry], after: Iterable[Entry]) -> Iterator[Difference]:
    """Yield the differences of two listings, by path."""
    for old, new in side_by_side(before, after):
        if old != new:
            yield Difference(old, new)


def plan_of(
    differences: Callable[[], Iterator[Difference]],
    documents: int,
    size: int,
    conflicts: tuple[str, ...] = (),
) -> Plan:
    """Return a plan with these differences.

    Args:
        differences: yields them by path, each time it is called.
        documents: the number of entries of the new listing.
        size: bytes of their bodies.
        conflicts: paths with files of another program.
    """
    counts, changed_size = dict.fromkeys(Action, 0), 0
    for difference in differences():
        counts[difference.action] += 1
        changed_size += difference.change.size
    return Plan(
        counts=counts,
        unchanged=documents - counts[Action.ADD] - counts[Action.REPLACE],
        size=size,
        changed_size=changed_size,
        changes=lambda: (difference.change for difference in differences()),
        conflicts=conflicts,
    )


def refuse_older(origin: SiteOrigin, there: Instant | None, where: str) -> None:
    """Refuse to replace a site by an older snapshot.

    An old signed snapshot may be a replay.

    Args:
        there: the instant of the existing site, if known.

    Raises:
        PublishingError: if the site is newer.
    """
    if there is not None and origin.instant < there:
        raise PublishingError(
            f"{where} has a newer site, as of {format_utc(there)};"
            f" this snapshot is as of {format_utc(origin.instant)}",
            "use --allow-older to replace it",
        )
