"""The JSON Schemas of everything that is served, made from the types.

python tests/openapi_schemas.py        writes src/statuary/documents/openapi/schemas.json again
"""

import json
from pathlib import Path

from statuary.documents.contract_api.contract_shapes import RejectedRequest
from statuary.documents.openapi.openapi_schemas import FILE, schemas_of
from statuary.documents.openapi.operations import OPERATIONS

SCHEMAS = Path(__file__).parents[2] / "src" / "statuary" / "documents" / "openapi" / FILE


def made_schemas() -> str:
    """Return the text of the file."""
    shapes = [operation.shape for operation in OPERATIONS if operation.shape is not None]
    missing = [operation.missing for operation in OPERATIONS if operation.missing is not None]
    return json.dumps(schemas_of([*shapes, *missing, RejectedRequest]), indent=1) + "\n"


if __name__ == "__main__":
    SCHEMAS.write_text(made_schemas(), encoding="utf-8", newline="\n")
