"""The lists: a chain's newest contracts, its pages, an address on all chains, the chains.

Shapes and member orders are measured of the real server; it has no further pages as files (a query
parameter asks for them), so the pages' scheme is statuary's own:

- `v2/contracts/<chainId>`: the newest 200 by match id, newest first, as the real server answers without
  parameters;
- `v2/contracts-pages/<chainId>/<n>.json`: 200 each, filled from the oldest match id, so a full page never
  changes again; newest first within the page;
- `v2/contracts-pages/<chainId>/index.json`: which match ids each page holds.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from statuary.documents import url_table
from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.domain.contracts.record import ContractRow
from statuary.domain.site import Chain

PAGE_SIZE = 200
"""Contracts in a list: the real server's default and largest `limit`."""

ALL_CHAINS_ORDER = ("match", "creationMatch", "runtimeMatch", "matchId", "chainId", "address", "verifiedAt")
"""The members of an entry of all-chains, in its own measured order."""


def list_documents(rows: Sequence[ContractRow], chains: Sequence[Chain]) -> Iterator[Document]:
    """Yield every list of a site.

    Args:
        rows: all published contracts, in any order.
        chains: the chains of the site, in the order of its settings; one without contracts has an empty list.
    """
    by_chain: dict[str, list[ContractRow]] = {chain.chain_id: [] for chain in chains}
    for row in sorted(rows, key=by_match_id):
        by_chain[row.chainId].append(row)
    for chain_id, oldest_first in by_chain.items():
        yield from chain_documents(chain_id, oldest_first)
    yield from all_chains_documents(sorted(rows, key=lambda row: (row.address, *by_match_id(row))))
    yield chains_document(chains)


def by_match_id(row: ContractRow) -> tuple[int, str, str]:
    """Return the key that lists are sorted by: the match id as a number, then chain and address."""
    return int(row.matchId), row.chainId, row.address


def chain_documents(chain_id: str, oldest_first: Sequence[ContractRow]) -> Iterator[Document]:
    """Yield a chain's newest contracts, its pages and their index."""
    newest = list(reversed(oldest_first[-PAGE_SIZE:]))
    yield Document(path=url_table.CONTRACTS.path(chain_id=chain_id), body=_results(map(entry, newest)))
    pages = [oldest_first[start : start + PAGE_SIZE] for start in range(0, len(oldest_first), PAGE_SIZE)]
    for number, page in enumerate(pages, start=1):
        yield Document(
            path=url_table.CONTRACTS_PAGE.path(chain_id=chain_id, page=number),
            body=_results(map(entry, reversed(page))),
        )
    index = {
        "chainId": chain_id,
        "count": len(oldest_first),
        "pages": [
            {
                "page": number,
                "firstMatchId": page[0].matchId,
                "lastMatchId": page[-1].matchId,
                "count": len(page),
            }
            for number, page in enumerate(pages, start=1)
        ],
    }
    yield Document(path=url_table.CONTRACTS_PAGES.path(chain_id=chain_id), body=encode_json(index))


def all_chains_documents(by_address: Iterable[ContractRow]) -> Iterator[Document]:
    """Yield, for rows sorted by address, each address' entries on all chains under both of its spellings."""
    for address, rows in groupby(by_address, key=lambda row: row.address):
        results = ({member: getattr(row, member) for member in ALL_CHAINS_ORDER} for row in rows)
        yield Document(
            path=url_table.CONTRACT_ALL_CHAINS.path(address=address),
            also=(url_table.CONTRACT_ALL_CHAINS.path(address=address.lower()),),
            body=_results(results),
        )


def chains_document(chains: Sequence[Chain]) -> Document:
    """Return the list of chains; the chain id is a number here, as measured."""
    return Document(path=url_table.CHAINS.path(), body=encode_json([_chain(chain) for chain in chains]))


def _chain(chain: Chain) -> dict[str, object]:
    return {
        "name": chain.name,
        "title": chain.title,
        "chainId": int(chain.chain_id),
        "rpc": list(chain.rpc),
        "traceSupportedRPCs": [],
        "supported": chain.supported,
        "etherscanAPI": False,
    }


def entry(row: ContractRow) -> dict[str, object]:
    """Return a row as an entry of a chain's list."""
    return row._asdict()


def _results(entries: Iterable[dict[str, object]]) -> bytes:
    return encode_json({"results": list(entries)})
