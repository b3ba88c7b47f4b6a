"""The members of a record that the compiler determines, as Sourcify stores them.

The server stores the compiler's JSON as `jsonb`, except metadata. MEASUREMENTS.md, records, lists the members
of each language.
"""

from typing import NamedTuple

import orjson

from statuary.domain.contracts.bytecode.auxdata_positions import (
    AuxdataByNumber,
    AuxdataPositions,
    auxdata_positions,
)
from statuary.domain.contracts.compiler_output import (
    CompiledCode,
    CompiledContract,
    compiled_contract,
    language_of,
    split_name,
)
from statuary.domain.contracts.compiler_version import CompilerVersion, parse_compiler_version
from statuary.domain.contracts.jsonb_order import in_jsonb_order
from statuary.domain.contracts.workspace import STD_JSON_OUTPUT, DerivationError, Workspace
from statuary.domain.json_values import Json, is_whole_number

SOLIDITY = "Solidity"

FIRST_WITH_SOURCE_IDS = CompilerVersion(0, 3, 6)


class CompiledMembers(NamedTuple):
    """The compiler's part of a record."""

    language: str
    version: str
    contract: CompiledContract  # the contract in the compiler's output
    auxdata: AuxdataPositions
    creation: dict[str, Json]  # its members of `creationBytecode`, in served order
    runtime: dict[str, Json]  # its members of `runtimeBytecode`
    # `abi`, `metadata`, `storageLayout`, `transientStorageLayout`, `userdoc`, `devdoc`
    artifacts: dict[str, Json]
    source_ids: dict[str, Json] | None


def compiled_members(
    std_json_output: Json, fully_qualified_name: str, *, language: str, version: str
) -> CompiledMembers:
    """Return the compiler's part of a record.

    Raises:
        InvalidValueError: if the output is incomplete or cannot be parsed.
    """
    contract = compiled_contract(std_json_output, *split_name(fully_qualified_name))
    auxdata = auxdata_positions(
        contract.creation.code,
        contract.runtime.code,
        language=language,
        version=version,
        assembly=contract.artifact.get("evm", {}).get("legacyAssembly"),
    )
    immutables = contract.runtime.artifact.get("immutableReferences")
    return CompiledMembers(
        language=language,
        version=version,
        contract=contract,
        auxdata=auxdata,
        creation=_side(contract.creation, auxdata.creation, language),
        runtime={
            **_side(contract.runtime, auxdata.runtime, language),
            # the server stores null for every language but Solidity
            "immutableReferences": in_jsonb_order(immutables or {}) if language == SOLIDITY else None,
        },
        artifacts=_artifacts(contract.artifact, language),
        source_ids=_source_ids(std_json_output, language, version),
    )


def workspace_members(workspace: Workspace) -> CompiledMembers:
    """Return the compiler's part of the record of a workspace.

    Raises:
        InvalidValueError: as `compiled_members`.
    """
    return compiled_members(
        workspace.std_json_output,
        workspace.fully_qualified_name,
        language=language_of(workspace.std_json_input),
        version=workspace.compiler_version.removeprefix("v"),
    )


def _side(compiled: CompiledCode, auxdata: AuxdataByNumber, language: str) -> dict[str, Json]:
    links = compiled.artifact.get("linkReferences")
    return {
        "recompiledBytecode": "0x" + compiled.code.hex(),
        "sourceMap": in_jsonb_order(compiled.artifact.get("sourceMap")),
        "linkReferences": in_jsonb_order(links or {}) if language in (SOLIDITY, "Yul") else None,
        "cborAuxdata": {
            number: {"value": "0x" + piece.value.hex(), "offset": piece.offset}
            for number, piece in auxdata.items()
        },
    }


def _artifacts(artifact: dict[str, Json], language: str) -> dict[str, Json]:
    """Return the artifacts in served order."""
    layout = artifact.get("layout")  # Vyper's name for storageLayout
    vyper_layout = layout.get("storage_layout") if isinstance(layout, dict) else None
    return {
        "abi": in_jsonb_order(artifact.get("abi")) if language != "Yul" else None,
        "metadata": _metadata(artifact) if language == SOLIDITY else None,
        **{
            member: in_jsonb_order(value)
            for member, value in {
                "storageLayout": artifact.get("storageLayout") or vyper_layout,
                "transientStorageLayout": artifact.get("transientStorageLayout"),
                "userdoc": artifact.get("userdoc"),
                "devdoc": artifact.get("devdoc"),
            }.items()
        },
    }


def _metadata(artifact: dict[str, Json]) -> Json:
    text = artifact.get("metadata")
    if not text:
        return None
    if not isinstance(text, str):
        raise DerivationError("the compiler's metadata is not text", pointer=(STD_JSON_OUTPUT, "metadata"))
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise DerivationError(
            f"the compiler's metadata is not JSON: {error}", pointer=(STD_JSON_OUTPUT,)
        ) from None


def _source_ids(std_json_output: Json, language: str, version: str) -> dict[str, Json] | None:
    """Return the source ids; solc has none before 0.3.6, and the server stores none for Yul and Fe."""
    old = language == SOLIDITY and parse_compiler_version(version) < FIRST_WITH_SOURCE_IDS
    sources = std_json_output.get("sources")
    if old or language not in (SOLIDITY, "Vyper") or not isinstance(sources, dict):
        return None
    ids = {path: source.get("id") for path, source in sources.items() if isinstance(source, dict)}
    return dict(in_jsonb_order({path: {"id": _number(number)} for path, number in ids.items()}))


def _number(number: Json) -> int:
    if is_whole_number(number):
        return int(number)
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 10:
        return int(number)  # old compilers wrote numbers as text
    raise DerivationError(
        f"the id {number!r} of a source is not a number", pointer=(STD_JSON_OUTPUT, "sources")
    )
