"""Documents as a host needs them: compressed copies and headers."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from gzip import compress as gzip_compress
from types import ModuleType

from statuary.base.files import PublishingError
from statuary.base.optional import MissingExtraError, import_optional
from statuary.site.document import ADDRESS, Document, uncompressed_path
from statuary.site.settings import CompressedFormat, HostingSettings
from statuary.site.url_table import match_url
from statuary.site.urls import media_type_by_extension


def with_compressed_forms(documents: Iterable[Document], settings: HostingSettings) -> Iterator[Document]:
    """Yield documents, each followed by its compressed copies.

    Args:
        settings: the settings that say which copies the hosts need.

    Raises:
        PublishingError: if the package for a compression format is not installed.
    """
    if not settings.precompressed:
        yield from documents
        return
    for document in documents:
        yield document
        yield from compressed_forms(document, settings.precompressed)


ANY_ADDRESS = f"0x{'0' * 40}"
"""Stands for the address in a path, on which its media type does not depend."""

SMALLEST = 1024
"""Bytes below which a compressed form saves no time."""


def _gzip(body: bytes) -> bytes:
    return gzip_compress(body, compresslevel=9, mtime=0)


def _brotli(body: bytes) -> bytes:
    compressed: bytes = _import_compressor("br", "brotli").compress(body, quality=9)
    return compressed


def _zstandard(body: bytes) -> bytes:
    compressed: bytes = _import_compressor("zst", "compression.zstd", "backports.zstd").compress(
        body, level=12
    )
    return compressed


def _import_compressor(compression_format: str, *module_names: str) -> ModuleType:
    try:
        return import_optional(
            *module_names, extra="compress", purpose=f"hosting.precompressed: [{compression_format}]"
        )
    except MissingExtraError as error:
        raise PublishingError(str(error), error.hint) from None


COMPRESSORS: dict[CompressedFormat, Callable[[bytes], bytes]] = {
    CompressedFormat.GZIP: _gzip,
    CompressedFormat.BROTLI: _brotli,
    CompressedFormat.ZSTANDARD: _zstandard,
}


def compressed_forms(document: Document, formats: tuple[CompressedFormat, ...]) -> Iterator[Document]:
    """Yield compressed copies of a document.

    Args:
        formats: the compression formats; a copy that is not smaller than the document is skipped.

    Raises:
        PublishingError: if a format needs a package that is not installed.
    """
    match = match_url(document.path)
    keeps_time = match is not None and match.url.changes_with_time
    if not formats or len(document.body) < SMALLEST or keeps_time:
        return
    for form in formats:
        body = COMPRESSORS[form](document.body)
        if len(body) < len(document.body):
            yield Document(
                path=f"{document.path}.{form}",
                body=body,
                media_type=document.media_type,
                cache=document.cache,
                aliases=tuple(f"{name}.{form}" for name in document.aliases),
                sources=document.sources,
                persistent=document.persistent,
            )


def media_type_of(path: str) -> str:
    """Return the `Content-Type` of a path.

    A compressed copy has the type of the original: `a.json.br` has that of `a.json`.
    """
    return _media_type_of_any_address(ADDRESS.sub(ANY_ADDRESS, path, count=1))


@lru_cache(maxsize=4_096)
def _media_type_of_any_address(path: str) -> str:
    # Most paths of a site differ only in their address. Matching each of them takes four times as long.
    path = uncompressed_path(path)
    match = match_url(path)
    if match is None:
        return media_type_by_extension(path)
    url, members = match
    if url.is_version:
        return media_type_of(members["path"])
    return url.media_type or media_type_by_extension(path)


def cache_control_of(path: str) -> str:
    """Return the `Cache-Control` header for a path.

    Returns:
        The value; empty for a path that is not a URL of the site, for which the host decides.
    """
    match = match_url(uncompressed_path(path))
    return "" if match is None else match.url.cache
