"""Encodings that are not Ethereum's: RLP, tries, transactions, receipts and headers, each refused with its reason."""

import pytest

from statuary.base.limits import MAX_RLP_DEPTH
from statuary.base.primitives import keccak256
from statuary.base.reasons import EvidenceError
from statuary.contracts.chain.merkle_trie import (
    EMPTY_ROOT,
    EMPTY_TRIE,
    decode_rlp,
    decode_rlp_list,
    encode_rlp,
    require_rlp_bytes,
    rlp_number_bytes,
    rlp_to_number,
    verify_trie_proof,
)
from statuary.contracts.chain.transaction import (
    CURVE_ORDER,
    HEADER_SIZES,
    LAYOUTS,
    Receipt,
    parse_block_header,
    parse_receipt,
    parse_transaction,
)
from statuary.contracts.chain.trie_proofs import is_trie_root


def name_of(value):
    """Name the bytes of a test case by their first digits."""
    return f"{value.hex()[:12]}" if isinstance(value, bytes) else None


def reason_of(call, *values):
    with pytest.raises(EvidenceError) as caught:
        call(*values)
    return caught.value.reason.key


@pytest.mark.parametrize(
    ("data", "item"),
    [
        ("80", b""),
        ("00", b"\0"),
        ("7f", b"\x7f"),
        ("8180", b"\x80"),
        ("b7" + "61" * 55, b"a" * 55),
        ("b838" + "61" * 56, b"a" * 56),
        ("b90100" + "61" * 256, b"a" * 256),
        ("c0", []),
        ("c20102", [b"\1", b"\2"]),
        ("c3c20102", [[b"\1", b"\2"]]),
        ("f7" + "01" * 55, [b"\1"] * 55),
        ("f838" + "01" * 56, [b"\1"] * 56),
    ],
)
def test_rlp_item_survives_round_trip(data, item):
    assert decode_rlp(bytes.fromhex(data)) == item
    assert encode_rlp(item).hex() == data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("", "rlp_cut"),
        ("81", "rlp_cut"),
        ("8261", "rlp_cut"),
        ("c201", "rlp_cut"),
        ("c28261", "rlp_cut"),
        ("8101", "rlp_prefix"),
        ("817f", "rlp_prefix"),
        ("c28101", "rlp_prefix"),
        ("b837" + "61" * 55, "rlp_length"),
        ("b90038" + "61" * 56, "rlp_length"),
        ("f837" + "01" * 55, "rlp_length"),
        ("b838" + "61" * 55, "rlp_cut"),
        ("8000", "rlp_rest"),
        ("c000", "rlp_rest"),
    ],
)
def test_malformed_rlp_is_rejected(data, reason):
    assert reason_of(decode_rlp, bytes.fromhex(data)) == reason


def test_rlp_depth_is_limited():
    def nested(levels):
        item = b"\1"
        for _ in range(levels):
            item = [item]
        return encode_rlp(item)

    assert decode_rlp(nested(MAX_RLP_DEPTH - 1))
    assert reason_of(decode_rlp, nested(MAX_RLP_DEPTH)) == "rlp_depth"


def test_rlp_item_of_wrong_type_fails():
    assert reason_of(decode_rlp_list, b"\x80") == "rlp_no_list"
    assert rlp_to_number(b"") == 0
    assert rlp_to_number(b"\1\0") == 256
    assert reason_of(rlp_to_number, [b"\1"]) == "rlp_number"
    assert reason_of(rlp_to_number, b"\0\1") == "rlp_number"
    assert require_rlp_bytes(b"ab", 0, 2) == require_rlp_bytes(b"ab") == b"ab"
    assert reason_of(require_rlp_bytes, []) == "rlp_sizes_0"
    assert reason_of(require_rlp_bytes, b"ab", 0, 20) == "rlp_sizes_2"


# -- tries: keys of one byte, so that each node is written out


def leaf(path, value):
    return encode_rlp([bytes.fromhex(path), value])


BRANCH_VALUE = b"value of the empty rest" * 2


def branch(value=b"", **children):
    return encode_rlp([*(children.get(f"_{digit:x}", b"") for digit in range(16)), value])


def test_leaf_proves_single_key():
    node = leaf("20ab", b"v")
    assert verify_trie_proof(keccak256(node), b"\xab", [node]) == b"v"
    assert verify_trie_proof(keccak256(node), b"\xac", [node]) == b""


def test_branch_node_proves_value():
    """The value of a branch belongs to the key that ends there."""
    node = branch(value=BRANCH_VALUE, _a=keccak256(leaf("3b", b"v" * 40)))
    assert verify_trie_proof(keccak256(node), b"", [node]) == BRANCH_VALUE
    assert verify_trie_proof(keccak256(node), b"\xab", [node, leaf("3b", b"v" * 40)]) == b"v" * 40
    assert verify_trie_proof(keccak256(node), b"\xbb", [node]) == b""


def test_extension_leads_to_longer_keys():
    below = branch(value=BRANCH_VALUE, _c=keccak256(leaf("3d", b"v" * 40)))
    node = encode_rlp([bytes.fromhex("00ab"), keccak256(below)])
    assert verify_trie_proof(keccak256(node), b"\xab", [node, below]) == BRANCH_VALUE
    assert verify_trie_proof(keccak256(node), b"\xab\xcd", [node, below, leaf("3d", b"v" * 40)]) == b"v" * 40
    assert verify_trie_proof(keccak256(node), b"\xaa", [node]) == b""


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        (leaf("40ab", b"v"), "proof_path"),
        (leaf("21ab", b"v"), "proof_path"),
        (leaf("01ab", b"v"), "proof_path"),
        (encode_rlp([b"\x20", b"v", b"w"]), "proof_members"),
        (encode_rlp([b"v"] * 16), "proof_members"),
        (encode_rlp([b"v"] * 18), "proof_members"),
        (encode_rlp([[b"\x20"], b"v"]), "rlp_sizes_0"),
        (encode_rlp(b"v"), "rlp_no_list"),
    ],
    ids=name_of,
)
def test_malformed_trie_node_is_rejected(node, reason):
    assert reason_of(verify_trie_proof, keccak256(node), b"\xab", [node]) == reason


def test_proof_with_additional_node_is_rejected():
    node = leaf("20ab", b"v" * 40)
    assert reason_of(verify_trie_proof, keccak256(node), b"\xab", []) == "proof_end"
    assert reason_of(verify_trie_proof, keccak256(b"other"), b"\xab", [node]) == "proof_hash"
    assert reason_of(verify_trie_proof, keccak256(node), b"\xab", [node, node]) == "proof_rest"
    assert (
        verify_trie_proof(EMPTY_ROOT, b"\xab", [])
        == verify_trie_proof(EMPTY_ROOT, b"\xab", [EMPTY_TRIE])
        == b""
    )
    with pytest.raises(EvidenceError):
        verify_trie_proof(EMPTY_ROOT, b"\xab", [EMPTY_TRIE, EMPTY_TRIE])


def test_trie_root_is_hash_of_node():
    node = leaf("20ab", b"v")
    for text in (node.hex(), f"0x{node.hex()}"):
        assert is_trie_root(keccak256(node), text)
    for text in (f"{node.hex()}00", "0x", "zz", "0x0"):
        assert not is_trie_root(keccak256(node), text)


# -- transactions


def transaction(kind=2, **changes):
    """Encode a transaction of a type: every member is empty, but for the signature."""
    layout = LAYOUTS[kind]
    items = [b""] * (layout.members - 3) + [b"\x25" if kind == 0 else b"", b"\1", b"\1"]
    if kind in (3, 4):
        items[layout.to] = b"t" * 20
    for place, item in changes.items():
        items[
            int(place.removeprefix("m")) if place.startswith("m") else {"v": -3, "r": -2, "s": -1}[place]
        ] = item
    return (bytes([kind]) if kind else b"") + encode_rlp(items)


HALF, ORDER = CURVE_ORDER // 2, CURVE_ORDER


@pytest.mark.parametrize("kind", LAYOUTS)
def test_every_transaction_type_is_parsed(kind):
    layout = LAYOUTS[kind]
    members = {f"m{layout.nonce}": b"\x09", f"m{layout.to}": b"t" * 20, f"m{layout.data}": b"data"}
    found = parse_transaction(transaction(kind, **members))
    assert (found.type, found.nonce, found.to, found.data) == (kind, 9, b"t" * 20, b"data")
    assert found.chain_id == (1 if kind == 0 else 0)
    assert found.signature.compact == b"\1".rjust(32, b"\0") * 2 + b"\0"
    assert found.hash == keccak256(transaction(kind, **members))


@pytest.mark.parametrize(
    ("v", "chain_id", "parity"),
    [(27, None, 0), (28, None, 1), (35, 0, 0), (36, 0, 1), (37, 1, 0), (38, 1, 1)],
)
def test_legacy_signature_gives_chain_id(v, chain_id, parity):
    found = parse_transaction(transaction(0, v=rlp_number_bytes(v)))
    assert (found.chain_id, found.signature.compact[-1]) == (chain_id, parity)
    signed = [b""] * 6 + ([] if chain_id is None else [rlp_number_bytes(chain_id), b"", b""])
    assert found.signature.digest == keccak256(encode_rlp(signed))


def test_typed_transaction_signature_covers_type():
    found = parse_transaction(transaction(2, v=b"\1"))
    assert found.signature.compact[-1] == 1
    assert found.signature.digest == keccak256(b"\2" + encode_rlp([b""] * 9))


def test_pre_eip155_signature_allows_high_s():
    """Before EIP-155 came with EIP-2, both forms of a signature were valid."""
    high = rlp_number_bytes(HALF + 1)
    assert parse_transaction(transaction(0, v=b"\x1b", s=high)).chain_id is None
    assert parse_transaction(transaction(2, s=rlp_number_bytes(HALF))).chain_id == 0
    assert parse_transaction(transaction(0, v=b"\x1b", r=rlp_number_bytes(ORDER - 1))).chain_id is None


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "transaction_absent"),
        (b"\0" + transaction(0), "transaction_of_type_0"),
        (b"\5" + transaction(2)[1:], "unknown_type"),
        (b"\x7f", "unknown_type"),
        (b"\1" + transaction(2)[1:], "transaction_members"),
        (transaction(0)[:-1], "rlp_cut"),
        (transaction(0, r=b""), "signature_range"),
        (transaction(0, s=b""), "signature_range"),
        (transaction(2, r=rlp_number_bytes(ORDER)), "signature_range"),
        (transaction(0, v=b"\x1b", s=rlp_number_bytes(ORDER)), "signature_range"),
        (transaction(0, s=rlp_number_bytes(HALF + 1)), "signature_form"),
        (transaction(2, s=rlp_number_bytes(HALF + 1)), "signature_form"),
        (transaction(0, v=b"\x1a"), "signature_v"),
        (transaction(0, v=b"\x1d"), "signature_v"),
        (transaction(0, v=b"\x22"), "signature_v"),
        (transaction(2, v=b"\2"), "signature_parity"),
        (transaction(2, m5=b"t" * 19), "rlp_sizes_2"),
        (transaction(3, m5=b""), "rlp_sizes_1"),
        (transaction(4, m5=b""), "rlp_sizes_1"),
        (transaction(2, m1=b"\0\1"), "rlp_number"),
        (transaction(2, m7=[]), "rlp_sizes_0"),
    ],
    ids=name_of,
)
def test_malformed_transaction_is_rejected(raw, reason):
    assert reason_of(parse_transaction, raw) == reason


# -- receipts and headers


def receipt(state=b"\1", gas=b"\x52\x08", bloom=bytes(256), logs=()):
    return encode_rlp([state, gas, bloom, list(logs)])


@pytest.mark.parametrize("kind", LAYOUTS)
@pytest.mark.parametrize(("state", "succeeded"), [(b"\1", True), (b"", False), (b"s" * 32, None)])
def test_every_receipt_type_is_parsed(kind, state, succeeded):
    raw = (bytes([kind]) if kind else b"") + receipt(state)
    assert parse_receipt(raw) == Receipt(kind, succeeded)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "receipt_absent"),
        (b"\0" + receipt(), "receipt_of_type_0"),
        (b"\5" + receipt(), "unknown_receipt"),
        (encode_rlp([b"\1", b"\1", bytes(256)]), "unknown_receipt"),
        (encode_rlp([b"\1", b"\1", bytes(256), b"logs"]), "unknown_receipt"),
        (receipt(state=b"\2"), "receipt_status"),
        (receipt(state=b"s" * 31), "rlp_sizes_3"),
        (receipt(state=b"\0"), "rlp_number"),
        (receipt(gas=b"\0\1"), "rlp_number"),
        (receipt(bloom=bytes(255)), "rlp_sizes_1"),
    ],
    ids=name_of,
)
def test_malformed_receipt_is_rejected(raw, reason):
    assert reason_of(parse_receipt, raw) == reason


def header(added=(), **changes):
    members = {name: bytes(size) if size else b"" for name, size in HEADER_SIZES.items()} | changes
    return encode_rlp([*members.values(), *added])


def test_block_header_members_are_parsed():
    roots = {"stateRoot": b"s" * 32, "transactionsRoot": b"t" * 32, "receiptsRoot": b"r" * 32}
    raw = header(number=b"\x09", timestamp=b"\1\0", extraData=b"any", added=[b"\1", b"w" * 32], **roots)
    found = parse_block_header(raw)
    assert (found.hash, found.number, found.timestamp) == (keccak256(raw), 9, 256)
    assert (found.state_root, found.transactions_root, found.receipts_root) == tuple(roots.values())


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (encode_rlp([b""] * 14), "header_members"),
        (encode_rlp(b"header"), "rlp_no_list"),
        (header(added=[[b"\1"]]), "rlp_sizes_0"),
        *((header(**{name: b"\0\1"}), "rlp_number") for name, size in HEADER_SIZES.items() if size is None),
        *((header(**{name: b"short"}), "rlp_sizes_1") for name, size in HEADER_SIZES.items() if size),
    ],
    ids=name_of,
)
def test_malformed_block_header_is_rejected(raw, reason):
    assert reason_of(parse_block_header, raw) == reason
