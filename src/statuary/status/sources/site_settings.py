"""The keys `page` and `status` of site.yaml."""

import re
from datetime import timedelta
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field
from typing_extensions import override

from statuary.base.primitives import InvalidValueError
from statuary.source.source_model import (
    Body,
    Flag,
    Identifier,
    InstantText,
    Name,
    SectionSource,
    SourceModel,
    Text,
    TimeZoneText,
    WholeNumber,
    convert_model,
)
from statuary.status.model.records import UNKNOWN_CREATION, Page, StatusSettings, derived_id
from statuary.status.model.vocabulary import Impact
from statuary.status.sources.read_values import StatusKeys


def _host_of_url(text: str) -> str:
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
    """The name, the address and other settings of the status page."""

    name: Name
    """The name of the page, usually that of the network."""
    url: Annotated[Text, AfterValidator(check_page_url)]
    """The URL of the page, such as `https://status.example.org`. Write it without a slash at the end, unless
    programs already use the URL with a slash."""
    id: Identifier | None = None
    """The id of the page in the API, feeds and calendars. Default: computed from `url`. Before you change
    `url`, set `id` to the current id. Otherwise feed readers and calendars show all entries again."""
    time_zone: TimeZoneText = Field(default="Etc/UTC", validate_default=True)
    """The IANA time zone of all published times."""
    created_at: InstantText | None = None
    """The time at which the page was created. Default: the first date in the content."""
    updated_at: InstantText | None = None
    """For imported pages: the time of the last change on the old page. After a later change, statuary uses
    the later time."""
    indicator: Impact | None = None
    """The overall status (`indicator` in the API), if you don't want the one that statuary computes from the
    components."""
    description: Body | None = None
    """The sentence about the overall status (`description` in the API), if you don't want the one that
    statuary computes, such as "All Systems Operational"."""
    about: Body | None = None
    """A text about the site, in Markdown. The status page shows it below the status."""
    demo: Flag = False
    """Whether the content is invented. Every page then says that it is a demo. `statuary check` warns you if
    the `url` of a demo is not on localhost."""
    feed_host: Annotated[Text, AfterValidator(_validate_feed_host)] | None = None
    """The host name in the ids of feed entries. After an import, write the host name of the old page, so that
    feed readers recognize entries that they already have."""


def page_from_source(source: PageSource) -> Page:
    """Convert the key `page` of site.yaml to the settings of the page.

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
    """Which status documents the site has, and for how many days a build prepares them."""

    cap: Annotated[WholeNumber, Field(ge=0)] = STATUS.cap
    """How many incidents, and how many maintenance windows, a list contains at most; 0 means all. Open ones
    are always in the list."""
    archives: Flag = STATUS.archives
    """Whether the site has a document for each month of the history."""
    uptime: Flag = STATUS.uptime
    """Whether the site publishes the uptime of components."""
    horizon_days: Annotated[WholeNumber, Field(ge=0, le=400)] = STATUS.horizon.days
    """The number of days for which a build prepares changes of the status; 0 means none. With fewer days,
    builds are faster, but you must build more often."""
    max_epochs: Annotated[WholeNumber, Field(ge=0, le=10_000)] = STATUS.max_epochs
    """For how many future changes of the status, such as the start of maintenance, a build writes documents
    at most."""


class StatusKeysSource(SectionSource):
    """The keys of site.yaml about the status."""

    page: PageSource
    """The name and the address of the status page."""
    status: StatusSource = StatusSource.model_construct()
    """Which status documents the site has, and for how many days a build prepares them."""

    @override
    def to_settings(self) -> StatusKeys:
        horizon = timedelta(days=self.status.horizon_days)
        return StatusKeys(
            page_from_source(self.page), convert_model(StatusSettings, self.status, horizon=horizon)
        )
