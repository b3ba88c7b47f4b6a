"""Markdown as sanitized HTML, for bodies on pages and in feeds.

CommonMark and tables, with the HTML that Statuspage keeps in bodies (measured: `ul`, `li`, `strong`, `a`, `br`), and with
line breaks as Statuspage shows them. A sanitizer that parses like a browser removes everything else.
"""

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import nh3

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


@cache
def markdown_parser() -> "MarkdownIt":
    """Return the Markdown parser; the first call creates it."""
    parser: MarkdownIt = import_module("markdown_it").MarkdownIt("commonmark", {"html": True, "breaks": True})
    # Authors of updates use indented lines, and rows of dashes, only for layout. So do not render these as
    # code and headings.
    return parser.enable("table").disable(["code", "lheading", "image"])


LINK_URL = re.compile(r"(?:https?://|mailto:)[^\s\"'<>]+", re.IGNORECASE)
"""The only addresses that a link may have: a relative one would lead elsewhere on every page."""


BODY_TAGS = frozenset(
    [
        "p",
        "br",
        "hr",
        "strong",
        "em",
        "code",
        "pre",
        "blockquote",
        "a",
        "ul",
        "ol",
        "li",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ]
)
"""The HTML elements of bodies."""


def _filter_link_address(_tag: str, attribute: str, value: str) -> str | None:
    return value if attribute != "href" or LINK_URL.fullmatch(value) else None


@cache
def markdown_sanitizer(link_rel: str | None) -> nh3.Cleaner:
    """Return the sanitizer for HTML that was made from Markdown.

    Args:
        link_rel: the `rel` attribute of links; None for none.
    """
    return nh3.Cleaner(
        tags={*BODY_TAGS},
        attributes={"a": {"href"}, "ol": {"start"}},
        attribute_filter=_filter_link_address,
        url_schemes={"http", "https", "mailto"},
        link_rel=link_rel,
    )


LIST_END = re.compile(r"(</[uo]l>)[ \t]*\n?", re.IGNORECASE)

MARKUP = re.compile(r"[\\`*_\[\]<>&#\t]|^[ ]|^[-+=|~:]|^\d+[.)]", re.MULTILINE)
"""Markup beyond paragraphs; most bodies have none, and need no parser."""

CODE = re.compile(r"(?<!`)`([^`\s<>&](?:[^`\n<>&]*[^`\s<>&])?)`(?!`)")
"""Inline code of printable ASCII, which needs no parser."""

PRINTABLE = re.compile(r"[\n -~]*")

EMPTY_LINES = re.compile(r"\n[ \t]*\n\s*")


def markdown_html(text: str, link_rel: str | None) -> str:
    """Convert Markdown to sanitized HTML.

    Args:
        text: the Markdown, with LF as line breaks.
        link_rel: the `rel` attribute of links; None for none.
    """
    if MARKUP.search(text) is None:
        return _plain_text_html(text)
    if PRINTABLE.fullmatch(text) and MARKUP.search(CODE.sub("x", text)) is None:
        return CODE.sub(r"<code>\1</code>", _plain_text_html(text))
    # In CommonMark, only an empty line ends a block of HTML. Add one after each HTML list, so that the
    # Markdown after the list is rendered.
    html = markdown_parser().render(LIST_END.sub(r"\1\n\n", text))
    return markdown_sanitizer(link_rel).clean(html).strip()


def _plain_text_html(text: str) -> str:
    return "\n".join(f"<p>{lines}</p>" for lines in split_paragraphs(text, "<br>\n"))


def split_paragraphs(text: str, line_break: str) -> list[str]:
    """Split plain text into paragraphs.

    Args:
        text: the text, with LF as line breaks.
        line_break: the string to put between the lines of a paragraph.
    """
    paragraphs = filter(None, EMPTY_LINES.split(text))
    return [line_break.join(line.rstrip(" \t") for line in paragraph.split("\n")) for paragraph in paragraphs]
