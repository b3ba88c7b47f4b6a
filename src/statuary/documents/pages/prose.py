"""Bodies that people write, as HTML that can do nothing but show.

CommonMark, with the small subset of HTML that Statuspage keeps in bodies (measured: `ul`, `li`, `strong`, `a`,
`br`), line breaks kept as Statuspage shows them. Whatever comes out of the parser goes through a sanitiser that
parses as browsers do; what is left of an unknown tag is its text.
"""

import re
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from statuary.documents.pages.legible import legible

REMEMBERED_BODIES = 4_096
"""How many bodies are kept: the same one stands on several pages, and in every epoch."""

PARSER = MarkdownIt("commonmark", {"html": True, "breaks": True}).disable(["code", "lheading", "image"])
# indented lines, and lines above a row of dashes, are layout to those who write updates, not markup

ADDRESS = re.compile(r"(?:https?://|mailto:)[^\s\"'<>]+", re.IGNORECASE)
"""The only addresses that a link may have: what is relative would mean another place on every page."""


def _address(_tag: str, attribute: str, value: str) -> str | None:
    return value if attribute != "href" or ADDRESS.fullmatch(value) else None


SANITISER = nh3.Cleaner(
    tags={
        *("p", "br", "hr", "strong", "em", "code", "pre", "blockquote", "a", "ul", "ol", "li"),
        *("h2", "h3", "h4", "h5", "h6"),
    },
    attributes={"a": {"href"}, "ol": {"start"}},
    attribute_filter=_address,
    url_schemes={"http", "https", "mailto"},
    link_rel="nofollow noopener",
)

HEADING = re.compile(r"<(/?)h([1-6])>")
LIST_END = re.compile(r"(</[uo]l>)[ \t]*\n?", re.IGNORECASE)


@lru_cache(maxsize=REMEMBERED_BODIES)
def prose(body: str, top_heading: int) -> Markup:
    """Return a body as sanitised HTML.

    Args:
        body: as it was written.
        top_heading: the level of its first headings; those above are the page's own.
    """
    text = legible(body.replace("\r\n", "\n").replace("\r", "\n")).strip()
    # to CommonMark, HTML goes on to the next empty line, and so would be what follows a list
    html = PARSER.render(LIST_END.sub(r"\1\n\n", text))
    lowered = HEADING.sub(lambda tag: f"<{tag[1]}h{min(6, int(tag[2]) + top_heading - 1)}>", html)
    return Markup(SANITISER.clean(lowered).strip())  # noqa: S704 - what the sanitiser lets through
