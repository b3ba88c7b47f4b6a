"""The endpoints of contracts that the API page lists, with examples."""

from collections.abc import Iterator

from statuary.contracts import urls as contract_urls
from statuary.contracts.api.list_pages import OLDEST_PAGE
from statuary.publish.ledger.contract_rows import ContractRow

ENDPOINTS = (
    contract_urls.CONTRACT,
    contract_urls.CONTRACT_ALL_CHAINS,
    contract_urls.CONTRACTS,
    contract_urls.CONTRACTS_PAGES,
    contract_urls.CONTRACTS_PAGE,
    contract_urls.CHAINS,
    contract_urls.PROOF,
    contract_urls.PROOF_CHECKS,
    contract_urls.PROOF_SCHEMA,
)
"""The endpoints that programs use."""


def example_paths(example: ContractRow | None) -> Iterator[str]:
    """Yield the paths of an example contract, and those about all contracts."""
    yield from (
        url.path() for url in (contract_urls.CHAINS, contract_urls.PROOF_CHECKS, contract_urls.PROOF_SCHEMA)
    )
    if example is not None:
        members: dict[str, str | int] = {
            "chain_id": example.chainId,
            "address": example.address,
            "page": OLDEST_PAGE,
        }
        for url in ENDPOINTS:
            yield url.path(**members)
