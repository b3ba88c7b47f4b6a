"""Checks of ids, and of the names by which records refer to components."""

from collections.abc import Iterator

from statuary.checks.status.status_context import StatusContext
from statuary.domain.findings import Finding, Pointer
from statuary.domain.status.incidents import Incident, IncidentUpdate
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.suggestions import did_you_mean

ID_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
"""Characters of an id, which becomes part of a URL."""


def named_components(record: Incident) -> Iterator[tuple[str, Pointer, bool]]:
    """Yield each component that a record names, its pointer, and whether the name is a key there."""
    if isinstance(record, Maintenance):
        # a component that an update names is yielded below with a more exact pointer
        in_updates = {name for update in record.updates for name, _, _ in _named_by(update)}
        for place, name in enumerate(record.components):
            if name not in in_updates:
                yield name, ("components", place), False
    yield from ((name, ("components", name), True) for name in record.opened_with)
    yield from (
        (name, ("component_order", place), False) for place, name in enumerate(record.component_order)
    )
    for update in record.updates:
        yield from _named_by(update)


def _named_by(update: IncidentUpdate) -> Iterator[tuple[str, Pointer, bool]]:
    for name in update.components:
        yield name, (*update.pointer, "components", name), True
    for place, affected in enumerate(update.affected_components or ()):
        if affected.code is not None:
            yield affected.code, (*update.pointer, "affected_components", place, "code"), False


def known_component(context: StatusContext) -> Iterator[Finding]:
    """Incidents and maintenances name components that exist."""
    known = context.catalogue.components_by_name
    for record in context.records:
        for name, pointer, is_key in named_components(record):
            if name not in known:
                yield Finding(
                    rule="known-component",
                    path=record.source,
                    pointer=pointer,
                    on_key=is_key,
                    message=f"component {name!r} is not in {context.catalogue.components_source}",
                    hint=did_you_mean(name, known)
                    or "add it there, with `removed: true` if it no longer exists",
                )


def affected_component_is_no_group(context: StatusContext) -> Iterator[Finding]:
    """Incidents and maintenances name components, not groups."""
    groups = {name: one for name, one in context.catalogue.components_by_name.items() if one.group}
    for record in context.records if groups else ():
        for name, pointer, is_key in named_components(record):
            if name in groups:
                yield Finding(
                    rule="affected-component-is-no-group",
                    path=record.source,
                    pointer=pointer,
                    on_key=is_key,
                    message=f"{name!r} is a group, whose status follows from its components",
                    hint=f"name its components: {', '.join(groups[name].children)}",
                )


def unique_component(context: StatusContext) -> Iterator[Finding]:
    """No component has a key or an id of another."""
    taken: dict[str, str] = {}
    for component in context.catalogue.components:
        for name in dict.fromkeys((component.key, component.id)):
            owner = taken.setdefault(name, component.name)
            if owner is not component.name:
                yield Finding(
                    rule="unique-component",
                    path=context.catalogue.components_source,
                    pointer=component.pointer,
                    on_key=True,
                    message=f"{name!r} is already the key or id of component {owner!r}",
                    hint="change the key or id of one of them",
                )


def unique_record_id(context: StatusContext) -> Iterator[Finding]:
    """No incident, maintenance or window has the id of another."""
    taken: dict[str, str] = {}
    for history in sorted(context.timeline.histories, key=lambda history: history.incident.source):
        record = history.incident
        owner = taken.setdefault(record.id, record.source)
        if owner != record.source:
            yield Finding(
                rule="unique-record-id",
                path=record.source,
                pointer=("id",),
                message=f"id {record.id!r} is already used by {owner}",
                hint="rename the file, or set another `id`",
            )


def unique_update_id(context: StatusContext) -> Iterator[Finding]:
    """No update has the id of another."""
    taken: dict[str, tuple[str, Pointer]] = {}
    for record in context.records:
        for update in record.updates:
            location = (record.source, update.pointer)
            owner = taken.setdefault(update.id, location)
            if owner != location:
                yield Finding(
                    rule="unique-update-id",
                    path=record.source,
                    pointer=(*update.pointer, "id"),
                    message=f"update id {update.id!r} is already used in {owner[0]}",
                    hint="set another `id`, or remove it",
                )


def id_fits_a_url(context: StatusContext) -> Iterator[Finding]:
    """Ids, and the file names and keys that serve as ids, consist of letters, digits, `-` and `_`."""
    for component in context.catalogue.components:
        if not fits_a_url(component.id):
            yield Finding(
                rule="id-fits-a-url",
                path=context.catalogue.components_source,
                pointer=component.pointer,
                on_key=True,
                message=f"component id {component.id!r} has characters that a URL cannot contain",
                hint="use letters, digits, - and _, or set an `id`",
            )
    for record in context.records:
        if not fits_a_url(record.id):
            yield Finding(
                rule="id-fits-a-url",
                path=record.source,
                pointer=("id",),
                message=f"id {record.id!r} has characters that a URL cannot contain",
                hint="rename the file with letters, digits, - and _, or set an `id`",
            )


def fits_a_url(name: str) -> bool:
    """Return whether a name can be an id."""
    return bool(name) and name[0] not in "-_" and ID_CHARACTERS.issuperset(name)
