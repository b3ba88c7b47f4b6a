"""Compressed data gives the stated bytes, and never more."""

import zlib

import pytest

from statuary.system.archives import (
    DamagedDataError,
    decompress_zstandard,
    decompress_zstandard_prefix,
    import_zstandard,
    inflate,
    inflate_at_most,
)
from support.packed_sites import require_zstd

BODY = b"a" * 1000
BOMB = bytes(64 << 20)


def deflated(body: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


def test_data_of_stated_size_is_decompressed() -> None:
    assert inflate(zlib.compress(BODY), 1000) == BODY
    assert inflate(deflated(BODY), 1000, raw=True) == BODY
    assert inflate_at_most(zlib.compress(BODY), 1000) == BODY


@pytest.mark.parametrize("size", [0, 999, 1001])
def test_decompressed_size_mismatch_is_rejected(size: int) -> None:
    require_zstd()
    for decompress, data in (
        (inflate, zlib.compress(BODY)),
        (decompress_zstandard, import_zstandard().compress(BODY)),
    ):
        with pytest.raises(DamagedDataError):
            decompress(data, size)


@pytest.mark.parametrize("cut", [-1, -4, 5])
def test_truncated_compressed_data_is_rejected(cut: int) -> None:
    require_zstd()
    for decompress, data in (
        (inflate, zlib.compress(BODY)),
        (inflate_at_most, zlib.compress(BODY)),
        (decompress_zstandard, import_zstandard().compress(BODY)),
    ):
        with pytest.raises(DamagedDataError):
            decompress(data[:cut], 1000)


def test_decompression_bomb_is_rejected() -> None:
    require_zstd()
    for decompress, data in (
        (inflate, zlib.compress(BOMB)),
        (inflate_at_most, zlib.compress(BOMB)),
        (decompress_zstandard, import_zstandard().compress(BOMB)),
    ):
        with pytest.raises(DamagedDataError):
            decompress(data, 1000)
    assert len(decompress_zstandard_prefix(import_zstandard().compress(BOMB), 1000)) == 1000


def test_oversized_zstd_window_is_rejected() -> None:
    require_zstd()
    zstd = import_zstandard()
    names = zstd.CompressionParameter
    data = zstd.compress(BOMB, options={names.window_log: 27, names.content_size_flag: 0})
    with pytest.raises(DamagedDataError):
        decompress_zstandard(data, len(BOMB))


def test_decompressing_plain_data_is_rejected() -> None:
    require_zstd()
    for decompress in (inflate, inflate_at_most, decompress_zstandard, decompress_zstandard_prefix):
        with pytest.raises(DamagedDataError):
            decompress(b"neither of the two", 1000)
