"""The last published version of an unreadable record."""

from collections.abc import Mapping
from typing import Any

import orjson

from statuary.base.primitives import Instant, InvalidValueError, parse_instant
from statuary.status.model.records import AffectedComponent, Automation, Incident, IncidentUpdate, Maintenance

Members = Mapping[str, Any]


def published_record(document: bytes, source: str) -> Incident | None:
    """Return the record of an incident's document of the API.

    Its updates keep the effects on components that the document states.

    Args:
        source: the file of the content that the record belongs to.

    Returns:
        The record, a `Maintenance` for one with a window; None if the document is malformed.
    """
    try:
        return _record(orjson.loads(document)["incident"], source)
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, InvalidValueError):
        return None


def _record(members: Members, source: str) -> Incident:
    values: dict[str, Any] = {
        "id": members["id"],
        "source": source,
        "name": members["name"],
        "updates": tuple(_update(update) for update in reversed(members["incident_updates"])),
        "components": tuple(component["id"] for component in members["components"]),
        "created_at": parse_instant(members["created_at"]),
        "started_at": parse_instant(members["started_at"]),
        "shortlink": members["shortlink"],
        "updated_at": parse_instant(members["updated_at"]),
        "monitoring_at": _instant_or_none(members["monitoring_at"]),
        "resolved_at": _instant_or_none(members["resolved_at"]),
        "impact_override": members["impact"],
    }
    if "scheduled_for" not in members:
        return Incident(**values, reminder_intervals=members.get("reminder_intervals", "absent"))
    return Maintenance(
        **values,
        scheduled_for=parse_instant(members["scheduled_for"]),
        scheduled_until=parse_instant(members["scheduled_until"]),
        automation=Automation(scheduled_remind_prior=False),
    )


def _update(members: Members) -> IncidentUpdate:
    affected = members["affected_components"]
    return IncidentUpdate(
        id=members["id"],
        status=members["status"],
        body=members["body"],
        display_at=parse_instant(members["display_at"]),
        created_at=parse_instant(members["created_at"]),
        updated_at=parse_instant(members["updated_at"]),
        recorded=True,
        affected_components=None if affected is None else tuple(map(_affected, affected)),
        deliver_notifications=members["deliver_notifications"],
        custom_tweet=members["custom_tweet"],
        tweet_id=members["tweet_id"],
    )


def _affected(members: Members) -> AffectedComponent:
    return AffectedComponent(
        members.get("code"), members["name"], members.get("old_status"), members.get("new_status")
    )


def _instant_or_none(text: str | None) -> Instant | None:
    return None if text is None else parse_instant(text)
