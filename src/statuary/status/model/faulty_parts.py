"""A catalogue without the components that have errors."""

from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter

from statuary.status.model.records import Component, FaultyPart, StatusCatalogue


def without_faulty_components(catalogue: StatusCatalogue, parts: Iterable[FaultyPart]) -> StatusCatalogue:
    """Remove the components whose entries in components.yaml have an error.

    Args:
        catalogue: the page with its components, incidents and maintenance windows.
        parts: the faulty entries, which are added to the catalogue's `faulty_parts`.
    """
    parts = tuple(parts)
    places = {part.pointer for part in parts}
    left = (
        component
        for component in catalogue.components
        if places.isdisjoint({(), component.pointer[:2], component.pointer})
    )
    return replace(
        catalogue, components=with_group_members(left), faulty_parts=(*catalogue.faulty_parts, *parts)
    )


def with_group_members(components: Iterable[Component]) -> tuple[Component, ...]:
    """Set the members of each group: the ids of its components, by position.

    A component belongs to a group if its `group_id` is the id of the group.
    """
    components = tuple(components)
    members: dict[str, list[Component]] = {}
    for component in components:
        if component.group_id is not None:
            members.setdefault(component.group_id, []).append(component)
    return tuple(
        _with_children(component, members.get(component.id, ())) if component.group else component
        for component in components
    )


def _with_children(group: Component, members: Iterable[Component]) -> Component:
    by_position = sorted(members, key=attrgetter("position"))
    return group._replace(children=tuple(member.id for member in by_position))
