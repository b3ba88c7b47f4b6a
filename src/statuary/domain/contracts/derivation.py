"""Deriving a whole record from a workspace, byte for byte as Sourcify would serve it.

Members stand in the order of `fields=all` (contract-api measurement 4); what the server keeps as `jsonb` has its
keys in `jsonb`'s order, metadata keeps the compiler's. Where the server's own order cannot be known (the map
of sources comes from a database join), `jsonb`'s is used as well.
"""

from datetime import UTC
from uuid import NAMESPACE_URL, uuid5

import orjson

from statuary.domain.contracts.auxdata_positions import AuxdataPositions, Pieces, auxdata_positions
from statuary.domain.contracts.compiler_metadata import AuxdataStyle, auxdata_style, read_auxdata
from statuary.domain.contracts.compiler_output import (
    CompiledCode,
    CompiledContract,
    compiled_contract,
    language_of,
    split_name,
)
from statuary.domain.contracts.compiler_version import CompilerVersion, compiler_version
from statuary.domain.contracts.jsonb_order import in_jsonb_order
from statuary.domain.contracts.match_level import overall_level
from statuary.domain.contracts.matching import (
    RecompiledSide,
    SideMatch,
    constructor_inputs,
    match_creation,
    match_runtime,
)
from statuary.domain.contracts.proxies import Verdict, proxy_evidence
from statuary.domain.contracts.references import immutable_places
from statuary.domain.contracts.signatures import signatures_of
from statuary.domain.contracts.workspace import (
    STD_JSON_INPUT,
    STD_JSON_OUTPUT,
    Deployment,
    Underivable,
    Workspace,
)
from statuary.domain.json_values import Json, is_whole_number
from statuary.domain.primitives import Hex, Instant, Malformed

SOLIDITY = "Solidity"

FIRST_WITH_SOURCE_IDS = CompilerVersion(0, 3, 6)


def derive_record(workspace: Workspace) -> dict[str, Json]:
    """Return the record of a contract, every member in its served place.

    Raises:
        Underivable: if the compiler's output lacks what is needed, or neither side of the bytecode matches.
    """
    try:
        return _record(workspace)
    except Underivable:
        raise
    except Malformed as error:
        raise Underivable(str(error), error.remedy) from None


def _record(workspace: Workspace) -> dict[str, Json]:
    path, name = split_name(workspace.fully_qualified_name)
    language = language_of(workspace.std_json_input)
    contract = compiled_contract(workspace.std_json_output, path, name)
    version = workspace.compiler_version.removeprefix("v")
    auxdata = auxdata_positions(
        contract.creation.code,
        contract.runtime.code,
        language=language,
        version=version,
        assembly=contract.artifact.get("evm", {}).get("legacyAssembly"),
    )
    creation, runtime = _matches(workspace, contract, auxdata, language=language, version=version)
    sources, settings = _sources(workspace.std_json_input), _settings(workspace.std_json_input)
    twins = _artifact_members(contract.artifact, language)
    source_ids = _source_ids(workspace.std_json_output, language, version)
    sides = (
        _creation_side(workspace, contract.creation, auxdata.creation, creation, language),
        _runtime_side(workspace, contract.runtime, auxdata.runtime, runtime, language),
    )
    levels = creation.level.value if creation else None, runtime.level.value if runtime else None
    return {
        "matchId": workspace.match_id,
        "creationMatch": levels[0],
        "runtimeMatch": levels[1],
        "verifiedAt": seconds_text(workspace.verified_at),
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
        **twins,
        "sourceIds": source_ids,
        "additionalInput": _additional_input(workspace.std_json_input),
        "stdJsonInput": _std_json_input(workspace.std_json_input, language, sources, settings),
        "stdJsonOutput": {
            "sources": source_ids,
            "contracts": {path: {name: _output_contract(twins, sides)}},
        },
        "signatures": signatures_of(twins["abi"]),
        "proxyResolution": _proxy_resolution(workspace),
        "match": overall_level(*levels),
        "chainId": workspace.chain_id,
        "address": workspace.address,
    }


def seconds_text(moment: Instant) -> str:
    """Spell an instant as `verifiedAt` does: UTC, whole seconds, `Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _matches(
    workspace: Workspace,
    contract: CompiledContract,
    auxdata: AuxdataPositions,
    *,
    language: str,
    version: str,
) -> tuple[SideMatch | None, SideMatch | None]:
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
        immutables=immutable_places(contract.runtime.artifact.get("immutableReferences"))
        if language == SOLIDITY
        else (),
        appended_immutables=appended_immutables(auxdata.creation, language, version),
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
        raise Underivable(
            "neither the creation nor the runtime bytecode on the chain follows from the compiler's output",
            "check the compiler version, the settings and the sources, and that the address is this contract's",
        )
    return matches


def appended_immutables(creation: Pieces, language: str, version: str) -> int:
    """Return how many bytes of immutables Vyper's creation code (0.3.10 on) says it appends to runtime code."""
    style = auxdata_style(language, version)
    if style is not AuxdataStyle.VYPER or "1" not in creation:
        return 0
    try:
        return read_auxdata(creation["1"].value, style).immutable_size or 0
    except Malformed:
        return 0


def _code(digits: Hex | None) -> bytes:
    return bytes.fromhex((digits or "0x")[2:])


def _creation_side(
    workspace: Workspace, compiled: CompiledCode, auxdata: Pieces, found: SideMatch | None, language: str
) -> dict[str, Json]:
    return {
        **_codes(workspace.onchain_creation, compiled, language),
        "cborAuxdata": _auxdata_json(auxdata),
        **_steps(found),
    }


def _runtime_side(
    workspace: Workspace, compiled: CompiledCode, auxdata: Pieces, found: SideMatch | None, language: str
) -> dict[str, Json]:
    immutables = compiled.artifact.get("immutableReferences")
    return {
        **_codes(workspace.onchain_runtime, compiled, language),
        "cborAuxdata": _auxdata_json(auxdata),
        # the measured server keeps null for every language but Solidity
        "immutableReferences": in_jsonb_order(immutables or {}) if language == SOLIDITY else None,
        **_steps(found),
    }


def _codes(onchain: Hex | None, compiled: CompiledCode, language: str) -> dict[str, Json]:
    links = compiled.artifact.get("linkReferences")
    return {
        "onchainBytecode": onchain,
        "recompiledBytecode": "0x" + compiled.code.hex(),
        "sourceMap": in_jsonb_order(compiled.artifact.get("sourceMap")),
        "linkReferences": in_jsonb_order(links or {}) if language in (SOLIDITY, "Yul") else None,
    }


def _auxdata_json(auxdata: Pieces) -> dict[str, Json]:
    return {
        number: {"value": "0x" + piece.value.hex(), "offset": piece.offset}
        for number, piece in auxdata.items()
    }


def _steps(found: SideMatch | None) -> dict[str, Json]:
    return {
        "transformations": [step.as_json() for step in found.transformations] if found else None,
        "transformationValues": in_jsonb_order(found.values) if found else None,
    }


def _deployment(deployment: Deployment) -> dict[str, Json]:
    return {
        "transactionHash": deployment.transaction_hash,
        "blockNumber": deployment.block_number,
        "transactionIndex": deployment.transaction_index,
        "deployer": deployment.deployer,
    }


def _sources(std_json_input: Json) -> dict[str, Json]:
    sources = std_json_input.get("sources")
    if not isinstance(sources, dict) or not sources:
        raise Underivable("the standard JSON input has no sources", pointer=(STD_JSON_INPUT, "sources"))
    contents: dict[str, Json] = {}
    for path, source in sources.items():
        content = source.get("content") if isinstance(source, dict) else None
        if not isinstance(content, str):
            raise Underivable(
                f"the source {path!r} has no content",
                "put the text itself into the standard JSON input; urls are not followed",
                (STD_JSON_INPUT, "sources", path),
            )
        contents[path] = {"content": content}
    return dict(in_jsonb_order(contents))


def _settings(std_json_input: Json) -> dict[str, Json]:
    settings = std_json_input.get("settings")
    if not isinstance(settings, dict):
        raise Underivable("the standard JSON input has no settings", pointer=(STD_JSON_INPUT, "settings"))
    return dict(in_jsonb_order({key: value for key, value in settings.items() if key != "outputSelection"}))


def _artifact_members(artifact: dict[str, Json], language: str) -> dict[str, Json]:
    """Return the members of the record that are the compiler's artifacts, in their served order."""
    layout = artifact.get("layout")  # where Vyper keeps what solc calls storageLayout
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
        raise Underivable("the compiler's metadata is not text", pointer=(STD_JSON_OUTPUT, "metadata"))
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Underivable(
            f"the compiler's metadata is not JSON: {error}", pointer=(STD_JSON_OUTPUT,)
        ) from None


def _source_ids(std_json_output: Json, language: str, version: str) -> dict[str, Json] | None:
    """Return the numbers of source files; solc before 0.3.6 gave none, and for Yul and Fe none are kept."""
    old = language == SOLIDITY and compiler_version(version) < FIRST_WITH_SOURCE_IDS
    sources = std_json_output.get("sources")
    if old or language not in (SOLIDITY, "Vyper") or not isinstance(sources, dict):
        return None
    ids = {path: source.get("id") for path, source in sources.items() if isinstance(source, dict)}
    return dict(in_jsonb_order({path: {"id": _number(number)} for path, number in ids.items()}))


def _number(number: Json) -> int:
    if is_whole_number(number):
        return int(number)
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 10:
        return int(number)  # old compilers wrote the numbers as text
    raise Underivable(f"the id {number!r} of a source is not a number", pointer=(STD_JSON_OUTPUT, "sources"))


def _additional_input(std_json_input: Json) -> Json:
    overrides = std_json_input.get("storage_layout_overrides")
    return in_jsonb_order({"storage_layout_overrides": overrides}) if overrides else None


def _std_json_input(std_json_input: Json, language: str, sources: Json, settings: Json) -> dict[str, Json]:
    written = {"language": language, "sources": sources, "settings": settings}
    if overrides := std_json_input.get("storage_layout_overrides"):
        written["storage_layout_overrides"] = overrides
    return dict(in_jsonb_order(written))


def _output_contract(
    twins: dict[str, Json], sides: tuple[dict[str, Json], dict[str, Json]]
) -> dict[str, Json]:
    members = ("abi", "metadata", "userdoc", "devdoc", "storageLayout", "transientStorageLayout")
    repeated = {member: twins[member] for member in members}
    if twins["metadata"] is not None:
        repeated["metadata"] = orjson.dumps(twins["metadata"]).decode()
    return {**repeated, "evm": {"bytecode": _evm(sides[0]), "deployedBytecode": _evm(sides[1])}}


def _evm(side: dict[str, Json]) -> dict[str, Json]:
    kept = ("sourceMap", "linkReferences", "immutableReferences")
    return {
        "object": side["recompiledBytecode"][2:] or None,
        **{member: side[member] for member in kept if member in side},
    }


def _proxy_resolution(workspace: Workspace) -> Json:
    """Return what the code decides, else what the owner says the chain answered, else the server's error."""
    evidence = proxy_evidence(_code(workspace.onchain_creation or workspace.onchain_runtime))
    if evidence.verdict is Verdict.NOT_PROXY:
        return {"isProxy": False, "proxyType": None, "implementations": []}
    if workspace.proxy_resolution is not None:
        return workspace.proxy_resolution
    if evidence.verdict is Verdict.EIP_1167_PROXY:
        implementations = [{"address": evidence.implementation}]
        return {"isProxy": True, "proxyType": "EIP1167Proxy", "implementations": implementations}
    # what the server answers when it cannot ask the chain; the id is derived, since a build throws no dice
    return {
        "proxyResolutionError": {
            "customCode": "proxy_resolution_error",
            "message": "Error while running proxy detection and implementation resolution",
            "errorId": str(uuid5(NAMESPACE_URL, f"statuary:{workspace.chain_id}:{workspace.address}")),
        }
    }
