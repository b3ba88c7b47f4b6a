"""Paths of contract documents in the plain and the sharded layout.

Shards are for hosts that limit the number of files in a folder.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from statuary.contracts.urls import CONTRACT, CONTRACT_SHARD, PROOF, PROOF_SHARD
from statuary.publish.host_layout import with_compressed_forms
from statuary.site.document import ADDRESS, Document
from statuary.site.settings import HostingSettings, PathLayout
from statuary.site.url_table import match_url

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


def sharded_path(path: str) -> str:
    """Return a document's path in the layout with folders by address.

    Hosts with a limit of files in a folder need it. Records and proofs are in folders named after the first two hex
    digits of the address. Example: v2/contract/1/0x00ab… -> _shards/contract/1/00/0x00ab…
    """
    if (match := CONTRACT_PATH.fullmatch(path)) is None:
        return path
    shard = match["shard"].lower()
    return SHARDS[match["family"]].path(chain_id=match["chain_id"], shard=shard, address=match["address"])


def plain_path(path: str) -> str:
    """Return a document's path without the folders that `sharded_path` adds.

    Args:
        path: the path in either layout.
    """
    if (match := SHARDED_PATH.fullmatch(path)) is None:
        return path
    return f"{PLAIN_PREFIXES[match['family']]}{match['chain_id']}/{match['name']}"


def sharded_document(document: Document) -> Document:
    """Move a document to the layout with folders by address.

    Records and proofs are then in folders named after the first two hex digits of the address.
    """
    return document._replace(
        path=sharded_path(document.path), aliases=tuple(map(sharded_path, document.aliases))
    )


def apply_host_layout(documents: Iterable[Document], settings: HostingSettings) -> Iterator[Document]:
    """Move and compress documents as the site's web host needs it.

    Args:
        documents: the documents with their plain paths.

    Raises:
        PublishingError: if the package for a compression format is not installed.
    """
    is_plain = settings.lower_case_names and settings.layout is not PathLayout.SHARDED
    in_layout = documents if is_plain else (_apply_path_layout(document, settings) for document in documents)
    return with_compressed_forms(in_layout, settings)


def _apply_path_layout(document: Document, settings: HostingSettings) -> Document:
    if not (settings.lower_case_names or not CONTRACT_PATH.fullmatch(document.path)):
        document = document._replace(aliases=())
    return sharded_document(document) if settings.layout is PathLayout.SHARDED else document


class ContractKey(NamedTuple):
    """The chain and the address of a contract, spelled as in paths."""

    chain_id: str
    address: str


def contract_key_of_path(path: str) -> ContractKey | None:
    """Return the chain and address in the path of a record.

    Example: v2/contract/1/0x00ab… -> ("1", "0x00ab…")

    Returns:
        The chain and address, or None for any other path.
    """
    match = match_url(plain_path(path))
    if match is None or match.url is not CONTRACT or not ADDRESS.fullmatch(match.parameters["address"]):
        return None
    return ContractKey(match.parameters["chain_id"], match.parameters["address"])
