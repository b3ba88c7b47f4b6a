"""Checks of components, of the page, and of references and ids."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urlsplit

from statuary.base.findings import Pointer, Severity, Suggestions
from statuary.base.limits import MAX_DAY_RECORDS
from statuary.base.primitives import format_utc
from statuary.base.rules import check
from statuary.status.checks.status_context import StatusContext, StatusViolation
from statuary.status.model.records import UNKNOWN_CREATION, Incident, IncidentUpdate, Maintenance


@check
def duplicate_component(context: StatusContext) -> Iterator[StatusViolation]:
    """Component keys and ids must be unique."""
    owners: dict[str, str] = {}
    for component in context.catalogue.components:
        for name in dict.fromkeys((component.key, component.id)):
            owner = owners.setdefault(name, component.name)
            if owner is not component.name:
                yield StatusViolation(
                    context.catalogue.components_source,
                    component.pointer,
                    f"{name!r} is already the key or id of component {owner!r}",
                    "change the key or id of one of the two components",
                    on_key=True,
                )


@check
def empty_group(context: StatusContext) -> Iterator[StatusViolation]:
    """A group must have at least one component."""
    faulty_groups = {part.pointer[:2] for part in context.catalogue.faulty_parts}
    for component in context.catalogue.components:
        if component.group and not component.children and component.pointer not in faulty_groups:
            yield StatusViolation(
                context.catalogue.components_source,
                (*component.pointer, "components"),
                f"group {component.name!r} has no components",
                "add one, or remove `components` to make it a component",
            )


@check
def history_out_of_order(context: StatusContext) -> Iterator[StatusViolation]:
    """A component's `history` must be sorted, oldest first, with one change at a time."""
    for component in context.catalogue.components:
        for place, (earlier_change, later_change) in enumerate(pairwise(component.history), start=1):
            if later_change.at <= earlier_change.at:
                yield StatusViolation(
                    context.catalogue.components_source,
                    (*component.pointer, "history", place, "at"),
                    f"{format_utc(later_change.at)} is not after the previous change, {format_utc(earlier_change.at)}",
                    "list changes oldest first",
                )


@check(Severity.WARNING)
def crowded_component(context: StatusContext) -> Iterator[StatusViolation]:
    """A component should have no more open incidents than a day of its uptime can name."""
    for component in context.catalogue.components:
        histories = context.histories_by_component.get(component.id, ())
        states = (history.state_at(context.now) for history in histories)
        count = sum(state is not None and not state.closed for state in states)
        if count > MAX_DAY_RECORDS:
            yield StatusViolation(
                context.catalogue.components_source,
                component.pointer,
                f"{component.name!r} has {count:,} open incidents and windows; days of its uptime name {MAX_DAY_RECORDS}",
                "resolve those that are over, or combine them",
                on_key=True,
            )


@check(Severity.WARNING)
def undated_page(context: StatusContext) -> Iterator[StatusViolation]:
    """A page should have a `created_at` if nothing in the content has a date."""
    if context.catalogue.page.created_at == UNKNOWN_CREATION:
        yield StatusViolation(
            context.catalogue.page_source,
            ("page",),
            "the content has no dates, so the API and the feeds say that the page was updated on 1970-01-01",
            f"add created_at: {format_utc(context.now)}",
        )


LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})


@check(Severity.WARNING)
def demo_published(context: StatusContext) -> Iterator[StatusViolation]:
    """A demo site should stay on localhost."""
    page = context.catalogue.page
    if page.demo and urlsplit(page.url).hostname not in LOCAL_HOSTS:
        yield StatusViolation(
            context.catalogue.page_source,
            ("page", "demo"),
            f"the content of this site is invented, but it is published at {page.url}",
            "replace the examples with content of your own, and remove `demo`",
        )


@check(Severity.WARNING)
def stale_page_updated_at(context: StatusContext) -> Iterator[StatusViolation]:
    """An imported `updated_at` of the page should not be older than the content's changes."""
    updated_at = context.catalogue.page.updated_at
    if updated_at is None or updated_at > context.now:
        return
    later_changes = [change for change in context.timeline.change_times if updated_at < change <= context.now]
    if later_changes:
        yield StatusViolation(
            context.catalogue.page_source,
            ("page", "updated_at"),
            f"updated_at is {format_utc(updated_at)}, but the page changed later, at {format_utc(later_changes[-1])}",
            "remove updated_at; it follows from the content",
        )


FLAG_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "y", "n"})


@check(Severity.WARNING)
def name_looks_like_flag(context: StatusContext) -> Iterator[StatusViolation]:
    """Names should not be words such as `yes`, which YAML may read as a flag."""
    catalogue = context.catalogue
    for path, pointer, name in (
        (catalogue.page_source, ("page", "name"), catalogue.page.name),
        *(
            (catalogue.components_source, (*component.pointer, "name"), component.name)
            for component in catalogue.components
        ),
        *((record.source, ("name",), record.name) for record in context.records),
    ):
        if name.lower() in FLAG_WORDS:
            yield StatusViolation(
                path,
                pointer,
                f"the name is {name!r}, which looks like a setting",
                "write the name that readers see",
            )


ID_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
"""Characters of an id, which becomes part of a URL."""


def named_components(record: Incident) -> Iterator[tuple[str, Pointer, bool]]:
    """Yield the components that an incident or maintenance window names.

    Yields:
        The key or id that names it, where in the file, and whether that is a key of a mapping (`rpc: degraded`)
        or an item of a list.
    """
    if isinstance(record, Maintenance):
        # Skip components that an update names, because they are yielded below with the pointer of the update.
        in_updates = {name for update in record.updates for name, _, _ in _components_of_update(update)}
        for place, name in enumerate(record.components):
            if name not in in_updates:
                yield name, ("components", place), False
    yield from ((name, ("components", name), True) for name in record.opened_with)
    yield from (
        (name, ("component_order", place), False) for place, name in enumerate(record.component_order)
    )
    for update in record.updates:
        yield from _components_of_update(update)


def _all_named_components(context: StatusContext) -> Iterator[tuple[Incident, str, Pointer, bool]]:
    for record in context.records:
        yield from ((record, *entry) for entry in named_components(record))
    for window in context.edited_records:
        if isinstance(window, Maintenance) and window.pointer:
            yield from (
                (window, *entry) for update in window.updates for entry in _components_of_update(update)
            )


def _components_of_update(update: IncidentUpdate) -> Iterator[tuple[str, Pointer, bool]]:
    for name in update.components:
        yield name, (*update.pointer, "components", name), True
    for place, affected in enumerate(update.affected_components or ()):
        if affected.code is not None:
            yield affected.code, (*update.pointer, "affected_components", place, "code"), False


@check
def unknown_component(context: StatusContext) -> Iterator[StatusViolation]:
    """Incidents, maintenance windows and templates must name components that exist."""
    components = context.catalogue.components_by_name
    suggestions = Suggestions(components)
    for template in context.catalogue.templates:
        for name in template.components:
            if name not in components and not context.catalogue.may_be_faulty_component(name):
                place = ComponentReference(template.source, ("components", name), is_key=True)
                yield _unknown_component_violation(context, place, name, suggestions.suggest_similar(name))
    for record, name, pointer, is_key in _all_named_components(context):
        if name not in components and not context.catalogue.may_be_faulty_component(name):
            place = ComponentReference(record.source, pointer, is_key=is_key)
            yield _unknown_component_violation(context, place, name, suggestions.suggest_similar(name))


class ComponentReference(NamedTuple):
    """A place in the content that names a component."""

    path: str
    pointer: Pointer
    is_key: bool


def _unknown_component_violation(
    context: StatusContext, reference: ComponentReference, name: str, suggestion: str
) -> StatusViolation:
    return StatusViolation(
        reference.path,
        reference.pointer,
        f"component {name!r} is not in {context.catalogue.components_source}",
        suggestion or "add it there, with `removed: true` if it no longer exists",
        on_key=reference.is_key,
    )


@check
def affected_group(context: StatusContext) -> Iterator[StatusViolation]:
    """Incidents and maintenance windows must name components, not groups."""
    groups = {
        name: component for name, component in context.catalogue.components_by_name.items() if component.group
    }
    for record, name, pointer, is_key in _all_named_components(context) if groups else ():
        if name in groups:
            yield StatusViolation(
                record.source,
                pointer,
                f"{name!r} is a group, whose status follows from its components",
                f"name its components: {', '.join(groups[name].children)}",
                on_key=is_key,
            )


@check
def invalid_id(context: StatusContext) -> Iterator[StatusViolation]:
    """Ids, and file names and keys used as ids, must consist of letters, digits, `-` and `_`."""
    for component in context.catalogue.components:
        if not is_url_safe(component.id):
            yield StatusViolation(
                context.catalogue.components_source,
                component.pointer,
                f"component id {component.id!r} has characters that a URL cannot contain",
                "use letters, digits, - and _, or set an `id`",
                on_key=True,
            )
    for record in context.records:
        if not is_url_safe(record.id):
            yield StatusViolation(
                record.source,
                ("id",),
                f"id {record.id!r} has characters that a URL cannot contain",
                "rename the file with letters, digits, - and _, or set an `id`",
            )


def is_url_safe(name: str) -> bool:
    """Return whether a string can be an id in a URL."""
    return bool(name) and name[0] not in "-_" and ID_CHARACTERS.issuperset(name)


@check
def duplicate_record_id(context: StatusContext) -> Iterator[StatusViolation]:
    """Ids of incidents and maintenance windows must be unique."""
    owners: dict[str, str] = {}
    for history in sorted(context.timeline.histories, key=lambda history: history.incident.source):
        record = history.incident
        owner = owners.setdefault(record.id, record.source)
        if owner != record.source:
            yield StatusViolation(
                record.source,
                ("id",),
                f"id {record.id!r} is already used by {owner}",
                "rename the file, or set another `id`",
            )


@check
def duplicate_update_id(context: StatusContext) -> Iterator[StatusViolation]:
    """Ids of updates must be unique."""
    owners: dict[str, tuple[str, Pointer]] = {}
    for record in context.records:
        for update in record.updates:
            location = (record.source, update.pointer)
            owner = owners.setdefault(update.id, location)
            if owner != location:
                yield StatusViolation(
                    record.source,
                    (*update.pointer, "id"),
                    f"update id {update.id!r} is already used in {owner[0]}",
                    "set another `id`, or remove it",
                )
