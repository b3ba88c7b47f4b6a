"""Blocks of Ethereum's mainnet from public test suites (mainnet.py says which) through the same verifiers."""

import json
from pathlib import Path

import pytest

from statuary.base.primitives import keccak256
from statuary.base.reasons import EvidenceError
from statuary.contracts.chain.anchor import (
    AnchoredBlock,
    DeploymentEvidence,
    decode_block_header,
    verify_account,
    verify_storage_word,
    verify_transaction,
)
from statuary.contracts.chain.merkle_trie import decode_rlp_list, encode_rlp, rlp_number_bytes
from statuary.contracts.chain.transaction import parse_block_header, parse_transaction
from statuary.contracts.chain.trie_proofs import make_trie_proof
from statuary.contracts.checks.anchor_claims import recover_sender
from statuary.extensions.importing.evidence.ethereum_node import encode_header, encode_transaction

HERE = Path(__file__).parent
MAINNET = json.loads((HERE / "mainnet.json").read_text())
BLOCKS = {block["number"]: block for block in MAINNET["blocks"]}
WETH_SLOT = "0x" + "2".zfill(64)

# the number of members in a block header since each fork that added some
MEMBERS = {
    1: 15,
    7_000_000: 15,
    14_764_013: 16,
    15_537_394: 16,
    17_034_870: 17,
    19_426_587: 20,
    22_431_084: 21,
}


def anchored(block):
    return AnchoredBlock(block["number"], block["hash"], block["header"])


@pytest.mark.parametrize("number", BLOCKS)
def test_mainnet_headers_parse_by_fork(number):
    block = BLOCKS[number]
    assert decode_block_header(anchored(block)).number == number
    members = [count for first, count in MEMBERS.items() if first <= number][-1]
    assert len(decode_rlp_list(bytes.fromhex(block["header"][2:]))) == members


def test_vectors_cover_header_forms():
    assert set(MEMBERS) <= set(BLOCKS)


def transactions():
    return [(block, one) for block in BLOCKS.values() for one in block["transactions"]]


def evidence(block, one):
    return DeploymentEvidence(anchored(block), tuple(one["transaction"]), tuple(one["receipt"]))


@pytest.mark.parametrize(
    ("block", "one"), transactions(), ids=lambda value: str(value.get("number", value.get("hash", "")[:10]))
)
def test_mainnet_transactions_and_receipts_verify(block, one):
    transaction, receipt = verify_transaction(evidence(block, one), one["index"], "0x")
    assert f"0x{transaction.hash.hex()}" == one["hash"]
    assert transaction.type == receipt.type == one["type"]
    assert transaction.chain_id in (1, None)
    assert recover_sender(transaction.signature) == one["sender"]
    with pytest.raises(EvidenceError):
        verify_transaction(evidence(block, one), one["index"] + 1, "0x")


def test_vectors_cover_transaction_types():
    assert {one["type"] for _, one in transactions()} == {0, 1, 2, 3, 4}


def test_json_rpc_block_is_reencoded():
    # from ethereumjs-monorepo, packages/block/test/testdata/infura2000004wtxs.json, which states the senders
    block = json.loads((HERE / "mainnet_2000004.json").read_text())
    header = parse_block_header(encode_header(block))
    assert f"0x{header.hash.hex()}" == block["hash"]
    encoded = [encode_transaction(one) for one in block["transactions"]]
    for given, raw in zip(block["transactions"], encoded, strict=True):
        found = parse_transaction(raw)
        assert f"0x{found.hash.hex()}" == given["hash"]
        assert recover_sender(found.signature).lower() == given["from"]
    keyed = [(encode_rlp(rlp_number_bytes(index)), raw) for index, raw in enumerate(encoded)]
    assert make_trie_proof(keyed, b"\x80")[0] == header.transactions_root


def test_mainnet_account_and_storage_verify():
    state = MAINNET["state"]
    header = parse_block_header(bytes.fromhex(state["header"][2:]))
    assert header.number == 19_000_000
    account = verify_account(header, state["address"], tuple(state["account"]))
    assert account.code_hash == keccak256(bytes.fromhex(state["code"][2:]))
    assert verify_storage_word(account, WETH_SLOT, tuple(state["storage"])) == 18
    with pytest.raises(EvidenceError):
        verify_storage_word(account, "0x" + "3".zfill(64), tuple(state["storage"]))
    with pytest.raises(EvidenceError):
        verify_account(header, "0x" + "11" * 20, tuple(state["account"]))
