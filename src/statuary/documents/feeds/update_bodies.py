"""Texts of content on their way into markup: nothing that an author or an import wrote can act in a reader.

Statuspage keeps a small subset of HTML in the body of an update (measured: `ul`, `li`, `strong`, `a`, `br`) and
shows its line breaks. Everything else is taken out by a sanitiser that parses as browsers do; what is left of
an unknown tag is its text.
"""

import re
from html import unescape

import nh3

NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML 1.0 has no way to write (all that its production `Char` leaves out): most control characters, lone surrogates."""

WEB_URL = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
"""The only addresses that a link may have."""


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
"""Line breaks beside these tags are layout of the source, not of the text."""

TAG = re.compile(r'<(/?)(\w+)(?: href="([^"]*)")?(?: /)?>')
"""A tag as `body_html` writes it."""


def xml_text(text: str) -> str:
    """Return a text without the characters that XML cannot hold."""
    return NOT_IN_XML.sub("", text)


def one_line(text: str) -> str:
    """Return a name as one line of plain text: legible, each stretch of white space one space."""
    spaced = " ".join(text.split())
    # a character that is taken out may leave two spaces behind
    return " ".join(xml_text(spaced).split())


def body_html(body: str) -> str:
    """Return an update's body as HTML that can do nothing but show: well nested, XML-legible, no scripts.

    Line breaks are kept as `<br />`, which is how Statuspage's own feeds show them.
    """
    text = xml_text(body).replace("\r\n", "\n").replace("\r", "\n").rstrip()
    clean = LIST_TAG_SPACING.sub(r"\1", BODY_SANITIZER.clean(text))
    return clean.replace("<br>", "<br />").replace("\n", "<br />")


def body_plain(body: str) -> str:
    """Return an update's body as plain text: list items on lines of their own, links with their address."""
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
    """Return what stands for a tag in plain text; `addresses` holds those of the links that are open."""
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
