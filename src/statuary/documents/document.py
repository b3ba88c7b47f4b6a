"""What is published: a path, a media type, a cache rule and bytes."""

from typing import NamedTuple

JSON = "application/json; charset=utf-8"
"""The media type that both real APIs send; Go's resty and others decode JSON only under it."""


class Document(NamedTuple):
    """One file of the site.

    Attributes:
        path: where it is, relative to the site's root, with forward slashes and no leading one.
        body: its bytes.
        media_type: the `Content-Type` it is served with.
        cache: the `Cache-Control` it is served with; empty leaves it to the host.
        also: further paths that hold the same bytes (an address in lower case and in EIP-55).
        sources: the content files it was made from, relative to the content folder; `()` for the whole site.
        digest: the SHA-256 of the body, where it is known already; else empty.
        lasting: whether it is made only when something that it is made of has changed, and stays until then.
    """

    path: str
    body: bytes
    media_type: str = JSON
    cache: str = ""
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    digest: bytes = b""
    persistent: bool = False
