"""Where the documents of single contracts lie on hosts that limit the files of a folder.

Netlify takes 54,000 files in one folder, which are 27,000 contracts of a chain, each under two spellings. By the
first two digits of the address they spread over 256 folders, which is 6.9 million contracts of a chain.
"""

import re
from itertools import product

from statuary.documents.document import Document
from statuary.documents.url_table import CONTRACT_SHARD, PROOF_SHARD

CONTRACT_PATH = re.compile(
    r"(?P<family>v2/contract|proof)/(?P<chain_id>[^/]+)/(?P<address>0x(?P<shard>[0-9a-fA-F]{2})[0-9a-fA-F]{38})"
    r"(?:\.json)?"
)
"""A path that names an address: on all chains, `all-chains` stands in place of the chain's id."""

SHARDS = {"v2/contract": CONTRACT_SHARD, "proof": PROOF_SHARD}


def sharded_path(path: str) -> str:
    """Return where the document of a path lies in the sharded layout; the path itself of all others."""
    found = CONTRACT_PATH.fullmatch(path)
    if found is None:
        return path
    parts = found.groupdict()
    shard = parts["shard"].lower()
    return SHARDS[parts["family"]].path(chain_id=parts["chain_id"], shard=shard, address=parts["address"])


SHARDED_PATH = re.compile(
    r"_shards/(?P<family>contract|proof)/(?P<chain_id>[^/]+)/(?P<shard>[0-9a-f]{2})/(?P<name>0x[^/]+)"
)


def plain_path(path: str) -> str:
    """Return the path whose document lies at a path of the sharded layout; the path itself of all others."""
    found = SHARDED_PATH.fullmatch(path)
    if found is None:
        return path
    family = "v2/contract" if found["family"] == "contract" else found["family"]
    return f"{family}/{found['chain_id']}/{found['name']}"


def sharded_document(document: Document) -> Document:
    """Return a document with its names in the sharded layout."""
    return document._replace(
        path=sharded_path(document.path), aliases=tuple(sharded_path(name) for name in document.aliases)
    )


def shard_rewrites() -> list[tuple[str, str]]:
    """Return the rewrites that hide the layout: from and to, in Netlify's placeholders.

    Paths are case-sensitive there, so that each shard has a rule for each spelling of its two digits: 484 of them.
    """
    digits = "0123456789abcdefABCDEF"
    places = (("/v2/contract", "/_shards/contract"), ("/proof", "/_shards/proof"))
    return [
        (f"{asked}/:chain/0x{a}{b}*", f"{held}/:chain/{(a + b).lower()}/0x{a}{b}:splat")
        for asked, held in places
        for a, b in product(digits, repeat=2)
    ]
