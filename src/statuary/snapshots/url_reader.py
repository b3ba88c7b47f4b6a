"""A site at a URL, to be read: a GET for each document, and its manifest's list if it has one."""

from collections.abc import Iterator
from typing import Self

from statuary.documents.stored_paths import sharded_path
from statuary.publishing.errors import PublishingError
from statuary.publishing.response_headers import media_type_of
from statuary.publishing.safe_path import checked_path
from statuary.publishing.site_reader import LARGEST_DOCUMENT, SiteEntry
from statuary.publishing.snapshot_paths import MANIFEST
from statuary.snapshots.http_client import fetch, url_below
from statuary.snapshots.manifest_entries import read_paths


class UrlReader:
    """A site that a web server serves.

    Attributes:
        base: the URL below which its documents are.
    """

    def __init__(self, base: str) -> None:
        self.base = base

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing stays open between two documents."""

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document; None where the server has nothing.

        Raises:
            PublishingRefused: if the server cannot be reached or answers with an error.
        """
        try:
            checked_path(path)
        except PublishingError:
            return None
        body = fetch(url_below(self.base, path), LARGEST_DOCUMENT)
        shard = sharded_path(path)  # a plain file server knows no rewrites
        return (
            body
            if body is not None or shard == path
            else fetch(url_below(self.base, shard), LARGEST_DOCUMENT)
        )

    def entry(self, path: str) -> SiteEntry | None:
        """Return what is known of a document, which is read for it."""
        body = self.read(path)
        return None if body is None else SiteEntry(path=path, size=len(body), media_type=media_type_of(path))

    def paths(self) -> Iterator[str]:
        """Yield every path that the site's manifest names.

        Raises:
            PublishingRefused: if the site has no manifest.
        """
        manifest = self.read(MANIFEST)
        if manifest is None:
            raise PublishingError(
                f"{self.base} cannot be listed: it has no {MANIFEST}",
                "sites published from a snapshot have one",
            )
        return read_paths(manifest, self.read)
