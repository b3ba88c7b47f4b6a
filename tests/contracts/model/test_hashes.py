"""IPFS and Swarm addresses against the compilers that wrote them, and against IPFS's own importer."""

import json
from pathlib import Path

import pytest

from statuary.contracts.model.auxdata import find_trailing_auxdata, parse_auxdata
from statuary.contracts.model.compiler_evidence import AuxdataStyle
from statuary.contracts.model.metadata_hashes import (
    encode_base58,
    ipfs_multihash,
    metadata_hash,
    possible_metadata_texts,
    swarm_hash_v1,
)

HERE = Path(__file__).parent
CIDS = json.loads((HERE / "ipfs_cids.json").read_text())
"""Bytes of a file -> its address by npm's ipfs-only-hash; the content is `pattern`."""

COMPILED = json.loads((HERE / "solc_metadata_hashes.json").read_text())
"""Metadata that solc 0.4.24, 0.5.17 and 0.8.30 wrote (`@@` stands for the filler), and the end of the bytecode."""


def pattern(size: int) -> bytes:
    return bytes((i * 7 + (i >> 8)) & 255 for i in range(min(size, 65536))) * (size // 65536 + 1)


@pytest.mark.parametrize("size", CIDS, ids=str)
def test_ipfs_hash_matches_importer(size):
    assert encode_base58(ipfs_multihash(pattern(int(size))[: int(size)])) == CIDS[size]


@pytest.mark.parametrize("row", COMPILED, ids=lambda row: f"{row['solc']}-{row['filler']}")
def test_metadata_hash_matches_solc(row):
    text = row["metadata"].replace("@@", "x" * row["filler"]).encode()
    tail = find_trailing_auxdata(bytes.fromhex(row["runtimeEnd"]), AuxdataStyle.SOLIDITY)
    hashes = parse_auxdata(tail.value, AuxdataStyle.SOLIDITY).hashes
    [(scheme, digest)] = hashes.items()
    assert scheme == {"0.4.24": "bzzr0", "0.5.17": "bzzr1", "0.8.30": "ipfs"}[row["solc"]]
    assert metadata_hash(text, scheme) == digest
    assert metadata_hash(text + b" ", scheme) != digest


def test_vectors_cover_chunk_boundaries():
    """A table without the sizes where trees grow a level would prove little."""
    sizes = {int(size) for size in CIDS}
    assert {0, 262144, 262145, 174 * 262144 + 1} <= sizes
    assert {row["filler"] for row in COMPILED} >= {10, 262144, 600000}


def test_short_inputs_are_hashed():
    assert encode_base58(b"\0\0\1") == "112"
    assert ipfs_multihash(b"")[:2] == b"\x12\x20"
    assert swarm_hash_v1(b"") == bytes(32)


def test_metadata_texts_include_solc_text() -> None:
    """solc wrote text as it is, or with escapes; members in an order of its own, or sorted."""
    metadata = {"b": "\u00fc", "a": "\x7f"}
    texts = ['{"b":"\u00fc","a":"\x7f"}', '{"a":"\x7f","b":"\u00fc"}']
    escaped = ['{"b":"\\u00fc","a":"\x7f"}', '{"a":"\x7f","b":"\\u00fc"}']
    found = [text.decode() for text in possible_metadata_texts(metadata, "given")]
    assert found[0] == "given"
    assert {texts[0], texts[1]} <= set(found)
    assert {escaped[0], escaped[1]} <= {text.replace("\\u007f", "\x7f") for text in found}
    plain = [text.decode() for text in possible_metadata_texts({"b": 1, "a": 2}, None)]
    assert plain == ['{"b":1,"a":2}', '{"a":2,"b":1}']
