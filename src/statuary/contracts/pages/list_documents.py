"""The pages that list contracts, and the search over them."""

from collections.abc import Iterator, Sequence

from statuary.contracts.model.contract_row import ContractCounts, ContractRow
from statuary.contracts.pages.lists import ContractListPages
from statuary.contracts.pages.previous_pages import PreviousPages
from statuary.contracts.pages.search import search_documents
from statuary.contracts.site_contracts import SiteContracts
from statuary.site.document import Document
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import SiteContext, site_context
from statuary.site.site_content import SiteContent

CONTRACTS = ("contracts",)
"""The source of the pages that list contracts: the whole folder."""


def contract_list_pages(
    content: SiteContent, counts: ContractCounts, entries: Sequence[ContractRow], former: PreviousPages
) -> Iterator[Document]:
    """Yield the pages that list contracts, and the search index.

    Pages that have not changed since the last build are skipped.

    Args:
        content: the content of the site.
        counts: the number of published contracts by chain.
        entries: the list entries of all contracts; empty if there are too many to list.
        former: the list pages of the last build.
    """
    site = site_context(content)
    if site.has_contracts:
        for document in _contract_lists(site, content.of(SiteContracts), counts, entries, former):
            yield document._replace(sources=CONTRACTS, persistent=True)


def _contract_lists(
    site: SiteContext,
    contracts: SiteContracts,
    counts: ContractCounts,
    entries: Sequence[ContractRow],
    former: PreviousPages,
) -> Iterator[Document]:
    renderer = renderer_of(site)
    with_pages = contracts.have_pages(site.settings)
    is_complete = len(entries) == counts.contracts
    search = is_complete and site.settings.search
    lists = ContractListPages(renderer, entries, with_pages=with_pages)
    yield lists.chains_page(contracts.chains, dict(counts.by_chain), search=search, has_lists=is_complete)
    if is_complete:
        for chain in contracts.chains:
            if not former.keep_chain(chain.chain_id):
                yield from lists.chain_documents(chain, former)
    if search and not former.keep_search():
        texts = renderer.localization.texts
        yield from search_documents(entries, texts, with_pages=with_pages, former=former)
