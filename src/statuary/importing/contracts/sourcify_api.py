"""Any server with Sourcify's API v2: records as they are served.

`GET /v2/contracts/{chainId}` lists a chain, 200 contracts a page; `GET /v2/contract/{chainId}/{address}?fields=all` is
a record. https://docs.sourcify.dev/docs/api/
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from statuary.domain.primitives import Address, ChainId
from statuary.importing.contracts.found_contract import Found, FoundContract, SourceContract, any_address
from statuary.importing.import_error import ContractImportError
from statuary.importing.web_source import WebSource

PAGE: Final = 200
"""Contracts of a page, the most that a server gives."""


def read_sourcify_api(url: str, web: WebSource, chain_id: ChainId, addresses: Sequence[Address]) -> Found:
    """Yield the contracts of a chain, or some of them; each record is requested when it is read.

    Args:
        url: of the server, such as https://sourcify.dev/server, with or without /v2.
        addresses: the contracts; empty for all of the chain, oldest first.

    Raises:
        ContractImportError: if the list of a chain is not one.
        SourceError: if the server does not answer.
    """
    base = f"{url.rstrip('/').removesuffix('/v2')}/v2"
    for address in addresses or _listed(base, web, chain_id):
        yield FoundContract(
            chain_id,
            address,
            address,
            partial(_read, f"{base}/contract/{chain_id}/{address}?fields=all", web),
        )


def _listed(base: str, web: WebSource, chain_id: ChainId) -> Iterator[Address]:
    last, after = "", ""
    while True:
        page_url = f"{base}/contracts/{chain_id}?sort=asc&limit={PAGE}{after}"
        results = _results(web, page_url)
        yield from (any_address(one.get("address"), page_url) for one in results)
        following = str(results[-1].get("matchId", "")) if results else ""
        # a server without paging sends the same page again
        if len(results) < PAGE or following in ("", last):
            return
        last, after = following, f"&afterMatchId={following}"


def _results(web: WebSource, page_url: str) -> list[dict[str, Any]]:
    page = web.json(page_url)
    results = page.get("results") if isinstance(page, dict) else None
    if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        raise ContractImportError(
            f"{page_url} is not a list of contracts", "give the URL of a server with Sourcify's API v2"
        )
    return results


def _read(url: str, web: WebSource) -> SourceContract:
    raw = web.get(url)
    if raw is None:
        raise ContractImportError("the server has no such contract")
    return SourceContract(record=raw)
