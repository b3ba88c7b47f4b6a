"""Compiling a record's own input again: what to ask the compiler, and what of its answer the record repeats."""

from statuary.domain.contracts.compiled_members import compiled_members
from statuary.domain.contracts.compiler_output import split_name
from statuary.domain.contracts.compiler_version import CompilerVersion, parse_compiler_version
from statuary.domain.contracts.record import RecordValue
from statuary.domain.findings import Pointer
from statuary.domain.json_values import Json

CODE_ARTIFACTS = (
    "evm.bytecode.object",
    "evm.bytecode.sourceMap",
    "evm.bytecode.linkReferences",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.sourceMap",
    "evm.deployedBytecode.linkReferences",
)
"""What solc answers for Yul too."""

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
"""Everything that a record is derived from; a solc that does not know one of them passes it over."""

VYPER_ARTIFACTS = ("evm.bytecode.object", "evm.deployedBytecode.object", "abi", "userdoc", "devdoc")
"""What every Vyper answers."""

OPTIONAL_VYPER_ARTIFACTS = {
    "layout": ("storageLayout",),
    "evm.bytecode.sourceMap": ("creationBytecode", "sourceMap"),
    "evm.deployedBytecode.sourceMap": ("runtimeBytecode", "sourceMap"),
}
"""What only some versions answer, and all others refuse to be asked: where a record has it if they did."""

VYPER_ARTIFACTS_SINCE = {
    "evm.deployedBytecode.sourceMap": CompilerVersion(0, 2, 0),
    "evm.bytecode.sourceMap": CompilerVersion(0, 4, 0),
    "layout": CompilerVersion(0, 4, 1),
}
"""The versions of Vyper from which on records have these (contract-api measurement 4)."""

LAYOUT_KEYS = ("type", "slot", "n_slots")
"""What Vyper's layouts say of a variable, in its order."""


def recompilation_input(record: RecordValue) -> dict[str, Json]:
    """Return the record's standard JSON input, asking for what the record holds of the compiler's output.

    Raises:
        Underivable: if its fully qualified name is none.
    """
    given = _with_overrides_in_order(record["stdJsonInput"])
    return with_output_selection(
        given, record["compilation"]["fullyQualifiedName"], _wanted(given["language"], record)
    )


def with_output_selection(
    std_json_input: Json, fully_qualified_name: str, artifacts: tuple[str, ...]
) -> dict[str, Json]:
    """Return a standard JSON input that asks for these artifacts of one contract, and nothing else.

    Raises:
        Underivable: if the fully qualified name is none.
    """
    path, name = split_name(fully_qualified_name)
    wanted: Json = list(artifacts) if std_json_input["language"] == "Vyper" else {name: list(artifacts)}
    settings = {**std_json_input["settings"], "outputSelection": {path: wanted}}
    return {**std_json_input, "settings": settings}


def artifacts_of_version(language: str, version: str) -> tuple[str, ...]:
    """Return what to ask a compiler for a record that does not exist yet.

    Of Vyper that is what the measured server keeps of each version.
    """
    if language == "Vyper":
        later = (
            name for name, first in VYPER_ARTIFACTS_SINCE.items() if parse_compiler_version(version) >= first
        )
        return (*VYPER_ARTIFACTS, *later)
    return CODE_ARTIFACTS if language == "Yul" else SOLIDITY_ARTIFACTS


def _with_overrides_in_order(std_json_input: Json) -> Json:
    """Return the input with storage layout overrides as Vyper itself writes a layout.

    Vyper 0.4.1's integrity hash is also one of the overrides' text, whose order of keys `jsonb` does not keep.
    """
    overrides = std_json_input.get("storage_layout_overrides")
    if not isinstance(overrides, dict):
        return std_json_input
    ordered = {path: _layout_in_order(layout) for path, layout in overrides.items()}
    return {**std_json_input, "storage_layout_overrides": ordered}


def _layout_in_order(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    known = {key: value[key] for key in LAYOUT_KEYS if key in value}
    return {**known, **{key: _layout_in_order(inner) for key, inner in value.items() if key not in known}}


def _wanted(language: str, record: RecordValue) -> tuple[str, ...]:
    if language == "Vyper":
        later = (
            name for name, pointer in OPTIONAL_VYPER_ARTIFACTS.items() if _at(record, pointer) is not None
        )
        return (*VYPER_ARTIFACTS, *later)
    return CODE_ARTIFACTS if language == "Yul" else SOLIDITY_ARTIFACTS


def recompiled_members(record: RecordValue, std_json_output: Json) -> dict[Pointer, Json]:
    """Return the compiler's answer in the record's own form, by where the record has each member.

    Raises:
        Malformed: if the answer lacks what every record has, or cannot be read.
    """
    compilation = record["compilation"]
    again = compiled_members(
        std_json_output,
        compilation["fullyQualifiedName"],
        language=compilation["language"],
        version=compilation["compilerVersion"],
    )
    return {
        **{("creationBytecode", member): value for member, value in again.creation.items()},
        **{("runtimeBytecode", member): value for member, value in again.runtime.items()},
        **{(member,): value for member, value in again.artifacts.items()},
        ("sourceIds",): again.source_ids,
    }


def _at(record: RecordValue, pointer: tuple[str, ...]) -> Json:
    value: Json = record
    for key in pointer:
        value = value.get(key)
    return value
