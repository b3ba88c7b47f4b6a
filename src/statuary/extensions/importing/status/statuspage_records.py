"""Objects of Statuspage's documents as content, without members that follow from the others."""

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from statuary.domain.primitives import Instant, parse_instant
from statuary.domain.status.vocabulary import (
    CLOSED_STATUSES,
    MONITORING_STATUSES,
    REMINDER_BODY,
    RESOLVING_STATUSES,
    Impact,
    may_follow,
    overall_status,
    worst_impact,
)
from statuary.editing.yaml_nodes import YamlValue
from statuary.extensions.importing.report import SourceError
from statuary.extensions.importing.status.status_plan import (
    Members,
    Source,
    given,
    instant_of,
    list_of,
    required_instant,
    required_text,
    text_of,
)


def page_source(page: Members) -> Source:
    """Return the `page` of site.yaml."""
    url = required_text(page, "url")
    return given(
        name=required_text(page, "name"),
        url=url,
        id=text_of(page, "id"),
        time_zone=text_of(page, "time_zone"),
        updated_at=instant_of(page, "updated_at"),
        feed_host=urlsplit(url).hostname,
    )


class PageOrder(NamedTuple):
    """The page and components that records belong to."""

    page: Members  # the page
    keys: Mapping[str, str]  # of components, by id
    places: Mapping[str, int]  # of the components on the page, by id

    def component_order(self, record: Members) -> list[str]:
        """Return the keys of a record's components if their order is not that of the page."""
        named = [one["id"] for one in list_of(record, "components")]
        places = [self.places.get(one, 0) for one in named]
        return [] if places == sorted(places) else [self.keys[one] for one in named]


def incident_source(record: Members, on: PageOrder) -> Source:
    """Return an incident as its file holds it."""
    updates = list(_updates(record, on.keys))
    if not updates:
        raise SourceError("has no update")
    mark_reopened(updates)
    named = {on.keys[one["id"]]: None for one in list_of(record, "components")}
    impact = text_of(record, "impact")
    return given(
        name=required_text(record, "name"),
        **_stamps(record, on.page, updates, began=min((str(update["at"]) for update in updates), default="")),
        impact_override=impact if impact != derived_impact(record) else None,
        reminder_intervals=text_of(record, "reminder_intervals")
        or (None if "reminder_intervals" in record else "absent"),
        components=named,
        component_order=on.component_order(record),
        updates=updates,
    )


def maintenance_source(record: Members, on: PageOrder, now: Instant) -> Source:
    """Return a maintenance as its file holds it."""
    updates = list(_updates(record, on.keys))
    impact = text_of(record, "impact")
    created_at = instant_of(record, "created_at") or ""
    return given(
        name=required_text(record, "name"),
        components=[on.keys[one["id"]] for one in list_of(record, "components")],
        scheduled_for=required_instant(record, "scheduled_for"),
        scheduled_until=required_instant(record, "scheduled_until"),
        **_stamps(record, on.page, updates, began=created_at),
        impact_override=impact if impact not in ("", "maintenance") else None,
        component_order=on.component_order(record),
        **_automation(record, now),
        updates=updates,
    )


def derived_impact(record: Members) -> Impact:
    """Return the impact that follows from the components of an incident's updates."""
    statuses: dict[str, Any] = {}
    worst: Impact = "none"
    for update in reversed(list_of(record, "incident_updates")):
        for affected in list_of(update, "affected_components"):
            if text_of(affected, "new_status"):
                statuses[text_of(affected, "code")] = affected["new_status"]
        worst = worst_impact((worst, overall_status(statuses.values()).indicator))
    return worst


def _stamps(record: Members, page: Members, updates: list[Source], began: str) -> Source:
    """Return the timestamps of a record that do not follow from its updates."""
    edits = [str(one.get("updated_at") or one.get("created_at") or one["at"]) for one in updates]
    found = {
        "created_at": (
            instant_of(record, "created_at"),
            min((_created(one) for one in updates), key=parse_instant, default=""),
        ),
        "started_at": (instant_of(record, "started_at"), began),
        "updated_at": (instant_of(record, "updated_at"), max(edits, key=parse_instant, default="")),
        "monitoring_at": (instant_of(record, "monitoring_at"), _first(updates, MONITORING_STATUSES)),
        "resolved_at": (instant_of(record, "resolved_at"), _resolved(updates)),
        "shortlink": (
            text_of(record, "shortlink"),
            f"{text_of(page, 'url').rstrip('/')}/incidents/{record.get('id')}",
        ),
    }
    return {name: stated for name, (stated, derived) in found.items() if stated and stated != derived}


def _created(update: Source) -> str:
    return str(update.get("created_at") or update["at"])


def _first(updates: Iterable[Source], statuses: Container[YamlValue]) -> str:
    return next((str(update["at"]) for update in updates if update["status"] in statuses), "")


def _resolved(updates: list[Source]) -> str:
    is_closed = bool(updates) and updates[-1]["status"] in CLOSED_STATUSES
    return _first(reversed(updates), RESOLVING_STATUSES) if is_closed else ""


def _updates(record: Members, keys: Mapping[str, str]) -> Iterator[Source]:
    """Yield the updates, oldest first."""
    updates = list_of(record, "incident_updates")
    dated = [(required_instant(update, "display_at", "created_at"), update) for update in reversed(updates)]
    for at, update in sorted(dated, key=lambda one: parse_instant(one[0])):
        created_at, updated_at = instant_of(update, "created_at"), instant_of(update, "updated_at")
        source: Source = {
            "at": at,
            "status": required_text(update, "status"),
            "body": text_of(update, "body"),
        }
        source |= given(
            id=text_of(update, "id"),
            created_at=created_at if created_at != at else None,
            updated_at=updated_at if updated_at != (created_at or at) else None,
            deliver_notifications=None if update.get("deliver_notifications", True) else False,
            custom_tweet=text_of(update, "custom_tweet"),
            tweet_id=text_of(update, "tweet_id"),
        )
        affected = update.get("affected_components")
        source["affected_components"] = (
            None
            if affected is None
            else [_affected(one, keys) for one in list_of(update, "affected_components")]
        )
        yield source


def mark_reopened(updates: Iterable[Source]) -> None:
    """Return which updates, oldest first, reopen a resolved incident."""
    for before, after in pairwise(updates):
        if before["status"] in CLOSED_STATUSES and not may_follow(before["status"], after["status"]):
            after["reopens"] = True


def _affected(affected: Members, keys: Mapping[str, str]) -> Source:
    code = text_of(affected, "code")
    return given(
        code=keys.get(code, code),
        name=text_of(affected, "name"),
        old_status=text_of(affected, "old_status"),
        new_status=text_of(affected, "new_status"),
    )


def _automation(record: Members, now: Instant) -> Source:
    """Return the automatic steps that are done or switched off."""
    updates = list_of(record, "incident_updates")
    reached = {text_of(update, "status") for update in updates}
    started, ended = bool(reached & {"in_progress", "verifying", "completed"}), "completed" in reached
    due = parse_instant(required_instant(record, "scheduled_for")) < now
    overdue = parse_instant(required_instant(record, "scheduled_until")) < now
    reminded = any(text_of(update, "body") == REMINDER_BODY for update in updates)
    return given(
        scheduled_remind_prior=False if started or reminded or due else None,
        scheduled_auto_in_progress=False if started or due else None,
        scheduled_auto_completed=False if ended or overdue else None,
    )
