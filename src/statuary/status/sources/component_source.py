"""`components.yaml`: components and groups as an author writes them."""

from collections.abc import Iterator
from operator import itemgetter
from typing import Annotated, Self

from pydantic import BeforeValidator, model_validator

from statuary.base.findings import Pointer
from statuary.base.primitives import Instant, InvalidValueError, day_start
from statuary.source.source_model import (
    Body,
    DateText,
    Flag,
    Identifier,
    InstantText,
    Name,
    SourceModel,
    WholeNumber,
    convert_model,
)
from statuary.status.model.records import Component, Page, StatusChange
from statuary.status.model.vocabulary import ComponentStatus


class StatusChangeSource(SourceModel):
    """A change of a component's status."""

    at: InstantText
    """The time of the change."""
    status: ComponentStatus
    """The status of the component after the change."""


class LeafSource(SourceModel):
    """A component."""

    name: Name
    """The name that readers see."""
    id: Identifier | None = None
    """The id of the component in the API and in links. Default: the component's key."""
    description: Body | None = None
    """A description of the component, in Markdown."""
    status: ComponentStatus = "operational"
    """The status of the component before the first change in `history`."""
    history: tuple[StatusChangeSource, ...] = ()
    """Changes of the component's status without an incident or maintenance, oldest first. `statuary component
    set` adds them."""
    position: WholeNumber | None = None
    """The position of the component on the page, from 1. Default: the order in the file."""
    rank: WholeNumber | None = None
    """For imported pages: the order of components that have the same `position`. Normally, leave it out."""
    showcase: Flag | None = None
    """Whether the page shows the uptime of the component. Default: `true`, and `false` for a group, as in
    Statuspage."""
    start_date: DateText | None = None
    """The first day that counts for the uptime of the component."""
    only_show_if_degraded: Flag = False
    """Whether pages hide the component while it is operational."""
    created_at: InstantText | None = None
    """The time at which the component was added. Default: the start of the day in `start_date`, else the
    page's `created_at`."""
    updated_at: InstantText | None = None
    """For imported pages: the time of the component's last change on the old page. After its status changes,
    statuary uses the later time."""
    removed: Flag = False
    """Whether you removed the component from the page. Keep it in the file, because past incidents name
    it."""


def _refuse_group(component: object) -> object:
    if isinstance(component, dict) and "components" in component:
        raise InvalidValueError(
            "a component group contains another group",
            "move the inner group to the first level, or list its components in the outer group",
        )
    return component


class ComponentSource(LeafSource):
    """A component, or a group if it has `components`."""

    components: dict[str, Annotated[LeafSource, BeforeValidator(_refuse_group)]] | None = None
    """The components of the group, by key."""

    @model_validator(mode="after")
    def _check_group_has_no_status(self) -> Self:
        if self.components is not None and {"status", "history"} & self.model_fields_set:
            raise InvalidValueError(
                "`status` and `history` cannot be set on a component group",
                "remove them; a group has the status of its worst component",
            )
        return self


class ComponentsSource(SourceModel):
    """All components and groups."""

    components: Annotated[
        dict[str, ComponentSource],
        BeforeValidator(lambda components: {} if components is None else components),
    ]
    """Components and groups by key, in the order of the page."""


def components_from_source(source: ComponentsSource, page: Page) -> tuple[Component, ...]:
    """Convert the parsed components.yaml to components.

    Args:
        source: the parsed file.
        page: the page that the components belong to.

    Returns:
        The components, with each group before its components.
    """
    return tuple(_translate_components(source, page))


def _translate_components(source: ComponentsSource, page: Page) -> Iterator[Component]:
    for position, (key, component_source) in enumerate(source.components.items(), start=1):
        pointer: Pointer = ("components", key)
        children = component_source.components
        if children is None:
            yield _leaf_component(key, component_source, position, page, pointer=pointer)
            continue
        group = _group_component(key, component_source, position, page, pointer)
        yield group
        for number, (child_key, child) in enumerate(children.items(), start=1):
            below = (*pointer, "components", child_key)
            yield _leaf_component(child_key, child, number, page, pointer=below, group_id=group.id)


def _leaf_component(
    key: str,
    leaf_source: LeafSource,
    position: int,
    page: Page,
    *,
    pointer: Pointer,
    group_id: str | None = None,
) -> Component:
    return _make_component(key, leaf_source, position, page, pointer)._replace(
        group_id=group_id,
        showcase=leaf_source.showcase is not False,
        status=leaf_source.status,
        history=tuple(convert_model(StatusChange, change) for change in leaf_source.history),
    )


def _group_component(
    key: str, group_source: ComponentSource, position: int, page: Page, pointer: Pointer
) -> Component:
    children = (group_source.components or {}).items()
    placed_components = [
        (child.position or position, child.id or key) for position, (key, child) in enumerate(children, 1)
    ]
    return _make_component(key, group_source, position, page, pointer)._replace(
        group=True,
        children=tuple(child_id for _, child_id in sorted(placed_components, key=itemgetter(0))),
        showcase=group_source.showcase is True,
    )


def _make_component(key: str, source: LeafSource, position: int, page: Page, pointer: Pointer) -> Component:
    return convert_model(
        Component,
        source,
        key=key,
        id=source.id or key,
        position=position if source.position is None else source.position,
        showcase=True,
        status="operational",
        history=(),
        created_at=_component_creation_time(source, page),
        is_dated=source.created_at is not None,
        pointer=pointer,
    )


def _component_creation_time(source: LeafSource, page: Page) -> Instant:
    if source.created_at is not None:
        return Instant(source.created_at)
    return page.created_at if source.start_date is None else day_start(source.start_date, page.time_zone)
