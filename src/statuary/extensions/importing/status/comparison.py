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
    """A value on the imported page and on the new site."""

    subject: str
    source_value: str
    content_value: str
    reason: str = ""  # why the values differ; empty if they are the same


def compare_with_content(
    plan: StatusPlan, timeline: Timeline, language: str, now: Instant
) -> list[Comparison]:
    """Compare the imported status page with the site after the import.

    The result is printed, so that the user can see what the import has changed. Only values that the imported
    page contains are compared, such as the status of each component.

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
        *_compare_open_incidents(theirs, ours, _future_publish_times(timeline, now)),
        *_compare_statuses(theirs, ours, _open_incident_names(timeline, now)),
    ]
    for year in sorted({*theirs.records.values(), *ours.records.values()}, key=lambda year: year or 0):
        there = _record_ids_of_year(theirs.records, year)
        here = _record_ids_of_year(ours.records, year)
        compared += _compare_value(
            f"records of {year or 'no date'}",
            str(len(there)),
            str(len(here)),
            incomplete or _explain_count_difference(theirs, ours, year),
        )
    return compared


def _content_status(plan: StatusPlan, timeline: Timeline, language: str, now: Instant) -> ShownStatus:
    """Return the content's status, without incidents that the imported page lacks."""
    record_ids = {*plan.incidents, *plan.maintenances}
    records = {
        history.incident.id: history for history in timeline.histories if history.incident.id in record_ids
    }
    states = component_states_at(timeline, now)
    return ShownStatus(
        name=one_line(timeline.catalogue.page.name),
        language=language,
        unresolved={
            ident: history.incident.name
            for ident, history in records.items()
            if _is_open_incident(history, now)
        },
        statuses={state.component.key: state.status for state in states.values()},
        records={ident: history.incident.created_at.year for ident, history in records.items()},
    )


def _future_publish_times(timeline: Timeline, now: Instant) -> dict[str, Instant]:
    """Return the publication times of incidents that are not public yet."""
    turns = {history.incident.id: history.change_instants for history in timeline.histories}
    return {ident: instants[0] for ident, instants in turns.items() if instants and instants[0] > now}


def _open_incident_names(timeline: Timeline, now: Instant) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for history in timeline.incidents:
        for key in history.incident.components if _is_open_incident(history, now) else ():
            names.setdefault(key, []).append(history.incident.name)
    return names


def _is_open_incident(history: IncidentHistory, now: Instant) -> bool:
    state = history.state_at(now)
    return state is not None and state.status in UNRESOLVED_STATUSES


def _compare_value(subject: str, source_value: str, content_value: str, reason: str) -> list[Comparison]:
    return (
        [Comparison(subject, source_value, content_value, "" if source_value == content_value else reason)]
        if source_value
        else []
    )


def _compare_open_incidents(
    source_page: ShownStatus, content_page: ShownStatus, publish_times: Mapping[str, Instant]
) -> Iterator[Comparison]:
    there, here = source_page.unresolved, content_page.unresolved
    missing_names = [
        f"{name} (published here at {format_utc(publish_times[ident])})" if ident in publish_times else name
        for ident, name in there.items()
        if ident not in here
    ]
    extra_names = [name for ident, name in here.items() if ident not in there]
    why = [f"only there: {_join_first_names(missing_names)}"] * bool(missing_names)
    why += [f"only here, because no update resolves it: {_join_first_names(extra_names)}"] * bool(extra_names)
    yield Comparison("open incidents", str(len(there)), str(len(here)), "; ".join(why))


def _compare_statuses(
    source_page: ShownStatus, content_page: ShownStatus, open_incident_names: Mapping[str, Sequence[str]]
) -> Iterator[Comparison]:
    if not source_page.statuses:
        return
    unlike = [key for key, status in source_page.statuses.items() if content_page.statuses.get(key) != status]
    same = len(source_page.statuses) - len(unlike)
    why = "the next lines say which" if unlike else ""
    yield Comparison("components with the same status", str(len(source_page.statuses)), str(same), why)
    for key in unlike:
        here = content_page.statuses.get(key)
        why = _explain_status_difference(here, open_incident_names.get(key, ()))
        yield Comparison(f"status of {key}", source_page.statuses[key], here or "no such component", why)


def _explain_status_difference(
    content_status: ComponentStatus | None, open_incident_names: Sequence[str]
) -> str:
    if content_status is None:
        return "components.yaml lacks it"
    if open_incident_names:
        return f"{_join_first_names(open_incident_names)} says so"
    if content_status == "operational":
        return "no open incident here says so; `statuary component set` does"
    return "its history in components.yaml says so"


def _explain_count_difference(source_page: ShownStatus, content_page: ShownStatus, year: int | None) -> str:
    there = _record_ids_of_year(source_page.records, year)
    here = _record_ids_of_year(content_page.records, year)
    lost = [ident for ident in there if ident not in content_page.records]
    moved = [
        ident
        for ident in {*there, *here}
        if ident in content_page.records
        and ident in source_page.records
        and content_page.records[ident] != source_page.records[ident]
    ]
    why = [f"not imported: {_join_first_names(sorted(lost))}"] * bool(lost)
    why += [f"dated by its first update: {_join_first_names(sorted(moved))}"] * bool(moved)
    return "; ".join(why) or "the source has them twice"


def _record_ids_of_year(years_by_id: Mapping[str, int | None], year: int | None) -> list[str]:
    return [ident for ident, of in years_by_id.items() if of == year]


def _join_first_names(names: Sequence[str]) -> str:
    hidden_count = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {hidden_count:,} more" if hidden_count > 0 else "")


def format_comparisons(comparisons: Iterable[Comparison]) -> Iterator[str]:
    """Format the comparison with the imported page, line by line."""
    rows = list(comparisons)
    if rows:
        yield "compared with the source:"
    for what, theirs, ours, why in rows:
        yield f"    {what}: {theirs} there, {ours} here: {why}" if why else f"    {what}: {theirs} in both"
