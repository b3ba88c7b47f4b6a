"""Read a site in a folder: documents by path, or all of them; regular files inside it only."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path

from statuary.documents.document import Document
from statuary.publishing.files import (
    OWN_FOLDER,
    PublishingError,
    checked_path,
    fold_case,
    ignores_case,
    temporary_database,
)
from statuary.publishing.host_layout import cache_of, media_type_of
from statuary.publishing.ledger.ledger import read_paths

LARGEST_DOCUMENT = 256 * 1024 * 1024
"""Bytes of the largest document that is read; the largest record known of the real system has a few million."""

PUBLISHED_HIDDEN_NAMES = frozenset({".assetsignore", ".nojekyll", ".well-known"})
"""Names with a leading dot that may be part of a site."""


class FolderReader:
    """A folder that holds a site."""

    has_manifest = False

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise PublishingError(f"{root} is not a folder")
        self.root = root
        self.name = str(root)
        self.real_root = os.path.realpath(root)
        self._folders: dict[str, str] = {}

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file; None if there is none, or a link leads out of the folder.

        Raises:
            PublishingError: if it is larger than any document.
        """
        found = self._file(path)
        if found is None:
            return None
        file, size = found
        if size > LARGEST_DOCUMENT:
            raise PublishingError(f"{path} has more than {LARGEST_DOCUMENT:,} bytes")
        with open(file, "rb") as opened:
            return opened.read()

    def require(self, path: str) -> bytes:
        """Return the bytes of a published file; raise PublishingError if it is missing."""
        body = self.read(path)
        if body is None:
            raise PublishingError(f"{path} is missing in {self.root}", "build the site again")
        return body

    def paths(self) -> Iterator[str]:
        """Yield every file's path, in no order (see `walk_files`), and the names that the file system cannot hold."""
        ledger = find_ledger(self.root)
        if ledger is None or not ignores_case(self.root):
            yield from walk_files(self.root)
            return
        with closing(temporary_database("CREATE TABLE names (path TEXT PRIMARY KEY) WITHOUT ROWID")) as names:
            paths = chain(walk_files(self.root), read_paths(ledger))
            names.executemany("INSERT OR IGNORE INTO names VALUES (?)", ((path,) for path in paths))
            yield from (path for (path,) in names.execute("SELECT path FROM names"))

    def _file(self, path: str) -> tuple[str, int] | None:
        """Return a regular file inside the folder, and its size; None if there is none."""
        try:
            folder, _, name = checked_path(path).rpartition("/")
            file = os.path.join(self._real_folder(folder), name)
            if os.path.islink(file):
                file = os.path.realpath(file)
            found = os.lstat(file)
        except (PublishingError, ValueError, OSError):
            return None
        return (file, found.st_size) if stat.S_ISREG(found.st_mode) and self._is_inside(file) else None

    def _real_folder(self, folder: str) -> str:
        """Return the real path of a folder, cached: many files share one."""
        if folder not in self._folders:
            if len(self._folders) > CACHED_FOLDERS:
                self._folders.clear()
            self._folders[folder] = os.path.realpath(f"{self.real_root}/{folder}")
        return self._folders[folder]

    def _is_inside(self, file: str) -> bool:
        return file.startswith(self.real_root.rstrip(os.sep) + os.sep)


CACHED_FOLDERS = 4096
"""Folders whose real path is remembered."""


def walk_files(root: Path) -> Iterator[str]:
    """Yield the path of every file below a folder, in no order, one folder's listing open at a time.

    Hidden names (`.git`, `.gitignore`, statuary's own folder) are skipped, except `PUBLISHED_HIDDEN_NAMES`.

    Raises:
        PublishingError: at a symbolic link, or anything else that is neither a file nor a folder.
    """
    folders = [""]
    while folders:
        folder = folders.pop()
        with os.scandir(root / folder) as listing:
            for found in listing:
                if found.name.startswith(".") and found.name not in PUBLISHED_HIDDEN_NAMES:
                    continue
                path = f"{folder}{found.name}"
                if found.is_dir(follow_symlinks=False):
                    folders.append(f"{path}/")
                elif found.is_file(follow_symlinks=False):
                    yield path
                else:
                    raise PublishingError(
                        f"{found.path} is neither a file nor a folder (a symbolic link?)",
                        "remove it from the site",
                    )


def find_ledger(root: Path) -> Path | None:
    """Return the ledger of a folder that statuary publishes into; None if there is none."""
    file = root / OWN_FOLDER / "ledger.sqlite3"
    with suppress(OSError):
        if file.is_file():
            return file
    return None


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
