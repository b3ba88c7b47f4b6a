"""Documents about the whole site, which depend on settings alone."""

from collections.abc import Iterator
from functools import partial

import orjson

from statuary.base.findings import Finding
from statuary.section import ContentSection, Run, Section
from statuary.site.document import Document
from statuary.site.pages.try_make import render_with_fallback, try_make
from statuary.site.site_content import SiteContent


def config_documents(site: SiteContent, run: Run, skipped: list[Finding]) -> Iterator[Document]:
    """Yield the documents that depend on settings alone.

    Args:
        site: the content of the site.
        run: the run.
        skipped: receives a finding for each document that cannot be made.
    """
    from statuary.engine.openapi.document import openapi_document
    from statuary.engine.pages.site_pages import config_pages

    openapi = try_make("openapi.json", lambda: [openapi_document(site, run)], skipped)
    yield from openapi
    description = orjson.loads(openapi[0].body) if openapi else None
    for name, pages in config_pages(run, description).items():
        yield from render_with_fallback(name, pages, site, skipped)
    for section in run.sections:
        if isinstance(section, ContentSection):
            yield from section.config_documents(site, skipped)
        else:
            documents = partial(_section_documents, section, skipped)
            yield from render_with_fallback("documents of an extension", documents, site, skipped)


def _section_documents(section: Section, skipped: list[Finding], site: SiteContent) -> list[Document]:
    return list(section.config_documents(site, skipped))


def config_inputs(site: SiteContent, run: Run) -> tuple[object, ...]:
    """Return the inputs of these documents, except the program."""
    sections = [section.config_inputs(site) for section in run.answering(ContentSection)]
    return site.page, site.pages, site.own_pages, site.hosting, site.extensions, sections
