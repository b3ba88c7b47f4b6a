"""Compare an imported status with the page that it came from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from statuary.base.primitives import Instant, format_utc, one_line
from statuary.extensions.importing.status.status_plan import ShownStatus, StatusPlan
from statuary.site.settings import LANGUAGES
from statuary.status.model.incident_history import IncidentHistory
from statuary.status.model.timeline import Timeline, component_states_at
from statuary.status.model.vocabulary import UNRESOLVED_STATUSES, ComponentStatus

LISTED = 5
"""Limit for the names of one difference that are listed."""


class Comparison(NamedTuple):
    """A value on the imported page, beside the value in the content."""

    what: str
    theirs: str
    ours: str
    why: str = ""  # why the values differ; empty if they are the same


def compare_with_content(
    plan: StatusPlan, timeline: Timeline, language: str, now: Instant
) -> list[Comparison]:
    """Compare an imported status page with the content after the import.

    Only data that the source has is compared.

    Args:
        plan: the imported page.
        timeline: the status history in the content.
        language: the language of the site's pages.
        now: the time of the comparison.
    """
    theirs = plan.original
    ours = _content_status(plan, timeline, language, now)
    incomplete = "not everything of the source was read" if plan.incomplete or plan.present_count else ""
    why_language = "site.yaml has its own"
    if theirs.language not in LANGUAGES:
        why_language = (
            f"pages have texts in {', '.join(LANGUAGES)};"
            f" for others, add theme/texts/{theirs.language}.yaml and pages.language"
        )
    compared = [
        *_compare_value("name", theirs.name and one_line(theirs.name), ours.name, "site.yaml has its own"),
        *_compare_value("language", theirs.language, ours.language, why_language),
        *_compare_open_incidents(theirs, ours, _later_publish_times(timeline, now)),
        *_compare_statuses(theirs, ours, _open_by_component(timeline, now)),
    ]
    for year in sorted({*theirs.records.values(), *ours.records.values()}, key=lambda year: year or 0):
        there = _records_of_year(theirs.records, year)
        here = _records_of_year(ours.records, year)
        compared += _compare_value(
            f"records of {year or 'no date'}",
            str(len(there)),
            str(len(here)),
            incomplete or _reason_for_records(theirs, ours, year),
        )
    return compared


def _content_status(plan: StatusPlan, timeline: Timeline, language: str, now: Instant) -> ShownStatus:
    """Return the content's status, with only the records that the source has."""
    record_ids = {*plan.incidents, *plan.maintenances}
    records = {
        history.incident.id: history for history in timeline.histories if history.incident.id in record_ids
    }
    states = component_states_at(timeline, now)
    return ShownStatus(
        name=one_line(timeline.catalogue.page.name),
        language=language,
        unresolved={
            ident: history.incident.name for ident, history in records.items() if _is_open(history, now)
        },
        statuses={state.component.key: state.status for state in states.values()},
        records={ident: history.incident.created_at.year for ident, history in records.items()},
    )


def _later_publish_times(timeline: Timeline, now: Instant) -> dict[str, Instant]:
    """Return the times at which unpublished records become public, by id."""
    turns = {history.incident.id: history.change_instants for history in timeline.histories}
    return {ident: instants[0] for ident, instants in turns.items() if instants and instants[0] > now}


def _open_by_component(timeline: Timeline, now: Instant) -> dict[str, list[str]]:
    """Return the names of open incidents by component key."""
    names: dict[str, list[str]] = {}
    for history in timeline.incidents:
        for key in history.incident.components if _is_open(history, now) else ():
            names.setdefault(key, []).append(history.incident.name)
    return names


def _is_open(history: IncidentHistory, now: Instant) -> bool:
    state = history.state_at(now)
    return state is not None and state.status in UNRESOLVED_STATUSES


def _compare_value(what: str, theirs: str, ours: str, why: str) -> list[Comparison]:
    return [Comparison(what, theirs, ours, "" if theirs == ours else why)] if theirs else []


def _compare_open_incidents(
    source_page: ShownStatus, ours: ShownStatus, publish_times: Mapping[str, Instant]
) -> Iterator[Comparison]:
    there, here = source_page.unresolved, ours.unresolved
    missing_names = [
        f"{name} (published here at {format_utc(publish_times[ident])})" if ident in publish_times else name
        for ident, name in there.items()
        if ident not in here
    ]
    extra_names = [name for ident, name in here.items() if ident not in there]
    why = [f"only there: {_join_names(missing_names)}"] * bool(missing_names)
    why += [f"only here, because no update resolves it: {_join_names(extra_names)}"] * bool(extra_names)
    yield Comparison("open incidents", str(len(there)), str(len(here)), "; ".join(why))


def _compare_statuses(
    source_page: ShownStatus, ours: ShownStatus, open_now: Mapping[str, Sequence[str]]
) -> Iterator[Comparison]:
    if not source_page.statuses:
        return
    unlike = [key for key, status in source_page.statuses.items() if ours.statuses.get(key) != status]
    same = len(source_page.statuses) - len(unlike)
    why = "the next lines say which" if unlike else ""
    yield Comparison("components with the same status", str(len(source_page.statuses)), str(same), why)
    for key in unlike:
        here = ours.statuses.get(key)
        why = _reason_for_status(here, open_now.get(key, ()))
        yield Comparison(f"status of {key}", source_page.statuses[key], here or "no such component", why)


def _reason_for_status(here: ComponentStatus | None, open_now: Sequence[str]) -> str:
    if here is None:
        return "components.yaml lacks it"
    if open_now:
        return f"{_join_names(open_now)} says so"
    if here == "operational":
        return "no open incident here says so; `statuary component set` does"
    return "its history in components.yaml says so"


def _reason_for_records(source_page: ShownStatus, ours: ShownStatus, year: int | None) -> str:
    there = _records_of_year(source_page.records, year)
    here = _records_of_year(ours.records, year)
    lost = [ident for ident in there if ident not in ours.records]
    moved = [
        ident
        for ident in {*there, *here}
        if ident in ours.records
        and ident in source_page.records
        and ours.records[ident] != source_page.records[ident]
    ]
    why = [f"not imported: {_join_names(sorted(lost))}"] * bool(lost)
    why += [f"dated by its first update: {_join_names(sorted(moved))}"] * bool(moved)
    return "; ".join(why) or "the source has them twice"


def _records_of_year(records: Mapping[str, int | None], year: int | None) -> list[str]:
    return [ident for ident, of in records.items() if of == year]


def _join_names(names: Sequence[str]) -> str:
    hidden_count = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {hidden_count:,} more" if hidden_count > 0 else "")


def comparison_lines(compared: Iterable[Comparison]) -> Iterator[str]:
    """Yield the lines that compare the imported status with the original page.

    A line gives both values, and the reason if they differ.
    """
    rows = list(compared)
    if rows:
        yield "compared with the source:"
    for what, theirs, ours, why in rows:
        yield f"    {what}: {theirs} there, {ours} here: {why}" if why else f"    {what}: {theirs} in both"
