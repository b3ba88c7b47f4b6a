"""Markdown as harmless HTML.

CommonMark with the HTML that Statuspage keeps in bodies (measured: `ul`, `li`, `strong`, `a`, `br`), and with line
breaks as Statuspage shows them. A sanitizer that parses like a browser removes everything else.
"""

import re
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

import nh3
from markupsafe import Markup

from statuary.documents.pages.visible_text import visible_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

CACHED_BODIES = 4_096
"""How many bodies are kept: the same one stands on several pages, and in every epoch."""


@cache
def markdown_parser() -> "MarkdownIt":
    """Return the parser; most bodies need none."""
    made: MarkdownIt = import_module("markdown_it").MarkdownIt("commonmark", {"html": True, "breaks": True})
    # indented lines, and lines above a row of dashes, are layout to those who write updates, not markup
    return made.disable(["code", "lheading", "image"])


LINK_URL = re.compile(r"(?:https?://|mailto:)[^\s\"'<>]+", re.IGNORECASE)
"""The only addresses that a link may have: what is relative would mean another place on every page."""


def _address(_tag: str, attribute: str, value: str) -> str | None:
    return value if attribute != "href" or LINK_URL.fullmatch(value) else None


MARKDOWN_SANITIZER = nh3.Cleaner(
    tags={
        *("p", "br", "hr", "strong", "em", "code", "pre", "blockquote", "a", "ul", "ol", "li"),
        *("h1", "h2", "h3", "h4", "h5", "h6"),
    },
    attributes={"a": {"href"}, "ol": {"start"}},
    attribute_filter=_address,
    url_schemes={"http", "https", "mailto"},
    link_rel="nofollow noopener",
)

HEADING = re.compile(r"<(/?)h([1-6])>")
LIST_END = re.compile(r"(</[uo]l>)[ \t]*\n?", re.IGNORECASE)

MARKUP = re.compile(r"[\\`*_\[\]<>&#\t]|^[ ]|^[-+=|~]|^\d+[.)]", re.MULTILINE)
"""What a body has that is more than paragraphs; most have none of it, and need no parser."""

EMPTY_LINES = re.compile(r"\n[ \t]*\n\s*")


def render_markdown(body: str, top_heading: int) -> Markup:
    """Return a body as sanitized HTML.

    Args:
        top_heading: the level of its first headings; higher levels belong to the page.
    """
    html = _html(body)
    if "<h" not in html:
        return html
    lowered = HEADING.sub(lambda tag: f"<{tag[1]}h{min(6, int(tag[2]) + top_heading - 1)}>", html)
    return Markup(lowered)  # noqa: S704 - the levels of headings alone have changed


@lru_cache(maxsize=CACHED_BODIES)
def _html(body: str) -> Markup:
    text = visible_text(body.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if MARKUP.search(text) is None:
        return _paragraphs(text)
    # to CommonMark, HTML goes on to the next empty line, and so would be what follows a list
    html = markdown_parser().render(LIST_END.sub(r"\1\n\n", text))
    return Markup(MARKDOWN_SANITIZER.clean(html).strip())  # noqa: S704 - what the sanitiser lets through


def _paragraphs(text: str) -> Markup:
    """Return the HTML of a text without markup, as the parser would render it."""
    told = (
        "<br>\n".join(line.rstrip(" \t") for line in paragraph.split("\n"))
        for paragraph in EMPTY_LINES.split(text)
        if paragraph
    )
    return Markup("\n".join(f"<p>{lines}</p>" for lines in told))  # noqa: S704 - there is nothing to escape in it
