"""Sort documents by path: they arrive in any order.

Compressed bodies wait in a file beside the snapshot, their entries in a table on disk, so memory does not
grow with their number.
"""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Self

from statuary.publishing.errors import PublishingError
from statuary.publishing.safe_path import fold_case
from statuary.publishing.temporary_database import temporary_database
from statuary.snapshots.manifest_parts import ManifestEntry
from statuary.snapshots.members import CompressedMember
from statuary.snapshots.zip_format import ZipHeader

SCHEMA = """
CREATE TABLE bodies (
    folded TEXT PRIMARY KEY,   -- the path without its case
    path TEXT,
    aliases TEXT,              -- a line each
    size INTEGER, sha256 TEXT, media_type TEXT,
    method INTEGER, crc INTEGER, packed_size INTEGER,
    offset INTEGER             -- in the file
) WITHOUT ROWID
"""


class Spool:
    """Compressed documents that wait until all have arrived."""

    def __init__(self, folder: Path) -> None:
        self.file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by __exit__
        self.connection = temporary_database(SCHEMA)
        self.end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self.file.close()

    def add(self, packed: CompressedMember) -> None:
        """Add a document; raise PublishingError if another name is the same, or differs only in case."""
        header, folded = packed.header, fold_case(packed.header.path)
        known = (header.path, "\n".join(packed.aliases), header.size, packed.sha256, packed.media_type)
        row = (folded, *known, header.method, header.crc, header.packed_size, self.end)
        if not self.connection.execute(
            "INSERT OR IGNORE INTO bodies VALUES (?,?,?,?,?,?,?,?,?,?)", row
        ).rowcount:
            raise self._clash(header.path, folded)
        self.file.write(packed.data)
        self.end += header.packed_size

    def remove(self, paths: Iterable[str]) -> None:
        """Forget documents; their bodies stay in the file."""
        query = "DELETE FROM bodies WHERE folded = ?"
        self.connection.executemany(query, ((fold_case(path),) for path in paths))

    def _clash(self, path: str, folded: str) -> PublishingError:
        query = "SELECT path FROM bodies WHERE folded = ?"
        with closing(self.connection.execute(query, (folded,))) as found:
            (other,) = found.fetchone()
        if other == path:
            return PublishingError(f"two documents claim the same path, {path}")
        return names_differ_only_in_case(other, path)

    def entries(self) -> Iterator[ManifestEntry]:
        """Yield the entries by path."""
        query = "SELECT path, aliases, size, sha256, media_type FROM bodies ORDER BY path"
        for path, aliases, size, digest, media_type in self.connection.execute(query):
            yield ManifestEntry(path, tuple(aliases.splitlines()), size, digest, media_type)

    def documents(self) -> Iterator[CompressedMember]:
        """Yield the documents by path."""
        query = "SELECT path, method, crc, packed_size, size, offset FROM bodies ORDER BY path"
        for *header, offset in self.connection.execute(query):
            self.file.seek(offset)
            yield CompressedMember(ZipHeader(*header), self.file.read(header[3]))


def names_differ_only_in_case(one: str, other: str) -> PublishingError:
    """Return the error for two documents that many file systems cannot hold side by side."""
    return PublishingError(
        f"{one} and {other} differ only in case: on many systems they are one file", "rename one of them"
    )
