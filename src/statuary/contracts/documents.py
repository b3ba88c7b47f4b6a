"""The documents of records, addresses and chains, and their list pages."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from statuary.base.findings import Finding
from statuary.contracts.api.lists import (
    AddressRows,
    all_chains_document,
    chain_documents,
)
from statuary.contracts.model.contract_row import ContractCounts, ContractRow
from statuary.site.document import Document
from statuary.site.pages.page_texts import english
from statuary.site.site_content import SiteContent

if TYPE_CHECKING:
    from statuary.contracts.model.judged_record import JudgedRecord
    from statuary.contracts.pages.context import ContractPageContext
    from statuary.contracts.pages.previous_pages import PreviousPages
from statuary.site.pages.try_make import render_with_fallback


def contract_documents(
    judged: "JudgedRecord",
    source: str,
    pages: "ContractPageContext | None",
    *,
    canonical: bytes | None,
    digest: bytes,
) -> Iterator[Document]:
    """Yield a contract's documents: its record, its proof and its page.

    An excluded contract has no record document.

    Args:
        judged: the record with its proof.
        source: the content file.
        pages: the settings of pages; None if contracts have no pages.
        canonical: the record's bytes, if its source has exactly them.
        digest: SHA-256 of the source.
    """
    from statuary.contracts.api.documents import proof_document, record_document

    served = record_document(judged, source, canonical, digest)
    if judged.is_published:
        yield served
    if judged.proof.results:
        yield proof_document(judged, source, sentence=english, digest=served.digest.hex())
    if pages is not None:
        from statuary.contracts.pages.page import contract_page

        yield contract_page(judged, pages, source=source)


def address_documents(addresses: Iterable[AddressRows]) -> Iterator[Document]:
    """Yield the documents that list an address's contracts on all chains."""
    return map(all_chains_document, addresses)


def chain_list_documents(chain_id: str, rows: Iterable[ContractRow], unchanged: int) -> Iterator[Document]:
    """Yield the lists of a chain's contracts: newest, pages, and index.

    Args:
        chain_id: the chain.
        rows: all contracts of the chain, oldest first.
        unchanged: the number of oldest rows that did not change.
    """
    return chain_documents(chain_id, rows, unchanged)


def contract_list_documents(
    site: SiteContent,
    contracts: ContractCounts,
    entries: Sequence[ContractRow],
    former: "PreviousPages",
    skipped: list[Finding],
) -> tuple[Document, ...]:
    """Return the HTML pages that list contracts, without unchanged ones.

    Args:
        site: the content of the site.
        contracts: the numbers of published contracts.
        entries: all contracts; empty if they are too many to be listed.
        former: the pages of the last build, to skip unchanged ones.
        skipped: receives a finding for each page that cannot be made.
    """
    from statuary.contracts.pages.list_documents import contract_list_pages

    return render_with_fallback(
        "the lists of contracts",
        lambda site: contract_list_pages(site, contracts, entries, former),
        site,
        skipped,
    )
