"""The complete history by month and the uptime of each day.

Statuspage has no such documents. Each record is shown as of its last change, so that the archive of a past
month does not change, and an edit rewrites only the month of its record.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.base.primitives import Instant
from statuary.site.document import Document, encode_json
from statuary.status.api.members import EncodedJson, Members, TimestampFormatter
from statuary.status.model.incident_history import IncidentHistory, IncidentState
from statuary.status.model.records import Component
from statuary.status.model.timeline import Timeline, incident_states_at
from statuary.status.model.uptime import WINDOW_DAYS, ComponentUptime, PageUptime, uptime_percentage
from statuary.status.urls import ARCHIVE, ARCHIVES, UPTIME, UPTIME_SCHEMA
from statuary.system.files import read_file

Encode = Callable[[IncidentState], EncodedJson]
"""A function that encodes a record as a JSON object."""


class ArchivedMonth(NamedTuple):
    """The incidents and maintenance windows created in a month, latest first."""

    incidents: list[IncidentHistory]
    maintenances: list[IncidentHistory]

    def is_unchanging_after(self, instant: Instant) -> bool:
        """Return whether no incident or window of the month changes after a time."""
        return all(history.is_unchanging_after(instant) for records in self for history in records)

    def unchanging_states_after(self, instant: Instant) -> Iterator[IncidentState]:
        """Yield the incidents and windows that no longer change after a time.

        Each is yielded in its last state.
        """
        for history in (*self.incidents, *self.maintenances):
            if history.final_state is not None and history.is_unchanging_after(instant):
                yield history.final_state

    def records_at(self, instant: Instant) -> "ArchivedRecords":
        """Return the month's incidents and windows as of a given time.

        Incidents and windows that are published later are left out.
        """
        return ArchivedRecords(*(incident_states_at(records, instant) for records in self))


class ArchivedRecords(NamedTuple):
    """A month's published incidents and maintenance windows."""

    incidents: list[IncidentState]
    maintenances: list[IncidentState]

    @property
    def changed_at(self) -> Instant:
        """The time of the last change to an incident or window of the month."""
        return max(record.since for records in self for record in records)


class Archives:
    """Makes the monthly archives, and the list of months.

    An archive is final if no incident or window in it changes after the start time.
    """

    def __init__(
        self,
        timeline: Timeline,
        months: Mapping[str, ArchivedMonth],
        start: Instant,
        encode: Encode,
        page_at: Callable[[Instant], Members],
    ) -> None:
        """Prepare the archives of a timeline.

        Args:
            months: the incidents and maintenance windows by the month of their creation.
            start: the time of the build; months without later changes are final.
            encode: converts an incident or window to its JSON object.
            page_at: returns the `page` member at an instant.
        """
        self._page, self._page_members_at, self._encode = timeline.catalogue.page, page_at, encode
        self._months = months
        self._final = {
            month: records.records_at(start)
            for month, records in self._months.items()
            if records.is_unchanging_after(start)
        }

    def documents_at(self, at: Instant) -> Iterator[Document]:
        """Yield the list of archived months, and the archives that may change.

        Args:
            at: the time of the documents; a month without published incidents has no archive.
        """
        records_by_month = {
            month: self._final.get(month) or histories.records_at(at)
            for month, histories in self._months.items()
        }
        yield self._month_list_document(
            {month: records for month, records in records_by_month.items() if any(records)}
        )
        for month, records in records_by_month.items():
            if month not in self._final and any(records):
                yield self._archive_document(month, records)

    def unchanging_archive(self, month: str) -> Document | None:
        """Return a month's archive if it can no longer change.

        Args:
            month: a month such as `2026-11`.

        Returns:
            The archive, or None if it may still change or would be empty.
        """
        records = self._final.get(month)
        return self._archive_document(month, records) if records is not None and any(records) else None

    def _archive_document(self, month: str, records: ArchivedRecords) -> Document:
        page = encode_json(self._page_members_at(records.changed_at))
        incidents, maintenances = (b",".join(map(self._encode, states)) for states in records)
        body = b'{"page":%b,"incidents":[%b],"scheduled_maintenances":[%b]}' % (page, incidents, maintenances)
        return Document(path=ARCHIVE.path(month=month), cache=ARCHIVE.cache, body=body)

    def _month_list_document(self, records_by_month: Mapping[str, ArchivedRecords]) -> Document:
        changes = (records.changed_at for records in records_by_month.values())
        page = self._page_members_at(max(changes, default=self._page.created_at))
        month_entries = [
            {
                "month": month,
                "incidents": len(records.incidents),
                "scheduled_maintenances": len(records.maintenances),
                "url": f"{page['url']}/{ARCHIVE.path(month=month)}",
            }
            for month, records in records_by_month.items()
        ]
        body = encode_json({"page": page, "months": month_entries})
        return Document(path=ARCHIVES.path(), cache=ARCHIVES.cache, body=body)


def archived_months(timeline: Timeline) -> dict[str, ArchivedMonth]:
    """Group incidents and maintenance windows by the month of their creation.

    Returns:
        The incidents and windows by month, such as `2026-11` in the page's time zone. All are sorted latest
        first.
    """
    zone = timeline.catalogue.page.time_zone
    months: dict[str, ArchivedMonth] = {}
    for kind, histories in enumerate((timeline.incidents, timeline.maintenances)):
        for history in histories:
            created = history.incident.created_at.astimezone(zone)
            month = f"{created.year:04}-{created.month:02}"
            months.setdefault(month, ArchivedMonth([], []))[kind].append(history)
    return {month: months[month] for month in sorted(months, reverse=True)}


def uptime_document(
    page: Members, uptime: PageUptime, groups: list[Component], timestamps: TimestampFormatter
) -> Document:
    """Return `uptime.json`: uptime percentages, and the days with outages.

    Args:
        page: the JSON object `page` at the start of the document.
        uptime: the uptime of each component.
        groups: the groups of components.
        timestamps: formats times in the page's time zone.
    """
    by_id = {member.component.id: member for member in uptime.components}
    return Document(
        path=UPTIME.path(),
        cache=UPTIME.cache,
        body=encode_json(
            {
                "page": page,
                "as_of": timestamps(uptime.as_of),
                "days": WINDOW_DAYS,
                "first_day": uptime.first_day.isoformat(),
                "last_day": uptime.last_day.isoformat(),
                "uptime": uptime_percentage(member.fraction for member in uptime.components),
                "groups": [_group_members(group, by_id) for group in groups],
                "components": [_uptime_members(member) for member in uptime.components],
            }
        ),
    )


@cache
def uptime_schema_document() -> Document:
    """Return the JSON Schema that describes `uptime.json`."""
    schema = read_file(Path(__file__).with_name("uptime.schema.json"))
    return Document(
        path=UPTIME_SCHEMA.path(), cache=UPTIME_SCHEMA.cache, body=encode_json(orjson.loads(schema))
    )


def _group_members(group: Component, uptimes_by_id: Mapping[str, ComponentUptime]) -> Members:
    children = [uptimes_by_id[child] for child in group.children if child in uptimes_by_id]
    return {
        "id": group.id,
        "name": group.name,
        "uptime": uptime_percentage(child.fraction for child in children),
    }


def _uptime_members(uptime: ComponentUptime) -> Members:
    component = uptime.component
    start_date = component.start_date
    return {
        "id": component.id,
        "name": component.name,
        "group_id": component.group_id,
        "start_date": None if start_date is None else start_date.isoformat(),
        "uptime": uptime_percentage([uptime.fraction]),
        "window_seconds": int(uptime.window.total_seconds()),
        "days": [
            {
                "date": day.isoformat(),
                # Statuspage uses the names `p` for a partial outage and `m` for a major outage in its data
                # for days.
                "outages": {"p": int(outage.partial.total_seconds()), "m": int(outage.major.total_seconds())},
                "related_events": [
                    {"name": event.incident.name, "code": event.incident.id} for event in uptime.events[day]
                ],
            }
            for day, outage in uptime.days.items()
        ],
    }
