"""The HTTP headers of a path, from the URL table or its extension."""

from statuary.documents.media_types import media_type_by_extension
from statuary.documents.stored_paths import uncompressed_path
from statuary.documents.url import COMMON_HEADERS
from statuary.documents.url_table import EPOCH_DOCUMENT, match_url


def media_type_of(path: str) -> str:
    """Return the `Content-Type` of a path; a compressed form has its document's."""
    path = uncompressed_path(path)
    found = match_url(path)
    if found is None:
        return media_type_by_extension(path)
    url, members = found
    if url is EPOCH_DOCUMENT:
        return media_type_of(members["path"])
    return url.media_type or media_type_by_extension(path)


def cache_of(path: str) -> str:
    """Return the `Cache-Control` of a path; empty if the host decides."""
    found = match_url(uncompressed_path(path))
    return "" if found is None else found[0].cache


def headers_of(path: str) -> dict[str, str]:
    """Return every header of a path except those that only a server knows."""
    cache = cache_of(path)
    caching = {"Cache-Control": cache} if cache else {}
    return {"Content-Type": media_type_of(path)} | caching | COMMON_HEADERS
