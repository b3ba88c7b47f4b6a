"""The history by month: a page of the latest months, and one for each quarter with incidents.

Quarters are those of the calendar, so pages of the past do not change.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.documents.pages.dates import FormattedTime, Localization
from statuary.documents.pages.site_context import PageHead
from statuary.documents.pages.status.component_rows import Link
from statuary.documents.pages.status.incident_cards import IncidentCard, IncidentCardBuilder, began_at
from statuary.documents.url_table import HISTORY_PAGE, HISTORY_QUARTER_PAGE
from statuary.domain.primitives import Instant
from statuary.domain.status.incident_history import IncidentHistory, IncidentState
from statuary.domain.status.timeline import Timeline

Quarter = tuple[int, int]
"""A year, and the number of its quarter, from 1."""

LATEST_MONTHS = 3
"""Months on the first page, the present one included: as many as Statuspage shows."""


class HistoryMonth(NamedTuple):
    """A month."""

    month: FormattedTime
    cards: tuple[IncidentCard, ...]  # the incidents and maintenances that began in it, newest first


class HistoryView(NamedTuple):
    """The content of a page of the history."""

    title: str
    months: tuple[HistoryMonth, ...]  # newest first
    quarters: tuple[Link, ...]  # the other pages, newest first; the link of the present one is empty
    newer: Link | None
    older: Link | None


class BegunByQuarter:
    """Everything that has begun, by quarter, over time."""

    def __init__(self, timeline: Timeline, zone: ZoneInfo) -> None:
        self._histories: dict[Quarter, list[IncidentHistory]] = {}
        for history in sorted(timeline.histories, key=lambda one: (began_at(one.incident), one.incident.id)):
            year, month = _month_of(began_at(history.incident), zone)
            self._histories.setdefault((year, (month + 2) // 3), []).append(history)
        self._begun: dict[Quarter, tuple[int, tuple[IncidentState, ...]]] = {}
        self._changes = {
            quarter: sorted(at for one in histories for at in one.change_instants)
            for quarter, histories in self._histories.items()
        }

    def at(self, instant: Instant) -> dict[Quarter, tuple[IncidentState, ...]]:
        """Return what has begun by an instant, newest first; a quarter in which nothing has changed is the same value."""
        begun = {quarter: self._of(quarter, instant) for quarter in sorted(self._histories, reverse=True)}
        return {quarter: records for quarter, records in begun.items() if records}

    def _of(self, quarter: Quarter, instant: Instant) -> tuple[IncidentState, ...]:
        passed = bisect_right(self._changes[quarter], instant)
        known = self._begun.get(quarter)
        if known is None or known[0] != passed:
            states = (one.state_at(instant) for one in reversed(self._histories[quarter]))
            begun = tuple(one for one in states if one is not None and one.status != "scheduled")
            known = self._begun[quarter] = passed, begun
        return known[1]


@lru_cache(maxsize=65_536)
def _month_of(at: Instant, zone: ZoneInfo) -> tuple[int, int]:
    local = at.astimezone(zone)
    return local.year, local.month


class HistoryViewBuilder:
    """Builds the views of the history."""

    def __init__(self, cards: IncidentCardBuilder, localization: Localization) -> None:
        self._cards = cards
        self._dates, self._texts = localization.dates, localization.texts

    def latest(self, quarters: Mapping[Quarter, Sequence[IncidentState]], at: Instant) -> HistoryView:
        """Return the view of the latest months."""
        today = at.astimezone(self._dates.zone)
        months = [_months_before(today.year, today.month, back) for back in range(LATEST_MONTHS)]
        return HistoryView(
            title=self._texts("history.title"),
            months=tuple(
                self._month((year, month), quarters.get((year, (month + 2) // 3), ()))
                for year, month in months
            ),
            quarters=self._links(quarters, None),
            newer=None,
            older=self._link(_before(quarters, _months_before(today.year, today.month, LATEST_MONTHS))),
        )

    def quarter(self, quarters: Mapping[Quarter, Sequence[IncidentState]], quarter: Quarter) -> HistoryView:
        """Return the view of a quarter."""
        year, number = quarter
        order = list(quarters)
        place = order.index(quarter)
        months = [(year, month) for month in range(number * 3, number * 3 - 3, -1)]
        found = [self._month(month, quarters[quarter]) for month in months]
        return HistoryView(
            title=self._title(quarter),
            months=tuple(month for month in found if month.cards),
            quarters=self._links(quarters, quarter),
            newer=(
                self._link(order[place - 1])
                if place
                else Link(self._texts("history.latest"), HISTORY_PAGE.path())
            ),
            older=self._link(order[place + 1] if place + 1 < len(order) else None),
        )

    def head(self, view: HistoryView, path: str, name: str) -> PageHead:
        """Return the head of a page of the history."""
        description = self._texts("history.page", name=name)
        return PageHead(path=path, title=view.title, description=description, section="history", timed=True)

    def _month(self, month: tuple[int, int], states: Sequence[IncidentState]) -> HistoryMonth:
        zone = self._dates.zone
        of_month = [one for one in states if _month_of(began_at(one.incident), zone) == month]
        cards = tuple(self._cards.card(one, 4) for one in of_month)
        return HistoryMonth(month=self._dates.month(*month), cards=cards)

    def _links(
        self, quarters: Mapping[Quarter, Sequence[IncidentState]], present: Quarter | None
    ) -> tuple[Link, ...]:
        return tuple(
            Link(self._title(quarter), "" if quarter == present else quarter_path(quarter))
            for quarter in quarters
        )

    def _link(self, quarter: Quarter | None) -> Link | None:
        return None if quarter is None else Link(self._title(quarter), quarter_path(quarter))

    def _title(self, quarter: Quarter) -> str:
        return self._texts("history.quarter", year=quarter[0], quarter=quarter[1])


def _before(quarters: Iterable[Quarter], month: tuple[int, int]) -> Quarter | None:
    """Return the latest quarter up to a month."""
    last = month[0], (month[1] + 2) // 3
    return next((quarter for quarter in quarters if quarter <= last), None)


def quarter_path(quarter: Quarter) -> str:
    """Return the path of the page of a quarter."""
    return HISTORY_QUARTER_PAGE.path(quarter=f"{quarter[0]}-q{quarter[1]}")


def _months_before(year: int, month: int, back: int) -> tuple[int, int]:
    number = year * 12 + month - 1 - back
    return number // 12, number % 12 + 1
