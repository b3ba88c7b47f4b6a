"""Documents about the whole site, which stay while `config_inputs` does."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

import orjson

from statuary.base.budget import INTERRUPTIONS, run_guarded
from statuary.base.errors import StatuaryError
from statuary.base.findings import Finding
from statuary.engine.unmade_documents import is_unmade, unmade_urls
from statuary.publish.document_groups import add_documents, keep_unmade_files, reuse_group
from statuary.publish.fingerprint import fingerprint_of
from statuary.registry import third_party_versions
from statuary.section import ContentSection, Run, Section
from statuary.site.document import Document
from statuary.site.pages.try_make import render_with_fallback, try_make
from statuary.site.site_content import SiteContent
from statuary.site.urls import Url

if TYPE_CHECKING:
    from statuary.base.json_values import Json
    from statuary.site.pages.site_context import SiteContext

CONFIG = "settings-only"
"""The group of these documents in the ledger."""


def add_config_documents(run: Run, skipped: list[Finding]) -> None:
    """Add openapi.json and other documents that depend only on settings.

    They can also depend on counts, such as the number of contracts. Unchanged documents are reused.

    Args:
        run: the build.
        skipped: receives a finding for each document that cannot be made.
    """
    target, site = run.target, run.site
    if site is None:
        return
    fingerprint = fingerprint_of(*config_inputs(site, run)).text
    paths: Iterable[str] | None = None if run.execution.verify else reuse_group(target, CONFIG, fingerprint)
    if paths is None:
        count_before, unmade = len(skipped), set[Url]()
        outcome = run_guarded(
            lambda: tuple(config_documents(site, run, skipped, unmade)),
            "",
            "making the documents of the settings",
            (*INTERRUPTIONS, StatuaryError),  # for example, a missing library
        )
        if isinstance(outcome, Finding):
            skipped.append(outcome)
            for section in (None, *run.sections):
                unmade.update(unmade_urls(section, [outcome]))
        paths = add_documents(target, site.hosting, () if isinstance(outcome, Finding) else outcome, [])
        fingerprint = "" if len(skipped) > count_before else fingerprint
        if unmade:
            is_kept = partial(is_unmade, site, target.ledger, unmade)
            paths = [*paths, *keep_unmade_files(target, CONFIG, paths, is_kept)]
    target.ledger.save_group(CONFIG, fingerprint, paths=paths)


def config_inputs(site: SiteContent, run: Run) -> tuple[object, ...]:
    """Return the values on which openapi.json and similar documents depend.

    These are settings, and counts of the build. While they and the version of statuary stay the same, later
    builds reuse the documents.
    """
    sections = [section.config_inputs(site) for section in run.sections_of(ContentSection)]
    packages = third_party_versions(key for key, _ in site.extensions)
    return site.page, site.pages, site.own_pages, site.hosting, site.extensions, packages, sections


def config_documents(
    site: SiteContent, run: Run, skipped: list[Finding], unmade: set[Url]
) -> Iterator[Document]:
    """Yield the documents that depend only on settings and counts.

    For example, openapi.json and 404.html.

    Args:
        site: the content of the site.
        run: the build.
        skipped: receives a finding for each document that cannot be made.
        unmade: receives the URLs of documents that cannot be made.
    """
    from statuary.engine.openapi.document import openapi_document

    count_before = len(skipped)
    openapi = try_make("openapi.json", lambda: [openapi_document(site, run)], skipped)
    yield from openapi
    description = orjson.loads(openapi[0].body) if openapi else None
    for name, pages in whole_site_pages(run, description).items():
        yield from render_with_fallback(name, pages, site, skipped)
    unmade.update(unmade_urls(None, skipped[count_before:]))
    for section in run.sections:
        count_before = len(skipped)
        if isinstance(section, ContentSection):
            yield from section.config_documents(site, skipped)
        else:
            documents = partial(_section_documents, section, skipped)
            yield from render_with_fallback("documents of an extension", documents, site, skipped)
        unmade.update(unmade_urls(section, skipped[count_before:]))


def _section_documents(section: Section, skipped: list[Finding], site: SiteContent) -> list[Document]:
    return list(section.config_documents(site, skipped))


MakePages = Callable[[SiteContent], Iterable[Document]]


def whole_site_pages(run: Run, openapi: "Mapping[str, Json] | None" = None) -> dict[str, MakePages]:
    """Return functions that render pages such as 404.html and the API page.

    Args:
        openapi: the OpenAPI document; None if it could not be made.

    Returns:
        A dict from the name of a page, for messages, to the function that renders it.
    """
    from statuary.engine.pages.api_pages import api_page, reference_page
    from statuary.site.pages.not_found import not_found_page
    from statuary.site.pages.site_context import site_context

    def not_found_links(site: SiteContent) -> list[tuple[str, str]]:
        sections = run.sections_of(ContentSection)
        return [link for section in sections for link in section.api_facts(site).lookups]

    return {
        "404.html": lambda site: [not_found_page(site_context(site), not_found_links(site))],
        "the page of the API": lambda site: [api_page(site, run, openapi or {})],
        "the former page of the reference": lambda site: [reference_page(site_context(site))],
        "the files that pages share": lambda site: _shared_assets(site_context(site)),
    }


def _shared_assets(site: "SiteContext") -> Iterator[Document]:
    from statuary.site.pages.assets import frame_assets, script_document
    from statuary.site.pages.rendering import renderer_of

    yield from frame_assets(site.settings.theme)
    for part in renderer_of(site).parts:
        for file in sorted((part.folder / "assets").glob("*.js")):
            yield script_document(file)
