"""The objects of a site: headers, and the order of uploading."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Protocol, Self

from statuary.base.files import MANIFEST, SIGNATURE, PublishingError
from statuary.contracts.paths import plain_path
from statuary.extensions.snapshots.snapshot_reader import SnapshotReader
from statuary.extensions.snapshots.streams import Spool
from statuary.publish.folder.reader import FolderReader, find_ledger
from statuary.publish.host_layout import cache_control_of, media_type_of
from statuary.publish.ledger.read import is_build_unfinished, read_ledger_listing
from statuary.publish.listing import Entry
from statuary.site.settings import CompressedFormat
from statuary.site.url_table import match_url
from statuary.site.urls import PutStep

ENCODINGS = {CompressedFormat.GZIP: "gzip", CompressedFormat.BROTLI: "br", CompressedFormat.ZSTANDARD: "zstd"}
"""The `Content-Encoding` of a compressed form, by the ending that it is stored under."""

HEADERS = ("Content-Type", "Cache-Control", "Content-Encoding")
"""The headers of an object, in the order of the last members of an `Entry`."""

DIGEST_ATTRIBUTE = "statuarysha256"
"""The metadata with the SHA-256 of an object's body, which marks it as statuary's; Azure allows letters only."""


def make_object_entry(object_path: str, sha256_hex: str, size: int, media_type: str = "") -> Entry:
    """Describe a file to upload: path, digest, size and HTTP headers.

    Args:
        object_path: the path of the object, below the prefix of the store's URL.
        sha256_hex: the SHA-256 of the object, as hex.
        size: the size of the object in bytes.
        media_type: the media type; empty if it follows from the path.
    """
    stem, _, ending = object_path.rpartition(".")
    stem, plain = plain_path(stem), plain_path(object_path)
    if ending in ENCODINGS and match_url(stem):
        headers = media_type_of(stem), cache_control_of(stem), ENCODINGS[CompressedFormat(ending)]
    else:
        headers = media_type or media_type_of(plain), cache_control_of(plain), ""
    return Entry(object_path, (), size, sha256_hex, *headers)


def make_object_attributes(site_entry: Entry) -> dict[str, str]:
    """Return the HTTP headers to store with an object, and its SHA-256.

    Args:
        site_entry: the path, size, SHA-256 and headers of the file.
    """
    headers = zip(HEADERS, site_entry[-len(HEADERS) :], strict=True)
    return {name: str(value) for name, value in headers if value} | {DIGEST_ATTRIBUTE: site_entry.sha256}


def make_stored_entry(object_path: str, size: int, stored_attributes: dict[str, str]) -> Entry:
    """Describe an object that is already in the store.

    If another program wrote it, its SHA-256 is unknown and left empty.

    Args:
        object_path: the path of the object.
        size: the size of the object in bytes.
        stored_attributes: the HTTP headers and the metadata that the store returned.
    """
    headers = (stored_attributes.get(name, "") for name in HEADERS)
    return Entry(object_path, (), size, stored_attributes.get(DIGEST_ATTRIBUTE, ""), *headers)


class PublishedSite(Protocol):
    """A site to upload to an object store."""

    def objects(self) -> Iterator[Entry]:
        """Yield the path, digest, size and HTTP headers of each file.

        Raises:
            PublishingError: if the site is incomplete.
        """

    def prepare_reading(self, is_needed: Callable[[str], bool]) -> None:
        """Prepare to read the files that have to be uploaded.

        It is called once, before `read`.

        Args:
            is_needed: a function that returns whether the file at a path has to be uploaded.

        Raises:
            DamagedSnapshotError: if any part of the site is damaged.
        """

    def read(self, path: str) -> bytes:
        """Return the bytes of a file to upload.

        Raises:
            PublishingError: if the file is missing.
        """


class PublishedFolder:
    """A built folder to upload to an object store."""

    def __init__(self, built_folder: Path) -> None:
        self.root = built_folder
        self.reader = FolderReader(built_folder)

    def objects(self) -> Iterator[Entry]:
        """Yield the path, digest, size and HTTP headers of each file.

        The digests come from the build's database. In a folder without it, every file is read.

        Raises:
            PublishingError: if the last build of the folder was interrupted.
        """
        ledger = find_ledger(self.root)
        if ledger is None:
            yield from map(self._describe_object, self.reader.paths())
            return
        if is_build_unfinished(ledger):
            raise PublishingError(
                f"the last build of {self.root} was interrupted",
                "run `statuary build` again: it resumes the interrupted build",
            )
        for entry in read_ledger_listing(ledger):
            for name in entry.names:
                yield (
                    make_object_entry(name, entry.sha256, entry.size)
                    if entry.sha256
                    else self._describe_object(name)
                )

    def _describe_object(self, path: str) -> Entry:
        body = self.read(path)
        return make_object_entry(path, sha256(body).hexdigest(), len(body))

    def prepare_reading(self, is_needed: Callable[[str], bool]) -> None:
        """Do nothing, because a folder's files can be read in any order."""

    def read(self, path: str) -> bytes:
        """Return the bytes of a file in the folder."""
        return self.reader.read_existing(path)


def get_upload_step(object_path: str) -> PutStep:
    """Return the step of a publication in which a file is uploaded.

    Documents come first, then the lists that refer to them. The manifest, the list of all files, comes last.
    So readers never find a list whose documents are missing.
    """
    if object_path in (MANIFEST, SIGNATURE):
        return PutStep.MANIFEST
    match = match_url(plain_path(object_path))
    return PutStep.BODY if match is None else match.url.put


class PublishedSnapshot:
    """A snapshot to upload to an object store, which is verified first.

    The documents that have to be uploaded are copied to a temporary file.
    """

    def __init__(self, snapshot: SnapshotReader) -> None:
        self.snapshot = snapshot
        self.bodies = Spool()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.bodies.close()

    def objects(self) -> Iterator[Entry]:
        """Yield the path, digest, size and HTTP headers of each file.

        The manifest (the list of all files) is one of them.
        """
        for member in self.snapshot.iter_manifest_members():
            entry = make_object_entry(member.path, sha256(member.body).hexdigest(), len(member.body))
            self._copy_content(member.body, [entry])
            yield entry
        for entry in self.snapshot.iter_manifest_entries():
            for name in entry.names:
                yield make_object_entry(name, entry.sha256, entry.size, entry.media_type)

    def prepare_reading(self, is_needed: Callable[[str], bool]) -> None:
        """Verify the whole snapshot, and copy the files to upload.

        Files are uploaded in another order than in the snapshot, so they are copied first.

        Args:
            is_needed: a function that returns whether the file at a path has to be uploaded.

        Raises:
            DamagedSnapshotError: if the snapshot is damaged.
        """
        for entry, member in self.snapshot.iter_listed_documents():
            self._copy_content(member.body, [Entry(name) for name in entry.names if is_needed(name)])

    def _copy_content(self, content: bytes, entries: list[Entry]) -> None:
        if entries:
            start = self.bodies.append(content)
            for entry in entries:
                self.bodies.add(entry, start, len(content))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file that `fetch` has copied."""
        ((_, start, length),) = self.bodies.rows("WHERE path = ?", path)
        return self.bodies.read(start, length)
