"""Sources of a snapshot's members, in order: a zip read sequentially, or a site read by path."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Protocol

from statuary.publishing.errors import PublishingError
from statuary.publishing.snapshot_paths import MANIFEST, is_snapshot_path
from statuary.publishing.temporary_database import temporary_database
from statuary.snapshots.document_names import document_path
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.manifest_parts import ManifestEntry, ReadPath
from statuary.snapshots.members import SnapshotMember
from statuary.snapshots.zip_file import ZipStreamReader

SHOWN = 5
"""The most names in a message; the others are counted."""

Entries = Callable[[], Iterator[ManifestEntry]]
"""Yields the entries of a manifest from the first on, each time it is called."""


class MemberSource(Protocol):
    """A source of the members of a snapshot."""

    goes_on: bool  # whether members after a damaged one can be read

    @property
    def lacks_aliases(self) -> bool:
        """Whether it is a folder that a snapshot was unpacked into by another program."""

    def take(self, path: str, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Return the next member, which must be this one; raise DamagedSnapshotError if it is damaged."""

    def take_if_there(self, path: str) -> SnapshotMember | None:
        """Return the next member if it is this one."""

    def finish(self, entries: Entries) -> None:
        """Raise DamagedSnapshotError if there is anything besides the `entries` that have been read."""


class ZipMembers:
    """The members of a zip."""

    goes_on = False
    lacks_aliases = False

    def __init__(self, reader: ZipStreamReader, name: str) -> None:
        self.reader = reader
        self.name = name

    def take(self, path: str, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Return the next member, which must be this one."""
        found = self.reader.next_path()
        if found != path:
            raise self._unexpected(found, path)
        return self.reader.member(aliases)

    def take_if_there(self, path: str) -> SnapshotMember | None:
        """Return the next member if it is this one."""
        return self.reader.member() if self.reader.next_path() == path else None

    def finish(self, entries: Entries) -> None:  # noqa: ARG002 - the order of the members shows it
        """Read the zip to its end, where nothing else may be."""
        found = self.reader.next_path()
        if found is not None:
            raise self._unexpected(found, None)
        self.reader.finish()

    def _unexpected(self, found: str | None, wanted: str | None) -> DamagedSnapshotError:
        if found is not None and not is_snapshot_path(found):
            document_path(found)  # an invalid document name is the better message
        if wanted == MANIFEST:
            return DamagedSnapshotError(f"{self.name} is not a snapshot: its first member is not {MANIFEST}")
        if found is None:
            return DamagedSnapshotError(f"{wanted} is missing in {self.name}")
        where = f"in place of {wanted}" if wanted else "after its last member"
        return DamagedSnapshotError(f"{self.name} has an extra member {found} {where}")


class SiteMembers:
    """The members of a snapshot that was published into a folder or at a URL."""

    goes_on = True

    def __init__(self, read: ReadPath, name: str, list_paths: Callable[[], Iterator[str]] | None) -> None:
        """Use a site.

        Args:
            list_paths: yields every path; None if the site cannot be listed.
        """
        self._read = read
        self.name = name
        self._list_paths = list_paths
        self._aliases = 0
        self._missing = 0
        self._shown: list[str] = []

    @property
    def lacks_aliases(self) -> bool:
        """Whether aliases are missing."""
        return self._missing > 0

    def take(self, path: str, aliases: tuple[str, ...] = ()) -> SnapshotMember:
        """Return a member; existing aliases must have the same bytes."""
        body = self._read(path)
        if body is None:
            hint = "publish a snapshot into it, or verify it with --against" if path == MANIFEST else ""
            raise DamagedSnapshotError(f"{path} is missing in {self.name}", hint)
        for alias in aliases:
            self._compare_alias(alias, body)
        return SnapshotMember(path=path, body=body, aliases=aliases)

    def _compare_alias(self, alias: str, body: bytes) -> None:
        found = self._read(alias)
        if found is None:
            self._missing += 1
            self._shown = [*self._shown, alias][:SHOWN]
            return
        self._aliases += 1
        if found != body:
            raise DamagedSnapshotError(
                f"{alias} is damaged: it differs from the document that it is an alias of"
            )

    def take_if_there(self, path: str) -> SnapshotMember | None:
        """Return a member, or None."""
        body = self._read(path)
        return None if body is None else SnapshotMember(path=path, body=body)

    def finish(self, entries: Entries) -> None:
        """Make sure that all aliases exist, or none (unpacked by another program), and nothing else."""
        if self._aliases and self._missing:
            missing = _some_of(self._shown, self._missing)
            raise DamagedSnapshotError(f"aliases are missing in {self.name}: {missing}")
        try:
            extra, count = _extra(self._list_paths() if self._list_paths else iter(()), entries)
        except PublishingError as error:
            raise DamagedSnapshotError(str(error), error.hint) from None
        if count:
            raise DamagedSnapshotError(
                f"{self.name} has files that its manifest does not list: {_some_of(extra, count)}"
            )


def _extra(paths: Iterator[str], entries: Entries) -> tuple[list[str], int]:
    """Return the first few paths that no document of the snapshot has, and their number."""
    shown: list[str] = []
    count = 0
    with closing(temporary_database("CREATE TABLE names (name TEXT PRIMARY KEY) WITHOUT ROWID")) as table:
        for entry in entries():
            table.executemany("INSERT OR IGNORE INTO names VALUES (?)", ((name,) for name in entry.names))
        query = "SELECT 1 FROM names WHERE name = ?"
        for path in paths:
            if not is_snapshot_path(path) and not table.execute(query, (path,)).fetchone():
                count += 1
                shown = [*shown, path][:SHOWN]
    return shown, count


def _some_of(shown: list[str], count: int) -> str:
    return ", ".join(shown) + (f" and {count - len(shown):,} more" if count > len(shown) else "")
