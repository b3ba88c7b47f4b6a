"""What changed from one snapshot to another, by their manifests: no document is read."""

from collections.abc import Iterator
from typing import NamedTuple

from statuary.publishing.plan import Action, Change
from statuary.publishing.snapshots.manifest import Entry


class Difference(NamedTuple):
    """A document that is not the same in both.

    Attributes:
        before: what it was; None if it is new.
        after: what it is; None if it is gone.
    """

    before: Entry | None
    after: Entry | None

    @property
    def action(self) -> Action:
        """What happened to it."""
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
        """The difference as a plan shows it."""
        return Change(self.action, self.path, self.after.size if self.after is not None else 0)


def pairs(before: Iterator[Entry], after: Iterator[Entry]) -> Iterator[tuple[Entry | None, Entry | None]]:
    """Yield every document of either side with its twin of the other; both come in the order of paths."""
    old, new = next(before, None), next(after, None)
    while old is not None or new is not None:
        if new is None or (old is not None and old.path < new.path):
            yield old, None
            old = next(before, None)
        elif old is None or new.path < old.path:
            yield None, new
            new = next(after, None)
        else:
            yield old, new
            old, new = next(before, None), next(after, None)


def differences(before: Iterator[Entry], after: Iterator[Entry]) -> Iterator[Difference]:
    """Yield what is not the same, in the order of paths."""
    for old, new in pairs(before, after):
        if old != new:
            yield Difference(before=old, after=new)
