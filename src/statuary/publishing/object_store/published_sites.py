"""What is to be published into a store: a site's paths with their digests first, and the bodies that are needed."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Protocol

from statuary.publishing.errors import PublishingError
from statuary.publishing.folder_reader import FolderReader, find_ledger
from statuary.publishing.ledger.read_ledger import read_entries
from statuary.publishing.object_store.object_headers import ObjectHeaders, headers_of


class OfferedObject(NamedTuple):
    """A path of the site.

    Attributes:
        path: relative to the site's root.
        digest: SHA-256 of the body, in hex.
        size: bytes.
        headers: what it is to be served with.
    """

    path: str
    digest: str
    size: int
    headers: ObjectHeaders


class PublishedSite(Protocol):
    """A site to be published."""

    def offered(self) -> Iterator[OfferedObject]:
        """Yield every path, in any order.

        Raises:
            PublishingRefused: if the site is not whole.
        """

    def fetch(self, is_needed: Callable[[str], bool]) -> None:
        """Make ready to read the bodies of those paths that are needed.

        Raises:
            SnapshotDamaged: if anything of the site is damaged.
        """

    def read(self, path: str) -> bytes:
        """Return a body.

        Raises:
            PublishingRefused: if it is not what was offered.
        """


class PublishedFolder:
    """A folder that a build published into: its ledger tells what it holds."""

    def __init__(self, root: Path) -> None:
        """Take a folder.

        Raises:
            PublishingRefused: if there is none.
        """
        self.root = root
        self.site = FolderReader(root)

    def offered(self) -> Iterator[OfferedObject]:
        """Yield every path; what the ledger does not tell is read."""
        ledger = find_ledger(self.root)
        if ledger is None:
            yield from map(self._read, self.site.paths())
            return
        for entry in read_entries(ledger):
            if not entry.settled:
                raise PublishingError(f"the last build of {self.root} was killed", "build again")
            if entry.digest:
                yield OfferedObject(entry.path, entry.digest.hex(), entry.size, headers_of(entry.path))
            else:
                yield self._read(entry.path)

    def _read(self, path: str) -> OfferedObject:
        body = self.read(path)
        return OfferedObject(path, sha256(body).hexdigest(), len(body), headers_of(path))

    def fetch(self, is_needed: Callable[[str], bool]) -> None:
        """Nothing has to be made ready: files can be read in any order."""

    def read(self, path: str) -> bytes:
        """Return a file's body."""
        return self.site.require(path)
