"""The API page: every endpoint of the site, with a working example."""

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
"""The endpoints that programs use, by subject."""


class Endpoint(NamedTuple):
    """An endpoint."""

    path: str
    description: str
    media_type: str
    cache: str  # how long clients may keep it, in words
    example: str  # an existing document, relative to the site's root; empty if there is none


class EndpointFamily(NamedTuple):
    """Endpoints on one subject."""

    key: str
    endpoints: tuple[Endpoint, ...]


class ApiView(NamedTuple):
    """The content of the API page."""

    base: str
    counts: tuple[str, ...]  # what the site contains, in words
    chains: tuple[tuple[str, str, str], ...]
    families: tuple[EndpointFamily, ...]
    reference: str  # the path of the reference; empty if there is none
    openapi: str  # the path of the OpenAPI document; empty if there is none


def api_page(
    catalogue: Catalogue, contracts: ContractCounts, present: Iterable[str], *, openapi: bool
) -> Document:
    """Return the API page.

    Args:
        present: the paths of all timed documents, for examples.
    """
    renderer = renderer_of(site_context(catalogue))
    texts = renderer.localization.texts
    paths = [*present, *_contract_paths(contracts.example)]
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
        reference=url_table.REFERENCE_PAGE.path() if openapi else "",
        openapi=url_table.OPENAPI.path() if openapi else "",
    )
    url = section_url("api", catalogue.pages)
    head = PageHead(
        path=url.path(),
        title=texts("api.title"),
        description=texts("api.page", name=renderer.site.name),
        section="api",
    )
    return renderer.page(url, "api.html", head, view)


def _contract_paths(example: ContractRow | None) -> Iterator[str]:
    """Yield the paths of an example contract, and those about all contracts."""
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
    used: set[str] = set()
    for url in urls:
        # the pattern of numbered pages also matches their index, which comes before them
        example = next((path for path in _matching(url, paths) if path not in used), "")
        used.add(example)
        if example or "{" in url.pattern:
            yield Endpoint(
                path=f"/{url.pattern}",
                description=url.description,
                media_type=url.media_type.partition(";")[0],
                cache=texts("api.briefly" if url.cache == SHORT_LIVED else "api.revalidate"),
                example=example,
            )


def _matching(url: Url, paths: Sequence[str]) -> Iterator[str]:
    parts = PATTERN_PARTS.findall(url.pattern)
    expression = re.compile("".join("[^/]+" if member else re.escape(literal) for member, literal in parts))
    return (path for path in paths if expression.fullmatch(path))
