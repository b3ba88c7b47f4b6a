"""The endpoints of contracts that the API page lists, with examples."""

from collections.abc import Iterator

from statuary.contracts.api.list_pages import OLDEST_PAGE
from statuary.publish.ledger.contract_rows import ContractRow
from statuary.site import url_table

ENDPOINTS = (
    url_table.CONTRACT,
    url_table.CONTRACT_ALL_CHAINS,
    url_table.CONTRACTS,
    url_table.CONTRACTS_PAGES,
    url_table.CONTRACTS_PAGE,
    url_table.CHAINS,
    url_table.PROOF,
    url_table.PROOF_CHECKS,
    url_table.PROOF_SCHEMA,
)
"""The endpoints that programs use."""


def example_paths(example: ContractRow | None) -> Iterator[str]:
    """Yield the paths of an example contract, and those about all contracts."""
    yield from (url.path() for url in (url_table.CHAINS, url_table.PROOF_CHECKS, url_table.PROOF_SCHEMA))
    if example is not None:
        members: dict[str, str | int] = {
            "chain_id": example.chainId,
            "address": example.address,
            "page": OLDEST_PAGE,
        }
        for url in ENDPOINTS:
            yield url.path(**members)
