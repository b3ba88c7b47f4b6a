"""Keccak-256 and EIP-55 in JavaScript, held to the Python side."""

import json

import pytest

from statuary.base.primitives import checksum_address, keccak256
from support.edge_runtimes import EDGE_TESTS, run_deno
from support.random_runs import seeded

pytestmark = pytest.mark.slow

THREE_BLOCKS = 3 * 136


def test_edge_keccak_matches_python():
    chance = seeded(55)
    messages = [chance.randbytes(length) for length in range(THREE_BLOCKS + 1)]
    addresses = ["0x" + chance.randbytes(20).hex() for _ in range(500)]
    stdin = json.dumps({"messages": [message.hex() for message in messages], "addresses": addresses})
    answer = run_deno(EDGE_TESTS / "keccak_all.js", stdin)
    assert answer["digests"] == [keccak256(message).hex() for message in messages]
    assert answer["addresses"] == [checksum_address(address) for address in addresses]


def test_keccak_of_empty_input_matches_ethereum():
    answer = run_deno(EDGE_TESTS / "keccak_all.js", json.dumps({"messages": [""], "addresses": []}))
    assert answer["digests"] == ["c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"]
