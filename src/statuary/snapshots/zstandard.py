"""Zstandard: Python's own from 3.14 on, before that the same module from the package `backports.zstd`."""

from types import ModuleType
from typing import Any

from statuary.optional import MissingExtraError, import_zstandard
from statuary.publishing.errors import PublishingError

LEVEL = 9
"""With a long window: 5.6 % of the bytes of real records at 9 ms/MB, where level 3 leaves 6.3 % and 19 takes 220 ms/MB."""

WINDOW = 27
"""Reach back over 128 MiB: as far as the `zstd` program decompresses without being told to."""


def zstd() -> ModuleType:
    """Return the module.

    Raises:
        PublishingRefused: if it is not installed.
    """
    try:
        return import_zstandard("snapshot")
    except MissingExtraError as missing:
        raise PublishingError(str(missing), missing.hint) from None


def compressor() -> Any:
    """Return a compressor: one thread, since more would make other bytes."""
    module = zstd()
    parameter = module.CompressionParameter
    return module.ZstdCompressor(
        options={
            parameter.compression_level: LEVEL,
            parameter.window_log: WINDOW,
            parameter.enable_long_distance_matching: 1,
            parameter.checksum_flag: 1,
        }
    )


def decompressor() -> Any:
    """Return a decompressor that refuses windows of more memory than statuary's own."""
    module = zstd()
    return module.ZstdDecompressor(options={module.DecompressionParameter.window_log_max: WINDOW})


def zstd_error() -> type[Exception]:
    """Return what damaged data raises."""
    error: type[Exception] = zstd().ZstdError
    return error
