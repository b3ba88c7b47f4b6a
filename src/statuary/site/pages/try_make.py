"""Make documents together, or report why they cannot be made."""

from collections.abc import Callable, Iterable
from functools import partial

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding
from statuary.site.document import Document
from statuary.site.settings import ThemeError
from statuary.site.site_content import SiteContent


def try_make(
    name: str, make: Callable[[], Iterable[Document]], skipped: list[Finding], source: str = ""
) -> tuple[Document, ...]:
    """Make documents; if an exception occurs, report it as a finding.

    Args:
        name: the name of the documents in the finding.
        make: returns the documents.
        skipped: receives a finding if `make` fails.
        source: the content file that the finding names, if any.

    Returns:
        The documents; none if `make` fails.
    """
    documents = run_guarded(lambda: tuple(make()), source, f"making {name}")
    if isinstance(documents, Finding):
        skipped.append(documents)
        return ()
    return documents


def render_with_fallback(
    name: str,
    make: Callable[[SiteContent], Iterable[Document]],
    site: SiteContent,
    skipped: list[Finding],
    source: str = "",
) -> tuple[Document, ...]:
    """Render pages with the theme, or without it if a template fails.

    Args:
        name: the name of the pages for messages.
        make: returns the pages of a site.
        site: the content of the site, with its theme.
        skipped: receives a finding for each template or page that fails.
        source: the content file that the finding names, if any.

    Returns:
        The pages; none if rendering also fails without the theme.
    """
    return try_make(name, partial(_make_with_theme, make, site, skipped), skipped, source)


def _make_with_theme(
    make: Callable[[SiteContent], Iterable[Document]], site: SiteContent, skipped: list[Finding]
) -> tuple[Document, ...]:
    try:
        return tuple(make(site))
    except ThemeError as error:
        from statuary.site.pages.theme_findings import failing_template_finding

        skipped.append(failing_template_finding(error))
        return tuple(make(site.without_templates()))
