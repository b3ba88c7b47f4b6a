"""What every place that holds a site can be asked."""

from collections.abc import Iterator
from types import TracebackType
from typing import NamedTuple, Protocol, Self

LARGEST_DOCUMENT = 256 * 1024 * 1024
"""Bytes of the largest document that is read; the largest record known of the real system has a few million."""


class SiteEntry(NamedTuple):
    """What is known of a document without reading it.

    Attributes:
        path: where it is, relative to the site's root.
        size: its bytes.
        media_type: the `Content-Type` it is to be served with.
    """

    path: str
    size: int
    media_type: str


class SiteReader(Protocol):
    """A site to look things up in, by path; safe to be used by several threads at once."""

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a document, under any of its names; None if the site has none there.

        Raises:
            SnapshotDamaged: if it is there, but not whole.
            PublishingRefused: if the site cannot be reached.
        """

    def entry(self, path: str) -> SiteEntry | None:
        """Return what is known of a document; None if the site has none there."""

    def paths(self) -> Iterator[str]:
        """Yield the path of every document, second names included.

        Raises:
            PublishingRefused: if the site cannot be listed (a URL without a manifest).
        """

    def close(self) -> None:
        """Give back what is open."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
