"""Documents that are made together, or a finding with the reason why they cannot be made."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from statuary.base.budget import attempt
from statuary.base.findings import Finding
from statuary.site.document import Document
from statuary.site.settings import ThemeError
from statuary.site.site_facts import SiteFacts


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
        from statuary.site.pages.theme_findings import template_finding

        left_out.append(template_finding(error))
        return tuple(make(site.without_templates()))
