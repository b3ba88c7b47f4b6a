"""Where the members of a snapshot come from, in their order: an archive read forward, or a site asked by path."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Protocol

from statuary.publishing.errors import PublishingError
from statuary.publishing.site_reader import SiteReader
from statuary.publishing.snapshot_paths import MANIFEST, is_snapshot_path
from statuary.publishing.temporary_database import temporary_database
from statuary.snapshots.document_names import document_path
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.manifest_entries import EntriesFactory
from statuary.snapshots.members import SnapshotMember

SHOWN = 5
"""Names that a message shows before it counts the rest."""


class MemberSource(Protocol):
    """What gives the members of a snapshot.

    Attributes:
        goes_on: whether the members behind a damaged one can be read.
    """

    goes_on: bool

    def take(self, path: str, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Return the next member, which must be this one.

        Raises:
            SnapshotDamaged: if it is another, or not whole.
        """

    def take_if_there(self, path: str) -> SnapshotMember | None:
        """Return the next member if it is this one."""

    def finish(self, entries: EntriesFactory) -> str:
        """Make sure that nothing else is there; return the SHA-256 that an archive tells of itself, or nothing.

        Args:
            entries: yields the documents that have been taken.

        Raises:
            SnapshotDamaged: if something else is there.
        """


class ArchiveReader(Protocol):
    """An archive that is read from its first member to its last."""

    def next_path(self) -> str | None:
        """Return the name of the next member; None behind the last."""

    def member(self, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Read the next member."""

    def finish(self) -> str:
        """Read what stands behind the last."""


class ArchiveMembers:
    """The members of an archive."""

    goes_on = False

    def __init__(self, archive: ArchiveReader, name: str) -> None:
        self.archive = archive
        self.name = name

    def take(self, path: str, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Return the next member, which must be this one."""
        found = self.archive.next_path()
        if found != path:
            raise self._other(found, path)
        return self.archive.member(aliases)

    def take_if_there(self, path: str) -> SnapshotMember | None:
        """Return the next member if it is this one."""
        return self.archive.member() if self.archive.next_path() == path else None

    def finish(self, entries: EntriesFactory) -> str:  # noqa: ARG002 - the order has told already
        """Make sure that nothing else is there; return the SHA-256 that the archive tells of itself."""
        found = self.archive.next_path()
        if found is not None:
            raise self._other(found, None)
        return self.archive.finish()

    def _other(self, found: str | None, wanted: str | None) -> DamagedSnapshotError:
        if found is not None and not is_snapshot_path(found):
            document_path(found)  # a name that no site has says more than its place
        if wanted == MANIFEST:
            return DamagedSnapshotError(f"{self.name} is no snapshot: its first member is not {MANIFEST}")
        if found is None:
            return DamagedSnapshotError(f"{self.name} lacks {wanted}")
        where = f"where {wanted} belongs" if wanted else "behind its last member"
        return DamagedSnapshotError(
            f"{self.name} has {found} {where}: one of its manifest is missing, or this is extra"
        )


class SiteMembers:
    """The members of a snapshot that was published: in a folder, or at a URL."""

    goes_on = True

    def __init__(
        self, site: SiteReader, name: str, listed: Callable[[], Iterator[str]] | None = None
    ) -> None:
        """Take a site.

        Args:
            site: gives the members.
            name: what it is called in messages.
            listed: yields every path that is there, if that is known.
        """
        self.site = site
        self.name = name
        self.listed = listed
        self.second_names = 0
        self.missing = 0
        self.shown: list[str] = []

    def take(self, path: str, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Return a member; its second names must hold the same bytes, as far as they are there."""
        body = self.site.read(path)
        if body is None:
            hint = "publish a snapshot into it, or verify it against one" if path == MANIFEST else ""
            raise DamagedSnapshotError(f"{path} is missing in {self.name}", hint)
        for name in aliases:
            self._look_at_second(name, body)
        return SnapshotMember(path=path, body=body, aliases=aliases)

    def _look_at_second(self, name: str, body: bytes) -> None:
        second = self.site.read(name)
        if second is None:
            self.missing += 1
            self.shown = [*self.shown, name][:SHOWN]
            return
        self.second_names += 1
        if second != body:
            raise DamagedSnapshotError(f"{name} is damaged: it has not the bytes of its other name")

    def take_if_there(self, path: str) -> SnapshotMember | None:
        """Return a member if it is there."""
        body = self.site.read(path)
        return None if body is None else SnapshotMember(path=path, body=body)

    def finish(self, entries: EntriesFactory) -> str:
        """Make sure that second names are all there or, where a snapshot was merely unpacked, none; and nothing else."""
        if self.second_names and self.missing:
            raise DamagedSnapshotError(
                f"second names are missing in {self.name}: {_listed(self.shown, self.missing)}"
            )
        if self.listed is not None:
            try:
                extra, count = _extra(self.listed(), entries)
            except PublishingError as refused:
                raise DamagedSnapshotError(str(refused)) from None
            if count:
                raise DamagedSnapshotError(
                    f"{self.name} holds what its manifest does not name: {_listed(extra, count)}"
                )
        return ""


def _extra(paths: Iterator[str], entries: EntriesFactory) -> tuple[list[str], int]:
    """Return the first few paths that no document of the snapshot has, and how many there are."""
    shown: list[str] = []
    count = 0
    with closing(temporary_database("CREATE TABLE names (name TEXT PRIMARY KEY) WITHOUT ROWID")) as table:
        for entry in entries():
            table.executemany("INSERT OR IGNORE INTO names VALUES (?)", ((name,) for name in entry.names))
        for path in paths:
            if (
                not is_snapshot_path(path)
                and not table.execute("SELECT 1 FROM names WHERE name = ?", (path,)).fetchone()
            ):
                count += 1
                shown = [*shown, path][:SHOWN]
    return shown, count


def _listed(shown: list[str], count: int) -> str:
    return ", ".join(shown) + (f" and {count - len(shown):,} more" if count > len(shown) else "")
