"""One publication: documents are offered, the plan is shown, the plan is applied.

Offering compares each document with the ledger and the file; a body that must be written is staged. Until
`apply` nothing of the site has changed. A kill during `apply` leaves each file old or new, and every new one
known as ours, so that the next build finishes the work.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Self

from statuary.documents.document import Document
from statuary.publishing.folder import ABSENT, OBSTACLE, Folder
from statuary.publishing.ledger import Entry, Ledger, Offer
from statuary.publishing.plan import Action, Change, Plan
from statuary.publishing.refused import PublishingRefused
from statuary.publishing.safe_path import checked_path


class Publication:
    """A site on its way into a folder; a context manager, since the ledger is held meanwhile."""

    def __init__(self, target: Folder, *, dry_run: bool = False) -> None:
        """Open the target.

        Args:
            target: where the site goes.
            dry_run: do not stage bodies; the plan can be shown but not applied.

        Raises:
            PublishingRefused: if the target cannot be used, or another build is using it.
        """
        self.target = target
        self.dry_run = dry_run
        self.conflicts: list[str] = []
        target.open()
        self.ledger = Ledger(target.ledger_file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()
        self.target.close()

    def offer(self, documents: Iterable[Document]) -> None:
        """Take documents into the site.

        Raises:
            PublishingRefused: if a path is unsafe or claimed twice.
        """
        self.ledger.offer(offer for document in documents for offer in self._offers(document))

    def _offers(self, document: Document) -> Iterator[Offer]:
        digest = sha256(document.body).digest()
        size = len(document.body)
        sources = "\n".join(document.sources)
        names = [document.path, *(path for path in document.also if path != document.path)]
        if self.target.folds_case:
            names = [names[0], *(name for name in names[1:] if name.lower() != names[0].lower())]
        actions = [self._action(checked_path(name), digest, document.body) for name in names]
        staged = None
        if any(actions) and not self.dry_run:
            staged = self.target.stage(document.body)
        for name, action in zip(names, actions, strict=True):
            twin_of = None if name == document.path else document.path
            yield Offer(name, digest, size, sources, staged, twin_of, action)

    def _action(self, path: str, digest: bytes, body: bytes) -> str | None:
        """Decide what a path needs: `add`, `replace`, or None if it holds these bytes already."""
        state = self.target.state(path)
        if state is ABSENT:
            return Action.ADD
        entry = self.ledger.entry(path)
        if state is OBSTACLE:
            self.conflicts.append(path)
            return Action.REPLACE
        if entry and entry.digest == digest and state == (entry.size, entry.modified):
            return None
        if self.target.holds(path, body):
            self._adopt(path, digest, *state)
            return None
        if entry is None:
            self.conflicts.append(path)
        return Action.REPLACE

    def _adopt(self, path: str, digest: bytes, size: int, modified: int) -> None:
        """Take a file that is right already into the ledger."""
        self.ledger.written([Entry(path, digest, size, modified, "")])

    def note(self, notes: Mapping[str, str]) -> None:
        """Keep notes of the site with it, once it is applied: where it comes from, for snapshots of the folder."""
        for name, value in notes.items():
            self.ledger.set_note(name, value)

    def published(self, path: str) -> bytes | None:
        """Return what a path of the target holds before this build; None if there is nothing."""
        return self.target.read(path)

    def plan(self) -> Plan:
        """Return what applying would change."""
        counts, size, changed_size = self.ledger.totals()
        removed = sum(1 for _ in self.ledger.stale())
        return Plan(
            counts={
                Action.ADD: counts.get("add", 0),
                Action.REPLACE: counts.get("replace", 0),
                Action.REMOVE: removed,
            },
            kept=counts.get(None, 0),
            size=size,
            changed_size=changed_size,
            changes=self._changes,
            conflicts=tuple(self.conflicts),
        )

    def _changes(self) -> Iterator[Change]:
        for offer in self.ledger.offered(changed=True):
            yield Change(Action(str(offer.action)), offer.path, offer.size)
        for entry in self.ledger.stale():
            yield Change(Action.REMOVE, entry.path, 0)

    def apply(self) -> None:
        """Make the site be what was offered: bodies into place, then what is stale out of it.

        Raises:
            PublishingRefused: if it was a dry run, or files of somebody else are in the way; nothing was
                changed then.
        """
        if self.dry_run:
            raise PublishingRefused("a dry run cannot be applied")
        if self.conflicts:
            raise conflict(self.conflicts)
        self.ledger.promise()
        self.ledger.written(self._put_in_place())
        stale = [entry.path for entry in self.ledger.stale()]
        for path in stale:
            self.target.remove(path)
        self.ledger.removed(stale)
        self.ledger.keep()

    def _put_in_place(self) -> Iterator[Entry]:
        """Put changed bodies into place; the originals first, since twins are their second names."""
        changed = list(self.ledger.offered(changed=True))
        for offer in sorted(changed, key=lambda offer: offer.twin_of is not None):
            if offer.twin_of is None:
                modified = self.target.place(str(offer.staged), offer.path)
            else:
                modified = self.target.place_twin(offer.twin_of, offer.path)
            yield Entry(offer.path, offer.digest, offer.size, modified, offer.sources)


def conflict(paths: list[str]) -> PublishingRefused:
    """Return the refusal for paths that hold something of somebody else."""
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    return PublishingRefused(
        f"something that statuary did not write is in the way: {shown}",
        "move it away, or publish into another folder",
    )
