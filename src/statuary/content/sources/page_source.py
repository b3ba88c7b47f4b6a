"""The `page:` part of `site.yaml`: what an author says of the status page as a whole."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from statuary.content.source_model import InstantText, SourceModel, Text, TimeZoneText
from statuary.content.sources.text_types import Identifier, Name
from statuary.domain.primitives import InvalidValueError
from statuary.domain.status.derived_ids import derived_id
from statuary.domain.status.page import UNKNOWN_CREATION, Page
from statuary.domain.status.vocabulary import Impact


def _host(text: str) -> str:
    """Return the host of a URL, empty if it has none that can be one."""
    try:
        host = urlsplit(text).hostname or ""
    except ValueError:
        return ""
    return host if HOST.fullmatch(host) else ""


HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*|[0-9a-f:]*:[0-9a-f:.]+")
"""A host's name in ASCII, or an address in brackets of IPv6."""


def _page_url(text: str) -> str:
    if not text.startswith(("https://", "http://")) or any(mark in text for mark in " ?#"):
        raise InvalidValueError(
            f"page URL {text!r} is not an absolute http address", "write it like https://status.example.org"
        )
    if not _host(text):
        raise InvalidValueError(
            f"page URL {text!r} names no host", "write it like https://status.example.org"
        )
    if text.endswith("/"):
        raise InvalidValueError(
            f"page URL {text!r} ends with a slash, and clients append paths to it",
            f"write {text.rstrip('/')}",
        )
    return text


class PageSource(SourceModel):
    """The status page as a whole."""

    name: Name
    """The page's name, usually that of the network."""
    url: Annotated[Text, AfterValidator(_page_url)]
    """Where the page is published: absolute, without a slash at the end."""
    id: Identifier | None = None
    """The published `page_id`; derived from the URL if left out."""
    time_zone: TimeZoneText = Field(default="Etc/UTC", validate_default=True)
    """The IANA time zone that every published instant is told in."""
    created_at: InstantText | None = None
    """When the page began; stands in wherever nothing has happened yet."""
    updated_at: InstantText | None = None
    """For imports: the published `updated_at`, in force from that instant on."""
    indicator: Impact | None = None
    """Overrides the indicator that follows from components and incidents."""
    description: Text | None = None
    """Overrides the description that follows from components and incidents."""


def translate_page(source: PageSource) -> Page:
    """Return the page that the source describes."""
    return Page(
        id=source.id or derived_id("page", source.url),
        name=source.name,
        url=source.url,
        time_zone=source.time_zone,
        created_at=source.created_at or UNKNOWN_CREATION,
        updated_at=source.updated_at,
        indicator=source.indicator,
        description=source.description,
    )
