"""The list of all documents of a site, in the order in which a build makes them.

Workers build contracts and addresses only, so what the others need is imported inside functions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import orjson

from statuary.documents.contract_api.lists import (
    AddressRows,
    all_chains_document,
    chain_documents,
    chains_document,
)
from statuary.documents.document import Document
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.rows import ContractCounts, ContractRow
from statuary.domain.primitives import Instant

if TYPE_CHECKING:
    from statuary.documents.feeds.feed_documents import FeedDocuments
    from statuary.documents.pages.contract.context import ContractPageContext
    from statuary.documents.pages.status.pages import StatusPages
    from statuary.documents.pages.status.status_page import Quarter
    from statuary.documents.status_api.documents import StatusDocuments
    from statuary.documents.status_api.epochs import EpochPlan
    from statuary.domain.contracts.proof import Proof
    from statuary.domain.contracts.record import RecordValue
    from statuary.domain.status.incident_history import IncidentState


def contract_documents(
    record: "RecordValue",
    proof: "Proof",
    source: str,
    pages: "ContractPageContext | None",
    *,
    canonical: bytes | None,
    digest: bytes,
    published: bool,
) -> Iterator[Document]:
    """Yield the record, unless it is withheld, the proof, and the page of a contract.

    Args:
        source: the content file.
        pages: None if contracts have no pages.
        canonical: the record's bytes, if its source has exactly them.
        digest: SHA-256 of the source.
    """
    from statuary.documents.contract_api.documents import proof_document, record_document

    served = record_document(record, source, canonical, digest)
    if published:
        yield served
    if proof.results:
        from statuary.documents.pages.page_texts import english

        yield proof_document(
            record, proof, source, published=published, sentence=english, digest=served.digest.hex()
        )
    if pages is not None:
        from statuary.documents.pages.contract.page import contract_page

        yield contract_page(record, proof, pages, source=source, published=published)


def address_documents(addresses: Iterable[AddressRows]) -> Iterator[Document]:
    """Yield the contracts at each address on all chains."""
    return map(all_chains_document, addresses)


def chain_list_documents(chain_id: str, rows: Iterable[ContractRow], unchanged: int) -> Iterator[Document]:
    """Yield a chain's newest contracts, its pages and their index; `unchanged` rows are the oldest ones."""
    return chain_documents(chain_id, rows, unchanged)


def final_documents(
    status: "StatusDocuments", pages: "StatusPages | None", month: str, start: Instant
) -> Iterator[Document]:
    """Yield the documents and pages of a month's records that do not change from an instant on."""
    yield from status.final_documents(month, start)
    if pages is not None:
        yield from map(pages.incident_page, status.months[month].final_by(start))


def quarter_documents(pages: "StatusPages", quarter: "Quarter", at: Instant) -> Iterator[Document]:
    """Yield the page of a quarter at an instant."""
    yield pages.quarter_page(quarter, at)


def feed_documents(
    feeds: "FeedDocuments", component_id: str, listed: "tuple[IncidentState, ...]", at: Instant
) -> Iterator[Document]:
    """Yield the feed of a component, given its records at an instant."""
    yield feeds.component_feed(component_id, listed, at)


def timed_documents(
    status: "StatusDocuments", feeds: "FeedDocuments", pages: "StatusPages | None", start: Instant
) -> Callable[[Instant], list[Document]]:
    """Return a function that returns the documents that may change, at an instant from `start` on.

    `pages` is None for a site without status pages. At a later instant without a change (a midnight, an hour of an
    outage) only the documents and pages with uptime are returned.
    """
    status_after, feeds_after = status.later_documents(start), feeds.later_documents(start)
    pages_after = (lambda _: []) if pages is None else pages.later_documents(start)
    changes = frozenset((start, *status.timeline.changes))

    def documents_at(at: Instant) -> list[Document]:
        return [*status_after(at), *(feeds_after(at) if at in changes else ()), *pages_after(at)]

    return documents_at


def contract_list_documents(
    catalogue: Catalogue, contracts: ContractCounts, entries: Sequence[ContractRow]
) -> Iterator[Document]:
    """Yield the pages that list contracts."""
    from statuary.documents.pages.site_pages import contract_list_pages

    return contract_list_pages(catalogue, contracts, entries)


def status_documents(
    present: Sequence[Document],
    epochs: "EpochPlan",
    *,
    published: Callable[[str], bytes | None],
    members: Mapping[str, Mapping[str, object]],
) -> Iterator[Document]:
    """Yield the timed documents, their epochs, and what the build changes.

    Args:
        present: the timed documents at the build's instant.
        published: returns the bytes at a path of the target before this build, or None.
        members: further members of what changes.json says, by incident.
    """
    from statuary.documents.feeds.status_changes import changes_document
    from statuary.documents.status_api.epochs import epoch_documents

    yield from present
    yield from epoch_documents(epochs)
    yield changes_document(published, present, members)


def settings_only_documents(
    catalogue: Catalogue, contracts: ContractCounts, present: Sequence[str]
) -> Iterator[Document]:
    """Yield the documents that do not change while the result of `settings_only_inputs` does not.

    `present` are the paths of the timed documents.
    """
    from statuary.documents.contract_api.proof_rules import (
        not_found_document,
        proof_checks_document,
        proof_schema_document,
    )
    from statuary.documents.families import families
    from statuary.documents.openapi.document import openapi_document
    from statuary.documents.pages.site_pages import settings_only_pages

    yield chains_document(catalogue.chains)
    yield proof_schema_document()
    yield proof_checks_document()
    openapi = openapi_document(catalogue)
    yield openapi
    yield from settings_only_pages(catalogue, contracts, present, orjson.loads(openapi.body))
    if catalogue.own_pages:
        from statuary.documents.pages.own_pages import own_page_documents

        yield from own_page_documents(catalogue)
    yield not_found_document()
    for family in families(catalogue):
        yield from family.settings_only(catalogue)


def settings_only_inputs(
    catalogue: Catalogue, contracts: ContractCounts, present: Sequence[str]
) -> tuple[object, ...]:
    """Return everything, besides the program, that settings-only documents depend on."""
    status = catalogue.status
    groups = sum(component.group for component in status.components)
    counts = len(status.components), groups, len(status.incidents), len(status.maintenances)
    return (
        (status.page, catalogue.chains, catalogue.pages, catalogue.own_pages, catalogue.hosting),
        (catalogue.contract_settings, catalogue.status_settings, catalogue.extensions),
        (tuple(contracts.by_chain.items()), contracts.example, counts, tuple(present)),
    )
