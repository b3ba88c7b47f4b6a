"""The facts that all pages of a site share: its name, language, time zone and sections."""

from typing import NamedTuple
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from statuary.documents.pages.visible_text import one_line
from statuary.documents.url import Url
from statuary.documents.url_table import (
    API_PAGE,
    CONTRACTS_HOME,
    HISTORY_PAGE,
    OWN_PAGE,
    STATUS_PAGE,
    UPTIME_PAGE,
)
from statuary.domain.catalogue import Catalogue
from statuary.domain.page_settings import PageSettings

SECTION_PAGES = {
    "status": STATUS_PAGE,
    "history": HISTORY_PAGE,
    "uptime": UPTIME_PAGE,
    "contracts": CONTRACTS_HOME,
    "api": API_PAGE,
}


class SiteContext(NamedTuple):
    """The site around a page; equal contexts give equal pages."""

    name: str  # as one visible line
    url: str  # without a slash at the end
    zone: ZoneInfo  # the time zone of all times
    settings: PageSettings
    has_contracts: bool
    # title and path of the pages of the site's own that every page links to
    own_sections: tuple[tuple[str, str], ...] = ()
    log: str = ""  # the name of the transparency log; empty if there is none

    @property
    def root(self) -> str:
        """The path below which the site is published, with slashes around it."""
        return urlsplit(self.url).path.rstrip("/") + "/"

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections that every page links to."""
        status = ("status", "history", "uptime") if self.settings.status else ()
        contracts = ("contracts",) if self.has_contracts else ()
        return (*status, *contracts, "api")


def site_context(catalogue: Catalogue) -> SiteContext:
    """Return the context of a site's pages."""
    page = catalogue.status.page
    return SiteContext(
        name=one_line(page.name),
        url=page.url,
        zone=page.time_zone,
        settings=catalogue.pages,
        has_contracts=bool(catalogue.chains),
        own_sections=tuple(
            (one_line(page.title), OWN_PAGE.path(path=page.path))
            for page in catalogue.own_pages
            if page.navigation
        ),
        log=catalogue.log.origin if catalogue.log else "",
    )


def section_url(section: str, settings: PageSettings) -> Url:
    """Return the first page of a section; without a status page, the API page is the first page of the site."""
    return STATUS_PAGE if section == "api" and not settings.status else SECTION_PAGES[section]


class PageHead(NamedTuple):
    """The head of a page."""

    path: str  # relative to the site's root
    title: str
    description: str  # a sentence
    section: str = ""  # the section of the page; empty if it is in none
    indicator: str = ""  # the status that the icon shows; empty for none
    timed: bool = False  # whether the page changes at known instants
    stale: str = ""  # a notice that the page may be out of date; empty for none
