"""Read the epochs of a published site: documents at later instants.

`status/api/epochs.py` describes the index. An epoch lasts until the next one begins. A document that the
index does not have, or that does not change until then, is the file at the document's own path.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from statuary.base.files import PublishingError
from statuary.base.primitives import Instant, InvalidValueError, format_utc_milliseconds, parse_instant
from statuary.site.urls import Url
from statuary.status import urls as status_urls
from statuary.status.api.epochs import PatchError, apply_patch
from statuary.system.files import read_file

BROKEN = (orjson.JSONDecodeError, InvalidValueError, TypeError, KeyError, AttributeError, ValueError)
"""The exceptions of reading a malformed index."""

FIRST, LAST = Instant(datetime.min.replace(tzinfo=UTC)), Instant(datetime.max.replace(tzinfo=UTC))
"""The limits of instants: without epochs, the documents never change."""

ReadFile = Callable[[str], bytes | None]
"""A function that returns the bytes at a path of the site, or None."""


class StoredDocument(NamedTuple):
    """The files that store a version of a document.

    Attributes:
        file: the path of the whole document, or of the one that the patch changes.
        patch: the path of the patch; None if the file is the version itself.
    """

    file: str
    patch: str | None = None

    def body(self, read_file: ReadFile) -> bytes | None:
        """Return the document's bytes from its file and its patch, if any.

        Args:
            read_file: returns the bytes of a file, or None if it is missing.

        Returns:
            The bytes, or None if a file is missing, or if file and patch come from different builds.
        """
        body = read_file(self.file)
        if body is None or self.patch is None:
            return body
        patch = read_file(self.patch)
        try:
            return None if patch is None else apply_patch(body, patch)
        except PatchError:
            return None


class IndexedVersions(NamedTuple):
    """The versions of one document that a build wrote ahead.

    Each version is known by a number: the position of its time in `EpochIndex.instants`.

    Attributes:
        full_numbers: the versions that are stored as whole files.
        patched: the versions that are stored as patches.
        repeated_numbers: for each version that repeats an earlier one, the number of that one.
    """

    full_numbers: tuple[int, ...] = ()
    patched: tuple[int, ...] = ()
    repeated_numbers: Mapping[int, int] = {}

    def last_change_by(self, time_index: int) -> int | None:
        """Return the time of the document's last change, up to a given time.

        Times are given as positions in `EpochIndex.instants`.

        Args:
            time_index: the position of the given time.

        Returns:
            The position of the change, or None if the document first changes after that time.
        """
        changes = (*self.full_numbers, *self.patched, *self.repeated_numbers)
        return max((change for change in changes if change <= time_index), default=None)

    def is_consistent(self, time_count: int) -> bool:
        """Return whether each version of the document has a time and a file.

        Args:
            time_count: the number of times in the index, by whose positions it names versions.
        """
        stored = {*self.full_numbers, *self.patched}
        has_base = bool(self.full_numbers) and min(self.full_numbers) == min(stored)
        return (
            has_base
            and stored.union(self.repeated_numbers) <= {*range(time_count)}
            and stored.issuperset(self.repeated_numbers.values())
        )


class EpochIndex(NamedTuple):
    """The index of the document versions that a build wrote ahead.

    For example, the page as it will be when a maintenance window starts.

    Attributes:
        until: the time up to which the versions are complete, as ISO 8601; empty if there are none.
        instants: the time of the published version, then each later time at which a document changes.
        documents: the versions of each document that changes, by path.
        next_build: when a build has to publish content with a `publish_at`; None if there is none.
    """

    until: str
    instants: tuple[Instant, ...]
    documents: Mapping[str, IndexedVersions]
    next_build: Instant | None = None

    @property
    def start(self) -> Instant:
        """The time from which the published documents are valid."""
        return self.instants[0] if self.instants else FIRST

    @property
    def end(self) -> Instant:
        """The time up to which documents were written ahead.

        If nothing changes, there is no such limit, and this is the latest possible time.
        """
        return parse_instant(self.until) if self.until else LAST

    @property
    def build_due(self) -> Instant:
        """The time by which the site must be built again."""
        return self.end if self.next_build is None else min(self.end, self.next_build)

    def document_at(self, path: str, now: Instant) -> StoredDocument | None:
        """Find the stored version of a document for a given time.

        Args:
            path: the document's path on the site.
            now: the given time.

        Returns:
            The file and its patch, or None if the document never changes or does not exist yet.
        """
        versions = self.documents.get(path, IndexedVersions())
        change = versions.last_change_by(sum(since <= now for since in self.instants) - 1)
        if change is None:
            return None
        number = versions.repeated_numbers.get(change, change)
        if number in versions.full_numbers:
            return StoredDocument(self._stored_path(status_urls.EPOCH_DOCUMENT, number, path))
        base = max(version for version in versions.full_numbers if version < number)
        return StoredDocument(
            self._stored_path(status_urls.EPOCH_DOCUMENT, base, path),
            self._stored_path(status_urls.EPOCH_PATCH, number, path),
        )

    def versions_of(self, path: str) -> Iterable[StoredDocument]:
        """Yield all stored versions of a document, oldest first."""
        documents = (self.document_at(path, since) for since in self.instants)
        return (document for document in documents if document is not None)

    def latest_change_until(self, now: Instant) -> Instant:
        """Return the time of the last change of any document, up to a given time."""
        return max((since for since in self.instants if since <= now), default=self.start)

    def next_change_after(self, now: Instant) -> Instant | None:
        """Return the time of the next change of any document after a given time.

        Returns:
            The time, or None if the build wrote no later change ahead.
        """
        return next((since for since in self.instants[1:] if now < since < self.end), None)

    def stale_since(self, now: Instant) -> str:
        """Return the time since which the site shows an outdated status.

        Returns:
            The time as ISO 8601; empty if the site is up to date.
        """
        if self.build_due > now:
            return ""
        return self.until if self.build_due == self.end else format_utc_milliseconds(self.build_due)

    def _stored_path(self, url: Url, time_index: int, path: str) -> str:
        return url.path(epoch=status_urls.epoch_name(self.instants[time_index]), path=path)


NO_EPOCHS = EpochIndex("", (), {})
"""The index of a site whose documents stay as built."""


def read_epoch_index(folder: Path) -> EpochIndex:
    """Read the index of later versions of documents, which a build has made.

    An epoch is a time after the build from which documents change. For example, the index tells which file has the
    status page from tomorrow at 22:00 on, when a maintenance starts.

    Args:
        folder: the folder of the site.

    Raises:
        PublishingError: if the index is missing or cannot be read.
    """
    file = folder / status_urls.EPOCHS.path()
    try:
        return _parse_index(read_file(file))
    except OSError as error:
        raise PublishingError(f"{file} cannot be read: {error.strerror}", "run `statuary build`") from None
    except BROKEN:
        raise PublishingError(f"{file} is not an epoch index", "run `statuary build`") from None


def parse_epochs_or_empty(index_bytes: bytes | None) -> EpochIndex:
    """Parse the index of documents that a build has written ahead.

    If the index cannot be read, it is empty, and a server sends the documents as the build published them. An
    old response is better than none.

    Args:
        index_bytes: the bytes of the index; None if the file is missing.
    """
    try:
        return _parse_index(index_bytes or b"")
    except BROKEN:
        return NO_EPOCHS


def _parse_index(index_bytes: bytes) -> EpochIndex:
    value = orjson.loads(index_bytes)
    index = EpochIndex(
        until=value["until"],
        instants=tuple(map(parse_instant, value["instants"])),
        documents={path: _parse_indexed_versions(versions) for path, versions in value["documents"].items()},
        next_build=parse_instant(value["next_build"]) if "next_build" in value else None,
    )
    if not index.until or not index.instants or index.end < index.start:
        raise ValueError(
            "the epoch index needs at least one time at which it starts, and a time at which it ends"
        )
    if not all(versions.is_consistent(len(index.instants)) for versions in index.documents.values()):
        raise ValueError(
            "a document in the epoch index refers to a time or file that the index does not list"
        )
    return index


def _parse_indexed_versions(index_entry: Any) -> IndexedVersions:
    repeated = {
        int(number): int(earlier_number) for number, earlier_number in index_entry.get("again", {}).items()
    }
    return IndexedVersions(
        tuple(map(int, index_entry["whole"])), tuple(map(int, index_entry.get("patched", ()))), repeated
    )
