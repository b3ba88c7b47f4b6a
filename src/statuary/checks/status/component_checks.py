"""Checks of components, groups and the page."""

from collections.abc import Iterator
from itertools import pairwise

from statuary.checks.status.status_context import StatusContext, format_utc
from statuary.domain.findings import Finding, Severity
from statuary.domain.status.page import UNKNOWN_CREATION


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
