"""Documents on their way into a snapshot: they come in any order, and leave in the order of their paths.

Packed bodies lie in a file beside the snapshot to be, what is known of them in a table on disk: memory does not
grow with their number.
"""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from statuary.publishing.errors import PublishingError
from statuary.publishing.safe_path import fold_case
from statuary.publishing.temporary_database import temporary_database
from statuary.snapshots.manifest import ManifestEntry
from statuary.snapshots.members import CompressedMember
from statuary.snapshots.zip_format import ZipHeader

SCHEMA = """
CREATE TABLE bodies (
    folded TEXT PRIMARY KEY,   -- the names without their case
    path TEXT, also TEXT,      -- the name that comes first; the others, a line each
    size INTEGER, sha256 TEXT, media_type TEXT,
    method INTEGER, crc INTEGER, packed_size INTEGER,
    place INTEGER              -- offset in the file
) WITHOUT ROWID
"""

COLUMNS = "path, also, size, sha256, media_type, method, crc, packed_size, place"


SpoolRow = tuple[Any, ...]


class Spool:
    """Packed documents, put aside until all are there."""

    def __init__(self, folder: Path) -> None:
        """Begin, with room for the bodies in a folder."""
        self.file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by __exit__
        self.connection = temporary_database(SCHEMA)
        self.end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self.file.close()

    def add(self, packed: CompressedMember) -> None:
        """Take a document; one whose name differs from an earlier one's in case alone is its second name.

        Raises:
            PublishingRefused: if such an earlier document has other bytes, or the same name.
        """
        header = packed.header
        known = (header.path, "\n".join(packed.aliases), header.size, packed.sha256, packed.media_type)
        where = (header.method, header.crc, header.packed_size, self.end)
        row = (fold_case(header.path), *known, *where)
        if self.connection.execute("INSERT OR IGNORE INTO bodies VALUES (?,?,?,?,?,?,?,?,?,?)", row).rowcount:
            self.file.write(packed.data)
            self.end += header.packed_size
        else:
            self._join(self._row(row[0]), header.path, packed.aliases, packed.sha256)

    def add_duplicate(self, path: str, aliases: tuple[str, ...], body: bytes) -> bool:
        """Take a document that is a second name of one that is here, and say whether it was.

        Raises:
            PublishingRefused: as `add` does.
        """
        duplicate = self._row(fold_case(path))
        if duplicate is not None:
            self._join(duplicate, path, aliases, sha256(body).hexdigest())
        return duplicate is not None

    def _join(self, duplicate: SpoolRow | None, path: str, aliases: tuple[str, ...], digest: str) -> None:
        first, others, _, first_digest, *_ = duplicate or ("", "", 0, "")
        earlier, later = {first, *others.splitlines()}, {path, *aliases}
        if earlier & later:
            raise PublishingError(f"two documents claim the same path, {path}")
        if digest != first_digest:
            raise PublishingError(
                f"{first} and {path} differ in case alone, and hold different bytes",
                "on many systems they would be one file: give one of them another name",
            )
        first, *names = sorted(earlier | later)
        self.connection.execute(
            "UPDATE bodies SET path = ?, also = ? WHERE folded = ?",
            (first, "\n".join(names), fold_case(first)),
        )

    def _row(self, name: str) -> SpoolRow | None:
        query = f"SELECT {COLUMNS} FROM bodies WHERE folded = ?"  # noqa: S608 - our own columns
        with closing(self.connection.execute(query, (name,))) as found:
            row: SpoolRow | None = found.fetchone()
        return row

    def _rows(self) -> Iterator[SpoolRow]:
        # not `yield from`: that would close the cursor of a database that may be closed by then
        for row in self.connection.execute(f"SELECT {COLUMNS} FROM bodies ORDER BY path"):  # noqa: S608, UP028
            yield row

    def entries(self) -> Iterator[ManifestEntry]:
        """Yield what is known of the documents, in the order of their paths."""
        for path, aliases, size, digest, media_type, *_ in self._rows():
            yield ManifestEntry(
                path=path,
                aliases=tuple(aliases.splitlines()),
                size=size,
                sha256=digest,
                media_type=media_type,
            )

    def documents(self) -> Iterator[CompressedMember]:
        """Yield the documents, in the order of their paths."""
        for path, aliases, size, digest, media_type, method, crc, packed_size, place in self._rows():
            self.file.seek(place)
            header = ZipHeader(path=path, method=method, crc=crc, packed_size=packed_size, size=size)
            yield CompressedMember(
                header=header,
                data=self.file.read(packed_size),
                sha256=digest,
                aliases=tuple(aliases.splitlines()),
                media_type=media_type,
            )
