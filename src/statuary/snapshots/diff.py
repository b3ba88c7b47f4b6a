"""The differences between two snapshots."""

from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from statuary.publishing.plan import Action, Change
from statuary.snapshots.manifest_parts import ManifestEntry


class DocumentDifference(NamedTuple):
    """A document that differs."""

    before: ManifestEntry | None  # None if it is new
    after: ManifestEntry | None  # None if it is removed

    @property
    def action(self) -> Action:
        """The kind of difference."""
        if self.before is None:
            return Action.ADD
        return Action.REMOVE if self.after is None else Action.REPLACE

    @property
    def path(self) -> str:
        """The name that it is stored under."""
        entry = self.after or self.before
        return entry.path if entry is not None else ""

    @property
    def change(self) -> Change:
        """The difference in the form of a plan."""
        return Change(self.action, self.path, self.after.size if self.after is not None else 0)


def differences(
    before: Iterable[ManifestEntry], after: Iterable[ManifestEntry]
) -> Iterator[DocumentDifference]:
    """Yield the differences by path; both sides are sorted by path."""
    sides = merge(((entry.path, 0, entry) for entry in before), ((entry.path, 1, entry) for entry in after))
    for _, group in groupby(sides, itemgetter(0)):
        found = {side: entry for _, side, entry in group}
        if found.get(0) != found.get(1):
            yield DocumentDifference(found.get(0), found.get(1))
