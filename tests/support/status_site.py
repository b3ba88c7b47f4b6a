"""A status side from texts as an author writes them, without a disk."""

from collections.abc import Mapping
from datetime import UTC, datetime
from textwrap import dedent

from statuary.content.parse_yaml import parse_yaml
from statuary.content.sources.component_source import ComponentsSource, translate_components
from statuary.content.sources.incident_source import IncidentSource, translate_incident
from statuary.content.sources.maintenance_source import MaintenanceSource, translate_maintenance
from statuary.content.sources.page_source import PageSource, translate_page
from statuary.domain.primitives import Instant, instant
from statuary.domain.status.incidents import Incident
from statuary.domain.status.maintenances import Maintenance
from statuary.domain.status.page import Page
from statuary.domain.status.status_catalogue import StatusCatalogue

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


def page_of(text: str = PAGE) -> Page:
    """Return the page that a text describes."""
    return translate_page(PageSource.model_validate(parse_yaml(dedent(text))))


def incident_of(text: str, name: str = "trouble") -> Incident:
    """Return the incident that a text describes."""
    source = IncidentSource.model_validate(parse_yaml(dedent(text)))
    return translate_incident(source, name, f"incidents/{name}.yaml")


def maintenance_of(text: str, name: str = "upgrade", page: Page | None = None) -> Maintenance:
    """Return the maintenance that a text describes."""
    source = MaintenanceSource.model_validate(parse_yaml(dedent(text)))
    return translate_maintenance(source, name, f"maintenances/{name}.yaml", page or page_of())


def catalogue_of(
    components: str = COMPONENTS,
    incidents: Mapping[str, str] | None = None,
    maintenances: Mapping[str, str] | None = None,
    page: str = PAGE,
) -> StatusCatalogue:
    """Return the catalogue that texts describe, records by the names of their files."""
    described = page_of(page)
    source = ComponentsSource.model_validate(parse_yaml(dedent(components)))
    return StatusCatalogue(
        page=described,
        components=translate_components(source, described),
        incidents=tuple(incident_of(text, name) for name, text in (incidents or {}).items()),
        maintenances=tuple(
            maintenance_of(text, name, described) for name, text in (maintenances or {}).items()
        ),
    )


def at(text: str) -> Instant:
    """Return an instant from a short text, such as `11-02 10:30`, in 2026 and UTC."""
    return instant(datetime.strptime(f"2026-{text}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC))
