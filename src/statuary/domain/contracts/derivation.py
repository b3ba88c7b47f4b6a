"""Derive a complete record from a workspace, byte for byte as Sourcify serves it.

Members have the order of `fields=all` (MEASUREMENTS.md, records). What the server stores as `jsonb` has its
keys in `jsonb` order; metadata keeps the compiler's order. The map of sources comes from a database join of
unknown order, so it is in `jsonb` order too.
"""

from datetime import UTC
from uuid import NAMESPACE_URL, uuid5

from statuary.domain.contracts.abi.abi_signatures import signatures_of
from statuary.domain.contracts.bytecode.proxy_detection import proxy_resolution_from_bytecode
from statuary.domain.contracts.compiled_members import workspace_members
from statuary.domain.contracts.compiler_output import split_name
from statuary.domain.contracts.jsonb_order import in_jsonb_order
from statuary.domain.contracts.match_level import overall_level
from statuary.domain.contracts.match_sides import match_sides, transformation_members
from statuary.domain.contracts.repeated_members import repeated_members
from statuary.domain.contracts.workspace import (
    STD_JSON_INPUT,
    DerivationError,
    Workspace,
    WorkspaceDeployment,
)
from statuary.domain.json_values import Json
from statuary.domain.primitives import Hex, Instant, InvalidValueError


def derive_record(workspace: Workspace) -> dict[str, Json]:
    """Return the record of a contract, its members in served order.

    Raises:
        DerivationError: if the compiler's output is incomplete, or neither side of the bytecode matches.
    """
    try:
        return _record(workspace)
    except DerivationError:
        raise
    except InvalidValueError as error:
        raise DerivationError(str(error), error.hint) from None


def _record(workspace: Workspace) -> dict[str, Json]:
    _, name = split_name(workspace.fully_qualified_name)
    compiled = workspace_members(workspace)
    creation, runtime = match_sides(compiled, workspace.onchain_creation, workspace.onchain_runtime)
    if creation is None and runtime is None:
        raise DerivationError(
            "neither the creation nor the runtime bytecode on the chain matches the compiler's output",
            "check the compiler version, the settings, the sources and the address",
        )
    sources, settings = _sources(workspace.std_json_input), _settings(workspace.std_json_input)
    artifacts = compiled.artifacts
    sides = (
        {
            "onchainBytecode": workspace.onchain_creation,
            **compiled.creation,
            **transformation_members(creation),
        },
        {"onchainBytecode": workspace.onchain_runtime, **compiled.runtime, **transformation_members(runtime)},
    )
    levels = creation.level.value if creation else None, runtime.level.value if runtime else None
    record = {
        "matchId": workspace.match_id,
        "creationMatch": levels[0],
        "runtimeMatch": levels[1],
        "verifiedAt": verified_at_text(workspace.verified_at),
        "creationBytecode": sides[0],
        "runtimeBytecode": sides[1],
        "deployment": _deployment(workspace.deployment),
        "sources": sources,
        "compilation": {
            "language": compiled.language,
            "compiler": workspace.compiler,
            "compilerVersion": compiled.version,
            "compilerSettings": settings,
            "name": name,
            "fullyQualifiedName": workspace.fully_qualified_name,
        },
        **artifacts,
        "sourceIds": compiled.source_ids,
        "additionalInput": _additional_input(workspace.std_json_input),
        "stdJsonInput": None,
        "stdJsonOutput": None,
        "signatures": signatures_of(artifacts["abi"]),
        "proxyResolution": _proxy_resolution(workspace),
        "match": overall_level(*levels),
        "chainId": workspace.chain_id,
        "address": workspace.address,
    }
    return record | repeated_members(record)


def verified_at_text(moment: Instant) -> str:
    """Return an instant in the format of `verifiedAt`: UTC, whole seconds, `Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _code(digits: Hex | None) -> bytes:
    return bytes.fromhex((digits or "0x")[2:])


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
                "put the text itself into the standard JSON input; statuary does not follow urls",
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


def _proxy_resolution(workspace: Workspace) -> Json:
    """Return the resolution that the code decides, else the workspace's, else the server's error."""
    decided = proxy_resolution_from_bytecode(_code(workspace.onchain_creation or workspace.onchain_runtime))
    if decided is not None and (workspace.proxy_resolution is None or not decided["isProxy"]):
        return decided
    if workspace.proxy_resolution is not None:
        return workspace.proxy_resolution
    # what the server returns when it cannot reach the chain; the id is derived, so that builds are reproducible
    return {
        "proxyResolutionError": {
            "customCode": "proxy_resolution_error",
            "message": "Error while running proxy detection and implementation resolution",
            "errorId": str(uuid5(NAMESPACE_URL, f"statuary:{workspace.chain_id}:{workspace.address}")),
        }
    }
