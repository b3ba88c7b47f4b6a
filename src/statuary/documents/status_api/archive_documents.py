"""The complete history by year, beside the lists that hold the latest records only.

Statuspage has no such documents (its lists end after 50 records), so their shape is statuary's own: that of
its lists, both kinds of record in one. Each record reads as it did at its last change, so that the archive
of a past year stands still.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from statuary.documents.document import Document
from statuary.documents.encode import encode_json, encode_unchecked
from statuary.documents.status_api.json_members import EncodedJson, Members
from statuary.documents.url_table import ARCHIVE, ARCHIVES
from statuary.domain.primitives import Instant
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.page_state import PageState


class ArchiveYear(NamedTuple):
    """The records created in one year, the latest first.

    Attributes:
        incidents: its incidents.
        maintenances: its maintenances.
    """

    incidents: tuple[IncidentState, ...]
    maintenances: tuple[IncidentState, ...]

    @property
    def changed_at(self) -> Instant:
        """The latest change of any of them."""
        return max(record.since for record in (*self.incidents, *self.maintenances))


class CreationYears:
    """Tells the year of a record's creation in a zone, and remembers it."""

    def __init__(self, zone: ZoneInfo) -> None:
        """Take the page's time zone."""
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
    """Return the records that can be read of by the year of their creation, the latest first."""
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
    page: EncodedJson, year: int, records: ArchiveYear, told: Sequence[EncodedJson]
) -> Document:
    """Return the archive of a year, given the proved objects of its incidents and then of its maintenances."""
    count = len(records.incidents)
    return Document(
        path=ARCHIVE.path(year=year),
        cache=ARCHIVE.cache,
        body=encode_unchecked(
            {"page": page, "incidents": list(told[:count]), "scheduled_maintenances": list(told[count:])}
        ),
    )


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
