"""The documents of a site that change with time.

An edge runtime, like `statuary serve`, answers `api/v2/summary.json` with the document of the present epoch,
and the manifest names the bytes that are stored. Those are the document of some epoch too, or the patch of
one: files that the server sends unchanged.
"""

from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256

from statuary.publish.listing import ReadPath
from statuary.status.api.epoch_index import EpochIndex, parse_epochs_or_empty
from statuary.status.urls import EPOCHS


class SiteSchedule:
    """The scheduled versions of documents that change without a build."""

    def __init__(self, read_path: ReadPath) -> None:
        self._read = read_path

    @cached_property
    def _epoch_index(self) -> EpochIndex:
        return parse_epochs_or_empty(self._read(EPOCHS.path()))

    def has_scheduled_versions(self, path: str) -> bool:
        """Return whether a document has versions for later times.

        For example, `api/v2/summary.json` has one for the time at which a maintenance window starts.
        """
        return path in self._epoch_index.documents

    def iter_scheduled_versions(self, path: str) -> Iterator[bytes]:
        """Yield the bytes of each later version of a document.

        Most documents have none, because they do not change at scheduled times.
        """
        for stored in (
            dict.fromkeys(self._epoch_index.versions_of(path)) if self.has_scheduled_versions(path) else ()
        ):
            body = stored.body(self._read)
            if body is not None:
                yield body

    def find_version(self, path: str, sha256_hex: str) -> bytes | None:
        """Find the version of a document that has a given SHA-256.

        A document that changes at scheduled times has several versions.

        Args:
            path: the path of the document.
            sha256_hex: the SHA-256 as hex.

        Returns:
            The bytes of the version, or None if there is none.
        """
        return next(
            (body for body in self.iter_scheduled_versions(path) if sha256(body).hexdigest() == sha256_hex),
            None,
        )
