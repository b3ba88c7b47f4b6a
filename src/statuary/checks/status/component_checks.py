"""Components, groups and the page."""

from collections.abc import Iterator
from itertools import pairwise

from statuary.checks.status.status_context import StatusContext
from statuary.domain.findings import Finding, Severity


def group_has_components(context: StatusContext) -> Iterator[Finding]:
    """A group is not empty."""
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
    """A component's recorded changes are written oldest first, one for each instant."""
    for component in context.catalogue.components:
        for place, (earlier, later) in enumerate(pairwise(component.history), start=1):
            if later.at <= earlier.at:
                yield Finding(
                    rule="history-in-order",
                    path=context.catalogue.components_source,
                    pointer=(*component.pointer, "history", place, "at"),
                    message=f"{later.at.isoformat()} is not after the change above it, {earlier.at.isoformat()}",
                    hint="write changes oldest first",
                )


def page_updated_at_holds(context: StatusContext) -> Iterator[Finding]:
    """An imported `updated_at` of the page is removed once something has changed after it."""
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
            message=f"the page says that nothing changed after {given.isoformat()}, "
            f"and something did at {later[-1].isoformat()}",
            hint="remove updated_at: it follows from what is written",
        )
