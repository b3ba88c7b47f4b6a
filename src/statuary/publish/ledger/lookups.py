"""Queries by which extensions read the ledger during a build."""

from collections.abc import Iterator
from typing import NamedTuple

from statuary.publish.ledger.document_table import DocumentTable
from statuary.publish.ledger.schema import SUPERSEDED
from statuary.publish.ledger.source_table import PAGE, SourceTable


class ContractFiles(NamedTuple):
    """A contract of the site after this run."""

    location: str  # where it is written
    match_id: str
    paths: tuple[str, ...]  # of the documents of its source
    is_contradicted: bool


def contract_at(sources: SourceTable, chain_id: str, address: str) -> ContractFiles | None:
    """Return the contract that the new site has at an address.

    If several records have the address, the published record is returned.

    Returns:
        The location, match id and paths of the contract, or None if there is no contract.
    """
    query = (
        "SELECT location, substr(match_order, 3), documents, verdict FROM next_sources WHERE address = ? AND chain_id = ?"
        " ORDER BY published DESC, location"
    )
    row = sources.connection.execute(query, (address, chain_id)).fetchone()
    if row is None:
        return None
    location, match_id, documents, verdict = row
    return ContractFiles(location, match_id or "", tuple(documents.split("\n")), verdict == "contradicted")


def changed_contracts(sources: SourceTable, *, every: bool) -> Iterator[tuple[str, str]]:
    """Yield contracts that may have changed, sorted by address.

    Args:
        sources: the rows of this build and of the last one.
        every: yield all contracts, not only those that may have changed.

    Yields:
        The chain id and the address.
    """
    rows = (
        "SELECT chain_id, address FROM next_sources"
        if every
        else "SELECT chain_id, address FROM work.built UNION SELECT chain_id, address FROM main.sources"
        f" WHERE location IN ({SUPERSEDED})"
    )
    query = (
        f"SELECT DISTINCT address, chain_id FROM ({rows}) WHERE (address, chain_id) > (?, ?)"
        f" ORDER BY 1, 2 LIMIT {PAGE}"
    )
    last_key = ("", "")
    while page := sources.connection.execute(query, last_key).fetchall():
        yield from ((chain_id, address) for address, chain_id in page)
        last_key = page[-1]


def added_files(documents: DocumentTable) -> Iterator[tuple[str, str]]:
    """Yield path and SHA-256, in hex, of each added file."""
    for path, digest in documents.connection.execute("SELECT path, digest FROM work.offered"):
        yield path, bytes(digest).hex()


def added_digest(documents: DocumentTable, path: str) -> str:
    """Return the hex SHA-256 of the file that this build adds.

    Returns:
        The digest; empty if this build adds no file at the path.
    """
    row = documents.connection.execute("SELECT digest FROM work.offered WHERE path = ?", (path,)).fetchone()
    return "" if row is None else bytes(row[0]).hex()


def published_digest(documents: DocumentTable, path: str) -> str:
    """Return the hex SHA-256 of the file that the last build published.

    Returns:
        The digest; empty if the last build published no file at the path.
    """
    query = "SELECT digest FROM main.documents WHERE path = ? COLLATE BINARY"
    row = documents.connection.execute(query, (path,)).fetchone()
    return "" if row is None else bytes(row[0]).hex()


def digest_at(documents: DocumentTable, path: str) -> str:
    """Return the hex SHA-256 of a file of the new site.

    Returns:
        The digest of the added file, else of the last build's file; empty if neither exists.
    """
    for table in ("work.offered", "main.documents"):
        row = documents.connection.execute(f"SELECT digest FROM {table} WHERE path = ?", (path,)).fetchone()
        if row is not None:
            return bytes(row[0]).hex()
    return ""
