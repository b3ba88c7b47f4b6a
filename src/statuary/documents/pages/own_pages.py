"""Pages of the site's own: Markdown in the frame of the site, with links that are checked."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate, pairwise
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from statuary.documents.document import Document
from statuary.documents.pages.page_texts import one_line, visible_text
from statuary.documents.pages.rendering import renderer_of, root_of
from statuary.documents.pages.site_context import PageHead, site_context
from statuary.documents.url_table import OWN_PAGE, match_url
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding, Position, Severity
from statuary.domain.settings import SitePage

SCHEMES = frozenset(("http", "https", "mailto"))

SANITIZER = nh3.Cleaner(
    tags={
        *("p", "br", "hr", "strong", "em", "code", "pre", "blockquote", "a", "img", "ul", "ol", "li"),
        *("h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
    },
    attributes={
        "a": {"href"},
        "img": {"src", "alt"},
        "ol": {"start"},
        "code": {"class"},
        **{f"h{level}": {"id"} for level in range(2, 7)},
    },
    url_schemes=set(SCHEMES),
    link_rel="nofollow noopener",
)


class OwnPageView(NamedTuple):
    """The content of the page."""

    title: str
    body: Markup  # sanitized HTML
    # title, path and whether it is this page, of all pages in the same folder
    siblings: tuple[tuple[str, str, bool], ...]


def own_page_document(page: SitePage, catalogue: Catalogue) -> Iterator[Document]:
    """Yield a page of the site's own."""
    renderer, pages = renderer_of(site_context(catalogue)), _Pages(catalogue.own_pages)
    path = OWN_PAGE.path(path=page.path)
    title = one_line(page.title)
    head = PageHead(path=path, title=title, description=title, section=pages.section(page))
    view = OwnPageView(title=title, body=pages.html(page), siblings=pages.siblings(page))
    yield renderer.page(OWN_PAGE, "own_page.html", head, view, sources=(page.source,))


def link_findings(page: SitePage, catalogue: Catalogue) -> Iterator[Finding]:
    """Yield a warning for each broken link of a page of the site's own."""
    pages = _Pages(catalogue.own_pages)
    for href, line in pages.links(page):
        problem = pages.problem(page, href)
        if problem:
            yield Finding(
                rule="page-links",
                severity=Severity.WARNING,
                path=page.source,
                message=f"broken link {href!r}: {problem}",
                hint="link to another page by its file (about.md), or to a path of the site (/uptime.html)",
                position=Position(page.first_line + line, 1),
            )


class _Pages:
    def __init__(self, pages: tuple[SitePage, ...]) -> None:
        self._pages: Mapping[str, SitePage] = {page.source: page for page in pages}

    def html(self, page: SitePage) -> Markup:
        """Return the body of a page, its links rewritten to the pages of the site."""
        tokens = _tokens(page.body)
        for token in _all(tokens):
            name = {"link_open": "href", "image": "src"}.get(token.type)
            if name:
                token.attrSet(name, self._rewritten(page, str(token.attrGet(name) or "")))
        rendered = _parser().renderer.render(tokens, _parser().options, {})
        return Markup(SANITIZER.clean(rendered))  # noqa: S704 - the output of the sanitizer

    def section(self, page: SitePage) -> str:
        """Return the path of the page in the navigation that leads here: the page, or the index of a folder around it."""
        navigated = {own.path for own in self._pages.values() if own.navigation}
        folders = accumulate(page.folder.split("/"), "{}/{}".format) if page.folder else ()
        around = [f"{folder}/index" for folder in folders]
        path = next((place for place in (page.path, *reversed(around)) if place in navigated), page.path)
        return OWN_PAGE.path(path=path)

    def siblings(self, page: SitePage) -> tuple[tuple[str, str, bool], ...]:
        if not page.folder:
            return ()
        return tuple(
            (one_line(other.title), OWN_PAGE.path(path=other.path), other is page)
            for other in self._pages.values()
            if other.folder == page.folder
        )

    def links(self, page: SitePage) -> Iterator[tuple[str, int]]:
        """Yield the target of each link and image, with its line in the body, counted from 0."""
        line = 0
        for token in _tokens(page.body):
            line = token.map[0] if token.map else line
            for part in token.children or ():
                if part.type in ("link_open", "image"):
                    yield str(part.attrGet("href" if part.type == "link_open" else "src") or ""), line

    def problem(self, page: SitePage, href: str) -> str:
        """Return why a link is broken; empty if it is not."""
        parts = urlsplit(href)
        if parts.scheme or parts.netloc:
            return "" if parts.scheme in SCHEMES else "not a web or mail address"
        if parts.path.startswith("/"):
            return "" if match_url(_site_path(parts.path)) else "the site has no such path"
        target = self._target(page, parts.path)
        if target is None:
            return "there is no such page"
        return "" if not parts.fragment or parts.fragment in _anchors(target.body) else "no such heading"

    def _target(self, page: SitePage, path: str) -> SitePage | None:
        return self._pages.get(normpath(join(dirname(page.source), unquote(path)))) if path else page

    def _rewritten(self, page: SitePage, href: str) -> str:
        parts = urlsplit(href)
        if parts.scheme or parts.netloc or not parts.path:
            return href
        target = self._target(page, parts.path)
        path = OWN_PAGE.path(path=target.path) if target else _site_path(parts.path)
        return parts._replace(path=root_of(OWN_PAGE.path(path=page.path)) + path).geturl()


def _site_path(path: str) -> str:
    stripped = path.removeprefix("/")
    return stripped if stripped and not stripped.endswith("/") else f"{stripped}index.html"


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _tokens(body: str) -> list[Token]:
    """Return the tokens of a body; headings have anchors, and the title of the page is the only first-level one."""
    tokens = _parser().parse(visible_text(body))
    uses: dict[str, int] = {}
    for token, text in pairwise(tokens):
        if token.type == "heading_open":
            anchor = re.sub(r"[^\w]+", "-", text.content.lower()).strip("-") or "section"
            uses[anchor] = uses.get(anchor, 0) + 1
            token.attrSet("id", anchor if uses[anchor] == 1 else f"{anchor}-{uses[anchor]}")
        if token.type in ("heading_open", "heading_close") and token.tag == "h1":
            token.tag = "h2"
    return tokens


def _all(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _anchors(body: str) -> set[str]:
    return {str(token.attrGet("id")) for token in _tokens(body) if token.type == "heading_open"}
