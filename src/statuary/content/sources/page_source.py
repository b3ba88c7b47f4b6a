"""The `page` part of `site.yaml`."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from statuary.content.source_model import InstantText, SourceModel, Text, TimeZoneText
from statuary.content.sources.text_types import Body, Identifier, Name
from statuary.domain.primitives import InvalidValueError
from statuary.domain.status.derived_ids import derived_id
from statuary.domain.status.page import UNKNOWN_CREATION, Page
from statuary.domain.status.vocabulary import Impact


def _host(text: str) -> str:
    """Return the host of a URL; empty if it has no valid one."""
    try:
        host = urlsplit(text).hostname or ""
    except ValueError:
        return ""
    return host if HOST.fullmatch(host) else ""


HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*|[0-9a-f:]*:[0-9a-f:.]+")
"""A host name in ASCII, or an IPv6 address."""


def _page_url(text: str) -> str:
    if not text.startswith(("https://", "http://")) or any(mark in text for mark in " ?#"):
        raise InvalidValueError(
            f"page URL {text!r} is not an absolute http(s) URL without query or fragment",
            "write it like https://status.example.org",
        )
    if not _host(text):
        raise InvalidValueError(
            f"page URL {text!r} has no valid host", "write it like https://status.example.org"
        )
    return text


def _feed_host(text: str) -> str:
    if not HOST.fullmatch(text) or ":" in text:
        raise InvalidValueError(f"feed_host {text!r} is not a host name", "write it like status.example.org")
    return text


class PageSource(SourceModel):
    """The status page as a whole."""

    name: Name
    """The name, usually that of the network."""
    url: Annotated[Text, AfterValidator(_page_url)]
    """The URL of the page: absolute, without a slash at the end, unless clients know it with one."""
    id: Identifier | None = None
    """The published `page_id`; default: derived from the URL. Set it before you change the URL: feeds and
    calendars identify their entries by it."""
    time_zone: TimeZoneText = Field(default="Etc/UTC", validate_default=True)
    """The IANA time zone of every published timestamp."""
    created_at: InstantText | None = None
    """When the page was created; used wherever nothing has happened yet. Default: the first date in the content."""
    updated_at: InstantText | None = None
    """For imports: the published `updated_at` from that instant on, until something changes later."""
    indicator: Impact | None = None
    """Replaces the indicator that follows from the components."""
    description: Text | None = None
    """Replaces the description that follows from the components."""
    about: Body | None = None
    """What the site is about, in Markdown; pages show it below the status."""
    feed_host: Annotated[Text, AfterValidator(_feed_host)] | None = None
    """The host in the ids of feeds, to keep those of an imported page: its old host name."""


def translate_page(source: PageSource) -> Page:
    """Return the page that the source describes."""
    url = source.url.rstrip("/")
    return Page(
        id=source.id or derived_id("page", url),
        name=source.name,
        url=url,
        published_url=source.url,
        time_zone=source.time_zone,
        created_at=source.created_at or UNKNOWN_CREATION,
        updated_at=source.updated_at,
        indicator=source.indicator,
        description=source.description,
        about=source.about,
        feed_host=source.feed_host,
    )
