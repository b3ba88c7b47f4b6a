"""The list of all documents of a site, in the order in which a build makes them.

Workers build contracts and addresses only, so what the others need is imported inside functions.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import orjson

from statuary.documents.contract_api.lists import (
    AddressRows,
    all_chains_document,
    chain_documents,
    chains_document,
)
from statuary.documents.document import Document
from statuary.documents.pages.page_texts import english
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.rows import ContractCounts, ContractRow
from statuary.domain.contracts.site_contracts import SiteContracts
from statuary.domain.findings import Finding
from statuary.domain.primitives import Instant
from statuary.domain.settings import ThemeError
from statuary.domain.site_facts import SiteFacts
from statuary.domain.work import attempt

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
    status: "StatusDocuments", pages: "tuple[StatusPages, Collection[str]] | None", month: str, start: Instant
) -> Iterator[Document]:
    """Yield the documents and pages of a month's records that do not change from an instant on.

    `pages` have no page of the records of some files; None is a site without status pages.
    """
    yield from status.final_documents(month, start)
    if pages is not None:
        status_pages, omitted = pages
        records = status.months[month].final_by(start)
        yield from (
            status_pages.incident_page(record) for record in records if record.incident.source not in omitted
        )


def quarter_documents(pages: "StatusPages", quarter: "Quarter", at: Instant) -> Iterator[Document]:
    """Yield the page of a quarter at an instant."""
    yield pages.quarter_page(quarter, at)


def feed_documents(
    feeds: "FeedDocuments", component_id: str, listed: "tuple[IncidentState, ...]", at: Instant
) -> Iterator[Document]:
    """Yield the feed of a component, given its records at an instant."""
    yield feeds.component_feed(component_id, listed, at)


def timed_documents(
    status: "StatusDocuments", feeds: "FeedDocuments | None", pages: "StatusPages | None", start: Instant
) -> Callable[[Instant], list[Document]]:
    """Return a function that returns the documents that may change, at an instant from `start` on.

    `feeds` and `pages` are None if they are left out. At a later instant without a change (a midnight, an hour of an
    outage) only the documents and pages with uptime are returned.
    """
    status_after = status.later_documents(start)
    feeds_after = (lambda _: []) if feeds is None else feeds.later_documents(start)
    pages_after = (lambda _: []) if pages is None else pages.later_documents(start)
    changes = frozenset((start, *status.timeline.changes))

    def documents_at(at: Instant) -> list[Document]:
        return [*status_after(at), *(feeds_after(at) if at in changes else ()), *pages_after(at)]

    return documents_at


def contract_list_documents(
    catalogue: SiteContracts,
    contracts: ContractCounts,
    entries: Sequence[ContractRow],
    left_out: list[Finding],
) -> tuple[Document, ...]:
    """Return the pages that list contracts; `left_out` gains why they cannot be made."""
    from statuary.documents.pages.site_pages import contract_list_pages

    return made_with_theme(
        "the lists of contracts",
        lambda catalogue: contract_list_pages(catalogue, contracts, entries),
        catalogue,
        left_out,
    )


def status_documents(
    present: Sequence[Document],
    epochs: "EpochPlan | None",
    left_out: list[Finding],
    *,
    published: Callable[[str], bytes | None],
    members: Mapping[str, Mapping[str, object]],
) -> Iterator[Document]:
    """Yield the timed documents, their epochs, and what the build changes.

    Args:
        present: the timed documents at the build's instant.
        epochs: None if they are left out.
        left_out: gains why documents cannot be made; the others are yielded all the same.
        published: returns the bytes at a path of the target before this build, or None.
        members: further members of what changes.json says, by incident.
    """
    from statuary.documents.feeds.status_changes import changes_document
    from statuary.documents.status_api.epochs import epoch_documents

    yield from present
    if epochs is not None:
        yield from made("the epochs", lambda: epoch_documents(epochs), left_out)
    yield from made("changes.json", lambda: [changes_document(published, present, members)], left_out)


def made(
    name: str, make: Callable[[], Iterable[Document]], left_out: list[Finding], source: str = ""
) -> tuple[Document, ...]:
    """Return documents that are made together; none after adding why they cannot be made to `left_out`."""
    documents = attempt(lambda: tuple(make()), source, f"making {name}")
    if isinstance(documents, Finding):
        left_out.append(documents)
        return ()
    return documents


Site = TypeVar("Site", bound=SiteFacts)


def made_with_theme(
    name: str,
    make: Callable[[Site], Iterable[Document]],
    site: Site,
    left_out: list[Finding],
    source: str = "",
) -> tuple[Document, ...]:
    """Return pages as `made` does; made without the theme's templates, if one of them cannot be rendered."""
    return made(name, partial(_with_theme, make, site, left_out), left_out, source)


def _with_theme(
    make: Callable[[Site], Iterable[Document]], site: Site, left_out: list[Finding]
) -> tuple[Document, ...]:
    try:
        return tuple(make(site))
    except ThemeError as error:
        from statuary.documents.pages.theme_findings import template_finding

        left_out.append(template_finding(error))
        return tuple(make(site.without_templates()))


def settings_only_documents(
    catalogue: Catalogue, contracts: ContractCounts, present: Sequence[str], left_out: list[Finding]
) -> Iterator[Document]:
    """Yield the documents that do not change while the result of `settings_only_inputs` does not.

    `present` are the paths of the timed documents; `left_out` gains why documents cannot be made.
    """
    from statuary.documents.contract_api.proof_rules import (
        not_found_document,
        proof_checks_document,
        proof_schema_document,
        service_documents,
    )
    from statuary.documents.families import families
    from statuary.documents.openapi.document import openapi_document
    from statuary.documents.pages.site_pages import settings_only_pages

    for make in (
        lambda: chains_document(catalogue.chains),
        proof_schema_document,
        proof_checks_document,
        not_found_document,
    ):
        yield from made("documents of the settings", partial(_one, make), left_out)
    yield from made("documents of the settings", service_documents, left_out)
    openapi = made("openapi.json", lambda: [openapi_document(catalogue, contracts.example)], left_out)
    yield from openapi
    description = orjson.loads(openapi[0].body) if openapi else None
    for name, pages in settings_only_pages(contracts, present, description).items():
        yield from made_with_theme(name, pages, catalogue, left_out)
    yield from _own_page_documents(catalogue, left_out)
    for family in families(catalogue):
        yield from made_with_theme("documents of an extension", family.settings_only, catalogue, left_out)


def _own_page_documents(catalogue: Catalogue, left_out: list[Finding]) -> Iterator[Document]:
    from statuary.documents.families import own_pages

    for maker in own_pages(catalogue):
        for name, source, pages in maker.documents(catalogue):
            yield from made_with_theme(name, pages, catalogue, left_out, source)


def _one(make: Callable[[], Document]) -> list[Document]:
    return [make()]


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
