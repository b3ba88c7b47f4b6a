"""Former addresses of pages, which redirect."""

from collections.abc import Iterator, Mapping
from posixpath import dirname, join, normpath
from typing import NamedTuple

from statuary.base.findings import Finding, Severity
from statuary.base.reserved_names import is_reserved_name
from statuary.site.document import Document
from statuary.site.pages.page_texts import one_line
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import PageHead, site_context
from statuary.site.pages_and_theme import MAX_PAGE_PATH, NAME
from statuary.site.settings import SitePage
from statuary.site.site_content import SiteContent
from statuary.site.urls import OWN_PAGE


class MovedPageView(NamedTuple):
    """The values that the template of a redirect needs."""

    title: str
    path: str  # the path of the page, relative to the site's root


def iter_alias_documents(page: SitePage, site: SiteContent) -> Iterator[Document]:
    """Yield a redirect for each former path of a page.

    Each redirect is a page that leads readers to the new path.

    Args:
        page: the page that has been moved.
        site: the content of the site.
    """
    renderer = renderer_of(site_context(site))
    title = one_line(page.title)
    view = MovedPageView(title, OWN_PAGE.path(path=page.path))
    owners = _map_pages_by_path(site)
    for alias in (_resolve_alias(page, name) for name in page.aliases):
        if not _describe_alias_problem(alias, page, owners):
            head = PageHead(path=OWN_PAGE.path(path=alias), title=title, description=title)
            yield renderer.page(OWN_PAGE, "moved_page.html", head, view, sources=(page.source,))


def find_unusable_aliases(page: SitePage, site: SiteContent) -> Iterator[Finding]:
    """Yield a warning for each former path that cannot redirect.

    For example, another page may have the path now.

    Args:
        page: the page with the former paths.
        site: the content of the site.
    """
    owners = _map_pages_by_path(site)
    for number, alias in enumerate(page.aliases):
        problem = _describe_alias_problem(_resolve_alias(page, alias), page, owners)
        if problem:
            yield Finding(
                rule="invalid-page-name",
                severity=Severity.WARNING,
                path=page.source,
                pointer=("aliases", number),
                message=f"alias {alias!r} {problem}",
                hint="write an earlier file name of the page, such as first-site.md",
            )


def _resolve_alias(page: SitePage, alias: str) -> str:
    """Return the path of an alias below `pages/`, without an extension.

    Example: the alias `first.md` of the page `guide/intro` -> `guide/first`.
    """
    return normpath(join(dirname(page.path), alias.removesuffix(".md")))


def _map_pages_by_path(site: SiteContent) -> Mapping[str, SitePage]:
    """Map paths and aliases to their pages; paths take precedence."""
    owners = {page.path: page for page in site.own_pages}
    for page in site.own_pages:
        for alias in page.aliases:
            owners.setdefault(_resolve_alias(page, alias), page)
    return owners


def _describe_alias_problem(alias_path: str, page: SitePage, pages_by_path: Mapping[str, SitePage]) -> str:
    names = alias_path.split("/")
    if len(alias_path) > MAX_PAGE_PATH or any(
        not NAME.fullmatch(name) or is_reserved_name(name) for name in names
    ):
        return "is not a path of a page"
    owner = pages_by_path[alias_path]
    return f"is the address of {owner.source}" if owner is not page or alias_path == page.path else ""
