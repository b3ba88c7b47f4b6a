"""The outputs to request from a compiler."""

from statuary.domain.contracts.compiler_output import split_name
from statuary.domain.contracts.compiler_version import CompilerVersion, parse_compiler_version
from statuary.domain.contracts.record import RecordValue
from statuary.domain.json_values import Json

CODE_ARTIFACTS = (
    "evm.bytecode.object",
    "evm.bytecode.sourceMap",
    "evm.bytecode.linkReferences",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.sourceMap",
    "evm.deployedBytecode.linkReferences",
)
"""Outputs of solc for Yul too."""

SOLIDITY_ARTIFACTS = (
    *CODE_ARTIFACTS,
    "evm.deployedBytecode.immutableReferences",
    "evm.legacyAssembly",
    "abi",
    "metadata",
    "userdoc",
    "devdoc",
    "storageLayout",
    "transientStorageLayout",
)
"""Everything that a record is derived from; solc ignores the names that it does not know."""

VYPER_ARTIFACTS = ("evm.bytecode.object", "evm.deployedBytecode.object", "abi", "userdoc", "devdoc")
"""Outputs of every Vyper version."""

OPTIONAL_VYPER_ARTIFACTS = {
    "layout": ("storageLayout",),
    "evm.bytecode.sourceMap": ("creationBytecode", "sourceMap"),
    "evm.deployedBytecode.sourceMap": ("runtimeBytecode", "sourceMap"),
}
"""Outputs that only some versions of Vyper accept, with the place in the record."""

VYPER_ARTIFACTS_SINCE = {
    "evm.deployedBytecode.sourceMap": CompilerVersion(0, 2, 0),
    "evm.bytecode.sourceMap": CompilerVersion(0, 4, 0),
    "layout": CompilerVersion(0, 4, 1),
}
"""The first version of Vyper for which the server stores each (MEASUREMENTS.md, records)."""

LAYOUT_KEYS = ("type", "slot", "n_slots")
"""The keys of a variable in Vyper's layouts, in Vyper's order."""


def recompilation_input(record: RecordValue) -> dict[str, Json]:
    """Return the record's standard JSON input, requesting every output that the record has.

    Raises:
        DerivationError: if the fully qualified name is invalid.
    """
    std_json_input, compilation = record["stdJsonInput"], record["compilation"]
    language = std_json_input["language"]
    artifacts = artifacts_of_version(language, compilation["compilerVersion"])
    if language == "Vyper":
        in_record = (name for name, place in OPTIONAL_VYPER_ARTIFACTS.items() if _value_at(record, place))
        artifacts = tuple(dict.fromkeys((*artifacts, *in_record)))
    return with_output_selection(
        _with_ordered_overrides(std_json_input), compilation["fullyQualifiedName"], artifacts
    )


def with_output_selection(
    std_json_input: Json, fully_qualified_name: str, artifacts: tuple[str, ...]
) -> dict[str, Json]:
    """Return a standard JSON input that requests these artifacts of one contract only.

    Raises:
        DerivationError: if the fully qualified name is invalid.
    """
    path, name = split_name(fully_qualified_name)
    selection: Json = list(artifacts) if std_json_input["language"] == "Vyper" else {name: list(artifacts)}
    settings = {**std_json_input["settings"], "outputSelection": {path: selection}}
    return {**std_json_input, "settings": settings}


def artifacts_of_version(language: str, version: str) -> tuple[str, ...]:
    """Return the artifacts to request from a compiler; for Vyper, those that the server stores."""
    if language == "Vyper":
        parsed = parse_compiler_version(version)
        return (*VYPER_ARTIFACTS, *(name for name, since in VYPER_ARTIFACTS_SINCE.items() if parsed >= since))
    return CODE_ARTIFACTS if language == "Yul" else SOLIDITY_ARTIFACTS


def _with_ordered_overrides(std_json_input: Json) -> Json:
    """Return the input with storage layout overrides in the order in which Vyper writes a layout.

    Vyper 0.4.1's integrity hash depends on the text of the overrides, and `jsonb` does not keep their order.
    """
    overrides = std_json_input.get("storage_layout_overrides")
    if not isinstance(overrides, dict):
        return std_json_input
    ordered = {path: _ordered_layout(layout) for path, layout in overrides.items()}
    return {**std_json_input, "storage_layout_overrides": ordered}


def _ordered_layout(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    known = {key: value[key] for key in LAYOUT_KEYS if key in value}
    return {**known, **{key: _ordered_layout(inner) for key, inner in value.items() if key not in known}}


def _value_at(record: RecordValue, pointer: tuple[str, ...]) -> Json:
    value: Json = record
    for key in pointer:
        value = value.get(key)
    return value
