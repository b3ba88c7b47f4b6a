"""The parameters of paths and queries."""

from collections.abc import Sequence
from typing import Any

from statuary.domain.contracts.selection.field_names import DOTTED, SELECTABLE
from statuary.domain.site_settings import Chain

JsonObject = dict[str, Any]
"""A JSON object of the document."""

GENESIS_CHAIN = "0"
"""The chain that is valid although no list names it, as on the real server."""


def path_parameters(names: Sequence[str], chains: Sequence[Chain]) -> list[JsonObject]:
    """Return the parameters of a path, given their names in the URL table."""
    schemas = PATH_SCHEMAS | {"chain_id": _chain_schema(chains)}
    return [
        {"name": SPECIFIED_NAMES.get(name, name), "in": "path", "required": True, "schema": schemas[name]}
        for name in names
    ]


SPECIFIED_NAMES = {"chain_id": "chainId"}
"""Names that the specification writes differently."""

NAME = {"type": "string", "pattern": "^[^/]+$"}

PATH_SCHEMAS: dict[str, JsonObject] = {
    "address": {
        "type": "string",
        "pattern": "^0x[0-9a-fA-F]{40}$",
        "description": "In lower case, in upper case, or with its EIP-55 checksum.",
    },
    "page": {"type": "integer", "minimum": 1},
    "year": {"type": "integer", "minimum": 1970},
    "incident_id": NAME,
    "component_id": NAME,
}


def _chain_schema(chains: Sequence[Chain]) -> JsonObject:
    return {"type": "string", "enum": [*(chain.chain_id for chain in chains), GENESIS_CHAIN]}


def _names(names: Sequence[str], *, alone: str = "") -> str:
    """Return the pattern of a comma-separated list of names."""
    any_name = "|".join(name.replace(".", r"\.") for name in names)
    pattern = f"({any_name})(,({any_name}))*"
    return f"^({alone}|{pattern})$" if alone else f"^{pattern}$"


FIELDS_PARAMETER: JsonObject = {
    "name": "fields",
    "in": "query",
    "description": "The members to return besides the seven of every response, separated by commas; `all` for every "
    "member. A dot selects within a group. Cannot be combined with `omit`.",
    "schema": {"type": "string", "pattern": _names((*SELECTABLE, *DOTTED), alone="all")},
    "example": "abi,compilation.compilerVersion",
}
OMIT_PARAMETER: JsonObject = {
    "name": "omit",
    "in": "query",
    "description": "The members to leave out, separated by commas. Cannot be combined with `fields`.",
    "schema": {"type": "string", "pattern": _names((*SELECTABLE, *DOTTED))},
    "example": "stdJsonInput,stdJsonOutput",
}
LIST_PARAMETERS: tuple[JsonObject, ...] = (
    {
        "name": "sort",
        "in": "query",
        "description": "By match id: `desc` is newest first.",
        "schema": {"type": "string", "enum": ["asc", "desc"], "default": "desc"},
    },
    {
        "name": "limit",
        "in": "query",
        "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 200},
    },
    {
        "name": "afterMatchId",
        "in": "query",
        "description": "The match id after which the list starts, in the direction of `sort`.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
    },
)
