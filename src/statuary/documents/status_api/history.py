"""The complete history by year and the uptime of each day, in addition to the lists of the latest records.

Statuspage has no such documents. Each record reads as at its last change, so that the archive of a past year does
not change.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.documents.document import Document, encode_json
from statuary.documents.status_api.members import EncodedJson, Members, TimestampFormatter
from statuary.documents.url_table import ARCHIVE, ARCHIVES, UPTIME, UPTIME_SCHEMA
from statuary.domain.primitives import Instant
from statuary.domain.status.incident_history import IncidentHistory, IncidentState
from statuary.domain.status.records import Component
from statuary.domain.status.timeline import Timeline
from statuary.domain.status.uptime import WINDOW_DAYS, ComponentUptime, PageUptime, uptime_percentage

Encode = Callable[[IncidentState], EncodedJson]
"""Returns the object of a record."""


class JoinedRecords(NamedTuple):
    """Records in the order of an archive."""

    number: int
    changes: tuple[Instant, ...]  # the latest change of any of them; nothing without any
    encoded: EncodedJson  # their objects, with commas between them


class ArchivePart:
    """The incidents or the maintenances of a year, the latest created first; final ones are joined once."""

    def __init__(self, histories: Iterable[IncidentHistory], start: Instant, encode: Encode) -> None:
        """Take the histories, and the instant from which on they are asked for."""
        self._encode = encode
        self._pieces: list[JoinedRecords | IncidentHistory] = []
        for final, run in groupby(histories, key=lambda one: one.is_final_by(start)):
            records = list(run)
            self._pieces += [self._joined(history.final for history in records)] if final else records

    @property
    def final(self) -> bool:
        """Whether nothing in it changes any more."""
        return not any(isinstance(piece, IncidentHistory) for piece in self._pieces)

    def at(self, instant: Instant) -> JoinedRecords:
        """Return the records that are published at an instant."""
        pieces = [
            piece if isinstance(piece, JoinedRecords) else self._joined([piece.state_at(instant)])
            for piece in self._pieces
        ]
        return _joined(piece for piece in pieces if piece.number)

    def _joined(self, states: Iterable[IncidentState | None]) -> JoinedRecords:
        return _joined(
            JoinedRecords(1, (state.since,), self._encode(state)) for state in states if state is not None
        )


def _joined(records: Iterable[JoinedRecords]) -> JoinedRecords:
    listed = list(records)
    changes = [change for records in listed for change in records.changes]
    return JoinedRecords(
        sum(records.number for records in listed),
        (max(changes),) if changes else (),
        b",".join(records.encoded for records in listed),
    )


class ArchivedYear(NamedTuple):
    """The published records of a year."""

    incidents: JoinedRecords
    maintenances: JoinedRecords

    @property
    def changed_at(self) -> Instant:
        """The latest change of any of them."""
        return max((*self.incidents.changes, *self.maintenances.changes))


_number = attrgetter("number")


class Archives:
    """The archives of all years from an instant on."""

    def __init__(
        self, timeline: Timeline, start: Instant, encode: Encode, page_at: Callable[[Instant], Members]
    ) -> None:
        """Take also the function that returns the `page` member as of an instant."""
        self._page, self._page_at = timeline.catalogue.page, page_at
        zone = timeline.catalogue.page.time_zone
        by_year: dict[int, tuple[list[IncidentHistory], list[IncidentHistory]]] = {}
        for kind, histories in enumerate((timeline.incidents, timeline.maintenances)):
            for history in histories:
                by_year.setdefault(history.incident.created_at.astimezone(zone).year, ([], []))[kind].append(
                    history
                )
        self._years = {
            year: [ArchivePart(part, start, encode) for part in by_year[year]]
            for year in sorted(by_year, reverse=True)
        }

    def documents_at(self, at: Instant, *, final: bool) -> Iterator[Document]:
        """Yield the list of years and their archives, the latest year first; `final` includes those that never change."""
        parts = {year: [part.at(at) for part in parts] for year, parts in self._years.items()}
        years = {
            year: ArchivedYear(*records) for year, records in parts.items() if any(map(_number, records))
        }
        yield self._list(years)
        for year, records in years.items():
            if final or not all(part.final for part in self._years[year]):
                page = encode_json(self._page_at(records.changed_at))
                members = page, records.incidents.encoded, records.maintenances.encoded
                body = b'{"page":%b,"incidents":[%b],"scheduled_maintenances":[%b]}' % members
                yield Document(path=ARCHIVE.path(year=year), cache=ARCHIVE.cache, body=body)

    def _list(self, years: dict[int, ArchivedYear]) -> Document:
        changes = (records.changed_at for records in years.values())
        page = self._page_at(max(changes, default=self._page.created_at))
        listed = [
            {
                "year": year,
                "incidents": records.incidents.number,
                "scheduled_maintenances": records.maintenances.number,
                "url": f"{page['url']}/{ARCHIVE.path(year=year)}",
            }
            for year, records in years.items()
        ]
        body = encode_json({"page": page, "years": listed})
        return Document(path=ARCHIVES.path(), cache=ARCHIVES.cache, body=body)


def uptime_document(
    page: Members, uptime: PageUptime, groups: list[Component], timestamps: TimestampFormatter
) -> Document:
    """Return the document: percentages, and for each component the days with an outage."""
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
                "groups": [_group(group, by_id) for group in groups],
                "components": [_component(member) for member in uptime.components],
            }
        ),
    )


def uptime_schema_document() -> Document:
    """Return the JSON Schema of the uptime document."""
    schema = Path(__file__).with_name("uptime.schema.json").read_bytes()
    return Document(
        path=UPTIME_SCHEMA.path(), cache=UPTIME_SCHEMA.cache, body=encode_json(orjson.loads(schema))
    )


def _group(group: Component, by_id: Mapping[str, ComponentUptime]) -> Members:
    children = [by_id[child] for child in group.children if child in by_id]
    return {
        "id": group.id,
        "name": group.name,
        "uptime": uptime_percentage(child.fraction for child in children),
    }


def _component(uptime: ComponentUptime) -> Members:
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
                # the short names of Statuspage's own day data: partial, major
                "outages": {"p": int(outage.partial.total_seconds()), "m": int(outage.major.total_seconds())},
                "related_events": [
                    {"name": event.incident.name, "code": event.incident.id} for event in uptime.events[day]
                ],
            }
            for day, outage in uptime.days.items()
        ],
    }
