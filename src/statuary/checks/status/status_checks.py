"""The table of status checks, and those of components and of references between records.

The first line of a check's docstring is its rule; its name in kebab-case is the rule of its findings and the
argument of `--skip`.
"""

from collections.abc import Callable, Container, Iterator
from itertools import pairwise

from statuary.checks.status.lifecycle_checks import (
    StatusContext,
    allowed_moves,
    backfilled_moves_nothing,
    draft_unpublished,
    resolved_leaves_components_up,
    update_in_future,
    updates_in_order,
)
from statuary.checks.status.maintenance_checks import (
    announced_before_it_begins,
    cancelled_in_time,
    completed_by_clock_begins,
    move_is_dated,
    occurrence_exists,
    overdue_maintenance,
    recurrence_within_horizon,
    recurrence_within_limit,
    start_fits_rule,
    window_has_length,
    window_within_horizon,
    windows_do_not_overlap,
)
from statuary.domain.findings import Finding, Pointer, Severity, did_you_mean
from statuary.domain.primitives import Instant, format_utc
from statuary.domain.status.records import UNKNOWN_CREATION, Incident, IncidentUpdate, Maintenance
from statuary.domain.status.timeline import Timeline


def group_has_components(context: StatusContext) -> Iterator[Finding]:
    """A group has at least one component."""
    for component in context.catalogue.components:
        if component.group and not component.children:
            yield Finding(
                rule="group-has-components",
                path=context.catalogue.components_source,
                pointer=(*component.pointer, "components"),
                message=f"group {component.name!r} has no components",
                hint="add one, or remove `components` to make it a component",
            )


def history_in_order(context: StatusContext) -> Iterator[Finding]:
    """The recorded changes of a component are in order, oldest first, one for each instant."""
    for component in context.catalogue.components:
        for place, (earlier, later) in enumerate(pairwise(component.history), start=1):
            if later.at <= earlier.at:
                yield Finding(
                    rule="history-in-order",
                    path=context.catalogue.components_source,
                    pointer=(*component.pointer, "history", place, "at"),
                    message=f"{format_utc(later.at)} is not after the previous change, {format_utc(earlier.at)}",
                    hint="list changes oldest first",
                )


def page_is_dated(context: StatusContext) -> Iterator[Finding]:
    """A page in whose content nothing has a date has a `created_at`."""
    if context.catalogue.page.created_at == UNKNOWN_CREATION:
        yield Finding(
            rule="page-is-dated",
            severity=Severity.WARNING,
            path=context.catalogue.page_source,
            pointer=("page",),
            message="nothing in the content has a date, so the API and the feeds date the page 1970-01-01",
            hint=f"add created_at: {format_utc(context.now)}",
        )


def page_updated_at_holds(context: StatusContext) -> Iterator[Finding]:
    """Nothing changes after an imported `updated_at` of the page."""
    given = context.catalogue.page.updated_at
    if given is None or given > context.now:
        return
    later = [change for change in context.timeline.changes if given < change <= context.now]
    if later:
        yield Finding(
            rule="page-updated-at-holds",
            severity=Severity.WARNING,
            path=context.catalogue.page_source,
            pointer=("page", "updated_at"),
            message=f"the page was updated at {format_utc(later[-1])}, after the given {format_utc(given)}",
            hint="remove updated_at; it follows from the content",
        )


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


StatusCheck = Callable[[StatusContext], Iterator[Finding]]

STATUS_CHECKS: tuple[StatusCheck, ...] = (
    unique_component,
    group_has_components,
    history_in_order,
    page_is_dated,
    page_updated_at_holds,
    known_component,
    affected_component_is_no_group,
    id_fits_a_url,
    unique_record_id,
    unique_update_id,
    allowed_moves,
    updates_in_order,
    update_in_future,
    draft_unpublished,
    backfilled_moves_nothing,
    resolved_leaves_components_up,
    window_has_length,
    windows_do_not_overlap,
    announced_before_it_begins,
    overdue_maintenance,
    completed_by_clock_begins,
    cancelled_in_time,
    window_within_horizon,
    start_fits_rule,
    occurrence_exists,
    move_is_dated,
    recurrence_within_limit,
    recurrence_within_horizon,
)


def rule_name(check: Callable[..., object]) -> str:
    """Return the name of a check's rule."""
    return check.__name__.replace("_", "-")


def status_findings(
    timeline: Timeline, now: Instant, skip: Container[str] = frozenset()
) -> Iterator[Finding]:
    """Yield the findings of every check whose name is not in `skip`.

    Args:
        timeline: extends to the horizon.
    """
    context = StatusContext(timeline=timeline, now=now)
    for check in STATUS_CHECKS:
        if rule_name(check) not in skip:
            yield from check(context)
