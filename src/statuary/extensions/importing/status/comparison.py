"""What the source shows beside what the content now gives: open incidents, statuses, records a year, name, language."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from statuary.base.primitives import Instant, format_utc, one_line
from statuary.extensions.importing.status.status_plan import Shown, StatusPlan
from statuary.site.settings import LANGUAGES
from statuary.status.model.incident_history import IncidentHistory
from statuary.status.model.timeline import Timeline, components_at
from statuary.status.model.vocabulary import UNRESOLVED_STATUSES, ComponentStatus

LISTED = 5
"""Names of one difference that are listed."""


class Compared(NamedTuple):
    """One thing of the source and of the content, as text; `why` is empty where both are the same."""

    what: str
    theirs: str
    ours: str
    why: str = ""


def compare(plan: StatusPlan, timeline: Timeline, language: str, now: Instant) -> list[Compared]:
    """Return what the source shows beside what the content gives at an instant, as far as the source says it."""
    theirs, ours = plan.original, _ours(plan, timeline, language, now)
    incomplete = "not everything of the source was read" if plan.incomplete or plan.present else ""
    compared = [
        *_one("name", theirs.name and one_line(theirs.name), ours.name, "site.yaml has its own"),
        *_one("language", theirs.language, ours.language, _why_language(theirs.language)),
        *_open_incidents(theirs, ours, _later(timeline, now)),
        *_statuses(theirs, ours, _open_by_component(timeline, now)),
    ]
    for year in sorted({*theirs.records.values(), *ours.records.values()}, key=lambda year: year or 0):
        there, here = _of_year(theirs.records, year), _of_year(ours.records, year)
        compared += _one(
            f"records of {year or 'no date'}",
            str(len(there)),
            str(len(here)),
            incomplete or _why_records(theirs, ours, year),
        )
    return compared


def _ours(plan: StatusPlan, timeline: Timeline, language: str, now: Instant) -> Shown:
    """Return what the content gives of what was read; what its author added does not count."""
    read = {*plan.incidents, *plan.maintenances}
    records = {history.incident.id: history for history in timeline.histories if history.incident.id in read}
    states = components_at(timeline, now)
    return Shown(
        name=one_line(timeline.catalogue.page.name),
        language=language,
        unresolved={
            ident: history.incident.name for ident, history in records.items() if _is_open(history, now)
        },
        statuses={state.component.key: state.status for state in states.values()},
        records={ident: history.incident.created_at.year for ident, history in records.items()},
    )


def _later(timeline: Timeline, now: Instant) -> dict[str, Instant]:
    """Return when records are published that are not yet, by id."""
    turns = {history.incident.id: history.change_instants for history in timeline.histories}
    return {ident: instants[0] for ident, instants in turns.items() if instants and instants[0] > now}


def _open_by_component(timeline: Timeline, now: Instant) -> dict[str, list[str]]:
    """Return the names of open incidents by the components that they name."""
    names: dict[str, list[str]] = {}
    for history in timeline.incidents:
        for key in history.incident.components if _is_open(history, now) else ():
            names.setdefault(key, []).append(history.incident.name)
    return names


def _is_open(history: IncidentHistory, now: Instant) -> bool:
    state = history.state_at(now)
    return state is not None and state.status in UNRESOLVED_STATUSES


def _one(what: str, theirs: str, ours: str, why: str) -> list[Compared]:
    return [Compared(what, theirs, ours, "" if theirs == ours else why)] if theirs else []


def _why_language(language: str) -> str:
    if language in LANGUAGES:
        return "site.yaml has its own"
    return f"pages have texts in {', '.join(LANGUAGES)}; for others, add theme/texts/{language}.yaml and pages.language"


def _open_incidents(shown: Shown, ours: Shown, later: Mapping[str, Instant]) -> Iterator[Compared]:
    there, here = shown.unresolved, ours.unresolved
    lacking = [
        f"{name} (published here at {format_utc(later[ident])})" if ident in later else name
        for ident, name in there.items()
        if ident not in here
    ]
    more = [name for ident, name in here.items() if ident not in there]
    why = [f"only there: {_named(lacking)}"] * bool(lacking)
    why += [f"only here, because no update resolves it: {_named(more)}"] * bool(more)
    yield Compared("open incidents", str(len(there)), str(len(here)), "; ".join(why))


def _statuses(shown: Shown, ours: Shown, open_now: Mapping[str, Sequence[str]]) -> Iterator[Compared]:
    if not shown.statuses:
        return
    unlike = [key for key, status in shown.statuses.items() if ours.statuses.get(key) != status]
    same = len(shown.statuses) - len(unlike)
    why = "the next lines say which" if unlike else ""
    yield Compared("components with the same status", str(len(shown.statuses)), str(same), why)
    for key in unlike:
        here = ours.statuses.get(key)
        why = _why_status(here, open_now.get(key, ()))
        yield Compared(f"status of {key}", shown.statuses[key], here or "no such component", why)


def _why_status(here: ComponentStatus | None, open_now: Sequence[str]) -> str:
    if here is None:
        return "components.yaml lacks it"
    if open_now:
        return f"{_named(open_now)} says so"
    if here == "operational":
        return "no open incident here says so; `statuary component set` does"
    return "its history in components.yaml says so"


def _why_records(shown: Shown, ours: Shown, year: int | None) -> str:
    there, here = _of_year(shown.records, year), _of_year(ours.records, year)
    lost = [ident for ident in there if ident not in ours.records]
    moved = [
        ident
        for ident in {*there, *here}
        if ident in ours.records and ident in shown.records and ours.records[ident] != shown.records[ident]
    ]
    why = [f"not imported: {_named(sorted(lost))}"] * bool(lost)
    why += [f"dated by its first update: {_named(sorted(moved))}"] * bool(moved)
    return "; ".join(why) or "the source has them twice"


def _of_year(records: Mapping[str, int | None], year: int | None) -> list[str]:
    return [ident for ident, of in records.items() if of == year]


def _named(names: Sequence[str]) -> str:
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more:,} more" if more > 0 else "")


def comparison_lines(compared: Iterable[Compared]) -> Iterator[str]:
    """Yield the lines of a comparison; each difference says why."""
    rows = list(compared)
    if rows:
        yield "compared with the source:"
    for what, theirs, ours, why in rows:
        yield f"    {what}: {theirs} there, {ours} here: {why}" if why else f"    {what}: {theirs} in both"
