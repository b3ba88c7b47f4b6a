"""A published folder compared with its ledger: what was changed, removed or added by hand since.

The ledger has the digest of every file that a build, a tick or a publication wrote. A file with its size and time is
taken for the same where speed matters; everything that passes files on compares the bytes that it passes on.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from typing_extensions import override

from statuary.base.files import MANIFEST, SIGNATURE
from statuary.publish.folder.built_site import has_intact_listing, is_built_site
from statuary.publish.folder.reader import (
    FileChange,
    FolderReader,
    changed_file_error,
    find_ledger,
    require_digest,
    walk_everything,
)
from statuary.publish.ledger.damage import DamagedLedgerError
from statuary.publish.ledger.read import LedgerLookup, read_ledger_entry, read_ledger_listing
from statuary.publish.ledger.schema import LedgerEntry
from statuary.publish.listing import PUBLISHED_HIDDEN_NAMES

MAX_NAMED = 3
"""The most files that a sentence names."""


class ChangedFile(NamedTuple):
    """A file that was changed since statuary published it."""

    change: FileChange
    path: str


class LedgerFolder(FolderReader):
    """A site folder that checks each file against the ledger when reading.

    The ledger is the database of published files. Files that it does not list are not part of the site. If
    the ledger is missing or damaged, no file is checked. Several threads may read at the same time.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._lookup = None if _has_damaged_ledger(root) else LedgerLookup.open_ledger(find_ledger(root))

    @override
    def close(self) -> None:
        if self._lookup is not None:
            self._lookup.close()

    @override
    def read(self, path: str) -> bytes | None:
        """Read a file of the site.

        Returns:
            The bytes of the file, or None if the site has no such file.

        Raises:
            DamagedSnapshotError: if the file was changed or removed after it was published.
            PublishingError: if the file is larger than any document can be.
        """
        body, listed = super().read(path), self._ledger_entry(path)
        if self._lookup is None or path == SIGNATURE:
            return body
        if listed is None:
            return None
        if body is None:
            raise changed_file_error(FileChange.REMOVED, path, self.root)
        require_digest(body, listed.digest.hex(), path, self.root)
        return body

    def _ledger_entry(self, path: str) -> LedgerEntry | None:
        try:
            return None if self._lookup is None else self._lookup.find(path)
        except DamagedLedgerError:
            self.close()
            self._lookup = None
            return None

    @override
    def paths(self) -> Iterator[str]:
        """Yield the paths of all published files.

        Without the build's database, all files in the folder are yielded.
        """
        ledger = None if self._lookup is None else find_ledger(self.root)
        if ledger is None:
            yield from super().paths()
            return
        for entry in read_ledger_listing(ledger):
            yield from entry.names


def _has_damaged_ledger(root: Path) -> bool:
    """Return whether the database of published files is damaged or incomplete."""
    ledger = find_ledger(root)
    if ledger is None or not (root / MANIFEST).is_file():
        return False
    if is_built_site(root):
        return not has_intact_listing(root)
    try:  # if the ledger has no row of the manifest, the file was changed by hand
        return read_ledger_entry(ledger, MANIFEST) is None
    except DamagedLedgerError:
        return True


def changed_files(root: Path) -> Iterator[ChangedFile]:
    """Yield the files in a site's folder that were changed after publishing.

    Only files whose size or modification time differs from the ledger, the database of published files, are
    read.

    Args:
        root: the folder of the published site.

    Yields:
        First files that were changed or removed, by path, then added files. Nothing without an intact ledger.

    Raises:
        PublishingError: if a build is using the ledger, or a file cannot be read.
    """
    ledger = find_ledger(root)
    lookup = LedgerLookup.open_ledger(ledger)
    if ledger is None or lookup is None:
        return
    with closing(lookup), suppress(DamagedLedgerError):
        folder = FolderReader(root)
        for entry in read_ledger_listing(ledger):
            for name in entry.names:
                change = _detect_change(name, folder, lookup.find(name))
                if change is not None:
                    yield ChangedFile(change, name)
        for path in walk_everything(root):
            if path != SIGNATURE and _has_no_hidden_name(path) and lookup.find(path) is None:
                yield ChangedFile(FileChange.ADDED, path)


def _detect_change(path: str, folder: FolderReader, ledger_entry: LedgerEntry | None) -> FileChange | None:
    try:
        there = os.lstat(folder.root / path)
    except OSError:
        return FileChange.REMOVED
    if ledger_entry is None or (
        ledger_entry.settled
        and (there.st_size, there.st_mtime_ns) == (ledger_entry.size, ledger_entry.modified)
    ):
        return None
    body = folder.read(path)
    is_same = body is not None and (not ledger_entry.digest or sha256(body).digest() == ledger_entry.digest)
    return None if is_same else FileChange.CHANGED


def _has_no_hidden_name(path: str) -> bool:
    return all(not name.startswith(".") or name in PUBLISHED_HIDDEN_NAMES for name in path.split("/"))


def describe_changed_files(root: Path, changed: Iterable[ChangedFile]) -> dict[FileChange, str]:
    """Describe changed files in one sentence for each kind of change.

    A sentence states the number of files, and names the first ones.

    Args:
        root: the folder of the site, to show in the sentences.
        changed: the files, as `changed_files` yields them.
    """
    counts: Counter[FileChange] = Counter()
    named: dict[FileChange, list[str]] = {}
    for change, path in changed:
        counts[change] += 1
        if counts[change] <= MAX_NAMED:
            named.setdefault(change, []).append(path)
    sentences = {}
    for change, count in counts.items():
        what = f"1 file of {root} was" if count == 1 else f"{count:,} files of {root} were"
        more = f" and {count - MAX_NAMED:,} more" if count > MAX_NAMED else ""
        sentences[change] = f"{what} {change}: {', '.join(named[change])}{more}"
    return sentences
