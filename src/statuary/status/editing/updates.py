"""Edit updates in the files of incidents and maintenance windows."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import NamedTuple, get_args
from zoneinfo import ZoneInfo

from statuary.base.findings import Pointer
from statuary.base.primitives import Instant, format_utc_shortest
from statuary.site.pages.page_texts import page_texts
from statuary.site.pages.site_context import DateFormatter
from statuary.source.edit_files import EditError
from statuary.source.edit_yaml import append_yaml_item, set_yaml_value
from statuary.source.yaml_nodes import YamlValue
from statuary.status.model.incident_history import IncidentHistory
from statuary.status.model.records import (
    Component,
    Incident,
    IncidentTemplate,
    IncidentUpdate,
    Maintenance,
    StatusCatalogue,
)
from statuary.status.model.recurrence import updates_in_display_order
from statuary.status.model.vocabulary import (
    ALLOWED_TRANSITIONS,
    CLOSED_STATUSES,
    ComponentStatus,
    UpdateStatus,
    can_follow,
)

STATUSES: tuple[ComponentStatus, ...] = get_args(ComponentStatus)


def parse_statuses(
    component_words: Iterable[str], catalogue: StatusCatalogue
) -> dict[str, ComponentStatus | None]:
    """Parse words such as `rpc=partial_outage` into statuses by component.

    Returns:
        The status by component key; None for a word without `=`.

    Raises:
        EditError: if a component is unknown, repeated or a group, or a status is unknown.
    """
    statuses: dict[str, ComponentStatus | None] = {}
    for word in component_words:
        name, equals, status = word.partition("=")
        key = find_component(name, catalogue).key
        if key in statuses:
            raise EditError(f"the component {key!r} is named twice", "name it once")
        statuses[key] = parse_status(status) if equals else None
    return statuses


MAX_NAMED = 8
"""The most components that an error lists."""


def find_component(name: str, catalogue: StatusCatalogue) -> Component:
    """Return the component that has the given key, id or name.

    Raises:
        EditError: if no component or more than one matches, or the component is a group.
    """
    component = catalogue.components_by_name.get(name) or _component_by_name(name, catalogue)
    if component is None:
        raise _unknown_component_error(name, catalogue)
    if component.group:
        raise EditError(
            f"{name!r} is a group; its status follows from its components",
            f"use one of its components: {', '.join(component.children)}",
        )
    return component


def _unknown_component_error(name: str, catalogue: StatusCatalogue) -> EditError:
    key, colon, status = name.partition(":")
    if colon and status in STATUSES:
        return EditError(f"unknown component {name!r}", f"did you mean {f'{key}={status}'!r}?")
    key, equals, _ = name.partition("=")
    if equals and key in catalogue.components_by_name:
        return EditError(f"{name!r} is not a component", f"write {key} alone: the command sets its status")
    suggestion = _name_suggestion(name, list(catalogue.components_by_name))
    return EditError(f"unknown component {name!r}", suggestion or _components_hint(catalogue))


def _components_hint(catalogue: StatusCatalogue) -> str:
    if not catalogue.components:
        return f"there are no components yet: write some into {catalogue.components_source} of the content"
    keys = settable_component_keys(catalogue)
    return f"use one of {', '.join(keys)}" if len(keys) <= MAX_NAMED else "run `statuary component list`"


def _component_by_name(name: str, catalogue: StatusCatalogue) -> Component | None:
    """Find a component by its key or name, ignoring case.

    Raises:
        EditError: if several components match.
    """
    word = name.strip().casefold()
    matching_components = [
        component
        for component in catalogue.components
        if word in (component.key.casefold(), component.name.casefold())
    ]
    if len(matching_components) > 1:
        keys = ", ".join(component.key for component in matching_components)
        raise EditError(f"several components are named {name!r}", f"use the key of one of them: {keys}")
    return matching_components[0] if matching_components else None


def parse_status(word: str) -> ComponentStatus:
    """Parse a component status such as `degraded_performance`.

    Raises:
        EditError: if the word is not a status.
    """
    for status in STATUSES:
        if status == word:
            return status
    suggestion = _name_suggestion(word, STATUSES)
    raise EditError(f"unknown component status {word!r}", suggestion or f"use one of {', '.join(STATUSES)}")


def _name_suggestion(word: str, names: Sequence[str]) -> str:
    """Return a question such as `did you mean 'rpc' or 'rpc-2'?`.

    Returns:
        The question; empty if no known name begins with the word or resembles it.
    """
    near = [name for name in names if word and name.startswith(word)] or get_close_matches(word, names, 3)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else ""


def format_statuses(statuses: Mapping[str, ComponentStatus | None]) -> str:
    """Format components and statuses for a message.

    For example, `rpc=partial_outage, explorer`.

    Args:
        statuses: the status of each component by key; None to show only the key.
    """
    return ", ".join(key if status is None else f"{key}={status}" for key, status in statuses.items())


def find_template(name: str | None, catalogue: StatusCatalogue) -> IncidentTemplate:
    """Find an incident template by its name.

    Returns:
        The template; an empty template if `name` is None.

    Raises:
        EditError: if no template has the name.
    """
    if name is None:
        return IncidentTemplate()
    templates = {template.name: template for template in catalogue.templates}
    if name not in templates:
        suggestion = _name_suggestion(name, list(templates)) or f"there are: {', '.join(templates)}"
        hint = (
            suggestion
            if templates
            else "write content/templates/NAME.yaml; it has the keys of an incident's first update"
        )
        raise EditError(f"unknown template {name!r}", hint)
    return templates[name]


def settable_component_keys(catalogue: StatusCatalogue) -> list[str]:
    """Return the keys of components whose status a user can set.

    They are all components except groups and removed ones.
    """
    return [component.key for component in catalogue.components if not (component.group or component.removed)]


MAX_SUGGESTIONS = 5


def find_incident(
    typed_name: str,
    histories: Sequence[IncidentHistory],
    record_noun: str,
    at: Instant,
    is_wanted: Callable[[str], bool],
) -> Incident:
    """Find the incident or maintenance window that a user named.

    The name can be an id, a file name, or the beginning of either. The date at its start can be left out. If
    several match, and the command can apply to only one of them, this one is returned.

    Args:
        typed_name: the name that the user typed.
        histories: the incidents or windows to search.
        record_noun: `incident` or `maintenance`, for messages.
        at: the time of the statuses.
        is_wanted: returns whether the command can apply to an incident with a given status.

    Raises:
        EditError: if no record matches, or several do.
    """
    incidents = [history.incident for history in histories]
    matches = next(filter(None, _matching_records(typed_name, incidents)), [])
    if not matches:
        raise EditError(
            f"unknown {record_noun} {typed_name!r}", _suggested_incident(typed_name, incidents, record_noun)
        )
    matching_incidents = [incident for incident in matches if is_wanted(incident_status_at(incident, at))]
    meant = matching_incidents if len(matching_incidents) == 1 else matches
    if len(meant) > 1:
        raise _ambiguous_name_error(typed_name, matches, record_noun, at)
    return meant[0]


def _matching_records(typed_name: str, incidents: Sequence[Incident]) -> Iterator[list[Incident]]:
    """Yield lists of matching incidents, the best matches first.

    A name can match exactly, without its date, or by its beginning.
    """
    tests: tuple[Callable[[str], bool], ...] = (
        lambda name: name == typed_name,
        lambda name: _name_without_day(name) == typed_name,
        lambda name: name.startswith(typed_name),
        lambda name: _name_without_day(name).startswith(typed_name),
    )
    for matches in tests:
        yield [incident for incident in incidents if any(map(matches, incident_names(incident)))]


def incidents_with_status(
    histories: Sequence[IncidentHistory], at: Instant, is_wanted: Callable[[str], bool]
) -> list[Incident]:
    """Return the incidents or windows that have one of the wanted statuses.

    Args:
        histories: the incidents or windows to search.
        at: the time of the status.
        is_wanted: returns True for a wanted status, such as `investigating`.
    """
    return [history.incident for history in histories if is_wanted(incident_status_at(history.incident, at))]


DAY_OF_NAME = re.compile(r"\d{4}-\d\d-\d\d-")
"""The day that a name begins with, as `new_record_id` writes it."""


def _name_without_day(name: str) -> str:
    return DAY_OF_NAME.sub("", name, count=1)


def incident_names(incident: Incident) -> list[str]:
    """Return the names that users can type for an incident.

    They are its id, and its file name without folder and suffix.
    """
    return [incident.id, PurePosixPath(incident.source).stem]


def incident_status_at(incident: Incident, at: Instant) -> str:
    """Return the status of an incident or maintenance window at a time.

    A maintenance window is `scheduled` even before it is announced, and `completed` if it was cancelled.

    Returns:
        The status, or an empty string before the first update.
    """
    update = current_update(incident, at)
    if update is not None:
        return update.status
    if not isinstance(incident, Maintenance):
        return ""
    return "completed" if incident.cancelled_at is not None and incident.cancelled_at <= at else "scheduled"


def current_update(incident: Incident, at: Instant) -> IncidentUpdate | None:
    """Return the newest update of an incident or window at a time.

    Automatic updates are included. A draft also has a current update, because you can edit it before it is
    published.

    Returns:
        The update, or None before the first one.
    """
    passed = [update for update in updates_in_display_order(incident) if update.display_at <= at]
    return passed[-1] if passed else None


def join_first_ids(ids: Sequence[str]) -> str:
    """Join the first few ids, such as `a, b and 3 more`."""
    hidden_count = len(ids) - MAX_SUGGESTIONS
    return ", ".join(ids[:MAX_SUGGESTIONS]) + (f" and {hidden_count} more" if hidden_count > 0 else "")


def _suggested_incident(typed_name: str, incidents: Sequence[Incident], record_noun: str) -> str:
    names = list(dict.fromkeys(name for incident in incidents for name in incident_names(incident)))
    near = [
        name for name in names if _normalize_name(typed_name) in _normalize_name(name)
    ] or _names_on_nearest_days(typed_name, names)
    near = near or get_close_matches(typed_name, names, 3)
    return f"did you mean {join_first_ids(near)}?" if near else f"run `statuary {record_noun} list --all`"


def _normalize_name(name: str) -> str:
    return name.lower().replace("-", "").replace(":", "")


DAY = re.compile(r"(20\d\d)(\d\d)(\d\d)")


def _names_on_nearest_days(typed_name: str, names: Iterable[str]) -> list[str]:
    """Return up to three names that differ from a typed one only in the date.

    They are those with the nearest dates. A name with more words at the end is included.
    """
    words, day = _split_dated_name(typed_name)
    dated = [
        (other_day, name)
        for name in names
        for text_around, other_day in [_split_dated_name(name)]
        if text_around.startswith(words)
    ]
    if day is None:
        return []
    apart = sorted((abs((other_day - day).days), name) for other_day, name in dated if other_day is not None)
    return [name for _, name in apart[:3]]


class _DatedName(NamedTuple):
    """A name that begins with a day, split into day and words."""

    words: str
    day: date | None = None


def _split_dated_name(name: str) -> _DatedName:
    match = DAY.search(plain := _normalize_name(name))
    try:
        day = date(*map(int, match.groups())) if match else None
    except ValueError:
        return _DatedName(plain)
    return _DatedName(plain.replace(match[0], ""), day) if match else _DatedName(plain)


def _ambiguous_name_error(
    typed_name: str, matches: Sequence[Incident], record_noun: str, at: Instant
) -> EditError:
    ids = list(dict.fromkeys(incident.id for incident in matches))
    if len(ids) == 1:
        files = ", ".join(incident.source for incident in matches)
        return EditError(f"several files have the id {ids[0]!r}: {files}", "change the id in one of them")
    still_open = list(
        dict.fromkeys(
            incident.id for incident in matches if incident_status_at(incident, at) not in CLOSED_STATUSES
        )
    )
    return EditError(
        f"several {record_noun}s have an id that begins with {typed_name!r}: {join_first_ids(still_open or ids)}",
        "type more of the id",
    )


KEYS_BEFORE_CANCELLED_AT = ("name", "components", "created_at", "scheduled_for", "scheduled_until")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUpdate:
    """An update that a command writes to a file.

    A component with the status None stays as it is.
    """

    at: Instant
    status: UpdateStatus
    body: str
    components: Mapping[str, ComponentStatus | None] = field(default_factory=dict)
    notify: bool = True
    reopens: bool = False
    moved_from: Instant | None = None
    next_update_by: Instant | None = None

    @property
    def yaml_value(self) -> dict[str, YamlValue]:
        """The update as a mapping to add to a YAML file."""
        value: dict[str, YamlValue] = {
            "at": format_utc_shortest(self.at),
            "status": self.status,
            "body": self.body,
        }
        if self.components:
            value["components"] = dict(self.components)
        moments = {"moved_from": self.moved_from, "next_update_by": self.next_update_by}
        value |= {key: format_utc_shortest(moment) for key, moment in moments.items() if moment is not None}
        if self.reopens:
            value["reopens"] = True
        if not self.notify:
            value["deliver_notifications"] = False
        return value

    @property
    def commit_message_body(self) -> str:
        """The update as text for the body of a commit message."""
        return self.commit_message_body_with(self.components)

    def commit_message_body_with(self, components: Mapping[str, ComponentStatus | None]) -> str:
        """Return the update for a commit message, with given component statuses.

        Args:
            components: the statuses to name instead of those of the update.
        """
        component_text = f"; {format_statuses(components)}" if components else ""
        return (
            f"{self.status} at {format_utc_shortest(self.at)}{component_text}\n\n{self.body}".strip() + "\n"
        )


def postmortem_value(at: Instant, body: str, *, notify: bool) -> dict[str, YamlValue]:
    """Return a postmortem as a mapping to add to a YAML file.

    Args:
        at: the time of its publication.
        body: the text, in Markdown.
        notify: whether subscribers are notified.
    """
    value: dict[str, YamlValue] = {"published_at": format_utc_shortest(at), "body": body}
    return {**value, "deliver_notifications": True} if notify else value


def check_next_status(incident: Incident, status: UpdateStatus, at: Instant) -> UpdateStatus | None:
    """Check that an incident may get a status, and return its current one.

    Args:
        incident: the incident or maintenance window.
        status: the status that a new update sets.
        at: the time of the update.

    Returns:
        The current status, or None if this is the first update.

    Raises:
        EditError: if `status` must not follow the current one, or if the maintenance was cancelled before its
            announcement.
    """
    current = current_update(incident, at)
    if current is None and incident_status_at(incident, at) in CLOSED_STATUSES:
        raise EditError(
            f"{incident.id} was cancelled before it was announced",
            "schedule another window with `maintenance schedule`",
        )
    if current is None:
        return None
    if not can_follow(current.status, status):
        reopen = f"if it is not, run `statuary incident reopen {incident.id}`"
        if isinstance(incident, Maintenance):
            reopen = "open a new one if there is more to report"
        possible = ", ".join(sorted(ALLOWED_TRANSITIONS[current.status] - {current.status}))
        raise EditError(
            f"{incident.id} has been {current.status} since {format_utc_shortest(current.display_at)} "
            f"and cannot become {status}",
            f"it can become {possible}" if possible else f"it is over; {reopen}",
        )
    return current.status


def record_pointer(incident: Incident) -> Pointer:
    """Return the place of an incident or maintenance window in its file.

    Returns:
        The keys and indexes that lead to it; empty if it is the whole file.
    """
    return incident.pointer if isinstance(incident, Maintenance) else ()


def announce_in_file(file_text: str, incident: Incident, at: Instant) -> str:
    """Write into a maintenance window's file that it was announced.

    Nothing is written for an incident, for one window of a recurring maintenance, and for a window that was
    announced before.

    Args:
        file_text: the text of the file.
        incident: the maintenance window or incident.
        at: the time of the announcement.

    Returns:
        The new text of the file.
    """
    if not isinstance(incident, Maintenance) or incident.pointer or incident.created_at <= at:
        return file_text
    return set_yaml_value(file_text, ("created_at",), format_utc_shortest(at), KEYS_BEFORE_CANCELLED_AT)


def cancel_in_file(file_text: str, pointer: Pointer, at: Instant, body: str | None) -> str:
    """Write into a maintenance window's file that it was cancelled.

    Args:
        file_text: the text of the file.
        pointer: the place of the window in the file.
        at: the time of the cancellation.
        body: the text of a last update with the status `completed`; None to add no update.

    Returns:
        The new text of the file.
    """
    edited = set_yaml_value(
        file_text, (*pointer, "cancelled_at"), format_utc_shortest(at), KEYS_BEFORE_CANCELLED_AT
    )
    if body is None:
        return edited
    update = NewUpdate(at=at, status="completed", body=body)
    return append_yaml_item(edited, (*pointer, "updates"), update.yaml_value)


def reschedule_in_file(
    file_text: str, pointer: Pointer, at: Instant, new_times: tuple[Instant, Instant]
) -> str:
    """Write new times of a maintenance window into its file.

    Args:
        file_text: the text of the file.
        pointer: the place of the window in the file.
        at: the time of the change.
        new_times: the new start and end.

    Returns:
        The new text of the file.
    """
    values = zip(("scheduled_for", "scheduled_until", "rescheduled_at"), (*new_times, at), strict=True)
    for key, instant in values:
        file_text = set_yaml_value(
            file_text, (*pointer, key), format_utc_shortest(instant), KEYS_BEFORE_CANCELLED_AT
        )
    return file_text


def reschedule_update_text(window: Maintenance, new_times: tuple[Instant, Instant], zone: ZoneInfo) -> str:
    """Describe the new times of a maintenance window in an update.

    Args:
        window: the window before the move.
        new_times: the new start and end.
        zone: the time zone of the text.
    """
    old_window = _format_window_times((window.scheduled_for, window.scheduled_until), zone)
    return f"The maintenance has been moved to {_format_window_times(new_times, zone)}. It was planned for {old_window}."


def _format_window_times(window: tuple[Instant, Instant], zone: ZoneInfo) -> str:
    """Format a window as `10 Nov 2026, 02:30 to 04:30 UTC`.

    If it ends on another day, it has a second date.
    """
    start, end = window
    formatted = DateFormatter(zone, page_texts("en")).range(start, end)
    return f"{formatted.start.text} to {formatted.end.text}"


def format_utc_or_none(instant: Instant | None) -> str | None:
    """Format a time in UTC; None stays None."""
    return None if instant is None else format_utc_shortest(instant)
