"""Contract lists: newest contracts, pages of a chain, an address, and chains.

Shapes and member orders are those of the real server. The server selects further pages by query parameter; the files
of pages are statuary's own:

- `v2/contracts/<chainId>`: the newest 200 by match id, newest first, as the real server answers without
  parameters;
- `v2/contracts-pages/<chainId>/<page>.json`: at most 200 each, from the oldest match id, newest first within
the
  page. Where a page ends depends on its contracts, and its name is its first match id (`oldest` for the first
  page):
  a contract that is added or removed changes its own page and hardly ever another;
- `v2/contracts-pages/<chainId>/index.json`: the match ids of each page, oldest first.

The entry of a contradicted contract has one member more, `verdict`: the real server has no word for it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from statuary.contracts import urls as contract_urls
from statuary.contracts.api.list_pages import PAGE_SIZE, ChainList
from statuary.contracts.model.contract_row import LIST_MEMBERS, ContractRow
from statuary.contracts.settings import Chain
from statuary.site.document import Document, encode_json, encode_unchecked

ALL_CHAINS_ORDER = ("match", "creationMatch", "runtimeMatch", "matchId", "chainId", "address", "verifiedAt")
"""The members of an entry of all-chains, in its own measured order."""


class AddressContracts(NamedTuple):
    """The contracts at an address on all chains."""

    address: str  # the address with an EIP-55 checksum
    locations: tuple[str, ...]
    rows: tuple[ContractRow, ...]


def group_rows_by_address(located_rows: Iterable[tuple[str, ContractRow]]) -> Iterator[AddressContracts]:
    """Group list entries by address, which can exist on several chains.

    Args:
        located_rows: the path and the list entry of each contract, sorted by address and match id.

    Yields:
        An address, with its contracts on all chains.
    """
    for address, group in groupby(located_rows, key=lambda located: located[1].address):
        locations, contracts = zip(*group, strict=True)
        yield AddressContracts(address, locations, contracts)


def chain_list_documents(chain_list: ChainList) -> Iterator[Document]:
    """Yield the API documents that list a chain's contracts.

    First come pages that together list all contracts, except unchanged ones. Then come the list of the newest
    contracts, and an index of the pages.
    """
    chain_id = chain_list.chain_id
    sources = (f"contracts/{chain_id}",)
    for page, rows in chain_list.divide():
        yield Document(
            path=contract_urls.CONTRACTS_PAGE.path(chain_id=chain_id, page=page.name),
            body=_encode_results(map(contract_list_entry, reversed(rows))),
            sources=sources,
            persistent=True,
        )
    yield Document(
        path=contract_urls.CONTRACTS.path(chain_id=chain_id),
        body=_encode_results(map(contract_list_entry, reversed(chain_list.newest_rows(PAGE_SIZE)))),
        sources=sources,
        persistent=True,
    )
    pages = [
        {"page": page.name, "firstMatchId": page.first, "lastMatchId": page.last, "count": page.size}
        for page in chain_list.pages
    ]
    index = {"chainId": chain_id, "count": sum(page.size for page in chain_list.pages), "pages": pages}
    yield Document(
        path=contract_urls.CONTRACTS_PAGES.path(chain_id=chain_id),
        body=encode_json(index),
        sources=sources,
        persistent=True,
    )


def address_list_document(address_contracts: AddressContracts) -> Document:
    """Make the document that lists an address's contracts on all chains.

    It has two paths, with the checksummed and with the lower-case address.
    """
    results = (
        {member: getattr(row, member) for member in ALL_CHAINS_ORDER} | _contradicted_member(row)
        for row in address_contracts.rows
    )
    return Document(
        path=contract_urls.CONTRACT_ALL_CHAINS.path(address=address_contracts.address),
        aliases=(contract_urls.CONTRACT_ALL_CHAINS.path(address=address_contracts.address.lower()),),
        body=_encode_results(results),
        sources=address_contracts.locations,
        persistent=True,
    )


def chains_document(chains: Sequence[Chain]) -> Document:
    """Make the document that lists the chains of the site.

    As on Sourcify's server, chain ids are numbers in this document.
    """
    return Document(
        path=contract_urls.CHAINS.path(), body=encode_json([_chain_entry(chain) for chain in chains])
    )


def _chain_entry(chain: Chain) -> dict[str, object]:
    return {
        "name": chain.name,
        "title": chain.title,
        "chainId": int(chain.chain_id),
        "rpc": list(chain.rpc),
        "traceSupportedRPCs": [],
        "supported": chain.supported,
        "etherscanAPI": False,
    }


def contract_list_entry(row: ContractRow) -> dict[str, object]:
    """Return a contract's JSON object in the list of its chain."""
    return dict(zip(LIST_MEMBERS, row, strict=False)) | _contradicted_member(row)


def _contradicted_member(row: ContractRow) -> dict[str, object]:
    return {"verdict": row.verdict} if row.is_contradicted else {}


def _encode_results(entries: Iterable[dict[str, object]]) -> bytes:
    return encode_unchecked({"results": list(entries)})  # text of records under fixed members
