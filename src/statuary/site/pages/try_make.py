"""Documents that are made together, or a finding with the reason why they cannot be made."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding
from statuary.site.document import Document
from statuary.site.settings import ThemeError
from statuary.site.site_facts import SiteFacts


def try_make(
    name: str, make: Callable[[], Iterable[Document]], skipped: list[Finding], source: str = ""
) -> tuple[Document, ...]:
    """Return documents that are made together; none after adding why they cannot be made to `skipped`."""
    documents = run_guarded(lambda: tuple(make()), source, f"making {name}")
    if isinstance(documents, Finding):
        skipped.append(documents)
        return ()
    return documents


Site = TypeVar("Site", bound=SiteFacts)


def render_with_fallback(
    name: str,
    make: Callable[[Site], Iterable[Document]],
    site: Site,
    skipped: list[Finding],
    source: str = "",
) -> tuple[Document, ...]:
    """Return pages as `made` does; made without the theme's templates, if one of them cannot be rendered."""
    return try_make(name, partial(_with_theme, make, site, skipped), skipped, source)


def _with_theme(
    make: Callable[[Site], Iterable[Document]], site: Site, skipped: list[Finding]
) -> tuple[Document, ...]:
    try:
        return tuple(make(site))
    except ThemeError as error:
        from statuary.site.pages.theme_findings import template_finding

        skipped.append(template_finding(error))
        return tuple(make(site.without_templates()))
