"""Names and ids: what records call each other, and what they are called."""

from collections.abc import Iterator

from statuary.checks.status.status_context import StatusContext
from statuary.domain.findings import Finding, Pointer
from statuary.domain.status.incidents import Incident, IncidentUpdate
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.suggestions import did_you_mean

ID_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
"""What an id may be made of, since it becomes part of a URL."""


def named_components(record: Incident) -> Iterator[tuple[str, Pointer, bool]]:
    """Yield each component that a record names, where, and whether the name is a key there."""
    if isinstance(record, Maintenance):
        # what only an update names comes below, with its own place
        elsewhere = {name for update in record.updates for name in _names(update)}
        for place, name in enumerate(record.components):
            if name not in elsewhere:
                yield name, ("components", place), False
    yield from ((name, ("components", name), True) for name in record.opened_with)
    for update in record.updates:
        if update.components:
            yield from ((name, (*update.pointer, "components", name), True) for name in update.components)
        for place, affected in enumerate(update.affected_components or ()):
            yield affected.code, (*update.pointer, "affected_components", place, "code"), False


def _names(update: IncidentUpdate) -> Iterator[str]:
    yield from update.components
    yield from (affected.code for affected in update.affected_components or ())


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
                    hint=did_you_mean(name, known) or "add it there, with `removed: true` if it is gone",
                )


def affected_component_is_no_group(context: StatusContext) -> Iterator[Finding]:
    """Incidents and maintenances name components, not groups: a group follows its components."""
    groups = {name for name, one in context.catalogue.components_by_name.items() if one.group}
    for record in context.records if groups else ():
        for name, pointer, is_key in named_components(record):
            if name in groups:
                group = context.catalogue.components_by_name[name]
                yield Finding(
                    rule="affected-component-is-no-group",
                    path=record.source,
                    pointer=pointer,
                    on_key=is_key,
                    message=f"{name!r} is a group, and has no status of its own",
                    hint=f"name its components: {', '.join(group.children)}",
                )


def unique_component(context: StatusContext) -> Iterator[Finding]:
    """Every component has a key and an id that no other has as either."""
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
                    message=f"{name!r} names component {owner!r} already",
                    hint="give one of the two another key or id",
                )


def unique_record_id(context: StatusContext) -> Iterator[Finding]:
    """Every incident and maintenance, each window of a recurring one too, has an id of its own."""
    taken: dict[str, str] = {}
    for history in sorted(
        (*context.timeline.incidents, *context.timeline.maintenances),
        key=lambda history: history.incident.source,
    ):
        record = history.incident
        owner = taken.setdefault(record.id, record.source)
        if owner != record.source:
            yield Finding(
                rule="unique-record-id",
                path=record.source,
                pointer=("id",),
                message=f"id {record.id!r} is taken already, by {owner}",
                hint="rename the file, or give another `id`",
            )


def unique_update_id(context: StatusContext) -> Iterator[Finding]:
    """Every update has an id of its own."""
    taken: dict[str, tuple[str, Pointer]] = {}
    for record in context.records:
        for update in record.updates:
            place = (record.source, update.pointer)
            owner = taken.setdefault(update.id, place)
            if owner != place:
                yield Finding(
                    rule="unique-update-id",
                    path=record.source,
                    pointer=(*update.pointer, "id"),
                    message=f"update id {update.id!r} is taken already, in {owner[0]}",
                    hint="give another `id`, or leave it out",
                )


def id_fits_a_url(context: StatusContext) -> Iterator[Finding]:
    """Ids are made of letters, digits, `-` and `_`, file names and keys that serve as ids too."""
    for component in context.catalogue.components:
        if not fits_a_url(component.id):
            yield Finding(
                rule="id-fits-a-url",
                path=context.catalogue.components_source,
                pointer=component.pointer,
                on_key=True,
                message=f"component id {component.id!r} has characters that do not belong in a URL",
                hint="use letters, digits, - and _, or give an `id`",
            )
    for record in context.records:
        if not fits_a_url(record.id):
            yield Finding(
                rule="id-fits-a-url",
                path=record.source,
                pointer=("id",),
                message=f"id {record.id!r} has characters that do not belong in a URL",
                hint="rename the file with letters, digits, - and _, or give an `id`",
            )


def fits_a_url(name: str) -> bool:
    """Say whether a name can be an id."""
    return bool(name) and name[0] not in "-_" and ID_CHARACTERS.issuperset(name)
