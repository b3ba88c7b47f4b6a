"""Components of Statuspage's documents as content, with keys that people can write."""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import Any

from statuary.domain.status.vocabulary import CLOSED_STATUSES
from statuary.editing.new_file import slug
from statuary.importing.source_members import Members, instant_of, list_of, required_text, text_of
from statuary.importing.status_plan import Source, given


def component_sources(
    components: Iterable[Members], records: Collection[Members], known_keys: Mapping[str, str]
) -> dict[str, Source]:
    """Return components by key, in the order of the page: those that are on it, and those that records name."""
    by_id = {required_text(one, "id"): one for one in _with_ranks(list(components))}
    for record in records:
        for named in _named_components(record):
            by_id.setdefault(required_text(named, "id"), named)
    keys = component_keys(by_id, known_keys)
    # an open record may give them another status
    named_now = {text_of(one, "id") for record in open_records(records) for one in _named_components(record)}
    sources: dict[str, Source] = {}
    for component_id, one in by_id.items():
        if text_of(one, "group_id") not in by_id:
            sources[keys[component_id]] = _component(one, keys[component_id], len(sources) + 1, named_now)
    for component_id, one in by_id.items():
        group = text_of(one, "group_id")
        if group in by_id:
            children = sources[keys[group]].setdefault("components", {})
            children[keys[component_id]] = _component(one, keys[component_id], len(children) + 1, named_now)
    return sources


def _with_ranks(components: list[Members]) -> Iterator[Members]:
    """Yield components, with ranks where those of one position are not in the usual order, the oldest first."""
    tied: dict[Any, list[Members]] = {}
    for component in components:
        tied.setdefault(component.get("position"), []).append(component)
    for component in components:
        among = tied[component.get("position")]
        created = [instant_of(one, "created_at") or "" for one in among]
        is_usual = created == sorted(created)
        yield component if is_usual else {**component, "rank": among.index(component) + 1}


def component_keys(components: Mapping[str, Members], known_keys: Mapping[str, str]) -> dict[str, str]:
    """Return a key for each component by its id: the words of its name, those of its group before them if needed."""
    keys = dict(known_keys)
    for component_id, component in components.items():
        if component_id in keys:
            continue
        name = slug(text_of(component, "name"))
        group = slug(text_of(components.get(text_of(component, "group_id"), {}), "name"))
        taken = {*keys.values(), *components, ""}
        keys[component_id] = next(
            (key for key in (name, f"{group}-{name}" if group and name else "") if key not in taken),
            component_id,
        )
    return keys


def _named_components(record: Members) -> Iterator[Members]:
    """Yield the components that a record names; those that only its updates name were removed from the page."""
    yield from list_of(record, "components")
    for update in list_of(record, "incident_updates"):
        for affected in list_of(update, "affected_components"):
            if text_of(affected, "code"):
                yield {
                    "id": affected["code"],
                    "name": text_of(affected, "name") or affected["code"],
                    "removed": True,
                }


def open_records(records: Iterable[Members]) -> Iterator[Members]:
    """Yield the records that are not over."""
    return (record for record in records if text_of(record, "status") not in CLOSED_STATUSES)


def _component(component: Members, key: str, place: int, named_now: Container[str]) -> Source:
    is_group, position = bool(component.get("group")), component.get("position")
    shown, status = component.get("showcase"), text_of(component, "status") or "operational"
    updated_at = instant_of(component, "updated_at")
    source = given(
        name=required_text(component, "name"),
        id="" if component["id"] == key else component["id"],
        description=text_of(component, "description"),
        position=position if position != place else None,
        rank=component.get("rank"),
        showcase=shown if shown is is_group else None,
        start_date=text_of(component, "start_date"),
        only_show_if_degraded=component.get("only_show_if_degraded") or None,
        created_at=instant_of(component, "created_at"),
        updated_at=updated_at,
        removed=component.get("removed"),
    )
    stands_alone = status != "operational" or component["id"] in named_now
    if stands_alone and updated_at and not is_group:
        source["history"] = [{"at": updated_at, "status": status}]
    return source
