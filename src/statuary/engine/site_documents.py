"""The documents about the whole site, which change only with its settings."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import orjson

from statuary.base.findings import Finding
from statuary.contracts.api.lists import (
    chains_document,
)
from statuary.engine.catalogue import Catalogue
from statuary.publish.ledger.contract_rows import ContractCounts
from statuary.site.document import Document
from statuary.site.pages.try_make import made, made_with_theme


def settings_only_documents(
    catalogue: Catalogue, contracts: ContractCounts, present: Sequence[str], left_out: list[Finding]
) -> Iterator[Document]:
    """Yield the documents that do not change while the result of `settings_only_inputs` does not.

    `present` are the paths of the timed documents; `left_out` gains why documents cannot be made.
    """
    from statuary.contracts.api.proof_rules import (
        not_found_document,
        proof_checks_document,
        proof_schema_document,
        service_documents,
    )
    from statuary.engine.openapi.document import openapi_document
    from statuary.engine.pages.site_pages import settings_only_pages
    from statuary.engine.providers import families

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
    from statuary.engine.providers import own_pages

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
