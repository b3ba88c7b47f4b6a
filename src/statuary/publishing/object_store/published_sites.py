"""The sources of a publication to a store: first paths and digests, then the needed bodies."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Protocol

from statuary.publishing.errors import PublishingError
from statuary.publishing.folder_reader import FolderReader, find_ledger
from statuary.publishing.ledger.read_ledger import read_entries
from statuary.publishing.object_store.object_headers import ObjectHeaders, headers_of


class OfferedObject(NamedTuple):
    """A path of the site and its body's digest."""

    path: str  # relative to the site's root
    digest: str  # SHA-256 of the body, in hex
    size: int
    headers: ObjectHeaders


class PublishedSite(Protocol):
    """A site to be published."""

    def objects(self) -> Iterator[OfferedObject]:
        """Yield every path, in any order; raise PublishingError if the site is incomplete."""

    def fetch(self, is_needed: Callable[[str], bool]) -> None:
        """Prepare to read the bodies of the needed paths.

        Raises:
            DamagedSnapshotError: if anything in the site is damaged.
        """

    def read(self, path: str) -> bytes:
        """Return a body; raise PublishingError if it is missing."""


class PublishedFolder:
    """The folder of a build; digests come from its ledger."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.reader = FolderReader(root)

    def objects(self) -> Iterator[OfferedObject]:
        """Yield every path; files that the ledger does not know are read."""
        ledger = find_ledger(self.root)
        if ledger is None:
            yield from map(self._read, self.reader.paths())
            return
        for entry in read_entries(ledger):
            if not entry.settled:
                raise PublishingError(
                    f"the last build of {self.root} was interrupted",
                    "run the build again; it resumes that one",
                )
            if entry.digest:
                yield OfferedObject(entry.path, entry.digest.hex(), entry.size, headers_of(entry.path))
            else:
                yield self._read(entry.path)

    def _read(self, path: str) -> OfferedObject:
        body = self.read(path)
        return OfferedObject(path, sha256(body).hexdigest(), len(body), headers_of(path))

    def fetch(self, is_needed: Callable[[str], bool]) -> None:
        """Do nothing: files can be read in any order."""

    def read(self, path: str) -> bytes:
        """Return the body of a file."""
        return self.reader.require(path)
