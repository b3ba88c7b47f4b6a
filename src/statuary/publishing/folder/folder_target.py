"""One publication: documents are offered, the plan is shown, the plan is applied.

Offering compares each document with the ledger and the file; a body that must be written is staged. Until
`apply` nothing of the site has changed. A kill before that leaves what has been staged for the next build; a kill
during `apply` leaves each file old or new, and the next build finishes the work before its own.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Self

from statuary.documents.document import Document
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.site_folder import BODIES, SITE, SiteFolder
from statuary.publishing.folder.stager import ADD, KEEP, OBSTRUCTED, REPLACE, OfferedFile, Stager
from statuary.publishing.ledger.ledger import Ledger
from statuary.publishing.ledger.offered_files import OfferedFiles, names_of
from statuary.publishing.ledger.partition_file import merge_partition_file
from statuary.publishing.ledger.source_rows import SourceRow, SourceTable
from statuary.publishing.ledger.transaction import transaction
from statuary.publishing.plan import Action, Change, Plan

SHARDS = "shards"
"""Where partitions write down what they made, below what a run stages."""

MADE_OF = "made-of"
"""The file that says what the staged bodies depend on."""

ACTIONS = {"a": Action.ADD, "r": Action.REPLACE, "x": Action.REPLACE}


class FolderTarget:
    """A site on its way into a folder; a context manager, since the ledger is held meanwhile.

    Attributes:
        target: where the site goes.
        dry_run: whether the plan can be shown only.
        rows: which sources made which documents.
        claimed: how many files of partitions were claimed by another source already.
    """

    def __init__(self, target: SiteFolder, *, dry_run: bool = False) -> None:
        """Open the target; work that a killed build had begun to apply is finished first.

        Args:
            target: where the site goes.
            dry_run: do not stage bodies; the plan can be shown but not applied.

        Raises:
            PublishingRefused: if the target cannot be used, or another build is using it.
        """
        self.target = target
        self.dry_run = dry_run
        self.claimed = 0
        self._notes: dict[str, str] = {}
        self._is_applied = False
        self._is_resumed = False
        self._keeps_sources = False
        target.open()
        self.ledger = Ledger(target.ledger_file)
        try:
            self._begin()
        except BaseException:
            self.ledger.close()
            raise

    def _begin(self) -> None:
        ledger, run = self.ledger, self.ledger.run
        if not self.dry_run:
            if ledger.unfinished_run and self.target.staged(ledger.unfinished_run).is_dir():
                self._settle(ledger.unfinished_run)
                ledger.unfinished_run = 0
            self.target.begin(run)
        staged = None if self.dry_run else self.target.staged(run)
        self.work = OfferedFiles(ledger, None if staged is None else staged / "work.sqlite3")
        self.rows = SourceTable(ledger.connection)
        self._stager = self.target.stager(None if self.dry_run else run, SITE)
        self._stager.known = ledger.entry

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Give the target back; what partitions of a build have staged that did not come to its end is left for the next."""
        run = self.ledger.run
        is_begun = self.ledger.note("unsettled") == str(run)
        self.ledger.close()
        if not self.dry_run and not is_begun:
            has_shards = any((self.target.staged(run) / SHARDS).glob("*.sqlite3"))
            if self._is_applied or not has_shards:
                self.target.discard(run)

    @property
    def stager(self) -> Stager:
        """What stages documents of single sources, in this process or another."""
        return self.target.stager(None if self.dry_run else self.ledger.run, BODIES)

    def offer(self, documents: Iterable[Document]) -> None:
        """Take documents into the site.

        Raises:
            PublishingRefused: if a path is unsafe or claimed twice.
        """
        self.work.offer(offer for document in documents for offer in self._stager.take(document))

    def keep(self, paths: Iterable[str]) -> bool:
        """Offer documents of one name each as they stand, if all do as the ledger has them; say whether they do."""
        offers = [self._stager.standing(path) for path in paths]
        standing = [offer for offer in offers if offer is not None]
        if len(standing) < len(offers):
            return False
        self.work.offer(standing)
        return True

    def take(self, offers: Sequence[OfferedFile], rows: Sequence[SourceRow], folders: Iterable[str]) -> None:
        """Take over what a partition staged and found."""
        self.claimed += self.work.offer_if_free(offers)
        self.rows.add(rows)
        self.work.note_folders(folders)

    def take_partition_file(self, file: Path) -> None:
        """Take over what a partition wrote down."""
        self.claimed += merge_partition_file(self.ledger.connection, file)

    @property
    def began(self) -> int:
        """When the build began, by the clock of the target's file system, in nanoseconds."""
        place = self.target.own if self.dry_run else self.target.staged(self.ledger.run)
        return place.stat().st_mtime_ns

    def missing(self, *, verify: bool) -> frozenset[str]:
        """Return what the documents of single sources are made of that are not where they should be.

        Args:
            verify: whether every document is read, and held against its digest in the ledger.
        """
        if verify:
            found = self._damaged()
        else:
            changed = self.ledger.changed_folders(self.target.folder_time)
            found = (sources for folder in changed for sources in self._absent(folder))
        return frozenset(source for sources in found for source in sources.split("\n"))

    def _absent(self, folder: str) -> Iterator[str]:
        names = self.target.names(folder)
        for path, aliases, sources in self.ledger.in_folder(folder):
            if any(name.rpartition("/")[2] not in names for name in names_of(path, aliases)):
                yield sources

    def _damaged(self) -> Iterator[str]:
        for path, aliases, digest, sources in self.ledger.documents():
            for name in names_of(path, aliases):
                body = self.target.read(name) if sources else None
                if sources and (body is None or sha256(body).digest() != digest):
                    yield sources

    def note(self, notes: Mapping[str, str]) -> None:
        """Keep notes of the site with it, once it is applied: where it comes from, for snapshots of the folder."""
        self._notes |= notes

    def last_note(self, name: str) -> str:
        """Return a note of the last build; empty if there is none."""
        return self.ledger.note(name) or ""

    def published(self, path: str) -> bytes | None:
        """Return what a path of the target holds before this build; None if there is nothing."""
        return self.target.read(path)

    def resume(self, made_of: str) -> bool:
        """Take over what an interrupted build has staged, if it was made of the same things; say whether there was any.

        Args:
            made_of: a fingerprint of all that documents of single sources depend on besides the sources.
        """
        if self.dry_run:
            return False
        leftover, staged = self.target.leftover, self.target.staged(self.ledger.run)
        found = _text(leftover / MADE_OF) == made_of and (leftover / SHARDS).is_dir()
        if found:
            (staged / BODIES).rmdir()
            os.rename(leftover / BODIES, staged / BODIES)
            os.rename(leftover / SHARDS, staged / SHARDS)
            for shard in sorted((staged / SHARDS).glob("*.sqlite3")):
                self.take_partition_file(shard)
            self.drop(self.rows.of_bulk())
        self.target.discard_leftover()
        (staged / SHARDS).mkdir(exist_ok=True)
        (staged / MADE_OF).write_text(made_of, "utf-8")
        self._is_resumed = found
        return found

    def shard(self, name: str) -> Path | None:
        """Return where a partition writes down what it made; nowhere in a dry run."""
        return (
            None
            if self.dry_run
            else self.target.staged(self.ledger.run) / SHARDS / f"{self.ledger.run}-{name}.sqlite3"
        )

    def drop(self, places: Iterable[str]) -> None:
        """Forget what an interrupted build made of sources that have changed since."""
        for place in places:
            for path in self.rows.drop(place):
                self.work.withdraw(path)

    def remove_unless_offered(self, paths: Iterable[str]) -> None:
        """Note paths that go unless they are offered, though their sources stay."""
        self.work.remove_unless_offered(paths)

    def made_of(self, sources: str, below: str) -> list[str]:
        """Return the paths of documents of the last build, below a folder, that are made of some sources."""
        return self.ledger.made_of(sources, below)

    def plan(self) -> Plan:
        """Return what applying would change."""
        self._suspect()
        counts = self.work.counts()
        size, changed_size = self.work.sizes()
        kept, kept_size = self.work.unoffered()
        return Plan(
            counts={
                Action.ADD: counts[ADD],
                Action.REPLACE: counts[REPLACE] + counts[OBSTRUCTED],
                Action.REMOVE: sum(1 for _ in self.work.removals()),
            },
            kept=kept + counts[KEEP],
            size=size + kept_size,
            changed_size=changed_size,
            changes=self._changes,
            conflicts=tuple(self.work.conflicts()),
        )

    def keep_unoffered(self) -> None:
        """Let everything stay that is not offered."""
        self.work.partial = self.rows.partial = True

    def keep_unchanged_sources(self) -> None:
        """Let stay what sources made that have not changed; what is made of the whole content is offered anew."""
        self.keep_unoffered()
        self._keeps_sources = True

    def _suspect(self) -> None:
        if self._keeps_sources:
            self.work.remove_site_unless_offered()
            self.work.remove_unless_offered(self.rows.superseded_documents())

    def _changes(self) -> Iterator[Change]:
        for action, name, size in self.work.changed():
            yield Change(ACTIONS[action], name, size)
        for name in sorted(self.work.removals()):
            yield Change(Action.REMOVE, name, 0)

    def apply(self) -> None:
        """Make the site be what was offered: bodies into place, then what is stale out of it.

        Raises:
            PublishingRefused: if it was a dry run, or files of somebody else are in the way; nothing was
                changed then.
        """
        if self.dry_run:
            raise PublishingError("a dry run cannot be applied")
        if conflicts := list(self.work.conflicts()):
            raise conflict_error(conflicts)
        self._suspect()
        if self._is_resumed:
            self._sweep()
        kept, kept_size = self.work.unoffered()
        names, size = kept + sum(self.work.counts().values()), kept_size + self.work.sizes()[0]
        totals = {"names": str(names), "size": str(size)}
        with transaction(self.ledger.connection):
            self.ledger.note_removals(self.work.removals())
            self.work.save()
            self.rows.save()
            self.ledger.set_notes(totals | self._forgotten() | self._notes)
            self.ledger.begin()
        self._settle(self.ledger.run)
        self._is_applied = True

    def _forgotten(self) -> dict[str, str]:
        """Return what is no more true of the sources, if documents came from elsewhere."""
        return {} if self.work.partial else {"made of": "", "tree": "", "units": "0", "standing": ""}

    def _settle(self, run: int) -> None:
        """Put what a run staged in place, and remove what it has no more; of what is done, nothing is done again."""
        self.target.put_in_place(self.target.staged(run))
        for name in self.ledger.removals():
            self.target.remove(name)
        with transaction(self.ledger.connection):
            self.ledger.note_folder_times(self.target.folder_time)
            self.ledger.finish()

    def _sweep(self) -> None:
        """Take out of the staged bodies what an interrupted build staged and this one does not offer."""
        tree = self.target.staged(self.ledger.run) / BODIES
        for folder, _, names in os.walk(tree):
            for name in names:
                path = os.path.relpath(f"{folder}/{name}", tree).replace(os.sep, "/")
                if not self.work.is_to_be_written(path):
                    os.unlink(f"{folder}/{name}")


def conflict_error(paths: Sequence[str]) -> PublishingError:
    """Return the refusal for paths that hold something of somebody else."""
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    return PublishingError(
        f"something that statuary did not write is in the way: {shown}",
        "move it away, or publish into another folder",
    )


def _text(file: Path) -> str | None:
    try:
        return file.read_text("utf-8")
    except OSError:
        return None
