"""What the specifications of feeds demand, as lists of faults: RFC 4287, RSS 2.0, JSON Feed 1.1, and the HTML inside.

The rules follow the specifications' own words; each fault names the one that is broken.
"""

import json
import re
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

ATOM = "{http://www.w3.org/2005/Atom}"

RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")

ABSOLUTE = re.compile(r"https?://\S+")

MARKUP = {
    "p": set(),
    "small": set(),
    "strong": set(),
    "br": set(),
    "ul": set(),
    "li": set(),
    "var": {"data-var"},
    "a": {"href"},
    "ol": {"start"},
    **{
        tag: set()
        for tag in ("em", "code", "pre", "blockquote", "hr", "table", "thead", "tbody", "tr", "th", "td")
    },
}
"""The tags that an entry's HTML may hold, with their attributes."""


def atom_faults(body):
    """Return what RFC 4287 forbids in an Atom feed."""
    feed = ET.fromstring(body)
    faults = [] if feed.tag == f"{ATOM}feed" else ["4.1.1: the root is no feed"]
    faults += _exactly_one(feed, "4.1.1", "id", "title", "updated")
    entries = feed.findall(f"{ATOM}entry")
    if feed.find(f"{ATOM}author") is None and not all(e.find(f"{ATOM}author") is not None for e in entries):
        faults.append("4.1.1: no author")
    if [link.get("rel") for link in feed.findall(f"{ATOM}link")].count("self") != 1:
        faults.append("4.1.1: no link to itself")
    for entry in entries:
        faults += _exactly_one(entry, "4.1.2", "id", "title", "updated")
        if len(entry.findall(f"{ATOM}published")) > 1 or len(entry.findall(f"{ATOM}content")) > 1:
            faults.append("4.1.2: more than one published or content")
        content = entry.find(f"{ATOM}content")
        if content is not None and (content.get("type") != "html" or len(content)):
            faults.append("4.1.3.3: content is no html text")
        if not any(link.get("rel") == "alternate" for link in entry.findall(f"{ATOM}link")):
            faults.append("4.1.2: no alternate link")
    for element in feed.iter():
        if element.tag in (f"{ATOM}updated", f"{ATOM}published") and not RFC_3339.fullmatch(
            element.text or ""
        ):
            faults.append(f"3.3: {element.text} is no date")
        if element.tag == f"{ATOM}id" and not re.fullmatch(r"[a-z][a-z0-9+.-]*:\S+", element.text or ""):
            faults.append(f"4.2.6: {element.text} is no URI")
        if element.tag == f"{ATOM}link" and not ABSOLUTE.fullmatch(element.get("href", "")):
            faults.append(f"4.2.7: {element.get('href')} is no address")
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    return faults + [f"4.1.1: two entries {one}" for one in set(ids) if ids.count(one) > 1]


def _exactly_one(element, clause, *names):
    return [
        f"{clause}: not exactly one {name}" for name in names if len(element.findall(f"{ATOM}{name}")) != 1
    ]


def rss_faults(body):
    """Return what RSS 2.0 and its Advisory Board's best practices forbid in a feed."""
    root = ET.fromstring(body)
    channels = root.findall("channel")
    faults = [] if (root.tag, root.get("version")) == ("rss", "2.0") else ["no rss 2.0"]
    if len(channels) != 1:
        return [*faults, "not exactly one channel"]
    channel = channels[0]
    faults += [
        f"channel without {name}" for name in ("title", "link", "description") if not channel.findtext(name)
    ]
    if channel.find(f"{ATOM}link[@rel='self']") is None:
        faults.append("best practice: no link to itself")
    for date in root.iter("pubDate"):
        moment = parsedate_to_datetime(date.text)
        if not date.text.startswith(moment.strftime("%a, %d %b %Y")) or moment.tzinfo is None:
            faults.append(f"{date.text} is no RFC 822 date")
    for item in channel.findall("item"):
        if not (item.findtext("title") or item.findtext("description")):
            faults.append("item without title and description")
        guid = item.find("guid")
        if guid.get("isPermaLink", "true") == "true" and not ABSOLUTE.fullmatch(guid.text or ""):
            faults.append("guid that is a permalink but not a URL")
        if not guid.text:
            faults.append("empty guid")
    guids = [item.findtext("guid") for item in channel.findall("item")]
    return faults + [f"two items {guid}" for guid in set(guids) if guids.count(guid) > 1]


JSON_FEED_SCHEMA = {
    "type": "object",
    "required": ["version", "title", "items"],
    "additionalProperties": False,
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": {"type": "string"},
        "home_page_url": {"type": "string", "pattern": "^https?://"},
        "feed_url": {"type": "string", "pattern": "^https?://"},
        "description": {"type": "string"},
        "language": {"type": "string", "pattern": "^[a-z]{2}(-[A-Z]{2})?$"},
        "authors": {
            "type": "array",
            "items": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": False,
                "properties": {"name": {"type": "string"}, "url": {"type": "string"}},
            },
        },
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id"],
                "anyOf": [{"required": ["content_html"]}, {"required": ["content_text"]}],
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "string", "minLength": 1},
                    "url": {"type": "string", "pattern": "^https?://"},
                    "title": {"type": "string"},
                    "content_html": {"type": "string"},
                    "content_text": {"type": "string"},
                    "date_published": {"type": "string", "pattern": f"^{RFC_3339.pattern}$"},
                    "date_modified": {"type": "string", "pattern": f"^{RFC_3339.pattern}$"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    },
}
"""JSON Feed 1.1, as far as its members are used here."""


def json_feed_faults(body):
    """Return what JSON Feed 1.1 forbids in a feed."""
    from jsonschema import Draft202012Validator

    feed = json.loads(body)
    faults = [error.message for error in Draft202012Validator(JSON_FEED_SCHEMA).iter_errors(feed)]
    ids = [item.get("id") for item in feed.get("items", ())]
    return faults + [f"two items {one}" for one in set(ids) if ids.count(one) > 1]


class _Markup(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.faults = []
        self.open = []
        self.read = []

    def handle_starttag(self, tag, attributes):
        if tag not in MARKUP or {name for name, _ in attributes} - MARKUP[tag]:
            self.faults.append(f"<{tag} {attributes}>")
        for name, value in attributes:
            if name == "href" and not ABSOLUTE.fullmatch((value or "").replace("mailto:", "https://")):
                self.faults.append(f"link to {value}")
        if tag not in ("br", "hr"):
            self.open.append(tag)
        self.read.append((tag, *(value for _, value in attributes)))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")
        self.read.append((f"/{tag}",))

    def handle_data(self, data):
        text = " ".join(data.split())
        if text:
            self.read.append(text)

    def handle_comment(self, data):
        self.faults.append(f"<!--{data}-->")

    def handle_decl(self, decl):
        self.faults.append(f"<!{decl}>")

    def handle_pi(self, data):
        self.faults.append(f"<?{data}>")

    def unknown_decl(self, data):
        self.faults.append(f"<![{data}]>")


def _parsed(html):
    markup = _Markup()
    markup.feed(html)
    markup.close()
    return markup


def html_faults(html):
    """Return what may not be in an entry's HTML: unknown tags and attributes, links elsewhere, bad nesting."""
    markup = _parsed(html)
    return markup.faults + [f"<{tag}> stays open" for tag in markup.open]


def html_read(html):
    """Return HTML as a reader sees it: tags with the values of their attributes, and texts, without layout."""
    return _parsed(html).read
