"""The pages that depend on the settings or on all contracts, but not on the time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from statuary.documents.document import Document
from statuary.documents.pages.api.api_page import api_page
from statuary.documents.pages.api.reference_page import reference_page
from statuary.documents.pages.asset_documents import asset_documents
from statuary.documents.pages.contracts.chain_pages import ContractListPages
from statuary.documents.pages.contracts.contract_page_context import has_contract_pages
from statuary.documents.pages.contracts.search_index import search_documents
from statuary.documents.pages.rendering import renderer_of
from statuary.documents.pages.site_context import PageHead, SiteContext, site_context
from statuary.documents.url_table import NOT_FOUND_PAGE
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.contract_counts import ContractCounts
from statuary.domain.contracts.record import ContractRow
from statuary.domain.json_values import Json

CONTRACTS = ("contracts",)
"""The source of the pages that list contracts: the whole folder."""


def settings_only_pages(
    catalogue: Catalogue,
    contracts: ContractCounts,
    present: Iterable[str],
    openapi: Mapping[str, Json] | None = None,
) -> Iterator[Document]:
    """Yield the pages and files that change only with the settings.

    Args:
        contracts: the published contracts in numbers.
        openapi: the OpenAPI document, or None.
    """
    site = site_context(catalogue)
    yield not_found_page(site)
    yield api_page(catalogue, contracts, present, openapi=openapi is not None)
    if openapi is not None:
        yield reference_page(openapi, site)
    yield from asset_documents(
        site.settings.theme,
        contracts=site.has_contracts,
        search=site.has_contracts and site.settings.search,
        log=bool(site.log),
    )


def contract_list_pages(
    catalogue: Catalogue, contracts: ContractCounts, entries: Sequence[ContractRow]
) -> Iterator[Document]:
    """Yield the lists of contracts and the search over them.

    Args:
        contracts: the published contracts in numbers.
        entries: all contracts; empty if they are too many to be listed.
    """
    site = site_context(catalogue)
    if site.has_contracts:
        for document in _contract_lists(site, catalogue, contracts, entries):
            yield document._replace(sources=CONTRACTS, persistent=True)


def _contract_lists(
    site: SiteContext, catalogue: Catalogue, contracts: ContractCounts, entries: Sequence[ContractRow]
) -> Iterator[Document]:
    renderer, with_pages = renderer_of(site), has_contract_pages(catalogue)
    listed = len(entries) == contracts.contracts
    search = listed and catalogue.pages.search
    lists = ContractListPages(renderer, entries, with_pages=with_pages)
    yield lists.home(catalogue.chains, dict(contracts.by_chain), search=search, listed=listed)
    if listed:
        for chain in catalogue.chains:
            yield from lists.chain_documents(chain)
    if search:
        yield from search_documents(entries, renderer.localization.texts, with_pages=with_pages)


def not_found_page(site: SiteContext) -> Document:
    """Return the page for an unknown address."""
    renderer = renderer_of(site)
    head = PageHead(
        path=NOT_FOUND_PAGE.path(),
        title=renderer.localization.texts("not_found.title"),
        description=renderer.localization.texts("not_found.text"),
    )
    return renderer.page(NOT_FOUND_PAGE, "not_found.html", head, None, root=site.root)
