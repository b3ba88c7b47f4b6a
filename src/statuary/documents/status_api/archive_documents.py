"""The complete history by year, in addition to the lists of the latest records.

Statuspage has no such documents. Each record reads as at its last change, so that the archive of a past year does
not change.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.status_api.json_members import EncodedJson, Members
from statuary.documents.url_table import ARCHIVE, ARCHIVES
from statuary.domain.primitives import Instant
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.page_state import PageState


class ArchiveYear(NamedTuple):
    """The records created in one year, the latest first."""

    incidents: tuple[IncidentState, ...]
    maintenances: tuple[IncidentState, ...]

    @property
    def changed_at(self) -> Instant:
        """The latest change of any of them."""
        return max(record.since for record in (*self.incidents, *self.maintenances))


class CreationYears:
    """The year of each record's creation in a time zone, computed once for each instant."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        self._known: dict[Instant, int] = {}

    def __call__(self, record: IncidentState) -> int:
        """Return the year."""
        created_at = record.incident.created_at
        year = self._known.get(created_at)
        if year is None:
            year = self._known[created_at] = created_at.astimezone(self._zone).year
        return year


def by_year(state: PageState, years: CreationYears) -> dict[int, ArchiveYear]:
    """Return the published records by the year of their creation, the latest first."""
    incidents = _by_year(state.incidents, years)
    maintenances = _by_year(state.maintenances, years)
    return {
        year: ArchiveYear(tuple(incidents.get(year, ())), tuple(maintenances.get(year, ())))
        for year in sorted({*incidents, *maintenances}, reverse=True)
    }


def _by_year(records: Sequence[IncidentState], years: CreationYears) -> dict[int, list[IncidentState]]:
    found: dict[int, list[IncidentState]] = {}
    for record in records:
        found.setdefault(years(record), []).append(record)
    return found


def archive_document(
    page: EncodedJson, year: int, incidents: list[EncodedJson], maintenances: list[EncodedJson]
) -> Document:
    """Return the archive of a year from the encoded objects of its records."""
    parts = (
        *(b'{"page":', page, b',"incidents":['),
        *_separated(incidents),
        b'],"scheduled_maintenances":[',
        *_separated(maintenances),
        b"]}",
    )
    return Document(path=ARCHIVE.path(year=year), cache=ARCHIVE.cache, body=b"".join(parts), parts=parts)


def _separated(values: list[EncodedJson]) -> list[bytes]:
    return [part for value in values for part in (b",", value)][1:]


def archives_document(page: Members, years: Mapping[int, ArchiveYear]) -> Document:
    """Return the list of archives, the latest year first."""
    return Document(
        path=ARCHIVES.path(),
        cache=ARCHIVES.cache,
        body=encode_json(
            {
                "page": page,
                "years": [
                    {
                        "year": year,
                        "incidents": len(records.incidents),
                        "scheduled_maintenances": len(records.maintenances),
                        "url": f"{page['url']}/{ARCHIVE.path(year=year)}",
                    }
                    for year, records in years.items()
                ],
            }
        ),
    )
