"""What is served here: every endpoint of the site, with an example that is there."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from statuary.documents import url_table
from statuary.documents.document import Document
from statuary.documents.pages.page_texts import PageTexts
from statuary.documents.pages.rendering import renderer_of
from statuary.documents.pages.site_context import PageHead, section_url, site_context
from statuary.documents.pages.visible_text import one_line
from statuary.documents.url import SHORT_LIVED, Url
from statuary.documents.url_table import PATTERN_PARTS
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.contract_counts import ContractCounts
from statuary.domain.contracts.record import ContractRow

ENDPOINT_FAMILIES: dict[str, tuple[Url, ...]] = {
    "contracts": (
        url_table.CONTRACT,
        url_table.CONTRACT_ALL_CHAINS,
        url_table.CONTRACTS,
        url_table.CONTRACTS_PAGES,
        url_table.CONTRACTS_PAGE,
        url_table.CHAINS,
        url_table.PROOF,
        url_table.PROOF_CHECKS,
        url_table.PROOF_SCHEMA,
    ),
    "status": (
        url_table.SUMMARY,
        url_table.STATUS,
        url_table.COMPONENTS,
        url_table.INCIDENTS_UNRESOLVED,
        url_table.INCIDENTS,
        url_table.INCIDENT,
        url_table.MAINTENANCES_UPCOMING,
        url_table.MAINTENANCES_ACTIVE,
        url_table.MAINTENANCES,
        url_table.ARCHIVES,
        url_table.ARCHIVE,
        url_table.UPTIME,
        url_table.UPTIME_SCHEMA,
        url_table.EPOCHS,
    ),
    "follow": (
        url_table.HISTORY_ATOM,
        url_table.HISTORY_RSS,
        url_table.FEED,
        url_table.COMPONENT_ATOM,
        url_table.CALENDAR,
        url_table.BADGE,
        url_table.BADGE_ENDPOINT,
        url_table.COMPONENT_BADGE,
        url_table.COMPONENT_BADGE_ENDPOINT,
        url_table.CHANGES,
    ),
}
"""The endpoints that people write programs against, by what they are about."""


class Endpoint(NamedTuple):
    """An endpoint.

    Attributes:
        path: its shape, with `{member}` where it varies.
        tells: what is found there.
        media_type: what kind of document it is.
        kept: how long it may be kept.
        example: a document that is there, relative to the site's root; empty if the site has none now.
    """

    path: str
    tells: str
    media_type: str
    kept: str
    example: str


class EndpointFamily(NamedTuple):
    """Endpoints that belong together.

    Attributes:
        key: what texts call them.
        endpoints: the endpoints.
    """

    key: str
    endpoints: tuple[Endpoint, ...]


class ApiView(NamedTuple):
    """What the page says.

    Attributes:
        base: the address that every path follows.
        counts: what the site holds, in words.
        chains: its chains: name, number, count of contracts.
        families: its endpoints.
        example: chain and address of an example for the commands; empty if there is no contract.
        reference: the reference, relative to the site's root; empty if there is none.
        openapi: the same for machines.
    """

    base: str
    counts: tuple[str, ...]
    chains: tuple[tuple[str, str, str], ...]
    families: tuple[EndpointFamily, ...]
    example: str
    reference: str
    openapi: str


def api_page(
    catalogue: Catalogue, contracts: ContractCounts, present: Iterable[str], *, openapi: bool
) -> Document:
    """Return the page that tells what is served.

    Args:
        catalogue: the site.
        contracts: the published contracts in numbers.
        present: the paths of the documents of the status side, for examples.
        openapi: whether the site is described as OpenAPI as well.
    """
    renderer = renderer_of(site_context(catalogue))
    texts = renderer.voice.texts
    paths = [*present, *_contract_paths(contracts.example)]
    one = contracts.example
    example = url_table.CONTRACT.path(chain_id=one.chainId, address=one.address) if one else ""
    counts = contracts.by_chain
    view = ApiView(
        base=catalogue.status.page.url,
        counts=tuple(_counts(catalogue, contracts, texts)),
        chains=tuple(
            (
                one_line(chain.title),
                chain.chain_id,
                texts.count("contracts.count", counts.get(chain.chain_id, 0)),
            )
            for chain in catalogue.chains
        ),
        families=tuple(
            EndpointFamily(key=key, endpoints=tuple(_endpoints(urls, paths, texts)))
            for key, urls in ENDPOINT_FAMILIES.items()
            if key != "contracts" or catalogue.chains
        ),
        example=example,
        reference=url_table.REFERENCE_PAGE.path() if openapi else "",
        openapi=url_table.OPENAPI.path() if openapi else "",
    )
    url = section_url("api", catalogue.pages)
    head = PageHead(
        path=url.path(),
        title=texts("api.title"),
        description=texts("api.page", name=renderer.frame.name),
        section="api",
    )
    return renderer.page(url, "api.html", head, view)


def _contract_paths(example: ContractRow | None) -> Iterator[str]:
    """Yield the documents of a contract, and those about all."""
    yield from (url.path() for url in (url_table.CHAINS, url_table.PROOF_CHECKS, url_table.PROOF_SCHEMA))
    if example is not None:
        members: dict[str, str | int] = {"chain_id": example.chainId, "address": example.address, "page": 1}
        for url in ENDPOINT_FAMILIES["contracts"]:
            yield url.path(**members)


def _counts(catalogue: Catalogue, contracts: ContractCounts, texts: PageTexts) -> Iterator[str]:
    status = catalogue.status
    if catalogue.chains:
        yield texts.count("contracts.count", contracts.contracts)
    yield texts.count("api.components", sum(not one.group for one in status.components))
    yield texts.count("api.incidents", len(status.incidents))
    yield texts.count("api.maintenances", len(status.maintenances))


def _endpoints(urls: Iterable[Url], paths: Sequence[str], texts: PageTexts) -> Iterator[Endpoint]:
    for url in urls:
        expression = re.compile(
            "".join(
                "[^/]+" if member else re.escape(literal)
                for member, literal in PATTERN_PARTS.findall(url.pattern)
            )
        )
        example = next((path for path in paths if expression.fullmatch(path)), "")
        if example or "{" in url.pattern:
            yield Endpoint(
                path=f"/{url.pattern}",
                tells=url.description,
                media_type=url.media_type.partition(";")[0],
                kept=texts("api.briefly" if url.cache == SHORT_LIVED else "api.asked"),
                example=example,
            )
