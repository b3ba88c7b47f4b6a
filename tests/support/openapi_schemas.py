"""The JSON Schemas of everything that is served, generated from the types.

python tests/support/openapi_schemas.py        writes src/statuary/engine/openapi/schemas.json again
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from statuary.contracts.api.operations import LOOKUP
from statuary.contracts.model.field_names import BASE, IDENTITY
from statuary.contracts.model.record import GROUPS
from statuary.engine.openapi.document import REF, SCHEMAS_FILE, JsonObject
from statuary.status.api.operations import FEEDS, STATUS_API

OPERATIONS = (*LOOKUP.operations, *STATUS_API.operations, *FEEDS.operations)
"""The operations of the status and of the contracts."""

SCHEMAS = Path(__file__).parents[2] / "src/statuary/engine/openapi" / SCHEMAS_FILE


def generated_schemas() -> str:
    """Return the text of the file."""
    shapes = [operation.shape for operation in OPERATIONS if operation.shape is not None]
    missing = [operation.not_found_shape for operation in OPERATIONS if operation.not_found_shape is not None]
    rejected = [operation.rejected_shape for operation in OPERATIONS if operation.rejected_shape is not None]
    return json.dumps(schemas_of([*shapes, *missing, *rejected]), indent=1) + "\n"


def schemas_of(shapes: Iterable[Any]) -> JsonObject:
    """Return the schemas of shapes and their parts by name.

    A record requires only the seven members of every response: `fields` and `omit` may remove the rest.
    """
    adapters: list[Any] = [(str(n), "validation", TypeAdapter(shape)) for n, shape in enumerate(shapes)]
    _, schemas = TypeAdapter.json_schemas(adapters, ref_template=REF)
    found = schemas["$defs"]
    components = {name: _without_titles(found[name]) for name in sorted(found)}
    components["Record"]["required"] = [*BASE, *IDENTITY]
    for group in GROUPS:
        components[f"{group[0].upper()}{group[1:]}"].pop("required", None)
    return components


def _without_titles(schema: JsonObject) -> JsonObject:
    """Return an object's schema without titles, which only repeat the names of its members."""
    properties = {
        name: {key: value for key, value in member.items() if key != "title"}
        for name, member in schema.get("properties", {}).items()
    }
    return {key: value for key, value in schema.items() if key != "title"} | {"properties": properties}


if __name__ == "__main__":
    SCHEMAS.write_text(generated_schemas(), encoding="utf-8", newline="\n")
