"""RLP and Merkle Patricia tries against the libraries that Ethereum's own Python clients use, and real blocks."""

import pytest
import rlp
from hypothesis import given, settings
from hypothesis import strategies as st
from trie import HexaryTrie

from statuary.base.reasons import EvidenceError
from statuary.contracts.chain.merkle_trie import (
    EMPTY_ROOT,
    decode_rlp,
    encode_rlp,
    rlp_number_bytes,
    verify_trie_proof,
)
from statuary.contracts.chain.trie_proofs import make_trie_proof
from support.strategies import steady

ITEMS = st.recursive(st.binary(max_size=70), lambda below: st.lists(below, max_size=6), max_leaves=20)
KEYS = st.one_of(
    st.binary(min_size=32, max_size=32), st.integers(0, 400).map(rlp_number_bytes).map(encode_rlp)
)
TRIES = st.dictionaries(KEYS, st.binary(min_size=1, max_size=80), min_size=1, max_size=40)


def as_lists(item):
    return item if isinstance(item, bytes) else [as_lists(one) for one in item]


@steady
@given(ITEMS)
def test_rlp_encoding_matches_library(item):
    encoded = rlp.encode(item)
    assert encode_rlp(item) == encoded
    assert decode_rlp(encoded) == item


@pytest.mark.slow
@settings(steady, max_examples=300)
@given(st.one_of(st.binary(max_size=80), ITEMS.map(rlp.encode).flatmap(lambda whole: st.just(whole + b"\0"))))
def test_rlp_decoding_matches_library(data):
    try:
        expected = as_lists(rlp.decode(data))
    except rlp.DecodingError:
        with pytest.raises(EvidenceError):
            decode_rlp(data)
    else:
        assert decode_rlp(data) == expected


def test_rlp_nesting_is_limited():
    deep = b"\xc0"
    for _ in range(40):
        deep = encode_rlp([decode_rlp(b"\xc0")]) if deep == b"\xc0" else bytes([0xC0 + len(deep)]) + deep
    with pytest.raises(EvidenceError, match="rlp_depth"):
        decode_rlp(deep)


@settings(steady, max_examples=60)
@given(TRIES, KEYS)
def test_trie_proofs_match_library(values, other):
    library = HexaryTrie({})
    for key, value in values.items():
        library[key] = value
    for key in (*list(values)[:5], other):
        root, nodes = make_trie_proof(values.items(), key)
        assert root == library.root_hash
        if key in values:
            assert nodes == [
                one for one in map(rlp.encode, library.get_proof(key)) if len(one) >= 32 or one == nodes[0]
            ]
        theirs = [rlp.encode(node) for node in library.get_proof(key)]
        hashed = [theirs[0], *(one for one in theirs[1:] if len(one) >= 32)]
        assert verify_trie_proof(root, key, hashed) == values.get(key, b"")


def test_empty_trie_proves_missing_key():
    assert make_trie_proof([], b"\x80") == (EMPTY_ROOT, [])
    assert verify_trie_proof(EMPTY_ROOT, b"\x80", []) == b""


def test_empty_trie_accepts_only_empty_node():
    assert verify_trie_proof(EMPTY_ROOT, b"\x80", [b"\x80"]) == b""
    for nodes in ([b"\x80", b"\x80"], [b""], [b"\xc0"]):
        with pytest.raises(EvidenceError):
            verify_trie_proof(EMPTY_ROOT, b"\x80", nodes)
    with pytest.raises(EvidenceError):
        verify_trie_proof(b"\1" * 32, b"\x80", [b"\x80"])


@settings(steady, max_examples=60)
@given(TRIES.filter(lambda values: len(values) > 3), st.data())
def test_altered_merkle_proof_is_rejected(values, data):
    key = data.draw(st.sampled_from(sorted(values)))
    root, nodes = make_trie_proof(values.items(), key)
    at = data.draw(st.integers(0, len(nodes) - 1))
    bit = data.draw(st.integers(0, len(nodes[at]) * 8 - 1))
    changed = bytearray(nodes[at])
    changed[bit // 8] ^= 1 << bit % 8
    for forged in (
        [*nodes[:at], bytes(changed), *nodes[at + 1 :]],
        [*nodes[:at], *nodes[at + 1 :]],
        [*nodes, nodes[-1]],
    ):
        with pytest.raises(EvidenceError):
            verify_trie_proof(root, key, forged)
