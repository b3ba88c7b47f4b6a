"""A listing on disk, sorted by path, for sites larger than memory."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

from statuary.publish.listing import EncodedPart, Entry, Part, encode_part, split_into_parts
from statuary.system.databases import open_temporary_database

EVERY_ENTRY = "SELECT * FROM entries"


class ListingSize(NamedTuple):
    """The number of documents and bytes that a manifest lists."""

    documents: int
    size: int  # bytes of their bodies


class Listing:
    """A list of documents, sorted by path, in a temporary database."""

    def __init__(self) -> None:
        self.database = open_temporary_database(
            "CREATE TABLE entries (path TEXT PRIMARY KEY, aliases TEXT, size INTEGER, sha256 TEXT,"
            " media_type TEXT, cache TEXT, encoding TEXT, start INTEGER, length INTEGER) WITHOUT ROWID"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete the temporary database, and with it this list of documents."""
        self.database.close()

    def add(self, entry: Entry, start: int = 0, length: int = 0) -> bool:
        """Add a document to the list, unless its path is already taken.

        A large site's bodies are in a temporary file, the `Spool`.

        Args:
            entry: the path, size and digest of the document.
            start: the offset of its body in the `Spool`, if it is there.
            length: the number of bytes of its body there.

        Returns:
            Whether the entry was added.
        """
        path, aliases, *other_columns = entry
        row = (path, "\n".join(aliases), *other_columns, start, length)
        added = self.database.execute("INSERT OR IGNORE INTO entries VALUES (?,?,?,?,?,?,?,?,?)", row)
        return added.rowcount == 1

    def remove(self, paths: Iterable[str]) -> None:
        """Remove the documents at these paths from the list."""
        self.database.executemany("DELETE FROM entries WHERE path = ?", ((path,) for path in paths))

    def __iter__(self) -> Iterator[Entry]:
        return (entry for entry, *_ in self.rows("ORDER BY path"))

    def find(self, path: str) -> Entry | None:
        """Return the document at a path.

        Returns:
            The document, or None if the list has no such path.
        """
        return next((entry for entry, *_ in self.rows("WHERE path = ?", path)), None)

    def rows(self, query_end: str, *values: object) -> Iterator[tuple[Entry, int, int]]:
        """Yield the documents in the list that an SQL condition selects.

        Args:
            query_end: the end of an SQL query, such as `WHERE path = ?`.
            values: the values of its placeholders.

        Yields:
            The entry, and the offset and length of its body in the `Spool`, the temporary file of bodies;
            zeros if the body is not there.
        """
        rows = self.database.execute(f"{EVERY_ENTRY} {query_end}", values)
        for path, aliases, size, digest, media_type, cache, encoding, start, length in rows:
            names = tuple(aliases.split("\n")) if aliases else ()
            yield Entry(path, names, size, digest, media_type, cache, encoding), start, length

    def parts(self) -> Iterator[EncodedPart]:
        """Yield the parts of a manifest of the documents in this list."""
        return map(encode_part, split_into_parts(self))

    def part(self, part: Part) -> list[Entry]:
        """Return the documents that belong to a part of the manifest.

        Args:
            part: the first path of the part, and the number of its documents.
        """
        rows = self.rows("WHERE path >= ? ORDER BY path LIMIT ?", part.first, part.documents)
        return [entry for entry, *_ in rows]

    def size(self) -> ListingSize:
        """Return the number of documents, and their size in bytes."""
        query = "SELECT COUNT(*), COALESCE(SUM(size), 0) FROM entries"
        return ListingSize(*self.database.execute(query).fetchone())
