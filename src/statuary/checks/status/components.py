"""Components, groups and the page."""

from collections.abc import Iterator
from itertools import pairwise

from statuary.checks.status.world import StatusWorld
from statuary.domain.findings import Finding, Severity


def group_has_components(world: StatusWorld) -> Iterator[Finding]:
    """A group is not empty."""
    for component in world.catalogue.components:
        if component.group and not component.children:
            yield Finding(
                rule="group-has-components",
                path=world.catalogue.components_source,
                pointer=(*component.pointer, "components"),
                message=f"group {component.name!r} has no components",
                remedy="add one, or remove `components` to make it a component",
            )


def history_in_order(world: StatusWorld) -> Iterator[Finding]:
    """A component's recorded changes are written oldest first, one for each instant."""
    for component in world.catalogue.components:
        for place, (earlier, later) in enumerate(pairwise(component.history), start=1):
            if later.at <= earlier.at:
                yield Finding(
                    rule="history-in-order",
                    path=world.catalogue.components_source,
                    pointer=(*component.pointer, "history", place, "at"),
                    message=f"{later.at.isoformat()} is not after the change above it, {earlier.at.isoformat()}",
                    remedy="write changes oldest first",
                )


def page_updated_at_holds(world: StatusWorld) -> Iterator[Finding]:
    """An imported `updated_at` of the page is removed once something has changed after it."""
    given = world.catalogue.page.updated_at
    if given is None or given > world.now:
        return
    later = [change for change in world.line.changes if given < change <= world.now]
    if later:
        yield Finding(
            rule="page-updated-at-holds",
            severity=Severity.WARNING,
            path=world.catalogue.page_source,
            pointer=("page", "updated_at"),
            message=f"the page says that nothing changed after {given.isoformat()}, "
            f"and something did at {later[-1].isoformat()}",
            remedy="remove updated_at: it follows from what is written",
        )
