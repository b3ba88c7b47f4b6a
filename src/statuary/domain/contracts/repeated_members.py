"""The members of a record that repeat others in the compiler's form: stdJsonInput and stdJsonOutput."""

import orjson

from statuary.domain.contracts.jsonb_order import jsonb_key
from statuary.domain.json_values import Json

_ARTIFACTS = ("abi", "metadata", "userdoc", "devdoc", "storageLayout", "transientStorageLayout")
_CODE = ("sourceMap", "linkReferences", "immutableReferences")


def repeated_members(record: dict[str, Json]) -> dict[str, Json]:
    """Return stdJsonInput and stdJsonOutput as the server makes them, of the very objects that they repeat.

    stdJsonInput and its map of sources are in `jsonb` order; what is in them keeps its own.
    """
    compilation = record["compilation"]
    path, _, name = compilation["fullyQualifiedName"].rpartition(":")
    given = {
        "sources": _ordered(record["sources"]),
        "language": compilation["language"],
        "settings": compilation["compilerSettings"],
    }
    if extra := record.get("additionalInput"):
        given = _ordered(given | extra)
    contract = {member: record[member] for member in _ARTIFACTS if member in record}
    if contract["metadata"] is not None:
        contract["metadata"] = orjson.dumps(contract["metadata"]).decode()
    contract["evm"] = {
        "bytecode": _evm(record["creationBytecode"]),
        "deployedBytecode": _evm(record["runtimeBytecode"]),
    }
    return {
        "stdJsonInput": given,
        "stdJsonOutput": {"sources": record["sourceIds"], "contracts": {path: {name: contract}}},
    }


def _ordered(value: dict[str, Json]) -> dict[str, Json]:
    return {key: value[key] for key in sorted(value, key=jsonb_key)} if len(value) > 1 else value


def _evm(side: dict[str, Json]) -> dict[str, Json]:
    code = side["recompiledBytecode"]
    return {
        "object": (code or "")[2:] or None,
        **{member: side[member] for member in _CODE if member in side},
    }
