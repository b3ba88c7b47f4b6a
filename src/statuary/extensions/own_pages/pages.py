"""Render your own pages and the search over them.

The pages have a sidebar and checked links.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import accumulate
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from markdown_it.token import Token
from markupsafe import Markup, escape
from typing_extensions import override

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding, Position, Severity
from statuary.base.json_values import Json
from statuary.extensions.own_pages.aliases import find_unusable_aliases, iter_alias_documents
from statuary.extensions.own_pages.navigation import Navigation, SidebarGroup, SidebarLink
from statuary.extensions.own_pages.page_markdown import (
    SCHEMES,
    Heading,
    add_break_points,
    iter_headings,
    iter_sections,
    parse_page_markdown,
    render_page_html,
)
from statuary.section import Run, Section
from statuary.site.document import Document, encode_json
from statuary.site.pages.assets import script_document
from statuary.site.pages.page_texts import PageTexts, one_line
from statuary.site.pages.rendering import relative_root, renderer_of
from statuary.site.pages.site_context import PageHead, site_context
from statuary.site.pages.try_make import render_with_fallback
from statuary.site.settings import SitePage
from statuary.site.site_content import SiteContent
from statuary.site.url_table import match_url
from statuary.site.urls import OWN_PAGE, PAGE_SEARCH

SEARCH_SCRIPT = Path(__file__).with_name("assets") / "page-search.js"

OUTLINE_LEVELS = (2, 3)
"""Levels of headings that "On this page" lists."""

LONGEST_OUTLINE = 60
"""The largest number of headings in "On this page"; of more, it lists only those of the first level."""


class OwnPageView(NamedTuple):
    """The values that the template of an own page of the site needs."""

    title: str
    description: str
    body: Markup  # sanitized HTML
    book: str  # the name of the pages of the same folder; empty for a page without others
    sidebar: tuple[SidebarGroup, ...]
    outline: tuple[Heading, ...]
    previous: SidebarLink | None
    following: SidebarLink | None
    search: str  # the path of the search of the folder; empty without one


class OwnPagesSection(Section):
    """The section that adds the pages of `content/pages/`.

    If a page has an error, the other pages are added nevertheless.
    """

    @override
    def config_documents(self, site: SiteContent, skipped: list[Finding]) -> Iterator[Document]:
        """Yield the owner's Markdown pages as HTML, their aliases, and the search."""
        for page in site.own_pages:
            make = partial(render_owner_page, page)
            yield from render_with_fallback("the page", make, site, skipped, page.source)
            if page.aliases:
                make = partial(iter_alias_documents, page)
                yield from render_with_fallback("the aliases of the page", make, site, skipped, page.source)
        yield from render_with_fallback("the search of pages", iter_page_search_documents, site, skipped)

    @override
    def findings(self, run: Run) -> Iterator[Finding]:
        """Report broken links and unusable aliases of the owner's Markdown pages."""
        site = run.site
        if site is None:
            return
        for page in site.own_pages:
            checks = [find_broken_links, find_unusable_aliases] if page.aliases else [find_broken_links]
            for check in checks:
                found = run_guarded(
                    partial(_run_page_check, check, page, site), page.source, "reading its links"
                )
                yield from [found] if isinstance(found, Finding) else found


def _run_page_check(
    check: Callable[[SitePage, SiteContent], Iterable[Finding]], page: SitePage, site: SiteContent
) -> list[Finding]:
    return list(check(page, site))


def render_owner_page(page: SitePage, site: SiteContent) -> Iterator[Document]:
    """Yield the HTML document of a Markdown page that the owner wrote.

    Args:
        page: the Markdown page.
        site: the content of the site, to whose other pages the page may link.
    """
    renderer = renderer_of(site_context(site))
    pages = _Pages(site)
    texts = renderer.localization.texts
    path = OWN_PAGE.path(path=page.path)
    title = one_line(page.title)
    description = one_line(page.description)
    head = PageHead(
        path=path, title=title, description=description or title, section=pages.find_navigation_path(page)
    )
    tokens = pages.parse_page_with_links(page)
    book = Navigation(page, site.own_pages)
    previous, following = book.find_neighbour_pages()
    view = OwnPageView(
        title=add_break_points(escape(title)),
        description=description,
        body=render_page_html(
            tokens,
            lambda language, code: renderer.fragment(
                "code_block.html", label=_make_code_block_label(language, texts), code=code
            ),
            texts("page.link_to"),
        ),
        book=book.title,
        sidebar=book.sidebar(),
        outline=_make_page_outline(tokens),
        previous=previous,
        following=following,
        search=PAGE_SEARCH.path(folder=book.folder) if book.title else "",
    )
    yield renderer.page(OWN_PAGE, "own_page.html", head, view, sources=(page.source,))


def iter_page_search_documents(site: SiteContent) -> Iterator[Document]:
    """Yield the files for the search in the owner's pages.

    Each section of a page is a list: title of the page, heading, path with anchor, words of the section, keywords of
    the page, and weight. The weight is 1, or 0.5 if the page's `search` is `low`.
    """
    books = {
        page.path.partition("/")[0]: Navigation(page, site.own_pages)
        for page in site.own_pages
        if page.folder
    }
    if books:
        yield script_document(SEARCH_SCRIPT)
    for folder, book in books.items():
        entries_by_page = (
            run_guarded(partial(_make_search_entries, page), page.source, "reading its words")
            for page in book.pages
            if page.search != "none"
        )
        # Skip a page that cannot be read, for which `run_guarded` returned a finding. The build reports the
        # error when it renders the page.
        entries = [
            entry
            for page_entries in entries_by_page
            if isinstance(page_entries, list)
            for entry in page_entries
        ]
        yield Document(
            path=PAGE_SEARCH.path(folder=folder),
            body=encode_json(entries),
            media_type=PAGE_SEARCH.media_type,
            cache=PAGE_SEARCH.cache,
        )


def _make_search_entries(page: SitePage) -> list[list[Json]]:
    path = OWN_PAGE.path(path=page.path)
    title = one_line(page.title)
    description = one_line(page.description)
    weight = 0.5 if page.search == "low" else 1
    entries: list[list[Json]] = []
    for heading, text in iter_sections(parse_page_markdown(page.body)):
        words = re.findall(r"\w[\w./-]*\w|\w", (text if heading.anchor else f"{description} {text}").lower())
        target = f"{path}#{heading.anchor}" if heading.anchor else path
        keywords = "" if heading.anchor else " ".join(page.keywords).lower()
        entries.append(
            [title, one_line(heading.text), target, " ".join(dict.fromkeys(words)), keywords, weight]
        )
    return entries


def _make_code_block_label(language: str, texts: PageTexts) -> str:
    return (
        texts(f"block.{language}") if language in ("sh", "text") else language.upper() or texts("block.text")
    )


def _make_page_outline(tokens: list[Token]) -> tuple[Heading, ...]:
    all_headings = [heading for heading in iter_headings(tokens) if heading.level in OUTLINE_LEVELS]
    if len(all_headings) > LONGEST_OUTLINE:
        all_headings = [heading for heading in all_headings if heading.level == OUTLINE_LEVELS[0]]
    return tuple(
        heading._replace(text=add_break_points(escape(one_line(heading.text)))) for heading in all_headings
    )


def find_broken_links(page: SitePage, site: SiteContent) -> Iterator[Finding]:
    """Yield a warning for each link that leads nowhere.

    Args:
        page: the Markdown page with the links.
        site: the content of the site.
    """
    pages = _Pages(site)
    for href, line in pages.iter_links(page):
        problem = pages.describe_link_problem(page, href)
        if problem:
            yield Finding(
                rule="broken-link",
                severity=Severity.WARNING,
                path=page.source,
                message=f"broken link {href!r}: {problem}",
                hint="link to another page by its file (about.md), or to a path of the site (/uptime.html)",
                position=Position(page.first_line + line, 1),
            )


class _Pages:
    def __init__(self, site: SiteContent) -> None:
        self._pages: Mapping[str, SitePage] = {page.source: page for page in site.own_pages}
        self._pictures = dict(site.pages.theme.files)

    def parse_page_with_links(self, page: SitePage) -> list[Token]:
        """Return the parsed Markdown of a page, with links resolved.

        Images get their width and height.
        """
        tokens = parse_page_markdown(page.body)
        inner_tokens = [inner for token in tokens for inner in token.children or ()]
        for token in (*tokens, *inner_tokens):
            name = {"link_open": "href", "image": "src"}.get(token.type)
            if name:
                href = str(token.attrGet(name) or "")
                token.attrSet(name, self._rewrite_link(page, href))
            if token.type == "image":
                token.attrs.update(
                    read_picture_size(self._pictures.get(href.rpartition("/assets/theme/")[2], b""))
                )
        return tokens

    def find_navigation_path(self, page: SitePage) -> str:
        """Return the path of the menu entry to highlight for a page."""
        navigated = {
            navigation_page.path for navigation_page in self._pages.values() if navigation_page.navigation
        }
        folders = accumulate(page.folder.split("/"), "{}/{}".format) if page.folder else ()
        around = [f"{folder}/index" for folder in folders]
        path = next((place for place in (page.path, *reversed(around)) if place in navigated), page.path)
        return OWN_PAGE.path(path=path)

    def iter_links(self, page: SitePage) -> Iterator[tuple[str, int]]:
        """Yield the target and line of a page's links and images.

        Lines are counted from 0, from the beginning of the text.
        """
        line = 0
        for token in parse_page_markdown(page.body):
            line = token.map[0] if token.map else line
            for part in token.children or ():
                if part.type in ("link_open", "image"):
                    yield str(part.attrGet("href" if part.type == "link_open" else "src") or ""), line

    def describe_link_problem(self, page: SitePage, href: str) -> str:
        """Describe the fault in a link, or return an empty string."""
        parts = urlsplit(href)
        if parts.scheme or parts.netloc:
            return "" if parts.scheme in SCHEMES else "not a web or mail address"
        if parts.path.startswith("/"):
            return "" if match_url(_site_path(parts.path)) else "the site has no such path"
        target = self._find_target_page(page, parts.path)
        if target is None:
            return "there is no such page"
        if not parts.fragment:
            return ""
        anchors = {heading.anchor for heading in iter_headings(parse_page_markdown(target.body))}
        return "" if parts.fragment in anchors else "no such heading"

    def _find_target_page(self, page: SitePage, path: str) -> SitePage | None:
        return self._pages.get(normpath(join(dirname(page.source), unquote(path)))) if path else page

    def _rewrite_link(self, page: SitePage, href: str) -> str:
        parts = urlsplit(href)
        if parts.scheme or parts.netloc or not parts.path:
            return href
        target = self._find_target_page(page, parts.path)
        path = OWN_PAGE.path(path=target.path) if target else _site_path(parts.path)
        return parts._replace(path=relative_root(OWN_PAGE.path(path=page.path)) + path).geturl()


PNG = b"\x89PNG\r\n\x1a\n"
SVG_SIZE = re.compile(rb'<svg [^>]*?\bwidth="(\d{1,5})" height="(\d{1,5})"')


def read_picture_size(image_bytes: bytes) -> dict[str, str | int | float]:
    """Return the width and height of an image in pixels.

    With them, browsers reserve space, so that text does not move while the image loads.

    Args:
        image_bytes: the bytes of the image.

    Returns:
        The HTML attributes `width` and `height` for a PNG, WebP or SVG; empty for other formats.
    """
    if image_bytes.startswith(PNG):
        return {"width": int.from_bytes(image_bytes[16:20]), "height": int.from_bytes(image_bytes[20:24])}
    kind = image_bytes[12:16] if image_bytes[8:12] == b"WEBP" else b""
    if kind == b"VP8 ":
        width, height = (
            int.from_bytes(image_bytes[place : place + 2], "little") & 0x3FFF for place in (26, 28)
        )
        return {"width": width, "height": height}
    if kind == b"VP8X":
        width, height = (int.from_bytes(image_bytes[place : place + 3], "little") + 1 for place in (24, 27))
        return {"width": width, "height": height}
    if kind == b"VP8L":  # after a signature byte, 14 bits of each size, less one
        bits = int.from_bytes(image_bytes[21:25], "little")
        return {"width": (bits & 0x3FFF) + 1, "height": (bits >> 14 & 0x3FFF) + 1}
    svg = SVG_SIZE.match(image_bytes)
    return {"width": int(svg[1]), "height": int(svg[2])} if svg else {}


def _site_path(url_path: str) -> str:
    stripped = url_path.removeprefix("/")
    return stripped if stripped and not stripped.endswith("/") else f"{stripped}index.html"
