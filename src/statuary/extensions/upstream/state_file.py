"""The stored statuses of followed components."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import cast

import orjson

from statuary.base.errors import StatuaryError
from statuary.base.findings import Finding, Severity
from statuary.base.limits import LARGEST_RECORD
from statuary.base.primitives import (
    Instant,
    InvalidValueError,
    format_utc,
    format_utc_shortest,
    parse_instant,
)
from statuary.extensions.upstream.settings import UpstreamComponent, UpstreamSettings
from statuary.status.model.records import Component, StatusCatalogue, StatusChange
from statuary.status.model.vocabulary import COMPONENT_SEVERITY, ComponentStatus
from statuary.system.files import read_below
from statuary.system.writing import atomic_file

FILE = ".upstream.json"
"""The file of stored statuses; its name begins with a dot, so that nothing else reads it as content."""

MOST_CHANGES = 1_000
"""Changes that are kept of a component; the oldest are dropped."""

MAX_AHEAD = timedelta(days=1)
"""The farthest that a stored change may be ahead of the clock."""

Changes = dict[str, tuple[StatusChange, ...]]
"""The changes of each component, oldest first, by its name in site.yaml."""


class StateFileError(StatuaryError):
    """Raised if the file with the statuses of other pages is damaged."""


def read_upstream_changes(content: Path) -> Changes:
    """Read the stored statuses that were fetched from other status pages.

    Returns:
        For each component, when its status changed; empty if there is no file.

    Raises:
        StateFileError: if the file is damaged.
    """
    try:
        document = orjson.loads(read_below(content, FILE, LARGEST_RECORD))
        rows = cast("dict[str, list[dict[str, str]]]", document["components"])
        return {name: tuple(map(_parse_status_change, changes)) for name, changes in rows.items()}
    except FileNotFoundError:
        return {}
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError, AttributeError, InvalidValueError) as error:
        message = f"{FILE} cannot be read: {type(error).__name__}"
        raise StateFileError(message, "restore it; or delete it, and run `statuary upstream`") from None


def drop_future_changes(changes: Changes, now: Instant) -> Changes:
    """Remove fetched statuses that are dated after `now`.

    A run with a wrong clock may have stored them.
    """
    return {name: tuple(change for change in rows if change.at <= now) for name, rows in changes.items()}


def refuse_future_changes(changes: Changes, now: Instant) -> None:
    """Raise an error if a fetched status is dated long after `now`.

    Otherwise every new status would be ignored until that time.

    Raises:
        StateFileError: if the last status of a component is more than a day ahead of `now`.
    """
    for name, rows in changes.items():
        if rows and rows[-1].at > now + MAX_AHEAD:
            raise StateFileError(
                f"{FILE}: the last status of {name} is dated {format_utc(rows[-1].at)}, but the time is {format_utc(now)}",
                "set the clock if it is wrong; otherwise run `statuary upstream` once with --allow-clock-rollback",
            )


def _parse_status_change(stored_change: Mapping[str, str]) -> StatusChange:
    status = stored_change["status"]
    if status not in COMPONENT_SEVERITY:
        raise InvalidValueError(f"{status!r} is not a status that a component can have")
    return StatusChange(parse_instant(stored_change["at"]), status, is_upstream=True)


def write_upstream_changes(content: Path, changes: Changes) -> None:
    """Store the statuses that were fetched from other status pages.

    Args:
        content: the content folder.
        changes: the statuses of each component, oldest first.
    """
    rows = {
        name: [{"at": format_utc_shortest(change.at), "status": change.status} for change in changes[name]]
        for name in sorted(changes)
    }
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    with atomic_file(content / FILE) as stream:
        stream.write(orjson.dumps({"format": 1, "components": rows}, option=options))


def add_status_change(changes: Changes, component_key: str, status: ComponentStatus, at: Instant) -> Changes:
    """Add a fetched status to a component's history, if different and later.

    Args:
        changes: when each component's status changed.
        component_key: the component of the site.
        status: the new status.
        at: the time at which it was fetched.

    Returns:
        The changes by component; unchanged if the status was not added.
    """
    previous_changes = changes.get(component_key, ())
    last_status = previous_changes[-1].status if previous_changes else "operational"
    if status == last_status or (previous_changes and at <= previous_changes[-1].at):
        return changes
    added = (*previous_changes, StatusChange(at, status, is_upstream=True))
    return {**changes, component_key: added[-MOST_CHANGES:]}


def apply_upstream_status(
    content: Path,
    settings: UpstreamSettings,
    status: StatusCatalogue,
    findings: list[Finding],
    language: str,  # noqa: ARG001 - as other extensions take it
) -> StatusCatalogue:
    """Give components the status that other status pages show for them.

    Their statuses were fetched and stored before.

    Args:
        content: the content folder.
        settings: which component follows which component of another page.
        status: the components and incidents in the content.
        findings: a list to which errors in the settings and the stored statuses are added.
        language: the language of the site's pages.
    """
    try:
        changes = read_upstream_changes(content)
    except StateFileError as error:
        findings.append(_make_state_finding(error, status, ()))
        changes = {}
    by_name = status.components_by_name
    followed: dict[str, tuple[StatusChange, ...]] = {}
    for row in settings.components:
        component = by_name.get(row.component)
        if component is None or component.group:
            message = f"{status.components_source} has no component {row.component!r}"
            unknown = StatuaryError(message, "write the key or the id of a component")
            findings.append(_make_state_finding(unknown, status, ("components", row.component)))
            continue
        followed[component.id] = list_component_statuses(row, changes.get(row.component, ()))
    components = tuple(
        _follow_component(component, followed.get(component.id, ())) for component in status.components
    )
    return replace(status, components=components)


def list_component_statuses(
    followed_component: UpstreamComponent, changes: tuple[StatusChange, ...]
) -> tuple[StatusChange, ...]:
    """Return a component's status over time, fetched or set by hand.

    From the start of an `override` in site.yaml on, the status of the override replaces the fetched ones.

    Args:
        followed_component: the component of the site, what it follows, and its override.
        changes: the fetched changes of its status.
    """
    if followed_component.override is None:
        return changes
    earlier_changes = (change for change in changes if change.at < followed_component.override.since)
    return (
        *earlier_changes,
        StatusChange(followed_component.override.since, followed_component.override.status, is_upstream=True),
    )


def _follow_component(component: Component, changes: tuple[StatusChange, ...]) -> Component:
    if not changes:
        return component
    history = sorted((*component.history, *changes), key=lambda change: change.at)
    return component._replace(history=tuple(history))


def _make_state_finding(
    error: StatuaryError, status: StatusCatalogue, pointer_below: tuple[str, ...]
) -> Finding:
    return Finding(
        rule="upstream-unavailable",
        severity=Severity.WARNING,
        message=str(error),
        hint=error.hint,
        path=status.page_source,
        pointer=("upstream", *pointer_below),
        on_key=True,
    )
