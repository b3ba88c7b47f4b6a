"""Exclude the records that list more components than one site can publish.

Each document of an incident or window repeats its components with each update, and lists repeat the documents.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from statuary.base.budget import BEYOND_LIMIT
from statuary.base.findings import Finding
from statuary.base.limits import MAX_ALL_AFFECTED
from statuary.base.primitives import Instant
from statuary.status.model.records import Incident, Maintenance, StatusCatalogue, StatusSettings
from statuary.status.model.recurrence import window_starts
from statuary.status.model.schedule import horizon_after
from statuary.status.model.vocabulary import UNRESOLVED_STATUSES

UPDATES_OF_WINDOW = 4
"""The updates of a window without changes: it is announced and brought to mind, begins, and ends."""


class BoundedCatalogue(NamedTuple):
    """A catalogue whose documents have a bounded size."""

    catalogue: StatusCatalogue
    findings: list[Finding]  # one for each excluded record


def limit_records(catalogue: StatusCatalogue, now: Instant, settings: StatusSettings) -> BoundedCatalogue:
    """Exclude incidents and windows if there is too much content.

    The documents of the others list at most `MAX_ALL_AFFECTED` components. Incidents and windows that have ended are
    excluded first. Then windows are excluded before incidents, and those furthest from now first.

    Args:
        catalogue: the page with its components, incidents and maintenance windows.
        now: the time of the build.
        settings: the settings, which tell how far ahead windows are counted.
    """
    horizon = horizon_after(now, catalogue, settings)
    counts = {record.source: _count_listed_components(record, horizon) for record in _all_records(catalogue)}
    total = sum(counts.values())
    excluded: dict[str, Finding] = {}
    for record in sorted(_all_records(catalogue), key=lambda record: _importance_key(record, now)):
        if total <= MAX_ALL_AFFECTED:
            break
        if counts[record.source]:
            total -= counts[record.source]
            excluded[record.source] = _exclusion_finding(record, counts[record.source])
    if not excluded:
        return BoundedCatalogue(catalogue, [])
    incidents = tuple(record for record in catalogue.incidents if record.source not in excluded)
    maintenances = tuple(record for record in catalogue.maintenances if record.source not in excluded)
    bounded = replace(catalogue, incidents=incidents, maintenances=maintenances)
    return BoundedCatalogue(bounded, list(excluded.values()))


def _all_records(catalogue: StatusCatalogue) -> Iterator[Incident]:
    yield from catalogue.incidents
    yield from catalogue.maintenances


def _count_listed_components(record: Incident, horizon: Instant) -> int:
    if not isinstance(record, Maintenance):
        return len(record.components) * (1 + len(record.updates))
    windows = 1 if record.recurrence is None else len(window_starts(record, record.recurrence, horizon))
    return windows * len(record.components) * (1 + max(len(record.updates), UPDATES_OF_WINDOW))


def _importance_key(record: Incident, now: Instant) -> tuple[bool, bool, float]:
    """Return a key that sorts the least important records first."""
    if isinstance(record, Maintenance):
        is_open = record.recurrence is not None or record.scheduled_until > now
        return is_open, False, -abs((record.scheduled_for - now).total_seconds())
    is_open = any(update.status in UNRESOLVED_STATUSES for update in record.updates[-1:])
    return is_open, True, -abs((record.started_at - now).total_seconds())


def _exclusion_finding(record: Incident, count: int) -> Finding:
    return Finding(
        rule=BEYOND_LIMIT,
        path=record.source,
        pointer=("components",),
        on_key=True,
        message=f"the record is excluded: its updates name components {count:,} times; all records together may name them"
        f" {MAX_ALL_AFFECTED:,} times",
        hint="name fewer components, such as those that matter most, or delete records that are long over",
    )
