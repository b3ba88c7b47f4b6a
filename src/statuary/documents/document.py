"""A published file: path, bytes, media type and cache rule."""

from typing import NamedTuple

from statuary.documents.media_types import JSON


class Document(NamedTuple):
    """A file of the site."""

    path: str  # relative to the site's root, with forward slashes and no leading one
    body: bytes
    media_type: str = JSON
    cache: str = ""  # the `Cache-Control`; empty leaves it to the host
    aliases: tuple[str, ...] = ()  # other paths with the same bytes (the lower-case address)
    # the content files that it is built from, relative to the content folder; `()` means the whole site
    sources: tuple[str, ...] = ()
    digest: bytes = b""  # SHA-256 of the body if already known, else empty
    # whether it stays published until a build removes it, even if a build does not offer it
    persistent: bool = False
