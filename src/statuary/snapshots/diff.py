"""What changed from one snapshot to another, by their manifests: no document is read."""

from collections.abc import Iterator
from typing import NamedTuple

from statuary.publishing.plan import Action, Change
from statuary.snapshots.manifest import ManifestEntry


class DocumentDifference(NamedTuple):
    """A document that is not the same in both.

    Attributes:
        before: what it was; None if it is new.
        after: what it is; None if it is gone.
    """

    before: ManifestEntry | None
    after: ManifestEntry | None

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


def paired_entries(
    before: Iterator[ManifestEntry], after: Iterator[ManifestEntry]
) -> Iterator[tuple[ManifestEntry | None, ManifestEntry | None]]:
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


def differences(
    before: Iterator[ManifestEntry], after: Iterator[ManifestEntry]
) -> Iterator[DocumentDifference]:
    """Yield what is not the same, in the order of paths."""
    for old, new in paired_entries(before, after):
        if old != new:
            yield DocumentDifference(before=old, after=new)
