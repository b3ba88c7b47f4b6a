"""Update bodies and names from content as HTML and as plain text, safe for every reader.

A body is Markdown, as on pages. A feed holds it within a paragraph, as Statuspage's does (measured: line breaks are
`<br />`, lists are in the paragraph), so its own paragraphs and headings become lines.
"""

import re
from functools import lru_cache
from html import unescape

from statuary.documents.markdown import MARKUP, markdown_html, paragraphs_of

NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 does not allow: most control characters, lone surrogates."""

BLOCK_SPACING = re.compile(r"\s*(</?(?:ul|ol|li|blockquote)(?: start=\"\d+\")?>|<hr>)\s*")
"""Line breaks beside these tags are not part of the text."""

AFTER_BLOCK = re.compile(r"(</?(?:ul|ol|li|blockquote|pre)[^>]*>|<hr>)(?:<br />)+")
BEFORE_BLOCK = re.compile(r"(?:<br />)+(</?(?:ul|ol|li|blockquote|pre)|<hr>)")

EXTRA_BREAKS = re.compile(r"^(?:<br />)+|(?<=<br /><br />)(?:<br />)+|(?:<br />)+$")

TAG = re.compile(r'<(/?)(\w+)(?: href="([^"]*)")?(?: start="\d+")?(?: /)?>')
"""A tag in the form of `body_html`."""

CACHED_BODIES = 1_024
"""How many bodies are kept: the same one is in several feeds, and in every epoch."""


def xml_text(text: str) -> str:
    """Return a text without the characters that XML does not allow."""
    return NOT_IN_XML.sub("", text)


def one_line(text: str) -> str:
    """Return a name as one line of plain text, with single spaces."""
    spaced = " ".join(text.split())
    # a removed character may leave two spaces
    return " ".join(xml_text(spaced).split())


@lru_cache(maxsize=CACHED_BODIES)
def body_html(body: str) -> str:
    """Return an update's body as safe, well-formed HTML; line breaks become `<br />`, as in Statuspage's feeds."""
    text = xml_text(body).replace("\r\n", "\n").replace("\r", "\n").rstrip()
    leading = "<br />" * (len(text) - len(text.lstrip("\n")))
    if MARKUP.search(text) is None:
        flat = "<br /><br />".join(paragraphs_of(text, "<br />")).strip()
        return leading + EXTRA_BREAKS.sub("", flat)
    pieces = re.split(r"(<pre>.*?</pre>)", markdown_html(text, None), flags=re.DOTALL)
    flat = "".join(piece if piece.startswith("<pre>") else _lines(piece) for piece in pieces)
    apart = BEFORE_BLOCK.sub(r"\1", AFTER_BLOCK.sub(r"\1", flat))
    return leading + EXTRA_BREAKS.sub("", apart).replace("<hr>", "<hr />")


def _lines(html: str) -> str:
    """Return HTML whose paragraphs and headings are lines, two line breaks apart."""
    html = re.sub(r"<(/?)h[1-6]>", lambda tag: "</strong></p>" if tag[1] else "<p><strong>", html)
    html = BLOCK_SPACING.sub(r"\1", html.replace("<br>\n", "<br />").replace("<br>", "<br />"))
    html = re.sub(r"</p>\s*<p>", "<br /><br />", html)
    return re.sub(r"\s*</?p>\s*", "<br /><br />", html).replace("\n", "<br />")


def body_plain(body: str) -> str:
    """Return an update's body as plain text: list items on separate lines, links followed by their URL."""
    pieces: list[str] = []
    addresses: list[str] = []
    end = 0
    markup = body_html(body)
    for tag in TAG.finditer(markup):
        pieces += (unescape(markup[end : tag.start()]), _plain_tag(tag, addresses))
        end = tag.end()
    text = "".join((*pieces, unescape(markup[end:])))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _plain_tag(tag: re.Match[str], addresses: list[str]) -> str:
    """Return the plain text for a tag; `addresses` is the stack of the open links' URLs."""
    closing, name, address = tag.groups()
    if name == "a":
        if not closing:
            addresses.append(unescape(address or ""))
            return ""
        opened = addresses.pop()
        return f" ({opened})" if opened else ""
    if name == "li":
        return "" if closing else "\n- "
    return "\n" if name in LINES else ""


LINES = frozenset({"br", "hr", "ul", "ol", "blockquote", "pre"})
"""Tags that end a line of plain text."""
