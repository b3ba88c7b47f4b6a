"""The facts that a site's pages share, and their dates."""

from datetime import date, timedelta
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from statuary.base.primitives import Instant, is_utc
from statuary.registry import CONTENT_SECTIONS, load, third_party_versions
from statuary.site.pages.page_parts import PartValues, extension_page_settings
from statuary.site.pages.page_texts import PageTexts, one_line
from statuary.site.settings import PageSettings
from statuary.site.site_content import SiteContent
from statuary.site.urls import API_PAGE, OWN_PAGE, STATUS_PAGE, FrameLinks, Url


@cache
def frame_links() -> dict[str, FrameLinks]:
    """Return the pages and feeds that every page links to.

    Returns:
        The links by section, such as `status` or `contracts`.
    """
    return {row.name: load(row.provides["frame links"]) for row in CONTENT_SECTIONS}


class SiteContext(NamedTuple):
    """The name, theme, language and links that all pages share.

    Attributes:
        own_sections: the title and path of the Markdown pages to which every page links.
    """

    name: str  # the name, as one visible line
    url: str  # without a slash at the end
    zone: ZoneInfo  # the time zone of all times
    settings: PageSettings
    has_contracts: bool
    demo: bool = False  # whether the site is a demo with invented content, as every page then says
    own_sections: tuple[tuple[str, str], ...] = ()
    parts: PartValues = ()  # values that templates use for the parts of extensions
    packages: tuple[str, ...] = ()  # the versions of other packages that add parts to pages
    folder: str = ""  # the folder of a further language's status pages, with a slash

    @property
    def root(self) -> str:
        """The path of the site on its host, such as `/status/`."""
        return urlsplit(self.url).path.rstrip("/") + "/"

    def without_templates(self, *names: str) -> "SiteContext":
        """Return the same context without some of the theme's templates.

        Args:
            names: the names of the templates; without names, all are left out.
        """
        return self._replace(settings=self.settings.without_templates(*names))

    @property
    def has_search(self) -> bool:
        """Whether the site has a search for contracts."""
        return self.has_contracts and self.settings.search

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections in the navigation of every page, such as `status`."""
        status = ("status",) if self.settings.status else ()
        contracts = ("contracts",) if self.has_contracts else ()
        return (*status, *contracts, "api")


def site_context(site: SiteContent) -> SiteContext:
    """Return the name, settings and links that a site's pages share."""
    page, parts = site.page, extension_page_settings(site.extensions)
    return SiteContext(
        name=one_line(page.name),
        url=page.url,
        zone=page.time_zone,
        settings=site.pages,
        has_contracts=site.has_contracts,
        demo=page.demo,
        own_sections=tuple(
            (one_line(page.title), OWN_PAGE.path(path=page.path))
            for page in site.own_pages
            if page.navigation
        ),
        parts=parts,
        packages=third_party_versions(key for key, _ in parts),
    )


def section_url(section: str, settings: PageSettings) -> Url:
    """Return the URL of the first page of a section.

    For example, `contracts` has the page that lists the chains. The API page is the start page of a site
    without a status page.

    Args:
        section: the name of the section, such as `contracts`.
        settings: the settings of pages, which tell whether there is a status page.
    """
    if section == "api":
        return API_PAGE if settings.status else STATUS_PAGE
    return frame_links()[section].home


class PageHead(NamedTuple):
    """The title, description and path of a page, for its `<head>`."""

    path: str  # relative to the site's root
    title: str
    description: str  # a sentence
    section: str = ""  # the section of the page; empty if it is in none
    state: str = ""  # the icon's meaning, as in `states.py`; empty for none
    timed: bool = False  # whether the page changes at known instants
    stale: str = ""  # a notice that the page may be out of date; empty for none


MINUTE = timedelta(minutes=1)

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


def format_length(length: timedelta, texts: PageTexts, *, space: str = " ") -> str:
    """Format a duration in at most two units, rounded down.

    For example: `1 h 20 min`, `2 d 4 h`.

    Args:
        length: the duration.
        texts: the names of the units in a language.
        space: the string to put between numbers and units.
    """
    minutes = length // MINUTE
    days = minutes // 1440
    hours = minutes // 60 % 24
    minutes_left = minutes % 60
    parts = [(days, "d"), (hours, "h"), (minutes_left, "min")]
    units = [f"{count}{space}{texts(f'unit.{unit}')}" for count, unit in parts if count][:2]
    return space.join(units) or texts("unit.moment")


class FormattedTime(NamedTuple):
    """A time for a page, as text and for machines."""

    iso: str  # ISO 8601: a time with the offset of the page's zone, a day, or a month
    text: str  # the text for readers
    brief: str = ""  # without the year, for places where the year is the present one
    year: int = 0


class FormattedRange(NamedTuple):
    """A time range for a page.

    If both times are on the same day, the end has no date.
    """

    start: FormattedTime
    end: FormattedTime
    clock: str  # the time of the start, for places that show its day separately


class DateFormatter:
    """Formats times in one zone and language."""

    def __init__(self, zone: ZoneInfo, texts: PageTexts) -> None:
        self.zone = zone
        self._texts = texts
        self._moments: dict[Instant, FormattedTime] = {}
        self._days: dict[date, FormattedTime] = {}

    def moment(self, at: Instant) -> FormattedTime:
        """Format a date and time: `20 Nov 2026, 13:00 CET`."""
        moment = self._moments.get(at)
        if moment is None:
            day = self.short_day(at.astimezone(self.zone).date())
            time = self.time(at).text
            text, brief = (self._texts("date.moment", day=part, time=time) for part in (day.text, day.brief))
            moment = FormattedTime(self._format_iso(at), text, brief, day.year)
            self._moments[at] = moment
        return moment

    def time(self, at: Instant) -> FormattedTime:
        """Format a time: `13:00 CET`."""
        return FormattedTime(self._format_iso(at), f"{at.astimezone(self.zone):%H:%M} {self.zone_name(at)}")

    def range(self, start: Instant, end: Instant) -> FormattedRange:
        """Format a period, such as `20 Nov 2026, 13:00` to `14:10 CET`.

        If the range ends on the day on which it starts, the end has no date.
        """
        start_time = self.moment(start)
        end_time = self.moment(end)
        zone = self.zone_name(end)
        clock = self.time(start).text
        if self.zone_name(start) == zone:
            start_time = start_time._replace(text=start_time.text.removesuffix(f" {zone}"))
            clock = clock.removesuffix(f" {zone}")
        is_same_day = start.astimezone(self.zone).date() == end.astimezone(self.zone).date()
        return FormattedRange(start_time, self.time(end) if is_same_day else end_time, clock)

    def short_day(self, day: date) -> FormattedTime:
        """Format a day: `20 Nov 2026`."""
        formatted = self._days.get(day)
        if formatted is None:
            month = self._texts(f"month.{day.month}.short")
            formatted = self._days[day] = FormattedTime(
                day.isoformat(),
                text=self._texts("date.short", day=day.day, month=month, year=day.year),
                brief=self._texts("date.brief", day=day.day, month=month),
                year=day.year,
            )
        return formatted

    def day_of(self, at: Instant) -> FormattedTime:
        """Format the day of a time: `20 Nov 2026`.

        A script on the page shows the day in the reader's time zone.
        """
        local = at.astimezone(self.zone)
        _, text, brief, year = self.short_day(local.date())
        return FormattedTime(local.isoformat(timespec="seconds"), text, brief, year)

    def month(self, year: int, month: int) -> FormattedTime:
        """Format a month: `November 2026`."""
        text = self._texts("date.month", month=self._texts(f"month.{month}.long"), year=year)
        brief = self._texts(f"month.{month}.short")
        return FormattedTime(f"{year:04}-{month:02}", text, brief, year)

    def length(self, length: timedelta) -> str:
        """Format a duration such as `1 h 20 min`, with no-break spaces."""
        return format_length(length, self._texts, space=NO_BREAK_SPACE)

    def zone_name(self, at: Instant) -> str:
        """Return a time zone's abbreviation at a given time, such as `CET`.

        A zone without one has its offset, such as `UTC+03`.
        """
        if is_utc(self.zone):
            return "UTC"
        name = at.astimezone(self.zone).tzname() or ""
        return f"UTC{name}" if name[:1] in ("+", "-") else name

    def _format_iso(self, at: Instant) -> str:
        return at.astimezone(self.zone).isoformat(timespec="seconds")


class Localization(NamedTuple):
    """The texts and date formats of a site's language."""

    texts: PageTexts
    dates: DateFormatter
