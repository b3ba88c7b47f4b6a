"""Read a served site, and check it against its manifest.

The server may be hostile: each response has a limit, and no byte that differs from the manifest is returned.
"""

from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from statuary.base.files import MANIFEST, SIGNATURE, PublishingError
from statuary.extensions.snapshots.manifest_signature import verify_manifest_signature
from statuary.extensions.snapshots.schedule import SiteSchedule
from statuary.extensions.snapshots.site_reader import DocumentFallbacks, UrlSource, list_missing_file_statuses
from statuary.publish.folder.reader import LARGEST_DOCUMENT
from statuary.publish.listing import DamagedSnapshotError, Entry, Part, parse_part
from statuary.publish.manifest import Manifest, parse_manifest
from statuary.system.network.client import (
    RefusedError,
    Retries,
    display_location,
    get,
    is_archive_url,
    is_url,
    send,
    url_below,
)

if TYPE_CHECKING:
    from minisign import PublicKey

LARGEST_MANIFEST = 64 << 20
"""Bytes of the largest manifest: that of 40 million files has 12 MB."""

LARGEST_PART = 16 << 20
"""Bytes of the largest part of a manifest; a usual one has 0.1 MB."""

LARGEST_SCHEDULED = 32 << 20
"""Bytes of the index of epochs, or of a document of an epoch, that are read."""

LARGEST_SIGNATURE = 4096

RETRIES = Retries(tries=3)


class SiteState(NamedTuple):
    """The manifest of a site (the list of its files), with its signature."""

    text: bytes  # the manifest as served
    manifest: Manifest
    signature: bytes | None


class FetchCounts(NamedTuple):
    """The numbers of requests to a server, and of bytes from it."""

    requests: int = 0
    size: int = 0  # bytes of the bodies that the server sent


class ServedSite:
    """Fetches and verifies the files of a site at a URL; thread-safe."""

    def __init__(self, url: str) -> None:
        """Check the URL of a site without sending a request.

        Raises:
            PublishingError: if the URL cannot be that of a site.
        """
        if not is_url(url):
            raise PublishingError(f"{url} is not a URL", "give a URL that begins with https:// or http://")
        if is_archive_url(url):
            raise PublishingError(
                f"{display_location(url)} is a snapshot in a file",
                "unpack the snapshot with `statuary publish URL --to FOLDER`",
            )
        self.url = url
        self.counts = FetchCounts()
        self._document_fallbacks = DocumentFallbacks(UrlSource(url))
        self._lock, self._schedule_lock = Lock(), Lock()
        self._clear_schedule_cache()

    def _clear_schedule_cache(self) -> None:
        self._schedule = SiteSchedule(lambda path: self.read(path, LARGEST_SCHEDULED))

    def read(self, path: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Fetch a file of the site without verifying it.

        Args:
            path: the path below the site's URL.
            limit: the largest allowed size of the response in bytes.

        Returns:
            The bytes, or None if the path does not exist.

        Raises:
            RefusedError: if the response is too large, or the server refuses the request.
            UnreachableError: if the server does not respond.
        """
        url = url_below(self.url, path)
        absent_statuses = list_missing_file_statuses(path)
        body = get(url, limit, retries=RETRIES, not_found_statuses=absent_statuses)
        with self._lock:
            self.counts = FetchCounts(self.counts.requests + 1, self.counts.size + len(body or b""))
        return body

    def fetch_manifest(self, key: "PublicKey | None") -> SiteState:
        """Fetch the manifest (list of all files) and its signature.

        Args:
            key: the public key that must have signed the manifest; None to accept any manifest.

        Raises:
            DamagedSnapshotError: if the manifest is missing or damaged, or not signed with the key.
            UnreachableError: if the server does not respond.
        """
        self._clear_schedule_cache()
        self._document_fallbacks.clear_cache()
        text = self.read(MANIFEST, LARGEST_MANIFEST)
        if text is None:
            raise DamagedSnapshotError(
                f"{self.url} has no {MANIFEST}",
                "check the URL; a site has this file if statuary 0.2.0 or later built it",
            )
        signature = self.read(SIGNATURE, LARGEST_SIGNATURE)
        if key is not None:
            verify_manifest_signature(self.url, text, signature, key)
        manifest = parse_manifest(text)
        if sum(part.documents for part in manifest.parts) != manifest.documents:
            raise DamagedSnapshotError(f"{MANIFEST} is damaged: it counts more or fewer files than it lists")
        return SiteState(text, manifest, signature if _looks_like_signature(signature) else None)

    def fetch_part(self, part: Part) -> bytes:
        """Fetch a part of the site's file list, and verify its SHA-256.

        Raises:
            DamagedSnapshotError: if the part differs from what the site's manifest says.
            UnreachableError: if the server does not respond.
        """
        if part.size > LARGEST_PART:
            raise DamagedSnapshotError(
                f"{part.path} has {part.size:,} bytes according to the manifest, more than such a file can have"
            )
        body = self.read(part.path, part.size)
        parse_part(body, part)
        return body or b""

    def fetch_verified(self, entry: Entry) -> bytes:
        """Fetch a file of the site, and verify its size and SHA-256.

        Some documents change at scheduled times. If the server already sends a later version, the listed
        version is computed from the site's schedule.

        Args:
            entry: the path, size and SHA-256 of the file in the site's manifest.

        Raises:
            DamagedSnapshotError: if the file differs from what the manifest says.
            UnreachableError: if the server does not respond.
        """
        if entry.size > LARGEST_DOCUMENT:
            raise DamagedSnapshotError(
                f"{entry.path} has {entry.size:,} bytes according to the manifest, more than a file of a site can have"
            )
        body = None
        try:
            body = self.read(entry.path, entry.size)
            body = self._document_fallbacks.read(entry.path) if body is None else body
            problem = _describe_file_difference(entry, body)
        except RefusedError as error:
            problem = str(error)
        if not problem and body is not None:
            return body
        # Only one thread at a time may look up a version, so that the schedule is read once and then cached.
        with self._schedule_lock:
            stored = self._schedule.find_version(entry.path, entry.sha256)
        stored = stored or (self._fetch_error_page(entry) if body is None else None)
        if stored is None:
            raise DamagedSnapshotError(problem)
        return stored

    def _fetch_error_page(self, entry: Entry) -> bytes | None:
        """Fetch a file that has an error status, such as 404.html."""
        try:
            body = send(url_below(self.url, entry.path), limit=entry.size).body
        except RefusedError:
            return None
        return body if sha256(body).hexdigest() == entry.sha256 else None


def _describe_file_difference(entry: Entry, content: bytes | None) -> str:
    if content is None:
        return f"{entry.path} is in the manifest, and the server has no such file, or refuses it"
    if len(content) != entry.size:
        return f"{entry.path} has {len(content):,} bytes, and the manifest says {entry.size:,}"
    is_same = sha256(content).hexdigest() == entry.sha256
    return "" if is_same else f"{entry.path} has another SHA-256 than the manifest lists"


def _looks_like_signature(signature_text: bytes | None) -> bool:
    """Return whether bytes have the form of a minisign signature.

    Without the public key, the signature itself cannot be verified.
    """
    lines = (signature_text or b"").split(b"\n")
    return (
        len(lines) in (4, 5)
        and lines[0].startswith(b"untrusted comment: ")
        and (signature_text or b"").isascii()
    )
