"""JSON Schemas of the source files, which editors complete and check from while one types."""

from pydantic import TypeAdapter

from statuary.content.layout import PLACES, Kind
from statuary.content.source_model import SourceModel
from statuary.content.sources.components import ComponentsSource
from statuary.content.sources.incidents import IncidentSource
from statuary.content.sources.maintenances import MaintenanceSource
from statuary.content.sources.site import SiteSource
from statuary.content.sources.workspace import WorkspaceSource
from statuary.domain.contracts.record import Record
from statuary.domain.json_values import Json

MODELS: dict[str, tuple[Kind, type[SourceModel] | None]] = {
    "site": (Kind.SITE, SiteSource),
    "components": (Kind.COMPONENTS, ComponentsSource),
    "incident": (Kind.INCIDENT, IncidentSource),
    "maintenance": (Kind.MAINTENANCE, MaintenanceSource),
    "contract": (Kind.WORKSPACE, WorkspaceSource),
    "record": (Kind.RECORD, None),
}
"""Schema by name; a record is its own wire format and has no source model."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(name: str) -> Json:
    """Return the JSON Schema (2020-12) of a kind of source file; `name` is one of `MODELS`."""
    kind, model = MODELS[name]
    schema = (TypeAdapter(Record) if model is None else TypeAdapter(model)).json_schema()
    place = next(place for place in PLACES if place.kind is kind)
    return {
        "$schema": DIALECT,
        "title": place.pattern,
        **{key: schema[key] for key in schema if key != "title"},
    }
