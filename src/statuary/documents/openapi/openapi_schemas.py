"""The JSON Schemas of all shapes, under their names in the OpenAPI document.

They are generated from the types and shipped as `schemas.json`, since pydantic's schemas differ from version to version
and a site is the same bytes on every machine. A test holds the file to the types.
"""

import json
from functools import cache
from importlib.resources import files
from typing import get_args, get_origin

from statuary.documents.openapi.parameters import JsonObject

REF = "#/components/schemas/{model}"
FILE = "schemas.json"


@cache
def shipped_schemas() -> JsonObject:
    """Return every schema by name."""
    text = files("statuary.documents.openapi").joinpath(FILE).read_text("utf-8")
    schemas: JsonObject = json.loads(text)
    return schemas


def schema_of(shape: type) -> JsonObject:
    """Return the schema of a shape: a reference, or a list of references."""
    if get_origin(shape) is list:
        return {"type": "array", "items": schema_of(get_args(shape)[0])}
    return {"$ref": REF.format(model=shape.__name__)}
