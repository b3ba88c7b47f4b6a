"""The documents of a folder for another folder: names that differ in case alone are names of one document again."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from statuary.documents.document import Document
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder_reader import FolderReader, find_ledger
from statuary.publishing.ledger.read_ledger import read_paths
from statuary.publishing.response_headers import cache_of, media_type_of
from statuary.publishing.safe_path import fold_case
from statuary.publishing.temporary_database import temporary_database


def folder_documents(root: Path) -> Iterator[Document]:
    """Yield the documents of a published folder, each with all its names.

    Raises:
        PublishingRefused: if a file that the ledger names is gone, or names of one document hold different bytes.
    """
    ledger = find_ledger(root)
    schema = "CREATE TABLE names (folded TEXT, path TEXT, PRIMARY KEY (folded, path)) WITHOUT ROWID"
    with FolderReader(root) as site, closing(temporary_database(schema)) as names:
        paths = read_paths(ledger) if ledger else site.paths()
        names.executemany("INSERT INTO names VALUES (?,?)", ((fold_case(path), path) for path in paths))
        query = "SELECT group_concat(path, char(10)) FROM (SELECT * FROM names ORDER BY folded, path) GROUP BY folded"
        for (grouped,) in names.execute(query):
            first, *others = sorted(grouped.splitlines())
            body = _body(site, first)
            if any(_body(site, other) != body for other in others):
                raise PublishingError(
                    f"{first} and {others[0]} differ in case alone, and hold different bytes", "build again"
                )
            yield Document(
                path=first,
                body=body,
                media_type=media_type_of(first),
                cache=cache_of(first),
                aliases=tuple(others),
            )


def _body(site: FolderReader, path: str) -> bytes:
    body = site.read(path)
    if body is None:
        raise PublishingError(f"{path} is missing in {site.root}", "build the site again")
    return body
