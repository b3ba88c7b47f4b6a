"""A published file: path, bytes, media type and cache rule."""

from typing import NamedTuple

from statuary.documents.media_types import JSON


class Document(NamedTuple):
    """A file of the site.

    Attributes:
        path: relative to the site's root, with forward slashes and no leading one.
        cache: the `Cache-Control`; empty leaves it to the host.
        aliases: other paths with the same bytes (the lower-case address).
        sources: the content files that it is built from, relative to the content folder; `()` means the whole
            site.
        digest: SHA-256 of the body if already known, else empty.
        persistent: whether it stays published until a build removes it, even if a build does not offer it.
    """

    path: str
    body: bytes
    media_type: str = JSON
    cache: str = ""
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    digest: bytes = b""
    persistent: bool = False
