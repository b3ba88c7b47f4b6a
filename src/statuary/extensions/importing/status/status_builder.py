"""Builds content from systems without Statuspage's documents, record by record."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from dateutil import parser

from statuary.content.source_model import MAX_ID_LENGTH, MAX_NAME_LENGTH
from statuary.domain.primitives import Instant, format_exact, instant, one_line, parse_instant, shorten
from statuary.domain.status.vocabulary import (
    DEFAULT_BODIES,
    RESOLVING_STATUSES,
    ComponentStatus,
    UpdateStatus,
)
from statuary.editing.files import slug
from statuary.extensions.importing.report import SourceError
from statuary.extensions.importing.status.status_plan import (
    ImportRequest,
    Members,
    Source,
    StatusPlan,
    convert_each,
    given,
    required_instant,
    text_of,
)
from statuary.extensions.importing.status.statuspage_records import mark_reopened


class ForeignUpdate(NamedTuple):
    """An update as another system has it; `at` is an instant as content holds it."""

    at: str
    status: UpdateStatus
    body: str
    id: str = ""


class StatusBuilder:
    """Builds the content of a status page."""

    def __init__(self, request: ImportRequest) -> None:
        self.request = request
        self.plan = StatusPlan()
        self.lost = self.plan.lost
        self._keys: dict[str, str] = {}

    def convert(self, records: Iterable[Any], convert: Callable[[Members], object], noun: str) -> None:
        """Convert records, each of which adds itself; those that cannot be converted are lost with the reason."""
        convert_each(records, convert, self.lost, noun)

    def page(self, name: str, url: str, *, about: str = "", time_zone: str = "") -> None:
        """Set the page; without a URL, to one that the author has to replace."""
        shown = url.rstrip("/") if url.startswith(("http://", "https://")) else ""
        if not shown:
            shown = "https://status.example.org"
            self.plan.notes.append(f"the source has no URL of its page: replace {shown} in site.yaml")
        self.plan.page = given(name=name or "Status", url=shown, about=about, time_zone=time_zone)

    def component(
        self,
        ident: str,
        name: str,
        *,
        group: str = "",
        description: str = "",
        status: ComponentStatus = "operational",
    ) -> str:
        """Add a component to the page or to a group, and return its key."""
        return self._add(ident, self._group(group), given(name=name, description=description), status)

    def named(self, ident: str, name: str = "") -> str:
        """Return the key of a component that a record names; one that is not on the page is kept as removed."""
        known = self._keys.get(ident)
        return known or self._add(
            ident, self.plan.components, {"name": name or ident, "removed": True}, "operational"
        )

    def _group(self, name: str) -> dict[str, Source]:
        if not name:
            return self.plan.components
        key = self._keys.get(f"group {name}")
        if key is None:
            key = self._add(
                f"group {name}", self.plan.components, {"name": name, "components": {}}, "operational"
            )
        children: dict[str, Source] = self.plan.components[key]["components"]
        return children

    def _add(self, ident: str, place: dict[str, Source], source: Source, status: ComponentStatus) -> str:
        taken, first = set(self._keys.values()), slug(str(source["name"])) or slug(ident) or "component"
        key = next(
            name
            for name in (first, *(f"{first}-{number}" for number in range(2, 10_000)))
            if name not in taken
        )
        if status != "operational":
            source["history"] = [{"at": format_exact(self.request.now), "status": status}]
        self._keys[ident] = key
        place[key] = source
        return key

    def incident(
        self,
        ident: str,
        name: str,
        updates: Iterable[ForeignUpdate],
        affected: Mapping[str, ComponentStatus | None],
        *,
        ended_at: str | None = None,
    ) -> None:
        """Add an incident; the components that it affects have their statuses from the first update on.

        It is resolved at its end, unless its latest update already resolves it.

        Raises:
            SourceError: if it has no update.
        """
        posted = sorted(updates, key=_at)
        if not posted:
            raise SourceError("has no update")
        written = [_update(update) for update in (_with_end(posted, ended_at) if ended_at else posted)]
        mark_reopened(written)
        self.plan.incidents[_safe_id(ident)] = given(
            name=_name(name), components=dict(affected), updates=written
        )

    def maintenance(
        self,
        ident: str,
        name: str,
        window: tuple[str, str],
        *,
        body: str = "",
        created_at: str | None = None,
        components: Iterable[str] = (),
        updates: Iterable[ForeignUpdate] = (),
    ) -> None:
        """Add a maintenance; one that is over has no more automatic steps."""
        begins, ends = window
        written = [_update(update) for update in sorted(updates, key=_at)]
        announced = created_at or min((str(one["at"]) for one in written), key=parse_instant, default=begins)
        done = {one["status"] for one in written}
        self.plan.maintenances[_safe_id(ident)] = given(
            name=_name(name),
            components=list(components),
            created_at=min(announced, begins, key=parse_instant),
            scheduled_for=begins,
            scheduled_until=ends,
            scheduled_remind_prior=False if parse_instant(begins) < self.request.now else None,
            scheduled_auto_completed=False if "completed" in done else None,
            body=body,
            updates=written,
        )


def _with_end(posted: list[ForeignUpdate], ended_at: str) -> list[ForeignUpdate]:
    *before, last = posted
    if last.status in RESOLVING_STATUSES:
        return posted
    if last.status == "postmortem":
        # the update before a postmortem ends the incident
        return [*before[:-1], *(one._replace(status="resolved") for one in before[-1:]), last]
    at = max(ended_at, last.at, key=parse_instant)
    return [*posted, ForeignUpdate(at, "resolved", DEFAULT_BODIES["resolved"])]


def _at(update: ForeignUpdate) -> Instant:
    return parse_instant(update.at)


def _update(update: ForeignUpdate) -> Source:
    return {"at": update.at, "status": update.status, "body": update.body, **given(id=update.id)}


def _name(text: str) -> str:
    line = one_line(text) or "Untitled"
    return line if len(line) <= MAX_NAME_LENGTH else line[: MAX_NAME_LENGTH - 2] + " …"


def any_instant(members: Members, *names: str) -> str | None:
    """Return a date and time in any usual form as content holds it; UTC where it names no zone; None without one.

    Raises:
        SourceError: if it is not a date.
    """
    text = text_of(members, *names).partition(" (")[0].strip()
    if not text or text in ("null", "~"):
        return None
    try:
        found = parser.parse(text, default=datetime(2000, 1, 1, tzinfo=UTC))
        return format_exact(instant(found.astimezone(UTC)))
    except (ValueError, OverflowError):
        raise SourceError(f"{names[0]!r} is not a date: {shorten(text)}") from None


def required_date(members: Members, *names: str) -> str:
    """Return what `any_instant` returns; raise SourceError if there is none."""
    return required_instant(members, *names, read=any_instant)


def word(value: Any) -> str:
    """Return a status of another system in lower case, without separators."""
    return "".join(letter for letter in str(value or "").lower() if letter.isalnum())


def _safe_id(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-_")[:MAX_ID_LENGTH] or "untitled"


def end_of(begins: str, minutes: Any) -> str:
    """Return the instant some minutes after another one; raise SourceError if that is not a number of minutes."""
    if not str(minutes).isdigit() or not 0 < int(minutes) < MOST_MINUTES:
        raise SourceError(f"has a duration that is not a number of minutes: {minutes!r}")
    return format_exact(Instant(parse_instant(begins) + timedelta(minutes=int(minutes))))


MOST_MINUTES = 366 * 24 * 60
"""The longest window in minutes: a year."""
