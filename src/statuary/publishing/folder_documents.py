"""The documents of a published folder: those in its ledger, or all files if it has none."""

import sqlite3
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
    """Yield the documents of a folder, each with all its names (they differ only in case).

    Raises:
        PublishingError: if a file of the ledger is missing, an entry is neither a file nor a folder, or the
            names of one document have different bytes.
    """
    folder, ledger = FolderReader(root), find_ledger(root)
    schema = "CREATE TABLE names (folded TEXT, path TEXT, PRIMARY KEY (folded, path)) WITHOUT ROWID"
    with closing(temporary_database(schema)) as names:
        paths = read_paths(ledger) if ledger else folder.paths()
        names.executemany("INSERT INTO names VALUES (?,?)", ((fold_case(path), path) for path in paths))
        for first, *others in _grouped(names):
            body = folder.require(first)
            if any(folder.require(other) != body for other in others):
                raise PublishingError(
                    f"{first} and {others[0]} differ only in case, and have different bytes",
                    "on many systems they are one file: rename one of them, and build the site again",
                )
            yield Document(
                path=first,
                body=body,
                media_type=media_type_of(first),
                cache=cache_of(first),
                aliases=tuple(others),
            )


def _grouped(names: sqlite3.Connection) -> Iterator[list[str]]:
    query = (
        "SELECT group_concat(path, char(10)) FROM (SELECT * FROM names ORDER BY folded, path) GROUP BY folded"
    )
    for (group,) in names.execute(query):
        yield sorted(group.splitlines())
