"""Compressed data: streams read in pieces, and data of known size."""

import gzip
import zlib
from types import ModuleType
from typing import IO, Any

from statuary.base.errors import StatuaryError
from statuary.base.optional import import_optional

WINDOW_OF_STREAM = 27
"""Logarithm of the largest window of a stream: 128 MiB, as in the zstd program by default."""

WINDOW_OF_FRAME = 21
"""Logarithm of the window of a frame of a pack: 2 MiB, which is also a reader's need of memory."""


class DamagedDataError(StatuaryError):
    """Compressed data is damaged, or has another size than stated."""


def import_zstandard() -> ModuleType:
    """Import the module for Zstandard compression.

    Python 3.14 and later have it in the standard library. Older versions need the package `backports.zstd`.

    Raises:
        MissingExtraError: if neither is installed.
    """
    return import_optional("compression.zstd", "backports.zstd", extra="zstd", purpose="Zstandard")


STREAM_ERRORS: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error)
"""Exceptions of Python's readers for a truncated or damaged stream, or a failing disk."""


def open_gzip(raw: IO[bytes]) -> IO[bytes]:
    """Return a stream that decompresses a gzip stream on demand.

    Args:
        raw: the compressed stream.
    """
    return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]  # no IO in typeshed, as it has no name


def open_zstandard(raw: IO[bytes]) -> IO[bytes]:
    """Return a stream that decompresses a Zstandard stream on demand.

    Raises:
        MissingExtraError: if Zstandard is not installed.
    """
    module = import_zstandard()
    options = {module.DecompressionParameter.window_log_max: WINDOW_OF_STREAM}
    stream: IO[bytes] = module.ZstdFile(raw, options=options)
    return stream


def inflate(data: bytes, size: int, *, raw: bool = False) -> bytes:
    """Decompress zlib data whose decompressed size is known.

    Args:
        data: the compressed bytes.
        size: the size that the data should have.
        raw: whether the data has no zlib header (RFC 1951), as in a zip file.

    Raises:
        DamagedDataError: if the size differs, or other bytes follow.
    """
    stream = zlib.decompressobj(-zlib.MAX_WBITS if raw else zlib.MAX_WBITS)
    try:
        body = stream.decompress(data, size + 1)
    except zlib.error as error:
        raise DamagedDataError(str(error)) from None
    if not stream.eof or stream.unused_data:
        raise DamagedDataError("the compressed data does not end where its header says")
    if len(body) != size:
        raise DamagedDataError(f"the decompressed data has {len(body):,} bytes; its header says {size:,}")
    return body


def inflate_at_most(data: bytes, limit: int) -> bytes:
    """Decompress zlib data whose decompressed size is unknown.

    Args:
        data: the compressed data.
        limit: the maximum number of decompressed bytes.

    Raises:
        DamagedDataError: if the data is damaged, or larger than the limit.
    """
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(data, limit)
    except zlib.error as error:
        raise DamagedDataError(str(error)) from None
    if not stream.eof:
        raise DamagedDataError(f"the data is cut off, or holds more than {limit:,} bytes")
    return body


def zstandard_decompressor() -> Any:
    """Return a Zstandard decompressor that uses limited memory.

    Raises:
        MissingExtraError: if Zstandard is not installed.
    """
    zstd = import_zstandard()
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: WINDOW_OF_FRAME})


def decompress_zstandard(data: bytes, size: int) -> bytes:
    """Decompress Zstandard data whose decompressed size is known.

    Args:
        data: the compressed bytes.
        size: the size that the data should have.

    Raises:
        DamagedDataError: if the size differs, or other bytes follow.
    """
    stream = zstandard_decompressor()
    parts, bytes_left = list[bytes](), size + 1
    try:
        while bytes_left and not stream.eof:
            part = stream.decompress(data, bytes_left)
            if not part and stream.needs_input and not stream.eof:
                raise DamagedDataError("the data is cut off")
            parts.append(part)
            data, bytes_left = b"", bytes_left - len(part)
    except import_zstandard().ZstdError as error:
        raise DamagedDataError(str(error)) from None
    if bytes_left != 1 or not stream.eof or stream.unused_data:
        raise DamagedDataError(f"the data does not have {size:,} bytes, as the index says")
    return b"".join(parts)


def decompress_zstandard_prefix(data: bytes, limit: int) -> bytes:
    """Decompress the beginning of Zstandard data, which may be cut off.

    Args:
        data: the compressed bytes.
        limit: the maximum number of decompressed bytes.

    Raises:
        DamagedDataError: if the data is not Zstandard.
    """
    try:
        text: bytes = zstandard_decompressor().decompress(data, limit)
    except import_zstandard().ZstdError as error:
        raise DamagedDataError(str(error)) from None
    return text
