"""A snapshot to be published as objects of a store."""

import tempfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Self

from statuary.publishing.object_store.object_headers import headers_of
from statuary.publishing.object_store.published_sites import OfferedObject
from statuary.publishing.temporary_database import temporary_database
from statuary.snapshots.snapshot_reader import SnapshotReader


class PublishedSnapshot:
    """A snapshot, verified completely before the first body is put; needed bodies wait in a file."""

    def __init__(self, snapshot: SnapshotReader) -> None:
        self.snapshot = snapshot
        self.bodies = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self.table = temporary_database(
            "CREATE TABLE bodies (path TEXT PRIMARY KEY, start INTEGER, size INTEGER) WITHOUT ROWID"
        )
        self.end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.bodies.close()
        self.table.close()

    def objects(self) -> Iterator[OfferedObject]:
        """Yield every path of the manifest, and the manifest's own."""
        for member in self.snapshot.own_members():
            self._keep(member.body, (member.path,))
            digest = sha256(member.body).hexdigest()
            yield OfferedObject(member.path, digest, len(member.body), headers_of(member.path))
        for entry in self.snapshot.kept_entries():
            for path in (entry.path, *entry.aliases):
                yield OfferedObject(path, entry.sha256, entry.size, headers_of(path, entry.media_type))

    def fetch(self, is_needed: Callable[[str], bool]) -> None:
        """Read the snapshot to its end, and keep the needed bodies."""
        for entry, member in self.snapshot.listed_documents():
            needed = [path for path in (entry.path, *entry.aliases) if is_needed(path)]
            if needed:
                self._keep(member.body, needed)

    def _keep(self, body: bytes, paths: tuple[str, ...] | list[str]) -> None:
        self.bodies.seek(self.end)
        self.bodies.write(body)
        rows = [(path, self.end, len(body)) for path in paths]
        self.table.executemany("INSERT OR REPLACE INTO bodies VALUES (?,?,?)", rows)
        self.end += len(body)

    def read(self, path: str) -> bytes:
        """Return a kept body."""
        query = "SELECT start, size FROM bodies WHERE path = ?"
        start, size = self.table.execute(query, (path,)).fetchone()
        self.bodies.seek(start)
        return self.bodies.read(size)
