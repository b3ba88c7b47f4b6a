"""Deriving a whole record from a workspace, byte for byte as Sourcify would serve it.

Members stand in the order of `fields=all` (contract-api measurement 4); what the server keeps as `jsonb` has its
keys in `jsonb`'s order, metadata keeps the compiler's. Where the server's own order cannot be known (the map
of sources comes from a database join), `jsonb`'s is used as well.
"""

from datetime import UTC
from uuid import NAMESPACE_URL, uuid5

import orjson

from statuary.domain.contracts.abi.abi_signatures import signatures_of
from statuary.domain.contracts.bytecode.auxdata import AuxdataStyle, auxdata_style, parse_auxdata
from statuary.domain.contracts.bytecode.auxdata_positions import AuxdataByNumber
from statuary.domain.contracts.bytecode.code_references import parse_immutable_references
from statuary.domain.contracts.bytecode.matching import (
    RecompiledSide,
    SideMatch,
    constructor_inputs,
    match_creation,
    match_runtime,
)
from statuary.domain.contracts.bytecode.proxy_detection import proxy_resolution_from_bytecode
from statuary.domain.contracts.compiled_members import SOLIDITY, CompiledMembers, compiled_members
from statuary.domain.contracts.compiler_output import language_of, split_name
from statuary.domain.contracts.jsonb_order import in_jsonb_order
from statuary.domain.contracts.match_level import overall_level
from statuary.domain.contracts.workspace import (
    STD_JSON_INPUT,
    DerivationError,
    Workspace,
    WorkspaceDeployment,
)
from statuary.domain.json_values import Json
from statuary.domain.primitives import Hex, Instant, InvalidValueError


def derive_record(workspace: Workspace) -> dict[str, Json]:
    """Return the record of a contract, every member in its served place.

    Raises:
        Underivable: if the compiler's output lacks what is needed, or neither side of the bytecode matches.
    """
    try:
        return _record(workspace)
    except DerivationError:
        raise
    except InvalidValueError as error:
        raise DerivationError(str(error), error.hint) from None


def _record(workspace: Workspace) -> dict[str, Json]:
    path, name = split_name(workspace.fully_qualified_name)
    language = language_of(workspace.std_json_input)
    version = workspace.compiler_version.removeprefix("v")
    compiled = compiled_members(
        workspace.std_json_output, workspace.fully_qualified_name, language=language, version=version
    )
    creation, runtime = _matches(workspace, compiled, language=language, version=version)
    sources, settings = _sources(workspace.std_json_input), _settings(workspace.std_json_input)
    artifacts = compiled.artifacts
    sides = (
        {"onchainBytecode": workspace.onchain_creation, **compiled.creation, **_steps(creation)},
        {"onchainBytecode": workspace.onchain_runtime, **compiled.runtime, **_steps(runtime)},
    )
    levels = creation.level.value if creation else None, runtime.level.value if runtime else None
    return {
        "matchId": workspace.match_id,
        "creationMatch": levels[0],
        "runtimeMatch": levels[1],
        "verifiedAt": verified_at_text(workspace.verified_at),
        "creationBytecode": sides[0],
        "runtimeBytecode": sides[1],
        "deployment": _deployment(workspace.deployment),
        "sources": sources,
        "compilation": {
            "language": language,
            "compiler": workspace.compiler,
            "compilerVersion": version,
            "compilerSettings": settings,
            "name": name,
            "fullyQualifiedName": workspace.fully_qualified_name,
        },
        **artifacts,
        "sourceIds": compiled.source_ids,
        "additionalInput": _additional_input(workspace.std_json_input),
        "stdJsonInput": _std_json_input(workspace.std_json_input, language, sources, settings),
        "stdJsonOutput": {
            "sources": compiled.source_ids,
            "contracts": {path: {name: _output_contract(artifacts, sides)}},
        },
        "signatures": signatures_of(artifacts["abi"]),
        "proxyResolution": _proxy_resolution(workspace),
        "match": overall_level(*levels),
        "chainId": workspace.chain_id,
        "address": workspace.address,
    }


def verified_at_text(moment: Instant) -> str:
    """Spell an instant as `verifiedAt` does: UTC, whole seconds, `Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _matches(
    workspace: Workspace, compiled: CompiledMembers, *, language: str, version: str
) -> tuple[SideMatch | None, SideMatch | None]:
    contract, auxdata = compiled.contract, compiled.auxdata
    creation = RecompiledSide(
        code=contract.creation.code,
        libraries=contract.creation.libraries,
        auxdata=auxdata.creation,
        language=language,
        version=version,
    )
    runtime = RecompiledSide(
        code=contract.runtime.code,
        libraries=contract.runtime.libraries,
        immutables=parse_immutable_references(contract.runtime.artifact.get("immutableReferences"))
        if language == SOLIDITY
        else (),
        appended_immutables=appended_immutables_size(auxdata.creation, language, version),
        auxdata=auxdata.runtime,
        language=language,
        version=version,
    )
    inputs = constructor_inputs(contract.artifact.get("abi"))
    matches = (
        match_creation(creation, _code(workspace.onchain_creation), inputs)
        if workspace.onchain_creation
        else None,
        match_runtime(runtime, _code(workspace.onchain_runtime)) if workspace.onchain_runtime else None,
    )
    if matches == (None, None):
        raise DerivationError(
            "neither the creation nor the runtime bytecode on the chain follows from the compiler's output",
            "check the compiler version, the settings and the sources, and that the address is this contract's",
        )
    return matches


def appended_immutables_size(creation: AuxdataByNumber, language: str, version: str) -> int:
    """Return how many bytes of immutables Vyper's creation code (0.3.10 on) says it appends to runtime code."""
    style = auxdata_style(language, version)
    if style is not AuxdataStyle.VYPER or "1" not in creation:
        return 0
    try:
        return parse_auxdata(creation["1"].value, style).immutable_size or 0
    except InvalidValueError:
        return 0


def _code(digits: Hex | None) -> bytes:
    return bytes.fromhex((digits or "0x")[2:])


def _steps(found: SideMatch | None) -> dict[str, Json]:
    return {
        "transformations": [step.as_json() for step in found.transformations] if found else None,
        "transformationValues": in_jsonb_order(found.values) if found else None,
    }


def _deployment(deployment: WorkspaceDeployment) -> dict[str, Json]:
    return {
        "transactionHash": deployment.transaction_hash,
        "blockNumber": deployment.block_number,
        "transactionIndex": deployment.transaction_index,
        "deployer": deployment.deployer,
    }


def _sources(std_json_input: Json) -> dict[str, Json]:
    sources = std_json_input.get("sources")
    if not isinstance(sources, dict) or not sources:
        raise DerivationError("the standard JSON input has no sources", pointer=(STD_JSON_INPUT, "sources"))
    contents: dict[str, Json] = {}
    for path, source in sources.items():
        content = source.get("content") if isinstance(source, dict) else None
        if not isinstance(content, str):
            raise DerivationError(
                f"the source {path!r} has no content",
                "put the text itself into the standard JSON input; urls are not followed",
                (STD_JSON_INPUT, "sources", path),
            )
        contents[path] = {"content": content}
    return dict(in_jsonb_order(contents))


def _settings(std_json_input: Json) -> dict[str, Json]:
    settings = std_json_input.get("settings")
    if not isinstance(settings, dict):
        raise DerivationError("the standard JSON input has no settings", pointer=(STD_JSON_INPUT, "settings"))
    return dict(in_jsonb_order({key: value for key, value in settings.items() if key != "outputSelection"}))


def _additional_input(std_json_input: Json) -> Json:
    overrides = std_json_input.get("storage_layout_overrides")
    return in_jsonb_order({"storage_layout_overrides": overrides}) if overrides else None


def _std_json_input(std_json_input: Json, language: str, sources: Json, settings: Json) -> dict[str, Json]:
    written = {"language": language, "sources": sources, "settings": settings}
    if overrides := std_json_input.get("storage_layout_overrides"):
        written["storage_layout_overrides"] = overrides
    return dict(in_jsonb_order(written))


def _output_contract(
    artifacts: dict[str, Json], sides: tuple[dict[str, Json], dict[str, Json]]
) -> dict[str, Json]:
    members = ("abi", "metadata", "userdoc", "devdoc", "storageLayout", "transientStorageLayout")
    repeated = {member: artifacts[member] for member in members}
    if artifacts["metadata"] is not None:
        repeated["metadata"] = orjson.dumps(artifacts["metadata"]).decode()
    return {**repeated, "evm": {"bytecode": _evm(sides[0]), "deployedBytecode": _evm(sides[1])}}


def _evm(side: dict[str, Json]) -> dict[str, Json]:
    kept = ("sourceMap", "linkReferences", "immutableReferences")
    return {
        "object": side["recompiledBytecode"][2:] or None,
        **{member: side[member] for member in kept if member in side},
    }


def _proxy_resolution(workspace: Workspace) -> Json:
    """Return what the code decides, else what the owner says the chain answered, else the server's error."""
    decided = proxy_resolution_from_bytecode(_code(workspace.onchain_creation or workspace.onchain_runtime))
    if decided is not None and (workspace.proxy_resolution is None or not decided["isProxy"]):
        return decided
    if workspace.proxy_resolution is not None:
        return workspace.proxy_resolution
    # what the server answers when it cannot ask the chain; the id is derived, since a build throws no dice
    return {
        "proxyResolutionError": {
            "customCode": "proxy_resolution_error",
            "message": "Error while running proxy detection and implementation resolution",
            "errorId": str(uuid5(NAMESPACE_URL, f"statuary:{workspace.chain_id}:{workspace.address}")),
        }
    }
