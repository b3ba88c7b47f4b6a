"""Convert Statuspage's objects to content."""

from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from statuary.base.primitives import Instant, parse_instant
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.status.fields import Fields
from statuary.extensions.importing.status.status_plan import Source, drop_empty_values
from statuary.source.yaml_nodes import YamlValue
from statuary.status.model.vocabulary import (
    CLOSED_STATUSES,
    MONITORING_STATUSES,
    REMINDER_BODY,
    RESOLVING_STATUSES,
    Impact,
    can_follow,
    overall_status,
    worst_impact,
)


def convert_page(page: Fields) -> Source:
    """Convert a page of Statuspage's API to the key `page` of site.yaml."""
    url = page.required_text("url")
    return drop_empty_values(
        name=page.required_text("name"),
        url=url,
        id=page.get_text("id"),
        time_zone=page.get_text("time_zone"),
        updated_at=page.get_timestamp("updated_at"),
        feed_host=urlsplit(url).hostname,
    )


class PageOrder(NamedTuple):
    """The page object, with the key and position of each component."""

    page: Fields  # the page
    component_keys: Mapping[str, str]  # keys of components, by id
    positions: Mapping[str, int]  # positions of components on the page, by id

    def component_order(self, record: Fields) -> list[str]:
        """Return an incident's components if their order differs from the page's.

        Args:
            record: the incident or maintenance window.

        Returns:
            The keys in the order of the incident; empty if the page lists the components in the same order.
        """
        ids = [component.get_text("id") for component in record.get_objects("components")]
        places = [self.positions.get(component_id, 0) for component_id in ids]
        return [] if places == sorted(places) else [self.component_keys[component_id] for component_id in ids]


def convert_incident(page_order: PageOrder, record: Fields) -> Source:
    """Convert an incident of Statuspage's API to a content file.

    Args:
        page_order: the components of the page.
        record: the incident.

    Raises:
        NotImportableError: if the incident has no update, or a member is missing or invalid.
    """
    updates = list(_convert_updates(record, page_order.component_keys))
    if not updates:
        raise NotImportableError("has no update")
    mark_reopened(updates)
    impact = record.get_text("impact")
    return drop_empty_values(
        name=record.required_text("name"),
        **_underivable_timestamps(
            record,
            page_order.page,
            updates,
            started_at=min((str(update["at"]) for update in updates), default=""),
        ),
        impact_override=impact if impact != derive_impact(record) else None,
        reminder_intervals=record.get_text("reminder_intervals")
        or (None if "reminder_intervals" in record else "absent"),
        components={
            page_order.component_keys[component.get_text("id")]: None
            for component in record.get_objects("components")
        },
        component_order=page_order.component_order(record),
        updates=updates,
    )


def convert_maintenance(page_order: PageOrder, now: Instant, record: Fields) -> Source:
    """Convert a maintenance window of Statuspage's API to a content file.

    Args:
        page_order: the components of the page.
        now: the time of the import; automatic steps before this time are disabled.
        record: the maintenance window.

    Raises:
        NotImportableError: if a member is missing or invalid.
    """
    updates = list(_convert_updates(record, page_order.component_keys))
    impact = record.get_text("impact")
    created_at = record.get_timestamp("created_at") or ""
    return drop_empty_values(
        name=record.required_text("name"),
        components=[
            page_order.component_keys[component.get_text("id")]
            for component in record.get_objects("components")
        ],
        scheduled_for=record.required_timestamp("scheduled_for"),
        scheduled_until=record.required_timestamp("scheduled_until"),
        **_underivable_timestamps(record, page_order.page, updates, started_at=created_at),
        impact_override=impact if impact not in ("", "maintenance") else None,
        component_order=page_order.component_order(record),
        **_disabled_automation_keys(record, now),
        updates=updates,
    )


def derive_impact(record: Fields) -> Impact:
    """Derive the impact of an incident, such as `major`, from its components.

    The result is the worst impact at any time during the incident.
    """
    statuses: dict[str, Any] = {}
    worst: Impact = "none"
    for update in reversed(record.get_objects("incident_updates")):
        for affected in update.get_objects("affected_components"):
            if affected.get_text("new_status"):
                statuses[affected.get_text("code")] = affected.get_text("new_status")
        worst = worst_impact((worst, overall_status(statuses.values()).indicator))
    return worst


def _underivable_timestamps(record: Fields, page: Fields, updates: list[Source], started_at: str) -> Source:
    """Return the timestamps that builds would not derive from the updates."""
    edits = [str(update.get("updated_at") or _update_creation_text(update)) for update in updates]
    is_closed = bool(updates) and updates[-1]["status"] in CLOSED_STATUSES
    resolved_at = _first_time_with_status(reversed(updates), RESOLVING_STATUSES) if is_closed else ""
    stamps = {
        "created_at": (
            record.get_timestamp("created_at"),
            min(map(_update_creation_text, updates), key=parse_instant, default=""),
        ),
        "started_at": (record.get_timestamp("started_at"), started_at),
        "updated_at": (record.get_timestamp("updated_at"), max(edits, key=parse_instant, default="")),
        "monitoring_at": (
            record.get_timestamp("monitoring_at"),
            _first_time_with_status(updates, MONITORING_STATUSES),
        ),
        "resolved_at": (record.get_timestamp("resolved_at"), resolved_at),
        "shortlink": (
            record.get_text("shortlink"),
            f"{page.get_text('url').rstrip('/')}/incidents/{record.get('id')}",
        ),
    }
    return {
        name: stated_value
        for name, (stated_value, derived) in stamps.items()
        if stated_value and stated_value != derived
    }


def _update_creation_text(update: Source) -> str:
    return str(update.get("created_at") or update["at"])


def _first_time_with_status(updates: Iterable[Source], statuses: Container[YamlValue]) -> str:
    return next((str(update["at"]) for update in updates if update["status"] in statuses), "")


def _convert_updates(record: Fields, component_keys: Mapping[str, str]) -> Iterator[Source]:
    updates = record.get_objects("incident_updates")
    dated = [(update.required_timestamp("display_at", "created_at"), update) for update in reversed(updates)]
    for at, update in sorted(dated, key=lambda pair: parse_instant(pair[0])):
        created_at = update.get_timestamp("created_at")
        updated_at = update.get_timestamp("updated_at")
        source: Source = {
            "at": at,
            "status": update.required_text("status"),
            "body": update.get_text("body"),
        }
        source |= drop_empty_values(
            id=update.get_text("id"),
            created_at=created_at if created_at != at else None,
            updated_at=updated_at if updated_at != (created_at or at) else None,
            deliver_notifications=None if update.get("deliver_notifications", True) else False,
            custom_tweet=update.get_text("custom_tweet"),
            tweet_id=update.get_text("tweet_id"),
        )
        affected = update.get("affected_components")
        source["affected_components"] = (
            None
            if affected is None
            else [
                _convert_affected_component(part, component_keys)
                for part in update.get_objects("affected_components")
            ]
        )
        yield source


def mark_reopened(updates: Iterable[Source]) -> None:
    """Set `reopens` in each update that reopens a resolved incident.

    Args:
        updates: the updates of the incident, oldest first.
    """
    for earlier_update, later_update in pairwise(updates):
        if earlier_update["status"] in CLOSED_STATUSES and not can_follow(
            earlier_update["status"], later_update["status"]
        ):
            later_update["reopens"] = True


def _convert_affected_component(affected_component: Fields, component_keys: Mapping[str, str]) -> Source:
    code = affected_component.get_text("code")
    return drop_empty_values(
        code=component_keys.get(code, code),
        name=affected_component.get_text("name"),
        old_status=affected_component.get_text("old_status"),
        new_status=affected_component.get_text("new_status"),
    )


def _disabled_automation_keys(record: Fields, now: Instant) -> Source:
    """Return the keys that disable a window's automatic steps in the past."""
    updates = record.get_objects("incident_updates")
    reached = {update.get_text("status") for update in updates}
    started = bool(reached & {"in_progress", "verifying", "completed"})
    ended = "completed" in reached
    is_due = parse_instant(record.required_timestamp("scheduled_for")) < now
    overdue = parse_instant(record.required_timestamp("scheduled_until")) < now
    reminded = any(update.get_text("body") == REMINDER_BODY for update in updates)
    return drop_empty_values(
        scheduled_remind_prior=False if started or reminded or is_due else None,
        scheduled_auto_in_progress=False if started or is_due else None,
        scheduled_auto_completed=False if ended or overdue else None,
    )
