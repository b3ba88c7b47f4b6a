"""A record from the rows of Sourcify's export, as its server makes it from the same tables.

Tables and columns are those of the Verifier Alliance's schema with Sourcify's additions; the mapping to
members is the server's own query (MEASUREMENTS.md, exports). The export lacks the chain's state of
proxies: the member is present only if the code decides it.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from statuary.domain.contracts.abi.abi_signatures import signatures_of
from statuary.domain.contracts.bytecode.proxy_detection import proxy_resolution_from_bytecode
from statuary.domain.contracts.jsonb_order import in_jsonb_order
from statuary.domain.contracts.match_level import MatchLevel, overall_level
from statuary.domain.contracts.repeated_members import repeated_members
from statuary.domain.json_values import Json
from statuary.domain.primitives import checksum_address

LEVELS = {"perfect": MatchLevel.EXACT_MATCH.value, "partial": MatchLevel.MATCH.value}
"""The match levels by their names in `sourcify_matches`."""


class ExportedSide(NamedTuple):
    """One side of a verified contract."""

    match: str | None  # `perfect`, `partial` or None, from `sourcify_matches`
    onchain: bytes | None  # `code.code` of the deployment; None if unknown
    recompiled: bytes | None  # `code.code` of the compilation; None if there is none
    artifacts: Json  # `compiled_contracts.<side>_code_artifacts`
    transformations: Json  # `verified_contracts.<side>_transformations`
    values: Json  # `verified_contracts.<side>_values`


class ExportedCompilation(NamedTuple):
    """A row of `compiled_contracts`, with the metadata that other tables hold."""

    language: str  # in lower case
    compiler: str  # `solc`, `vyper` or `fe`
    version: str  # without a leading `v`
    name: str
    fully_qualified_name: str  # path and name
    settings: Json  # `compiler_settings`
    # `compilation_artifacts`: `abi`, `userdoc`, `devdoc`, `storageLayout`, `transientStorageLayout`,
    # `sources`
    artifacts: Json
    additional_input: Json  # other members of the standard JSON input, or None
    metadata: Json  # from `compiled_contracts_metadata`, in older exports from `sourcify_matches`


class ExportedMatch(NamedTuple):
    """All rows of one match."""

    match_id: int  # `sourcify_matches.id`
    verified_at: str  # `sourcify_matches.created_at`, in the format of `verifiedAt`
    chain_id: int  # `contract_deployments.chain_id`
    address: bytes  # 20 bytes
    transaction_hash: bytes | None
    block_number: int | None  # -1 for the genesis block
    transaction_index: int | None
    deployer: bytes | None
    creation: ExportedSide
    runtime: ExportedSide
    compilation: ExportedCompilation
    sources: Iterable[tuple[str, str]]  # path and content, in the order of `compiled_contracts_sources`
    # type and text with both hashes, of `signatures`; None if the export is without that table
    signatures: Iterable[tuple[str, str, bytes, bytes]] | None


def exported_record(match: ExportedMatch) -> dict[str, Json]:
    """Return the record of a match, its members in served order."""
    compilation = match.compilation
    artifacts = _object(compilation.artifacts)
    sources = {path: {"content": content} for path, content in match.sources}
    creation, runtime = _creation_side(match.creation), _runtime_side(match.runtime)
    levels = LEVELS.get(match.creation.match or ""), LEVELS.get(match.runtime.match or "")
    record = {
        "matchId": str(match.match_id),
        "creationMatch": levels[0],
        "runtimeMatch": levels[1],
        "verifiedAt": match.verified_at,
        "creationBytecode": creation,
        "runtimeBytecode": runtime,
        "deployment": _deployment(match),
        "sources": sources,
        "compilation": _compilation(compilation),
        "abi": artifacts.get("abi"),
        "metadata": compilation.metadata,
        **{
            member: artifacts.get(member)
            for member in ("storageLayout", "transientStorageLayout", "userdoc", "devdoc")
        },
        "sourceIds": artifacts.get("sources"),
        "additionalInput": compilation.additional_input,
        "stdJsonInput": None,
        "stdJsonOutput": None,
        "signatures": _signatures(match, artifacts.get("abi")),
        "proxyResolution": proxy_resolution_from_bytecode(
            match.creation.onchain or match.runtime.onchain or b""
        ),
        "match": overall_level(*levels),
        "chainId": str(match.chain_id),
        "address": checksum_address("0x" + match.address.hex()),
    }
    if record["proxyResolution"] is None:
        del record["proxyResolution"]
    repeated = repeated_members(record)
    return record | repeated | {"stdJsonInput": in_jsonb_order(repeated["stdJsonInput"])}


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _hex(data: bytes | None) -> str | None:
    """Return bytes as the server writes them; None as null."""
    return "0x" + data.hex() if data else None


def _creation_side(side: ExportedSide) -> dict[str, Json]:
    artifacts = _object(side.artifacts)
    return {
        "onchainBytecode": _hex(side.onchain),
        "recompiledBytecode": _hex(side.recompiled),
        **{member: artifacts.get(member) for member in ("sourceMap", "linkReferences", "cborAuxdata")},
        "transformations": side.transformations,
        "transformationValues": side.values,
    }


def _runtime_side(side: ExportedSide) -> dict[str, Json]:
    whole = _creation_side(side)
    ending = {member: whole.pop(member) for member in ("transformations", "transformationValues")}
    return {**whole, "immutableReferences": _object(side.artifacts).get("immutableReferences"), **ending}


def _deployment(match: ExportedMatch) -> dict[str, Json]:
    return {
        "transactionHash": _hex(match.transaction_hash),
        "blockNumber": None if match.block_number is None else str(match.block_number),
        "transactionIndex": None if match.transaction_index is None else str(match.transaction_index),
        "deployer": checksum_address("0x" + match.deployer.hex()) if match.deployer else None,
    }


def _compilation(compilation: ExportedCompilation) -> dict[str, Json]:
    return {
        "language": compilation.language.capitalize(),
        "compiler": compilation.compiler,
        "compilerVersion": compilation.version,
        "compilerSettings": compilation.settings,
        "name": compilation.name,
        "fullyQualifiedName": compilation.fully_qualified_name,
    }


def _signatures(match: ExportedMatch, abi: Json) -> Json:
    """Return the signatures by kind; those of the ABI if the export has none."""
    if match.signatures is None:
        return signatures_of(abi)
    kinds: dict[str, dict[str, Json]] = {"function": {}, "event": {}, "error": {}}
    for kind, text, digest_4, digest_32 in match.signatures:
        hashes = {"signatureHash4": "0x" + digest_4.hex(), "signatureHash32": "0x" + digest_32.hex()}
        kinds.setdefault(kind, {})[text] = {"signature": text, **hashes}
    return {kind: [entries[text] for text in sorted(entries)] for kind, entries in kinds.items()}
