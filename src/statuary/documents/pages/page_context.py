"""What all pages of one site have in common: its name, its language, its zone, and which pages there are."""

from typing import NamedTuple
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from statuary.documents.pages.visible_text import one_line
from statuary.domain.catalogue import Catalogue
from statuary.domain.page_settings import PageSettings


class PageContext(NamedTuple):
    """What a page knows of the site around it; equal frames make equal pages.

    Attributes:
        name: the page's name, in one legible line.
        url: where the site is published, without a slash at the end.
        zone: the zone that instants are told in.
        settings: which pages there are, and their look.
        has_contracts: whether the site serves contracts.
    """

    name: str
    url: str
    zone: ZoneInfo
    settings: PageSettings
    has_contracts: bool

    @property
    def root(self) -> str:
        """The path that the site is published under, with slashes around it."""
        return urlsplit(self.url).path.rstrip("/") + "/"

    @property
    def sections(self) -> tuple[str, ...]:
        """The parts of the site that every page links to."""
        status = ("status", "history", "uptime") if self.settings.status else ()
        contracts = ("contracts",) if self.has_contracts else ()
        return (*status, *contracts, "api")


def page_context(catalogue: Catalogue) -> PageContext:
    """Return what the pages of a site have in common."""
    page = catalogue.status.page
    return PageContext(
        name=one_line(page.name),
        url=page.url,
        zone=page.time_zone,
        settings=catalogue.pages,
        has_contracts=bool(catalogue.chains),
    )


class PageHead(NamedTuple):
    """What one page says of itself before it begins.

    Attributes:
        path: where it is, relative to the site's root.
        title: its title, without the site's name.
        description: what it tells, in a sentence.
        section: the part of the site that it belongs to.
        indicator: the status that its icon shows, or empty.
        timed: whether it changes by itself at known instants.
    """

    path: str
    title: str
    description: str
    section: str = ""
    indicator: str = ""
    timed: bool = False
