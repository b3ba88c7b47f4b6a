"""Objects of a site in a store: their headers, their order, and the snapshot that they may come from."""

import tempfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from statuary.documents import url_table
from statuary.documents.document import plain_path
from statuary.documents.url_table import PutStep, match_url
from statuary.domain.settings import CompressedFormat
from statuary.extensions.snapshots.snapshot_reader import SnapshotReader
from statuary.publishing.files import MANIFEST, SIGNATURE, PublishingError, temporary_database
from statuary.publishing.folder.reader import FolderReader, find_ledger
from statuary.publishing.host_layout import cache_of, media_type_of
from statuary.publishing.ledger.ledger import read_entries

ENCODINGS = {CompressedFormat.GZIP: "gzip", CompressedFormat.BROTLI: "br", CompressedFormat.ZSTANDARD: "zstd"}
"""The `Content-Encoding` of a compressed form, by the ending that it is stored under."""

DIGEST_ATTRIBUTE = "statuarysha256"
"""The metadata of an object with the SHA-256 of its body, which also shows that statuary put it; Azure allows letters only."""


class ObjectHeaders(NamedTuple):
    """The headers of an object."""

    media_type: str  # its `Content-Type`
    cache: str = ""  # its `Cache-Control`; empty for none
    encoding: str = ""  # its `Content-Encoding`; empty for none

    @property
    def tag(self) -> str:
        """Eight hex digits that identify the headers."""
        return sha256("\n".join(self).encode()).hexdigest()[:8]

    def attributes(self, digest: str) -> dict[str, str]:
        """Return the headers in the store's form, with the SHA-256 of the body."""
        named = {
            "Content-Type": self.media_type,
            "Cache-Control": self.cache,
            "Content-Encoding": self.encoding,
        }
        return {name: value for name, value in named.items() if value} | {DIGEST_ATTRIBUTE: digest}


def headers_of(path: str, media_type: str = "") -> ObjectHeaders:
    """Return the headers of a path of a site.

    Args:
        media_type: its media type, if the path does not determine it.
    """
    stem, _, ending = path.rpartition(".")
    stem, path = plain_path(stem), plain_path(path)
    if ending in ENCODINGS and match_url(stem):
        return ObjectHeaders(media_type_of(stem), cache_of(stem), ENCODINGS[CompressedFormat(ending)])
    return ObjectHeaders(media_type or media_type_of(path), cache_of(path))


def stored_headers(attributes: dict[str, str]) -> ObjectHeaders:
    """Return the headers that a store reports for an object."""
    names = ("Content-Type", "Cache-Control", "Content-Encoding")
    return ObjectHeaders(*(attributes.get(name, "") for name in names))


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


STEP_OF_URL = {
    PutStep.BODY: (
        url_table.CONTRACT,
        url_table.PROOF,
        url_table.INCIDENT,
        url_table.ARCHIVE,
        url_table.EPOCH_DOCUMENT,
        url_table.EPOCH_PATCH,
        url_table.UPTIME_SCHEMA,
        url_table.SEARCH_SHARD,
        url_table.STYLE,
        url_table.SCRIPT,
        url_table.ICON,
        url_table.THEME_FILE,
        url_table.LOG_TILE,
        url_table.LOG_CONTRACT,
        url_table.LOG_INCIDENT,
    ),
    PutStep.PAGE: (url_table.CONTRACT_PAGE, url_table.INCIDENT_PAGE, url_table.HISTORY_QUARTER_PAGE),
    PutStep.LIST: (url_table.CONTRACT_ALL_CHAINS, url_table.CONTRACTS_PAGE, url_table.CHAIN_PAGES),
}
STEPS_BY_NAME = {url.name: step for step, urls in STEP_OF_URL.items() for url in urls}


def step_of(path: str) -> PutStep:
    """Return the step in which a path is put; a path outside the URL table is a body."""
    if path in (MANIFEST, SIGNATURE):
        return PutStep.MANIFEST
    match = match_url(plain_path(path))
    if match is None:
        return PutStep.BODY
    return STEPS_BY_NAME.get(match[0].name, PutStep.STATUS if match[0].is_timed else PutStep.INDEX)


class PublishedSnapshot:
    """A snapshot, verified completely before the first body is put; needed bodies wait in a file."""

    def __init__(self, snapshot: SnapshotReader) -> None:
        self.snapshot = snapshot
        self.bodies = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self.table = temporary_database(
            "CREATE TABLE bodies (path TEXT PRIMARY KEY, start INTEGER, size INTEGER) WITHOUT ROWID"
        )
        self.end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.bodies.close()
        self.table.close()

    def objects(self) -> Iterator[OfferedObject]:
        """Yield every path of the manifest, and the manifest's own."""
        for member in self.snapshot.own_members():
            self._keep(member.body, (member.path,))
            digest = sha256(member.body).hexdigest()
            yield OfferedObject(member.path, digest, len(member.body), headers_of(member.path))
        for entry in self.snapshot.kept_entries():
            for path in (entry.path, *entry.aliases):
                yield OfferedObject(path, entry.sha256, entry.size, headers_of(path, entry.media_type))

    def fetch(self, is_needed: Callable[[str], bool]) -> None:
        """Read the snapshot to its end, and keep the needed bodies."""
        for entry, member in self.snapshot.listed_documents():
            needed = [path for path in (entry.path, *entry.aliases) if is_needed(path)]
            if needed:
                self._keep(member.body, needed)

    def _keep(self, body: bytes, paths: tuple[str, ...] | list[str]) -> None:
        self.bodies.seek(self.end)
        self.bodies.write(body)
        rows = [(path, self.end, len(body)) for path in paths]
        self.table.executemany("INSERT OR REPLACE INTO bodies VALUES (?,?,?)", rows)
        self.end += len(body)

    def read(self, path: str) -> bytes:
        """Return a kept body."""
        query = "SELECT start, size FROM bodies WHERE path = ?"
        start, size = self.table.execute(query, (path,)).fetchone()
        self.bodies.seek(start)
        return self.bodies.read(size)
