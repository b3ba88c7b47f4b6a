"""The keys `page` and `status` of site.yaml."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from statuary.base.primitives import InvalidValueError
from statuary.source.source_model import (
    Body,
    Flag,
    Identifier,
    InstantText,
    Name,
    SourceModel,
    Text,
    TimeZoneText,
    WholeNumber,
    convert_model,
)
from statuary.status.model.records import UNKNOWN_CREATION, Page, StatusSettings, derived_id
from statuary.status.model.vocabulary import Impact


def _host_of_url(text: str) -> str:
    """Return the host of a valid URL, or an empty string."""
    try:
        host = urlsplit(text).hostname or ""
    except ValueError:
        return ""
    return host if HOST.fullmatch(host) else ""


HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*|[0-9a-f:]*:[0-9a-f:.]+")
"""A host name in ASCII, or an IPv6 address."""


def check_page_url(text: str) -> str:
    """Check that a string is a valid page URL, and return it.

    Raises:
        InvalidValueError: if the string is not an absolute http(s) URL without query or fragment, or its host
            is invalid.
    """
    if not text.startswith(("https://", "http://")) or any(mark in text for mark in " ?#"):
        raise InvalidValueError(
            f"page URL {text!r} is not an absolute http(s) URL without query or fragment",
            "write it like https://status.example.org",
        )
    if not _host_of_url(text):
        raise InvalidValueError(
            f"page URL {text!r} has no valid host", "write it like https://status.example.org"
        )
    return text


def _validate_feed_host(text: str) -> str:
    if not HOST.fullmatch(text) or ":" in text:
        raise InvalidValueError(f"feed_host {text!r} is not a host name", "write it like status.example.org")
    return text


class PageSource(SourceModel):
    """The status page as a whole."""

    name: Name
    """The name, usually that of the network."""
    url: Annotated[Text, AfterValidator(check_page_url)]
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
    description: Body | None = None
    """Replaces the description that follows from the components."""
    about: Body | None = None
    """The purpose of the site, in Markdown. Pages show it below the status."""
    demo: Flag = False
    """Whether the content is invented. Every page then says so, and `statuary check` warns unless `url` is on
    localhost.
    """
    feed_host: Annotated[Text, AfterValidator(_validate_feed_host)] | None = None
    """The host in the ids of feeds. Set it to the old host name of an imported page, so that feed readers keep their state."""


def translate_page(source: PageSource) -> Page:
    """Convert the key `page` of site.yaml to the model's page.

    A page without an id gets one made from its URL.
    """
    url = source.url.rstrip("/")
    return convert_model(
        Page,
        source,
        id=source.id or derived_id("page", url),
        url=url,
        published_url=source.url,
        created_at=source.created_at or UNKNOWN_CREATION,
    )


STATUS = StatusSettings()  # the source of the keys' defaults


class StatusSource(SourceModel):
    """The published status documents, and their horizon."""

    cap: Annotated[WholeNumber, Field(ge=0)] = STATUS.cap
    """The maximum of incidents and maintenances in the lists; 0 for all. Open ones are always listed."""
    archives: Flag = STATUS.archives
    """Whether the complete history is published by month."""
    uptime: Flag = STATUS.uptime
    """Whether uptime is published."""
    horizon_days: Annotated[WholeNumber, Field(ge=0, le=400)] = STATUS.horizon.days
    """The number of days for which documents are written ahead, up to the next midnight; 0 for none.
    Fewer days make builds faster, most of all on a site with a daily maintenance, but builds are due more often."""
    max_epochs: Annotated[WholeNumber, Field(ge=0, le=10_000)] = STATUS.max_epochs
    """The maximum of future instants for which documents are written."""


class StatusKeysSource(SourceModel):
    """The keys of site.yaml about the status."""

    page: PageSource
    """The status page."""
    status: StatusSource = StatusSource.model_construct()
    """Which status documents are published."""
