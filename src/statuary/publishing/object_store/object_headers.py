"""The headers of objects: a store serves those of the put."""

from hashlib import sha256
from typing import NamedTuple

from statuary.documents.stored_paths import plain_path
from statuary.documents.url_table import match_url
from statuary.domain.hosting_settings import CompressedFormat
from statuary.publishing.response_headers import cache_of, media_type_of

ENCODINGS = {CompressedFormat.GZIP: "gzip", CompressedFormat.BROTLI: "br", CompressedFormat.ZSTANDARD: "zstd"}
"""The `Content-Encoding` of a compressed form, by the ending that it is stored under."""

DIGEST_ATTRIBUTE = "statuarysha256"
"""The metadata of an object with the SHA-256 of its body, which also shows that statuary put it; Azure allows letters only."""


class ObjectHeaders(NamedTuple):
    """The headers of an object."""

    media_type: str  # its `Content-Type`
    cache: str = ""  # its `Cache-Control`; empty for none
    encoding: str = ""  # its `Content-Encoding`; empty for none

    @property
    def tag(self) -> str:
        """Eight hex digits that identify the headers."""
        return sha256("\n".join(self).encode()).hexdigest()[:8]

    def attributes(self, digest: str) -> dict[str, str]:
        """Return the headers in the store's form, with the SHA-256 of the body."""
        named = {
            "Content-Type": self.media_type,
            "Cache-Control": self.cache,
            "Content-Encoding": self.encoding,
        }
        return {name: value for name, value in named.items() if value} | {DIGEST_ATTRIBUTE: digest}


def headers_of(path: str, media_type: str = "") -> ObjectHeaders:
    """Return the headers of a path of a site.

    Args:
        media_type: its media type, if the path does not determine it.
    """
    stem, _, ending = path.rpartition(".")
    stem, path = plain_path(stem), plain_path(path)
    if ending in ENCODINGS and match_url(stem):
        return ObjectHeaders(media_type_of(stem), cache_of(stem), ENCODINGS[CompressedFormat(ending)])
    return ObjectHeaders(media_type or media_type_of(path), cache_of(path))


def stored_headers(attributes: dict[str, str]) -> ObjectHeaders:
    """Return the headers that a store reports for an object."""
    names = ("Content-Type", "Cache-Control", "Content-Encoding")
    return ObjectHeaders(*(attributes.get(name, "") for name in names))
