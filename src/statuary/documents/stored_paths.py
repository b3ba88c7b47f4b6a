"""The path of a URL's file, and back.

Two hosting settings move files: the sharded layout and compressed copies. Netlify accepts 54,000 files in a
folder, which is 27,000 contracts of a chain, each under its checksummed and its lower-case address. Sharding
by the first two digits of the address gives 256 folders, or 6.9 million contracts of a chain.
"""

import re
from itertools import product

from statuary.documents.document import Document
from statuary.documents.url_table import CONTRACT, CONTRACT_SHARD, PROOF, PROOF_SHARD, match_url
from statuary.domain.hosting_settings import CompressedFormat

SHARDS = {CONTRACT.prefix: CONTRACT_SHARD, PROOF.prefix: PROOF_SHARD}
"""The sharded URL of each family that has one, by the prefix of the plain URL."""

PLAIN_PREFIXES = {sharded.prefix: plain for plain, sharded in SHARDS.items()}

CONTRACT_PATH = re.compile(
    rf"(?P<family>{'|'.join(SHARDS)})(?P<chain_id>[^/]+)/"
    r"(?P<address>0x(?P<shard>[0-9a-fA-F]{2})[0-9a-fA-F]{38})(?:\.json)?"
)
"""A path with an address; `chain_id` is `all-chains` in the look-up over all chains."""

SHARDED_PATH = re.compile(
    rf"(?P<family>{'|'.join(PLAIN_PREFIXES)})(?P<chain_id>[^/]+)/(?P<shard>[0-9a-f]{{2}})/(?P<name>0x[^/]+)"
)

ADDRESS = re.compile("0x[0-9a-fA-F]{40}")


def sharded_path(path: str) -> str:
    """Return the path of a document in the sharded layout; only single contracts and proofs move."""
    found = CONTRACT_PATH.fullmatch(path)
    if found is None:
        return path
    shard = found["shard"].lower()
    return SHARDS[found["family"]].path(chain_id=found["chain_id"], shard=shard, address=found["address"])


def plain_path(path: str) -> str:
    """Return the path of a document in the plain layout, from a path of either layout."""
    found = SHARDED_PATH.fullmatch(path)
    if found is None:
        return path
    return f"{PLAIN_PREFIXES[found['family']]}{found['chain_id']}/{found['name']}"


def sharded_document(document: Document) -> Document:
    """Return a document with its paths in the sharded layout."""
    return document._replace(
        path=sharded_path(document.path), aliases=tuple(map(sharded_path, document.aliases))
    )


def shard_rewrites() -> list[tuple[str, str]]:
    """Return the rewrites that hide the sharded layout, as (URL path, file path) with Netlify's placeholders.

    Paths are case-sensitive there, so each shard has a rule for each case of its two digits: 484 in all.
    """
    digits = "0123456789abcdefABCDEF"
    return [
        (f"/{plain}:chain/0x{a}{b}*", f"/{sharded.prefix}:chain/{(a + b).lower()}/0x{a}{b}:splat")
        for plain, sharded in SHARDS.items()
        for a, b in product(digits, repeat=2)
    ]


def uncompressed_path(path: str) -> str:
    """Return the path of the document that a compressed copy is made from; other paths are unchanged."""
    for form in CompressedFormat:
        if path.endswith(f".{form}"):
            return path.removesuffix(f".{form}")
    return path


def is_proof_path(path: str) -> bool:
    """Say whether a path of either layout is that of a contract's proof."""
    found = CONTRACT_PATH.fullmatch(plain_path(path))
    return found is not None and found["family"] == PROOF.prefix


def contract_of_path(path: str) -> tuple[str, str] | None:
    """Return chain id and address of the record at a path of either layout; None for other paths."""
    found = match_url(plain_path(path))
    if found is None or found[0] is not CONTRACT or not ADDRESS.fullmatch(found[1]["address"]):
        return None
    return found[1]["chain_id"], found[1]["address"]
