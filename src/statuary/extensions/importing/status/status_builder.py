"""Build content from another system, record by record."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from hashlib import sha256
from itertools import chain, count
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from dateutil import parser

from statuary.base.primitives import Instant, format_utc_shortest, one_line, parse_instant, shorten
from statuary.extensions.importing.report import NotImportableError, SkippedRecord
from statuary.extensions.importing.status.fields import Fields
from statuary.extensions.importing.status.status_plan import (
    ImportRequest,
    Source,
    StatusPlan,
    convert_records_or_skip,
    drop_empty_values,
)
from statuary.extensions.importing.status.statuspage_records import mark_reopened
from statuary.site.settings import LANGUAGES
from statuary.source.source_model import MAX_ID_LENGTH, MAX_NAME_LENGTH
from statuary.status.editing.new_record import slug
from statuary.status.model.vocabulary import (
    COMPONENT_SEVERITY,
    DEFAULT_BODIES,
    RESOLVING_STATUSES,
    ComponentStatus,
    UpdateStatus,
)
from statuary.system.network.client import is_url


class ForeignUpdate(NamedTuple):
    """An update of an incident, as the other system describes it."""

    at: str  # the time of the update, in UTC
    status: UpdateStatus
    body: str
    id: str = ""


class StatusBuilder:
    """Collects the components and records of an imported page."""

    def __init__(self, request: ImportRequest) -> None:
        self.request = request
        self.plan = StatusPlan()
        self._keys: dict[str, list[str]] = {}  # component keys by name or id in the source
        self._record_ids: dict[str, str] = {}  # ids of records by their ids in the source
        self._used_ids: set[str] = set()

    def add_skipped_record(self, record_name: str, reason: str) -> None:
        """Report that an incident, for example, is not or only partly imported.

        Args:
            record_name: the name, such as the title of the incident.
            reason: why it is not imported.
        """
        self.plan.skipped.append(SkippedRecord(record_name, reason))

    def convert_records(
        self, records: Iterable[Any], convert: Callable[[Fields], object], record_noun: str
    ) -> None:
        """Convert incidents or other records one by one, and report failures.

        Args:
            records: the JSON objects of the other system.
            convert: a function that converts one of them, and adds the result to the imported page.
            record_noun: the noun with its article for the report, such as `an incident`.
        """
        convert_records_or_skip(records, convert, self.plan.skipped, record_noun)

    def set_page(self, name: str, url: str, *, about: str = "", time_zone: str = "") -> None:
        """Set the name and URL of the imported page.

        If the URL is missing or local, a placeholder is used and reported.

        Args:
            name: the name of the page.
            url: the public URL of the page.
            about: a description of the page.
            time_zone: the page's time zone; empty if unknown.
        """
        address = url.rstrip("/") if is_url(url) else ""
        host = urlsplit(address).hostname or ""
        is_local = host in ("localhost", "::1") or host.startswith(("127.", "0."))
        if not address or is_local:
            problem = (
                f"the source has the URL {address}, which readers cannot open"
                if address
                else "the source has no URL of its page"
            )
            address = "https://status.example.org"
            self.plan.notes.append(f"{problem}: replace {address} in site.yaml")
        self.plan.original.name = name
        self.plan.page = drop_empty_values(
            name=_shorten_to_name_limit(name or "Status"), url=address, about=about, time_zone=time_zone
        )

    def set_language(self, code: str) -> None:
        """Set the language of the site's pages, if statuary supports it."""
        self.plan.original.language = code.lower().partition("-")[0].partition("_")[0]
        if self.plan.original.language in LANGUAGES:
            self.plan.language = self.plan.original.language

    def add_original_record(self, source_id: str, name: str, started_at: str, *, is_open: bool) -> None:
        """Store the name and year of an incident of the other system.

        After the import, these values are compared with the imported status.

        Args:
            source_id: the id of the incident or maintenance window in the other system.
            name: the title of the incident or window.
            started_at: the date when it began, in any format; empty if unknown.
            is_open: whether it is still going on.
        """
        record_id = self._record_id(source_id)
        try:
            year = parser.parse(started_at).year if started_at else None
        except (ValueError, OverflowError):
            year = None
        self.plan.original.records[record_id] = year
        if is_open:
            self.plan.original.unresolved[record_id] = name

    def has_record(self, source_id: str) -> bool:
        """Return whether an incident or maintenance window has this id already."""
        return source_id in self._record_ids

    def _record_id(self, source_id: str) -> str:
        """Make a unique id for an incident from the source's id."""
        if source_id not in self._record_ids:
            record_id = re.sub(r"[^A-Za-z0-9_-]+", "-", source_id).strip("-_")
            if not record_id or len(record_id) > MAX_ID_LENGTH or record_id in self._used_ids:
                record_id = append_id_digest(record_id or "untitled", source_id)
            self._used_ids.add(record_id)
            self._record_ids[source_id] = record_id
        return self._record_ids[source_id]

    def note_shown_status(self, source_id: str, status: ComponentStatus) -> None:
        """Store which status the imported page shows for a component.

        If the page shows a component several times, its worst status is stored.

        Args:
            source_id: the id or name of the component in the source.
            status: the status on the page.
        """
        statuses = self.plan.original.statuses
        for key in self._keys.get(source_id, [source_id]):
            statuses[key] = max(status, statuses.get(key, status), key=COMPONENT_SEVERITY.__getitem__)

    def add_component(
        self,
        source_id: str,
        name: str,
        *,
        group: str = "",
        description: str = "",
        status: ComponentStatus = "operational",
    ) -> str:
        """Add a component to the imported page, and return its key.

        Args:
            source_id: the id or name of the component in the source.
            name: the displayed name.
            group: the name of the component's group; empty for no group.
            description: the displayed description.
            status: the status of the component now.
        """
        return self._add_component_source(
            source_id,
            self._find_or_add_group(group),
            drop_empty_values(name=name, description=description),
            status,
        )

    def get_or_add_component_key(self, source_id: str, name: str = "") -> str:
        """Return the component's key in the content, adding the component if necessary.

        If the imported page no longer lists the component, it is added and marked as removed.

        Args:
            source_id: the id or name of the component in the other system.
            name: the displayed name, if the component is added; empty to use `source_id`.
        """
        return self.get_or_add_component_keys(source_id, name)[0]

    def get_or_add_component_keys(self, source_id: str, name: str = "") -> list[str]:
        """Return the keys of all components that have this id or name.

        If there is none, a component is added and marked as removed.

        Args:
            source_id: the id or name in the other system.
            name: the displayed name, if a component is added; empty to use `source_id`.

        Raises:
            NotImportableError: if `source_id` is empty.
        """
        if source_id not in self._keys:
            if not source_id:
                raise NotImportableError("lists a component that has no id and no name")
            self._add_component_source(
                source_id, self.plan.components, {"name": name or source_id, "removed": True}
            )
        return self._keys[source_id]

    def _find_or_add_group(self, name: str) -> dict[str, Source]:
        if not name:
            return self.plan.components
        ident = f"group {name}"
        if ident not in self._keys:
            self._add_component_source(ident, self.plan.components, {"name": name, "components": {}})
        key = self._keys[ident][0]
        children: dict[str, Source] = self.plan.components[key]["components"]
        return children

    def _add_component_source(
        self,
        source_id: str,
        siblings: dict[str, Source],
        source: Source,
        status: ComponentStatus = "operational",
    ) -> str:
        key = slug(str(source["name"])) or slug(source_id) or "component"
        used = set(chain(*self._keys.values()))
        if key in used:
            key = next(name for number in count(2) if (name := f"{key}-{number}") not in used)
        if status != "operational":
            source["history"] = [{"at": format_utc_shortest(self.request.now), "status": status}]
        source["name"] = _shorten_to_name_limit(source["name"])
        self._keys.setdefault(source_id, []).append(key)
        siblings[key] = source
        return key

    def add_incident(
        self,
        source_id: str,
        name: str,
        updates: Iterable[ForeignUpdate],
        affected: Mapping[str, ComponentStatus | None],
        *,
        ended_at: str | None = None,
    ) -> None:
        """Add an incident to the imported page.

        The incident affects its components from the first update on. If no update resolves it, it ends at
        `ended_at`.

        Args:
            source_id: the id of the incident in the source.
            name: the name of the incident.
            updates: the updates in any order.
            affected: the status of each affected component, by key. The status is None if the incident
                mentions the component without changing its status.
            ended_at: the time when the incident ended; None if it is open.

        Raises:
            NotImportableError: if the incident has no update, or another record has the same id.
        """
        posted = sorted(updates, key=_parse_update_time)
        if not posted:
            raise NotImportableError("has no update")
        if posted[0].status in RESOLVING_STATUSES and any(affected.values()):
            # An incident whose first update already resolves it would affect no component. So let the
            # incident begin as `investigating`, and add an update that resolves it.
            ended_at = max(ended_at or posted[0].at, posted[0].at, key=parse_instant)
            posted[0] = posted[0]._replace(status="investigating")
        update_values = [
            _update_content(update)
            for update in (_add_final_update(posted, ended_at) if ended_at else posted)
        ]
        mark_reopened(update_values)
        incident = drop_empty_values(
            name=_shorten_to_name_limit(name), components=dict(affected), updates=update_values
        )
        self._add_record(source_id, self.plan.incidents, incident)

    def add_maintenance(
        self,
        source_id: str,
        name: str,
        window: tuple[str, str],
        *,
        body: str = "",
        created_at: str | None = None,
        components: Iterable[str] = (),
        updates: Iterable[ForeignUpdate] = (),
    ) -> None:
        """Add a maintenance window to the imported page.

        No reminder is sent for a window that has begun. If an update completes the window, it is not
        completed automatically.

        Args:
            source_id: the id of the window in the source.
            name: the name of the window.
            window: the start and the end of the window.
            body: the text of the first announcement.
            created_at: the time of the announcement; None to use the time of the first update.
            components: the keys of the affected components.
            updates: the updates in any order.

        Raises:
            NotImportableError: if another record has the same id.
        """
        begins, ends = window
        posted = sorted(updates, key=_parse_update_time)
        announced = created_at or (posted[0].at if posted else begins)
        is_over = any(update.status == "completed" for update in posted)
        maintenance = drop_empty_values(
            name=_shorten_to_name_limit(name),
            components=list(components),
            created_at=min(announced, begins, key=parse_instant),
            scheduled_for=begins,
            scheduled_until=ends,
            scheduled_remind_prior=False if parse_instant(begins) < self.request.now else None,
            scheduled_auto_completed=False if is_over else None,
            body=body,
            updates=[_update_content(update) for update in posted],
        )
        self._add_record(source_id, self.plan.maintenances, maintenance)

    def _add_record(self, source_id: str, records_by_id: dict[str, Source], record: Source) -> None:
        """Add an incident, unless an equal one was added with its id.

        Raises:
            NotImportableError: if a different incident has the id. The earlier one stays.
        """
        record_id = self._record_id(source_id)
        kept = self.plan.incidents.get(record_id) or self.plan.maintenances.get(record_id) or record
        if kept != record:
            raise NotImportableError(
                f"named {record['name']!r} has the id {source_id!r} of another record, {kept['name']!r}, which was imported"
            )
        records_by_id[record_id] = record


def _add_final_update(updates: list[ForeignUpdate], ended_at: str) -> list[ForeignUpdate]:
    *earlier_updates, last_update = updates
    if last_update.status in RESOLVING_STATUSES:
        return updates
    if last_update.status == "postmortem":
        # A postmortem is written after the end of an incident. So the update before the postmortem resolves
        # the incident.
        return [
            *earlier_updates[:-1],
            *(update._replace(status="resolved") for update in earlier_updates[-1:]),
            last_update,
        ]
    at = max(ended_at, last_update.at, key=parse_instant)
    return [*updates, ForeignUpdate(at, "resolved", DEFAULT_BODIES["resolved"])]


def _parse_update_time(update: ForeignUpdate) -> Instant:
    return parse_instant(update.at)


def _update_content(update: ForeignUpdate) -> Source:
    return {"at": update.at, "status": update.status, "body": update.body, **drop_empty_values(id=update.id)}


def _shorten_to_name_limit(text: str) -> str:
    line = one_line(text) or "Untitled"
    return line if len(line) <= MAX_NAME_LENGTH else line[: MAX_NAME_LENGTH - 2] + " …"


def append_id_digest(record_id: str, distinction: str) -> str:
    """Make an id unique by appending a digest, such as `outage-3f9a…`.

    Args:
        record_id: the id, which is shortened if the result would be too long.
        distinction: a string that differs between records with the same id; it is hashed.
    """
    digest = sha256(distinction.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]
    return f"{record_id[: MAX_ID_LENGTH - DIGEST_LENGTH - 1].rstrip('-_')}-{digest}"


DIGEST_LENGTH = 12
"""The hex digits of the digest in an id."""


def add_minutes(start_time: str, minutes: Any) -> str:
    """Add minutes to a time in RFC 3339 format.

    Args:
        start_time: a time in RFC 3339 format.
        minutes: the number of minutes, as a number or string.

    Raises:
        NotImportableError: if `minutes` is not a positive integer below `MOST_MINUTES`.
    """
    if not str(minutes).isdecimal() or not 0 < int(minutes) < MOST_MINUTES:
        raise NotImportableError(f"has a duration that is not a number of minutes: {shorten(str(minutes))}")
    try:
        return format_utc_shortest(Instant(parse_instant(start_time) + timedelta(minutes=int(minutes))))
    except OverflowError:
        raise NotImportableError(f"begins at {start_time} and would end after the year 9999") from None


MOST_MINUTES = 366 * 24 * 60
"""The limit for a maintenance window in minutes: a year."""
