"""Make mainnet.json: blocks of Ethereum's mainnet from public test suites, small enough to keep.

    PYTHONPATH=tests python tests/contracts/chain/mainnet.py PORTAL_SPEC_TESTS

PORTAL_SPEC_TESTS is a clone of https://github.com/ethereum/portal-spec-tests (made with commit 938744a), whose
`tests/mainnet/history` has headers, bodies and receipts, and whose `tests/mainnet/state` has state proofs. Every
transaction and receipt of its blocks goes through the verifiers; the shortest of each type in each block is kept.
"""

import json
import sys
import time
from itertools import pairwise
from pathlib import Path

import yaml

from statuary.base.primitives import keccak256
from statuary.contracts.chain.merkle_trie import (
    decode_rlp_list,
    encode_rlp,
    rlp_number_bytes,
    verify_trie_proof,
)
from statuary.contracts.chain.transaction import parse_block_header, parse_receipt, parse_transaction
from statuary.contracts.chain.trie_proofs import make_trie_proof
from statuary.contracts.checks.anchor_claims import recover_sender

HERE = Path(__file__).parent
HEX = "0x{}".format


def bloom(logs):
    """Return the bloom filter of logs (yellow paper, 4.3.1), which the suite leaves out."""
    bits = 0
    for address, topics, _ in logs:
        for item in (address, *topics):
            digest = keccak256(item)
            for at in (0, 2, 4):
                bits |= 1 << int.from_bytes(digest[at : at + 2]) % 2048
    return bits.to_bytes(256)


def receipt(item):
    """Return a receipt as its trie holds it; the suite writes type, status, gas and logs (EIP-7642)."""
    kind, status, gas, logs = item
    payload = encode_rlp([status, gas, bloom(logs), logs])
    return kind + payload if kind else payload


def transaction(item):
    return item if isinstance(item, bytes) else encode_rlp(item)


def keyed(values):
    return [(encode_rlp(rlp_number_bytes(index)), value) for index, value in enumerate(values)]


def hexes(nodes):
    return [HEX(node.hex()) for node in nodes]


def block_of(held, counts):
    raw = bytes.fromhex(held["header"][2:])
    header = parse_block_header(raw)
    body = decode_rlp_list(bytes.fromhex(held["body"][2:]))
    transactions = keyed(map(transaction, body[0]))
    receipts = keyed(map(receipt, decode_rlp_list(bytes.fromhex(held["receipts"][2:]))))
    kept = {}
    for index, (key, value) in enumerate(transactions):
        root, nodes = make_trie_proof(transactions, key)
        receipts_root, receipt_nodes = make_trie_proof(receipts, key)
        assert (root, receipts_root) == (header.transactions_root, header.receipts_root), header.number
        found = parse_transaction(verify_trie_proof(root, key, nodes))
        given = parse_receipt(verify_trie_proof(receipts_root, key, receipt_nodes))
        assert given.type == found.type
        counts[found.type] = counts.get(found.type, 0) + 1
        size = len(value) + sum(map(len, receipt_nodes))
        if found.type not in kept or size < kept[found.type][0]:
            kept[found.type] = (
                size,
                {
                    "index": index,
                    "type": found.type,
                    "hash": HEX(found.hash.hex()),
                    "sender": recover_sender(found.signature),
                    "transaction": hexes(nodes),
                    "receipt": hexes(receipt_nodes),
                },
            )
    return {
        "number": header.number,
        "hash": HEX(header.hash.hex()),
        "header": held["header"],
        "transactions": [one for _, (_, one) in sorted(kept.items())],
    }


def header_only(path):
    [first, *_] = yaml.load(path.read_text(), yaml.CBaseLoader)
    value = bytes.fromhex(first["content_value"][2:])
    raw = value[8 : int.from_bytes(value[4:8], "little")]
    assert keccak256(raw).hex() == first["content_key"][4:]
    return {
        "number": int(path.stem),
        "hash": HEX(keccak256(raw).hex()),
        "header": HEX(raw.hex()),
        "transactions": [],
    }


def ssz_lists(data, *starts):
    """Return the lists of nodes in an SSZ container."""
    ends = [*starts[1:], len(data)]
    for start, end in zip(starts, ends, strict=True):
        part = data[start:end]
        count = int.from_bytes(part[:4], "little") // 4
        offsets = [int.from_bytes(part[4 * at : 4 * at + 4], "little") for at in range(count)] + [len(part)]
        yield [part[one:other] for one, other in pairwise(offsets)]


def state_proof(suite):
    """Return the account of WETH in block 19,000,000, its slot 2, and its code."""
    slot = yaml.load((suite / "contract_storage_trie_node.yaml").read_text(), yaml.CBaseLoader)[0]
    data = bytes.fromhex(slot["content_value_offer"][2:])
    storage, account = ssz_lists(
        data, int.from_bytes(data[:4], "little"), int.from_bytes(data[4:8], "little")
    )
    code = yaml.load((suite / "contract_bytecode.yaml").read_text(), yaml.CBaseLoader)[0][
        "content_value_retrieval"
    ]
    return {
        "address": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
        "header": slot["block_header"],
        "account": hexes(account),
        "storage": hexes(storage),
        "code": HEX(bytes.fromhex(code[2:])[4:].hex()),
    }


def main():
    suite = Path(sys.argv[1]) / "tests/mainnet"
    counts, began = {}, time.perf_counter()
    blocks = [header_only(suite / f"history/hive/success/{number}.yaml") for number in (1, 100, 7000000)]
    files = sorted((suite / "history/block_data").glob("*.yaml"))
    blocks += [block_of(yaml.load(file.read_text(), yaml.CBaseLoader), counts) for file in files]
    state = state_proof(suite / "state/validation")
    text = json.dumps({"blocks": blocks, "state": state}, indent=0)
    (HERE / "mainnet.json").write_text(text + "\n")
    print(
        f"{len(blocks)} blocks, transactions by type {counts}, {time.perf_counter() - began:.0f} s, {len(text):,} bytes"
    )


if __name__ == "__main__":
    main()
