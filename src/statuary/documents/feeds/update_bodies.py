"""Update bodies and names from content as HTML and as plain text, safe for every reader.

Statuspage keeps a small subset of HTML in the body of an update (measured: `ul`, `li`, `strong`, `a`, `br`) and
shows its line breaks. A sanitizer that parses like a browser removes every other tag and keeps its text.
"""

import re
from html import unescape

import nh3

NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 does not allow: most control characters, lone surrogates."""

WEB_URL = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
"""The only targets of links."""


def _web_address(_tag: str, _attribute: str, value: str) -> str | None:
    return value if WEB_URL.fullmatch(value) else None


BODY_SANITIZER = nh3.Cleaner(
    tags={"ul", "li", "strong", "a", "br"},
    attributes={"a": {"href"}},
    attribute_filter=_web_address,
    url_schemes={"http", "https"},
    link_rel=None,
)

LIST_TAG_SPACING = re.compile(r"\s*(</?(?:ul|li)>)\s*")
"""Line breaks beside these tags are not part of the text."""

TAG = re.compile(r'<(/?)(\w+)(?: href="([^"]*)")?(?: /)?>')
"""A tag in the form of `body_html`."""


def xml_text(text: str) -> str:
    """Return a text without the characters that XML does not allow."""
    return NOT_IN_XML.sub("", text)


def one_line(text: str) -> str:
    """Return a name as one line of plain text, with single spaces."""
    spaced = " ".join(text.split())
    # a removed character may leave two spaces
    return " ".join(xml_text(spaced).split())


def body_html(body: str) -> str:
    """Return an update's body as safe, well-formed HTML; line breaks become `<br />`, as in Statuspage's feeds."""
    text = xml_text(body).replace("\r\n", "\n").replace("\r", "\n").rstrip()
    clean = LIST_TAG_SPACING.sub(r"\1", BODY_SANITIZER.clean(text))
    return clean.replace("<br>", "<br />").replace("\n", "<br />")


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
    return "\n" if name in ("br", "ul") else ""
