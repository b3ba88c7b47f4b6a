"""The status of a site as values, with Statuspage's names; `value` is the whole JSON object."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Self

from statuary.domain.primitives import parse_instant

JsonObject = Mapping[str, Any]


class PageStatus(NamedTuple):
    """The page's status.

    Attributes:
        indicator: none, minor, major, critical, or maintenance.
        description: the same in words.
    """

    indicator: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteComponent:
    """A component, or a group of them.

    Attributes:
        status: operational, degraded_performance, partial_outage, major_outage or under_maintenance.
        group_id: None outside groups.
    """

    id: str
    name: str
    status: str
    group_id: str | None
    is_group: bool
    value: JsonObject = field(repr=False)

    @classmethod
    def of(cls, value: JsonObject) -> Self:
        """Return the component of a JSON object."""
        return cls(
            id=value["id"],
            name=value["name"],
            status=value["status"],
            group_id=value["group_id"],
            is_group=value["group"],
            value=value,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteIncidentUpdate:
    """An update of an incident or maintenance.

    Attributes:
        status: the incident's status from then on.
        display_at: the published time.
    """

    id: str
    status: str
    body: str
    display_at: datetime
    value: JsonObject = field(repr=False)

    @classmethod
    def of(cls, value: JsonObject) -> Self:
        """Return the update of a JSON object."""
        return cls(
            id=value["id"],
            status=value["status"],
            body=value["body"],
            display_at=parse_instant(value["display_at"]),
            value=value,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteIncident:
    """An incident, or a scheduled maintenance.

    Attributes:
        status: investigating … resolved; scheduled … completed for a maintenance.
        impact: none, minor, major, critical, or maintenance.
        resolved_at: None while it is open.
        scheduled_for: when a maintenance begins; None for an incident.
        updates: latest first.
    """

    id: str
    name: str
    status: str
    impact: str
    created_at: datetime
    updated_at: datetime
    resolved_at: datetime | None
    scheduled_for: datetime | None
    scheduled_until: datetime | None
    updates: tuple[SiteIncidentUpdate, ...]
    components: tuple[SiteComponent, ...]
    value: JsonObject = field(repr=False)

    @classmethod
    def of(cls, value: JsonObject) -> Self:
        """Return the incident of a JSON object."""
        return cls(
            id=value["id"],
            name=value["name"],
            status=value["status"],
            impact=value["impact"],
            created_at=parse_instant(value["created_at"]),
            updated_at=parse_instant(value["updated_at"]),
            resolved_at=_time(value.get("resolved_at")),
            scheduled_for=_time(value.get("scheduled_for")),
            scheduled_until=_time(value.get("scheduled_until")),
            updates=tuple(map(SiteIncidentUpdate.of, value["incident_updates"])),
            components=tuple(map(SiteComponent.of, value.get("components", ()))),
            value=value,
        )


def _time(text: str | None) -> datetime | None:
    return None if text is None else parse_instant(text)
