"""The status side from texts as an author writes them or from mappings, without a disk, and its documents and feeds."""

from collections.abc import Mapping
from datetime import UTC, datetime
from textwrap import dedent
from typing import Any

import yaml

from statuary.base.primitives import Instant, parse_instant, to_instant
from statuary.site.document import Document
from statuary.source.parse_yaml import parse_yaml
from statuary.status.api.documents import StatusDocuments
from statuary.status.api.epochs import EpochLimits, EpochPlan, plan_epochs
from statuary.status.feeds.feed_documents import FeedDocuments
from statuary.status.model.records import Incident, Maintenance, Page, StatusCatalogue, StatusSettings
from statuary.status.model.schedule import build_timeline_to_horizon, document_transitions
from statuary.status.model.timeline import build_timeline
from statuary.status.sources.component_source import ComponentsSource, components_from_source
from statuary.status.sources.incident_source import IncidentSource, incident_from_source
from statuary.status.sources.maintenance_source import MaintenanceSource, maintenance_from_source
from statuary.status.sources.site_settings import PageSource, page_from_source
from support import sites

Written = str | Mapping[str, Any]
"""A source, as its text or as what that says."""

DEFAULT_SETTINGS = StatusSettings()

PAGE = """
    name: Demo
    url: https://status.example.org
    created_at: 2020-01-01T00:00:00Z
"""

COMPONENTS = """
    components:
      rpc: {name: RPC}
      explorer: {name: Explorer}
      bridges:
        name: Bridges
        components:
          north: {name: North}
          south: {name: South}
"""
"""Two components, and a group of two more."""


def _read(source: Written) -> Any:
    """Return what a source says, scalars as text."""
    return parse_yaml(
        dedent(source) if isinstance(source, str) else yaml.safe_dump(dict(source), sort_keys=False)
    )


def page_of(text: Written = PAGE) -> Page:
    """Return the page that a text describes."""
    return page_from_source(PageSource.model_validate(_read(text)))


def incident_of(text: Written, name: str = "trouble") -> Incident:
    """Return the incident that a text describes."""
    source = IncidentSource.model_validate(_read(text))
    return incident_from_source(source, name, f"incidents/{name}.yaml")


def maintenance_of(text: Written, name: str = "upgrade", page: Page | None = None) -> Maintenance:
    """Return the maintenance that a text describes."""
    source = MaintenanceSource.model_validate(_read(text))
    return maintenance_from_source(source, name, f"maintenances/{name}.yaml", page or page_of())


def catalogue_of(
    components: Written = COMPONENTS,
    incidents: Mapping[str, Written] | None = None,
    maintenances: Mapping[str, Written] | None = None,
    page: Written = PAGE,
) -> StatusCatalogue:
    """Return the catalogue that sources describe, records by the names of their files."""
    described = page_of(page)
    source = ComponentsSource.model_validate(_read(components))
    return StatusCatalogue(
        page=described,
        components=components_from_source(source, described),
        incidents=tuple(incident_of(text, name) for name, text in (incidents or {}).items()),
        maintenances=tuple(
            maintenance_of(text, name, described) for name, text in (maintenances or {}).items()
        ),
    )


def at(text: str) -> Instant:
    """Return an instant in UTC, of a text such as `2026-11-02T10:30`, or of `11-02 10:30` in 2026."""
    if "T" in text:
        return parse_instant(f"{text.removesuffix('Z')}Z")
    return to_instant(datetime.strptime(f"2026-{text}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC))


def catalogue(
    incidents: Mapping[str, Written] | None = None,
    maintenances: Mapping[str, Written] | None = None,
    *,
    page: Mapping[str, Any] | None = None,
    components: Mapping[str, Any] | None = None,
) -> StatusCatalogue:
    """Return the catalogue of the small site's page and components with these incidents and maintenances."""
    settings = yaml.safe_load(sites.SITE)["page"] | {
        "time_zone": "Europe/Zurich",
        "created_at": "2026-01-01T00:00:00Z",
    }
    shown = sites.COMPONENTS if components is None else {"components": components}
    return catalogue_of(shown, incidents, maintenances, settings | dict(page or {}))


def incident(**changed: Any) -> dict[str, Any]:
    """Return an incident of 2 November 2026, 10:00 to 12:00 UTC."""
    return {
        "name": "Slow answers",
        "components": {"rpc": "partial_outage"},
        "updates": [
            {"at": "2026-11-02T10:00:00Z", "status": "investigating", "body": "We are looking into it."},
            {"at": "2026-11-02T10:30:00Z", "status": "investigating", "body": "Still looking."},
            {"at": "2026-11-02T12:00:00Z", "status": "resolved", "body": "It is over."},
        ],
    } | changed


def maintenance(**changed: Any) -> dict[str, Any]:
    """Return a maintenance of 1 December 2026, 22:00 to 23:00 UTC, announced a month before."""
    times = {"scheduled_for": "2026-12-01T22:00:00Z", "scheduled_until": "2026-12-01T23:00:00Z"}
    return yaml.load(sites.MAINTENANCE, yaml.BaseLoader) | times | changed


def status_documents(
    catalogue: StatusCatalogue, at: Instant, settings: StatusSettings = DEFAULT_SETTINGS
) -> list[Document]:
    """Return every status document at an instant."""
    return StatusDocuments(build_timeline(catalogue, at), settings).documents_at(at)


def feed_documents(catalogue: StatusCatalogue, at: Instant) -> list[Document]:
    """Return every feed, the calendar and every badge at an instant."""
    return FeedDocuments(build_timeline(catalogue, at)).documents_at(at)


def build_status_documents(
    catalogue: StatusCatalogue, at: Instant, settings: StatusSettings
) -> StatusDocuments:
    """Return the status documents of a catalogue for a build at an instant."""
    return StatusDocuments(build_timeline_to_horizon(catalogue, at, settings), settings)


def epochs_of(documents: StatusDocuments, at: Instant) -> EpochPlan:
    """Return the epochs of the status documents alone."""
    limits = EpochLimits(documents.timeline.until, documents.settings.max_epochs)
    return plan_epochs(
        documents.documents_from(at),
        document_transitions(documents.timeline, documents.settings, at),
        at,
        limits,
    )
