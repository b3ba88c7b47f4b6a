"""Read a folder's documents: regular files inside it only."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from hashlib import sha256
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path

from statuary.base.files import OWN_FOLDER, PublishingError, fold_case, ignores_case, require_safe_path
from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.publish.ledger.read import read_ledger_listing
from statuary.publish.listing import PUBLISHED_HIDDEN_NAMES, DamagedSnapshotError, Entry
from statuary.publish.listing_on_disk import Listing
from statuary.site.document import Document
from statuary.system.files import read_file

LARGEST_DOCUMENT = 256 * 1024 * 1024
"""Bytes of the largest document that is read; the real system's largest known record has a few million."""


REPAIR = "`statuary build --verify` writes the site's own files again"


class FileChange(StrEnum):
    """A change of a published file, as the end of a sentence."""

    CHANGED = "changed after the build"
    REMOVED = "removed after the build"
    ADDED = "not written by the build"


def changed_file_error(change: FileChange, path: str, root: Path) -> DamagedSnapshotError:
    """Return the error about a file that was changed after publishing.

    Args:
        change: the kind of change.
        path: the path of the file in the site.
        root: the folder of the site.
    """
    return DamagedSnapshotError(f"{path} in {root} was {change}", REPAIR)


def require_digest(body: bytes, digest: str, path: str, root: Path) -> None:
    """Check that a file still has the bytes that were published.

    Args:
        digest: the published SHA-256 as hex; empty if unknown, which accepts any bytes.
        path: the path of the file in the site, for the message.
        root: the folder of the site, for the message.

    Raises:
        DamagedSnapshotError: if the digest of the bytes differs.
    """
    if digest and sha256(body).hexdigest() != digest:
        raise changed_file_error(FileChange.CHANGED, path, root)


class FolderReader:
    """Reads the files of a site in a folder; links out of it are not followed."""

    has_manifest = False

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise PublishingError(f"{root} is not a folder")
        self.root = root
        self.name = str(root)
        self.real_root = os.path.realpath(root)
        self._folders: dict[str, str] = {}

    def close(self) -> None:
        """Do nothing, because no resource is open."""

    def read(self, path: str) -> bytes | None:
        """Read a file.

        Returns:
            The bytes of the file, or None if it is missing or is behind a link that leads out of the folder.

        Raises:
            PublishingError: if the file is larger than any document can be.
        """
        file = self._find_file(path)
        if file is None:
            return None
        name, size = file
        if size > LARGEST_DOCUMENT:
            raise PublishingError(
                f"{path} is too large: a document of a site has at most {LARGEST_DOCUMENT:,} bytes"
            )
        return read_file(name)

    def read_existing(self, path: str) -> bytes:
        """Return the bytes of a file that must exist.

        Raises:
            PublishingError: if the file is missing, or is larger than any document can be.
        """
        body = self.read(path)
        if body is None:
            raise PublishingError(f"{path} is missing in {self.root}", REPAIR)
        return body

    def paths(self) -> Iterator[str]:
        """Yield the paths of all files, unsorted.

        On a file system that ignores case, published names that the disk has only in another case are
        yielded, too.
        """
        ledger = find_ledger(self.root)
        if ledger is None or not ignores_case(self.root):
            yield from walk_files(self.root)
            return
        with Listing() as names:
            listed_names = (name for entry in read_ledger_listing(ledger) for name in entry.names)
            for path in chain(walk_files(self.root), listed_names):
                names.add(Entry(path))
            yield from (entry.path for entry in names)

    def _find_file(self, path: str) -> tuple[str, int] | None:
        """Return the path and size of a regular file, unless it is outside the folder."""
        try:
            folder, _, name = require_safe_path(path).rpartition("/")
            file = os.path.join(self._resolve_folder(folder), name)
            if os.path.islink(file):
                file = os.path.realpath(file)
            status = os.lstat(file)
        except (PublishingError, ValueError, OSError):
            return None
        is_inside = file.startswith(self.real_root.rstrip(os.sep) + os.sep)
        return (file, status.st_size) if stat.S_ISREG(status.st_mode) and is_inside else None

    def _resolve_folder(self, folder: str) -> str:
        """Return the real path of a folder; it is cached, as many files share it."""
        if folder not in self._folders:
            if len(self._folders) > CACHED_FOLDERS:
                self._folders.clear()
            self._folders[folder] = os.path.realpath(f"{self.real_root}/{folder}")
        return self._folders[folder]


CACHED_FOLDERS = 4096
"""Folders whose real path is remembered."""


def walk_files(root: Path) -> Iterator[str]:
    """Yield the paths of all files in a folder, unsorted.

    Only one folder is listed at a time. Hidden names (`.git`, `.gitignore`, statuary's own folder) are
    skipped, except `PUBLISHED_HIDDEN_NAMES`.

    Raises:
        PublishingError: at a symbolic link, or anything else that is neither a file nor a folder.
    """
    folders = [""]
    while folders:
        folder = folders.pop()
        with os.scandir(root / folder) as listing:
            for file in listing:
                if file.name.startswith(".") and file.name not in PUBLISHED_HIDDEN_NAMES:
                    continue
                path = f"{folder}{file.name}"
                if file.is_dir(follow_symlinks=False):
                    folders.append(f"{path}/")
                elif file.is_file(follow_symlinks=False):
                    yield path
                else:
                    raise PublishingError(
                        f"{file.path} is neither a file nor a folder, but perhaps a symbolic link",
                        "remove it from the site",
                    )


def walk_everything(root: Path) -> Iterator[str]:
    """Yield the paths of all files in a folder, hidden ones included.

    Symbolic links are yielded, too. The folders `.statuary` and `.git` are skipped. The paths are not sorted.
    """
    for folder, folders, names in os.walk(root):
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        links = [name for name in folders if os.path.islink(f"{folder}/{name}")]
        yield from (name if below == "." else f"{below}/{name}" for name in (*names, *links))
        if below == ".":
            folders[:] = [name for name in folders if name not in (OWN_FOLDER, ".git")]


def find_ledger(root: Path) -> Path | None:
    """Return the ledger of a site, the database of published files.

    Returns:
        The file, or None if the folder has no ledger.
    """
    file = root / OWN_FOLDER / "ledger.sqlite3"
    with suppress(OSError):
        if file.is_file():
            return file
    return None


def folder_documents(root: Path) -> Iterator[Document]:
    """Yield the documents in a site's folder.

    Files whose names differ only in case, and that have the same bytes, are one document with several names.

    Raises:
        DamagedSnapshotError: if a file was changed after it was published.
        PublishingError: if a file of the ledger is missing, an entry is neither a file nor a folder, or the
            names of one document have different bytes.
    """
    folder, ledger = FolderReader(root), find_ledger(root)
    entries = read_ledger_listing(ledger) if ledger else _group_by_case(folder.paths())
    for entry in entries:
        first_name, *other_names = sorted(entry.names)
        body = folder.read_existing(first_name)
        require_digest(body, entry.sha256, first_name, root)
        if any(folder.read_existing(other_name) != body for other_name in other_names):
            raise PublishingError(
                f"{first_name} and {other_names[0]} differ only in case, but have different content",
                "on many systems they are one file: rename one of them, and build the site again",
            )
        yield Document(
            path=first_name,
            body=body,
            media_type=media_type_of(first_name),
            cache=cache_control_of(first_name),
            aliases=tuple(other_names),
        )


def _group_by_case(paths: Iterator[str]) -> Iterator[Entry]:
    with Listing() as names:
        for path in paths:
            names.add(Entry(f"{fold_case(path)}\n{path}"))
        pairs = (entry.path.split("\n", 1) for entry in names)
        for _, group in groupby(pairs, itemgetter(0)):
            path, *aliases = (name for _, name in group)
            yield Entry(path, tuple(aliases))
