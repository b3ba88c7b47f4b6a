"""JSON Schemas of the shapes, under the names that the document refers to them by.

They are made from the types once and shipped as `schemas.json`, since pydantic words schemas differently from
version to version, and a site is to be the same bytes on every machine. A test holds the file to the types.
"""

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, get_args, get_origin

from statuary.documents.openapi.parameters import JsonObject
from statuary.domain.contracts.record import GROUPS
from statuary.domain.contracts.selection.field_names import BASE, IDENTITY

REF = "#/components/schemas/{model}"
FILE = "schemas.json"


@cache
def shipped_schemas() -> JsonObject:
    """Return every schema, by its name."""
    text = files("statuary.documents.openapi").joinpath(FILE).read_text("utf-8")
    schemas: JsonObject = json.loads(text)
    return schemas


def schema_of(shape: Any) -> JsonObject:
    """Return the schema of a shape: a reference, or a list of one."""
    if get_origin(shape) is list:
        return {"type": "array", "items": schema_of(get_args(shape)[0])}
    return {"$ref": REF.format(model=shape.__name__)}


def schemas_of(shapes: Iterable[Any]) -> JsonObject:
    """Make the schemas of some shapes and of what they are made of, by name.

    Of a record nothing is required but the seven members of every answer: `fields` and `omit` may take the rest.
    """
    from pydantic import TypeAdapter  # noqa: PLC0415 - the file is shipped; only who writes it needs this

    adapters: list[Any] = [(str(n), "validation", TypeAdapter(shape)) for n, shape in enumerate(shapes)]
    _, told = TypeAdapter.json_schemas(adapters, ref_template=REF)
    found = told["$defs"]
    components = {name: _without_titles(found[name]) for name in sorted(found)}
    components["Record"]["required"] = [*BASE, *IDENTITY]
    for group in GROUPS:
        components[f"{group[0].upper()}{group[1:]}"].pop("required", None)
    return components


def _without_titles(schema: JsonObject) -> JsonObject:
    """Return an object's schema without the titles that repeat the names of its members."""
    properties = {
        name: {key: value for key, value in member.items() if key != "title"}
        for name, member in schema.get("properties", {}).items()
    }
    return {key: value for key, value in schema.items() if key != "title"} | {"properties": properties}
