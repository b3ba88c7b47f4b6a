"""The pages that list contracts, and the search over them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from statuary.contracts.api.list_pages import ChainList
from statuary.contracts.model.contract_row import ContractCounts, ContractRow
from statuary.contracts.pages.lists import ContractListPages
from statuary.contracts.pages.previous_pages import PreviousPages
from statuary.contracts.pages.search import search_documents
from statuary.contracts.settings import Chain
from statuary.contracts.site_contracts import SiteContracts
from statuary.site.document import Document
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import SiteContext, site_context
from statuary.site.site_content import SiteContent

CONTRACTS = ("contracts",)
"""The source of the pages that list contracts: the whole folder."""


class ListPageSettings(NamedTuple):
    """The settings that all pages with lists of contracts share.

    The value can be sent to worker processes.
    """

    site: SiteContext
    chains: tuple[Chain, ...]
    counts: ContractCounts  # the numbers of published contracts
    with_pages: bool  # whether each contract has a page of its own
    is_complete: bool  # whether the contracts are few enough to be listed

    @property
    def has_search(self) -> bool:
        """Whether the site has a search for contracts."""
        return self.is_complete and self.site.settings.search

    def renderer(self) -> ContractListPages:
        """Return a renderer for the list pages of contracts."""
        return ContractListPages(renderer_of(self.site), with_pages=self.with_pages)

    def home_documents(self, chain_lists: Mapping[str, ChainList]) -> Iterator[Document]:
        """Yield the page that lists the site's chains.

        Readers find all other lists from it.

        Args:
            chain_lists: the list of each chain by chain id; empty if no page lists contracts.
        """
        counts = dict(self.counts.by_chain)
        yield from _with_sources(
            [self.renderer().chains_page(self.chains, counts, chain_lists, has_search=self.has_search)]
        )

    def chain_documents(
        self, chain: Chain, chain_list: ChainList, previous_pages: PreviousPages
    ) -> Iterator[Document]:
        """Yield the pages that list a chain's contracts.

        Pages that have not changed since the last build are skipped.

        Args:
            chain_list: the chain's contracts, divided into pages.
            previous_pages: the pages of the last build.
        """
        yield from _with_sources(self.renderer().chain_pages(chain, chain_list, previous_pages))

    def search_files(
        self, entries: Sequence[ContractRow], previous_pages: PreviousPages
    ) -> Iterator[Document]:
        """Yield the files with which the browser searches for contracts.

        Files that have not changed since the last build are skipped.

        Args:
            entries: the contracts that can be found.
            previous_pages: the files of the last build.
        """
        texts = renderer_of(self.site).localization.texts
        yield from _with_sources(
            search_documents(entries, texts, with_pages=self.with_pages, previous_pages=previous_pages)
        )


def _with_sources(documents: Iterable[Document]) -> Iterator[Document]:
    for document in documents:
        yield document._replace(sources=CONTRACTS, persistent=True)


def list_page_settings(
    content: SiteContent, counts: ContractCounts, *, is_complete: bool
) -> ListPageSettings | None:
    """Return the settings for rendering the pages that list contracts.

    Args:
        is_complete: whether the pages list every contract. They do not if there are too many.

    Returns:
        The settings, or None if the site has no such pages.
    """
    site, contracts = site_context(content), content.content_of(SiteContracts)
    if not site.has_contracts:
        return None
    return ListPageSettings(site, contracts.chains, counts, contracts.have_pages(site.settings), is_complete)


def contract_list_pages(
    content: SiteContent,
    counts: ContractCounts,
    chain_lists: Mapping[str, ChainList],
    read_entries: Callable[[], Sequence[ContractRow]],
    previous_pages: PreviousPages,
) -> Iterator[Document]:
    """Yield the pages that list contracts, and the search index.

    Pages that have not changed since the last build are skipped.

    Args:
        counts: the number of published contracts by chain.
        chain_lists: the list of each chain by chain id; empty if there are too many contracts to list.
        read_entries: returns the list entries of all contracts.
        previous_pages: the list pages of the last build.
    """
    pages = list_page_settings(content, counts, is_complete=bool(chain_lists))
    if pages is None:
        return
    yield from pages.home_documents(chain_lists)
    for chain in pages.chains if pages.is_complete else ():
        if not previous_pages.keep_chain_pages(chain.chain_id):
            yield from pages.chain_documents(chain, chain_lists[chain.chain_id], previous_pages)
    if pages.has_search and not previous_pages.keep_search_files():
        yield from pages.search_files(read_entries(), previous_pages)
