"""Queries by which extensions read the ledger during a build."""

from collections.abc import Iterator

from statuary.publish.ledger.document_table import DocumentTable


def added_files(documents: DocumentTable) -> Iterator[tuple[str, str]]:
    """Yield the path and SHA-256, in hex, of each file that this build adds."""
    for path, digest in documents.connection.execute("SELECT path, digest FROM work.offered"):
        yield path, bytes(digest).hex()


def added_digest(documents: DocumentTable, path: str) -> str:
    """Return the SHA-256 of a file that this build adds.

    Args:
        documents: the files of the last build and of this one.
        path: the path of the file in the site.

    Returns:
        The digest as hex; empty if this build adds no file at the path.
    """
    row = documents.connection.execute("SELECT digest FROM work.offered WHERE path = ?", (path,)).fetchone()
    return "" if row is None else bytes(row[0]).hex()


def published_digest(documents: DocumentTable, path: str) -> str:
    """Return the SHA-256 of a file that the last build published.

    Args:
        documents: the files of the last build and of this one.
        path: the path of the file in the site.

    Returns:
        The digest as hex; empty if the last build published no file at the path.
    """
    # The index ignores case, so a comparison of bytes alone would read the whole table.
    query = "SELECT digest FROM main.documents WHERE path = ? AND path = ? COLLATE BINARY"
    row = documents.connection.execute(query, (path, path)).fetchone()
    return "" if row is None else bytes(row[0]).hex()


def digest_at(documents: DocumentTable, path: str) -> str:
    """Return the SHA-256 of a file in the new site.

    The new site consists of the files that this build adds, and of those that it keeps from the last build.

    Args:
        documents: the files of the last build and of this one.
        path: the path of the file in the site.

    Returns:
        The digest as hex; empty if there is no file at the path.
    """
    for table in ("work.offered", "main.documents"):
        row = documents.connection.execute(f"SELECT digest FROM {table} WHERE path = ?", (path,)).fetchone()
        if row is not None:
            return bytes(row[0]).hex()
    return ""
