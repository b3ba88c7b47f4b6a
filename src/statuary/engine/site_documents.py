"""The documents about the whole site, which change only with its settings."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import orjson

from statuary.base.findings import Finding
from statuary.contracts.api.lists import (
    chains_document,
)
from statuary.contracts.site_contracts import SiteContracts
from statuary.engine.section import Section
from statuary.publish.ledger.contract_rows import ContractCounts
from statuary.site.document import Document
from statuary.site.pages.try_make import render_with_fallback, try_make
from statuary.site.site_content import SiteContent
from statuary.status.model.records import StatusContent


def config_documents(
    catalogue: SiteContent, contracts: ContractCounts, current_paths: Sequence[str], skipped: list[Finding]
) -> Iterator[Document]:
    """Yield the documents that change only with `config_inputs`.

    `current_paths` are the paths of the timed documents; `skipped` gains why documents cannot be made.
    """
    from statuary.contracts.api.proof_rules import (
        not_found_document,
        proof_checks_document,
        proof_schema_document,
        service_documents,
    )
    from statuary.engine.openapi.document import openapi_document
    from statuary.engine.pages.site_pages import config_pages
    from statuary.engine.sections import enabled_sections

    for make in (
        lambda: chains_document(catalogue.of(SiteContracts).chains),
        proof_schema_document,
        proof_checks_document,
        not_found_document,
    ):
        yield from try_make("documents of the settings", partial(_one, make), skipped)
    yield from try_make("documents of the settings", service_documents, skipped)
    openapi = try_make("openapi.json", lambda: [openapi_document(catalogue, contracts.example)], skipped)
    yield from openapi
    description = orjson.loads(openapi[0].body) if openapi else None
    for name, pages in config_pages(contracts, current_paths, description).items():
        yield from render_with_fallback(name, pages, catalogue, skipped)
    for _, section in enabled_sections(catalogue):
        documents = partial(_section_documents, section, skipped)
        yield from render_with_fallback("documents of an extension", documents, catalogue, skipped)


def _section_documents(section: Section, skipped: list[Finding], catalogue: SiteContent) -> list[Document]:
    return list(section.config_documents(catalogue, skipped))


def _one(make: Callable[[], Document]) -> list[Document]:
    return [make()]


def config_inputs(
    catalogue: SiteContent, contracts: ContractCounts, current_paths: Sequence[str]
) -> tuple[object, ...]:
    """Return all inputs of config-only documents, except the program."""
    content, contract_content = catalogue.of(StatusContent), catalogue.of(SiteContracts)
    status = content.catalogue
    groups = sum(component.group for component in status.components)
    counts = len(status.components), groups, len(status.incidents), len(status.maintenances)
    return (
        (status.page, contract_content.chains, catalogue.pages, catalogue.own_pages, catalogue.hosting),
        (contract_content.settings, content.settings, catalogue.extensions),
        (tuple(contracts.by_chain.items()), contracts.example, counts, tuple(current_paths)),
    )
