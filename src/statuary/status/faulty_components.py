"""Leave out components that have an error, or keep them as they were last published."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import orjson

from statuary.base.findings import Finding, Pointer, Severity
from statuary.publish.target import BuildTarget
from statuary.status.model.faulty_parts import with_group_members, without_faulty_components
from statuary.status.model.records import Component, FaultyPart, StatusCatalogue

PUBLISHED_COMPONENTS = "components"
"""The ledger's note of the components of the last build."""


def find_faulty_components(
    findings: Iterable[Finding], catalogue: StatusCatalogue
) -> dict[Pointer, list[Finding]]:
    """Group the errors in components.yaml by component.

    Returns:
        The errors of each faulty component, by the component's place in the file.
    """
    places = {component.pointer for component in catalogue.components}
    faulty: dict[Pointer, list[Finding]] = {}
    for finding in findings:
        if finding.severity is Severity.ERROR and finding.path == catalogue.components_source:
            pointer = finding.pointer
            place = next((pointer[:length] for length in (4, 2) if pointer[:length] in places), None)
            if place is not None:
                faulty.setdefault(place, []).append(finding)
    return faulty


def without_components(catalogue: StatusCatalogue, pointers: Iterable[Pointer]) -> StatusCatalogue:
    """Return the status without some components, which it notes as faulty.

    Args:
        catalogue: the page with its components, incidents and maintenance windows.
        pointers: the places, in components.yaml, of the components to leave out.
    """
    names: dict[Pointer, set[str]] = {place: set() for place in pointers}
    for component in catalogue.components:
        for place in {component.pointer[:2], component.pointer} & names.keys():
            names[place] |= {component.key, component.id}
    return without_faulty_components(
        catalogue, [FaultyPart(place, frozenset(found)) for place, found in names.items()]
    )


def store_published_components(target: BuildTarget, components: Iterable[Component]) -> None:
    """Store the components of this build for later builds.

    A later build that finds an error in a component uses the stored version.
    """
    note = orjson.dumps(list(components), default=list).decode()
    if note != target.ledger.get_meta(PUBLISHED_COMPONENTS):
        target.ledger.set_meta({PUBLISHED_COMPONENTS: note})


def load_published_components(target: BuildTarget) -> tuple[Component, ...]:
    """Return the components that the last build stored.

    Returns:
        The components; empty if there was no build, or if another version of statuary stored them in a
        different form.
    """
    from pydantic import TypeAdapter, ValidationError

    note = target.ledger.get_meta(PUBLISHED_COMPONENTS)
    try:
        return TypeAdapter(tuple[Component, ...]).validate_json(note or "[]")
    except ValidationError:
        return ()


class KeptComponents(NamedTuple):
    """A catalogue with the last published versions of faulty components."""

    catalogue: StatusCatalogue
    findings: list[Finding]  # one for each component left out because a published one has its key or id


def replace_faulty_components(
    catalogue: StatusCatalogue,
    faulty: Mapping[Pointer, Sequence[Finding]],
    last_components: Sequence[Component],
) -> KeptComponents:
    """Replace faulty components by their last version, or exclude them.

    Args:
        catalogue: the page with its components, incidents and maintenance windows.
        faulty: the errors of each faulty component, by the component's place in components.yaml.
        last_components: the components of the last build.
    """
    tried = {part.pointer for part in catalogue.faulty_parts}
    # If a component was already replaced by its published version, that version breaks a rule too. So exclude
    # the component now.
    places = [place for place in faulty if tried.isdisjoint({(), place[:2], place})]
    kept = keep_published_components(without_components(catalogue, faulty), last_components, places)
    errors = [finding for findings in faulty.values() for finding in findings]
    return KeptComponents(kept.catalogue, [*explain_component_errors(errors, kept.catalogue), *kept.findings])


def keep_published_components(
    catalogue: StatusCatalogue, last_components: Sequence[Component], pointers: Iterable[Pointer]
) -> KeptComponents:
    """Replace the components that have an error by their last published versions.

    If the component is also at another place in the content, without an error, that one is used. If another component
    of the content has the key or id of such a version, that component is left out. A group that loses all its components is left out, too.

    Args:
        catalogue: the page with its components, incidents and maintenance windows.
        last_components: the components of the last build.
        pointers: the places, in components.yaml, of the components with errors; `()` for all.
    """
    pointers = frozenset(pointers)
    if (
        pointers and not catalogue.components
    ):  # no component of the file is usable, so all published ones stay
        pointers = frozenset({()})
        catalogue = without_faulty_components(catalogue, [FaultyPart(())])
    kept = list(
        _components_with_known_groups(
            catalogue, _published_components_at(catalogue, last_components, pointers)
        )
    )
    displaced = _displaced_component_findings(catalogue, kept)
    left = without_components(catalogue, [finding.pointer for finding in displaced])
    components = with_group_members(_insert_kept_components(left.components, kept, last_components))
    if displaced:  # the components that were left out now may have published versions, too
        newcomers = [finding.pointer for finding in displaced]
        others = keep_published_components(replace(left, components=components), last_components, newcomers)
        found = [*explain_component_errors(displaced, others.catalogue), *others.findings]
        return KeptComponents(others.catalogue, found)
    return KeptComponents(replace(left, components=_without_empty_groups(components, left.faulty_parts)), [])


def _without_empty_groups(
    components: Iterable[Component], faulty: Iterable[FaultyPart]
) -> tuple[Component, ...]:
    groups = {part.pointer[:2] for part in faulty}
    return tuple(item for item in components if not item.group or item.children or item.pointer not in groups)


def _displaced_component_findings(catalogue: StatusCatalogue, kept: Iterable[Component]) -> list[Finding]:
    names = {name: component.name for component in kept for name in (component.key, component.id)}
    return [
        Finding(
            rule="duplicate-component",
            path=catalogue.components_source,
            pointer=component.pointer,
            on_key=True,
            message=f"the component has the key or id of component {published!r}, which is published",
            hint="change the key or id of one of the two components",
        )
        for component in catalogue.components
        if (published := names.get(component.id) or names.get(component.key))
    ]


def _published_components_at(
    catalogue: StatusCatalogue, last_components: Iterable[Component], pointers: frozenset[Pointer]
) -> Iterator[Component]:
    """Yield published components that had a given place in components.yaml.

    Components that are now at another place are left out.
    """
    current = {(component.key, component.id) for component in catalogue.components}
    for component in last_components:
        is_moved = component.pointer not in pointers and (component.key, component.id) in current
        if not is_moved and not pointers.isdisjoint({(), component.pointer[:2], component.pointer}):
            yield component


def _components_with_known_groups(
    catalogue: StatusCatalogue, requested: Iterable[Component]
) -> Iterator[Component]:
    """Yield published components whose group exists, each after its group."""
    groups = {component.pointer: component.id for component in catalogue.components if component.group}
    for component in requested:
        if component.group:
            groups[component.pointer] = component.id
        if component.group_id is None:
            yield component
        elif (group_id := groups.get(component.pointer[:2])) is not None:
            yield component._replace(group_id=group_id)


def _insert_kept_components(
    components: Iterable[Component],
    kept_components: Iterable[Component],
    last_components: Iterable[Component],
) -> list[Component]:
    """Put each kept component after the one that it followed in the last build."""
    current = {component.pointer: component for component in components}
    missing = {component.pointer: component for component in kept_components}
    followers: dict[Pointer, list[Component]] = {}
    previous: Pointer = ()
    for place in (component.pointer for component in last_components):
        if place in missing:
            followers.setdefault(previous, []).append(missing[place])
        elif place in current:
            previous = place
    merged = followers.get((), [])
    for place, component in current.items():
        merged += [component, *followers.get(place, ())]
    return merged


def explain_component_errors(findings: Iterable[Finding], catalogue: StatusCatalogue) -> list[Finding]:
    """Append to each error its consequence, such as `; the component is left out`."""
    places = {component.pointer for component in catalogue.components}
    return [
        replace(finding, message=f"{finding.message}; {_consequence_text(finding, places)}")
        for finding in findings
    ]


def _consequence_text(finding: Finding, pointers: Collection[Pointer]) -> str:
    pointer = finding.pointer
    if not pointer:
        return "its components stay as last published" if pointers else "its components are left out"
    in_component = (pointer[:length] for length in (2, 4) if len(pointer) >= length)
    is_kept = any(place in pointers for place in in_component)
    return "the component stays as last published" if is_kept else "the component is left out"
