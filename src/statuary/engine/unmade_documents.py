"""Tell the documents that a build cannot make from those that the site no longer has."""

from collections.abc import Container, Iterable

from statuary.base.findings import Finding
from statuary.publish.ledger.ledger import Ledger
from statuary.section import ContentSection, Section
from statuary.site.document import uncompressed_path
from statuary.site.pages.theme_findings import THEME_TEMPLATES
from statuary.site.site_content import SiteContent
from statuary.site.urls import DESCRIPTION_URLS, OWN_PAGE, PAGE_URLS, Url


def unmade_urls(section: Section | None, errors: Iterable[Finding]) -> Iterable[Url]:
    """Return the URLs of documents that cannot be made because of errors.

    Args:
        section: the part of statuary that failed; None for documents about the whole site.
        errors: the errors; those about the theme do not matter, because documents are then made without it.
    """
    if all(error.rule == THEME_TEMPLATES for error in errors):
        return ()
    if section is not None and not isinstance(section, ContentSection) and section.urls:
        return section.urls
    from statuary.site.url_table import content_urls

    return (*content_urls(), *PAGE_URLS, *DESCRIPTION_URLS)


def is_unmade(site: SiteContent, ledger: Ledger, unmade: Container[Url], path: str) -> bool:
    """Return whether a published document still belongs to the site, but failed.

    This build could not make it, so the published version stays.

    Args:
        site: the content of the site.
        ledger: the database of published files.
        unmade: the URLs of documents that cannot be made.
        path: the path of the document.
    """
    from statuary.site.url_table import match_url

    match = match_url(uncompressed_path(path))
    if match is None or match.url not in unmade:
        return False
    entry = ledger.find_entry(path) if match.url == OWN_PAGE else None
    return entry is None or entry.sources in {page.source for page in site.own_pages}
