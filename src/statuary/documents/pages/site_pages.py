"""Every page that is about more than one contract and does not change by itself."""

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
"""What the pages that list contracts are made of: the whole folder."""


def settings_only_pages(
    catalogue: Catalogue,
    contracts: ContractCounts,
    present: Iterable[str],
    openapi: Mapping[str, Json] | None = None,
) -> Iterator[Document]:
    """Yield the pages that neither time nor a single contract changes, and the files that all pages share.

    Args:
        catalogue: the site.
        contracts: the published contracts in numbers.
        present: the paths of the documents of the status side, for examples.
        openapi: the site described as OpenAPI; None if it is not.
    """
    frame = site_context(catalogue)
    yield not_found_page(frame)
    yield api_page(catalogue, contracts, present, openapi=openapi is not None)
    if openapi is not None:
        yield reference_page(openapi, frame)
    yield from asset_documents(frame.settings.theme, search=frame.has_contracts and frame.settings.search)


def contract_list_pages(
    catalogue: Catalogue, contracts: ContractCounts, entries: Sequence[ContractRow]
) -> Iterator[Document]:
    """Yield the lists of contracts, and the search over them.

    Args:
        catalogue: the site.
        contracts: the published contracts in numbers.
        entries: what lists and the search say of them; none of them if they are too many to be listed.
    """
    frame = site_context(catalogue)
    if frame.has_contracts:
        for document in _contract_lists(frame, catalogue, contracts, entries):
            yield document._replace(sources=CONTRACTS, persistent=True)


def _contract_lists(
    frame: SiteContext, catalogue: Catalogue, contracts: ContractCounts, entries: Sequence[ContractRow]
) -> Iterator[Document]:
    renderer, with_pages = renderer_of(frame), has_contract_pages(catalogue)
    listed = len(entries) == contracts.contracts
    search = listed and catalogue.pages.search
    lists = ContractListPages(renderer, entries, with_pages=with_pages)
    yield lists.home(catalogue.chains, dict(contracts.by_chain), search=search, listed=listed)
    if listed:
        for chain in catalogue.chains:
            yield from lists.chain_documents(chain)
    if search:
        yield from search_documents(entries, renderer.voice.texts, with_pages=with_pages)


def not_found_page(frame: SiteContext) -> Document:
    """Return the page that hosts answer with where there is none."""
    renderer = renderer_of(frame)
    head = PageHead(
        path=NOT_FOUND_PAGE.path(),
        title=renderer.voice.texts("not_found.title"),
        description=renderer.voice.texts("not_found.text"),
    )
    return renderer.page(NOT_FOUND_PAGE, "not_found.html", head, None, root=frame.root)
