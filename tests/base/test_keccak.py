"""Keccak-256: two libraries, one digest."""

import subprocess
import sys

import pytest
from Crypto.Hash import keccak
from hypothesis import given
from hypothesis import strategies as st

from statuary.base.primitives import checksum_address, keccak256
from support.requirements import require_module
from support.strategies import steady

# of the Keccak team's test vectors (ShortMsgKAT_256), and of Ethereum's empty code
KNOWN = {
    b"": "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
    b"\xcc": "eead6dbfc7340a56caedc044696a168870549a6a7f6f56961e84a54bd9970b8a",
    b"abc": "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
}

WITHOUT_THE_FAST_ONE = """
import sys
sys.modules["sha3"] = None
from statuary.base.primitives import checksum_address, keccak256
print(keccak256(bytes.fromhex(sys.argv[1])).hex(), checksum_address("0x" + "5a" * 20))
"""


@pytest.mark.parametrize("data", KNOWN)
def test_keccak_matches_known_digests(data: bytes) -> None:
    assert keccak256(data).hex() == KNOWN[data]


@steady
@given(st.binary(max_size=600))
def test_keccak_libraries_return_equal_digests(data: bytes) -> None:
    fast = require_module("sha3", install='pip install "statuary[fast]"')
    assert fast.keccak_256(data).digest() == keccak256(data)
    assert keccak.new(digest_bits=256, data=data).digest() == keccak256(data)


@pytest.mark.parametrize("size", [0, 135, 136, 1000])
def test_keccak_falls_back_to_portable_library(size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    command = [sys.executable, "-c", WITHOUT_THE_FAST_ONE, data[:size].hex()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [keccak256(data[:size]).hex(), checksum_address("0x" + "5a" * 20)]
