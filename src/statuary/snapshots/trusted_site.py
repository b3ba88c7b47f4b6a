"""A site whose manifest is taken from elsewhere: a mirror held against a snapshot that one has."""

from collections.abc import Iterator
from typing import Self

from statuary.publishing.site_reader import SiteEntry, SiteReader
from statuary.publishing.snapshot_paths import is_snapshot_path


class TrustedSite:
    """Documents of one site, manifest of another."""

    def __init__(self, site: SiteReader, trusted: SiteReader) -> None:
        self.site = site
        self.trusted = trusted

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is open."""
        self.site.close()
        self.trusted.close()

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document, or of a member of the trusted snapshot's own."""
        return (self.trusted if is_snapshot_path(path) else self.site).read(path)

    def entry(self, path: str) -> SiteEntry | None:
        """Return what is known of a document, or of a member of the trusted snapshot's own."""
        return (self.trusted if is_snapshot_path(path) else self.site).entry(path)

    def paths(self) -> Iterator[str]:
        """Yield every name that the trusted manifest lists."""
        return self.trusted.paths()
