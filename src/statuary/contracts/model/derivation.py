"""Derive a record from a workspace, byte for byte like Sourcify.

Members have the order of `fields=all` (MEASUREMENTS.md, records). What the server stores as `jsonb` has its
keys in `jsonb` order; metadata keeps the compiler's order. The map of sources comes from a database join of
unknown order, so it is in `jsonb` order too.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5

import orjson

from statuary.base.findings import Pointer
from statuary.base.json_values import Json, as_object, is_whole_number, sort_keys_as_jsonb, sorted_jsonb_keys
from statuary.base.primitives import (
    Address,
    ChainId,
    Hex,
    Instant,
    InvalidValueError,
    format_utc,
    is_hex_digits,
    keccak256,
)
from statuary.contracts.model.abi import abi_signatures
from statuary.contracts.model.auxdata import (
    AuxdataByNumber,
    AuxdataPositions,
    CodeReference,
    locate_auxdata,
    parse_immutable_references,
    parse_link_references,
)
from statuary.contracts.model.compiler_evidence import SOLIDITY, compiler_evidence
from statuary.contracts.model.matching import (
    RecompiledSide,
    SideMatch,
    constructor_argument_types,
    match_creation,
    match_runtime,
    overall_match_level,
)
from statuary.contracts.model.proxy_detection import proxy_resolution_from_bytecode
from statuary.contracts.model.record import RecordValue
from statuary.contracts.model.vyper_immutables import appended_immutables_size

_ARTIFACTS = ("abi", "metadata", "userdoc", "devdoc", "storageLayout", "transientStorageLayout")
_CODE = ("sourceMap", "linkReferences", "immutableReferences")


def standard_json_members(record: RecordValue) -> dict[str, Json]:
    """Return a contract's `stdJsonInput` and `stdJsonOutput`: the compiler's JSON.

    The server derives both from other members of the record. The keys of `stdJsonInput` and of its sources
    are sorted as PostgreSQL's `jsonb` sorts them; their values keep their order.
    """
    compilation = record["compilation"]
    path, _, name = compilation["fullyQualifiedName"].rpartition(":")
    std_json_input: Mapping[str, Json] = {
        "sources": _sort_object_keys(record["sources"]),
        "language": compilation["language"],
        "settings": compilation["compilerSettings"],
    }
    if extra := record.get("additionalInput"):
        std_json_input = _sort_object_keys({**std_json_input, **extra})
    contract: dict[str, Json] = {member: record[member] for member in _ARTIFACTS if member in record}
    if contract["metadata"] is not None:
        contract["metadata"] = orjson.dumps(contract["metadata"]).decode()
    contract["evm"] = {
        "bytecode": _evm_output(record["creationBytecode"]),
        "deployedBytecode": _evm_output(record["runtimeBytecode"]),
    }
    return {
        "stdJsonInput": std_json_input,
        "stdJsonOutput": {"sources": record["sourceIds"], "contracts": {path: {name: contract}}},
    }


def _sort_object_keys(members: Mapping[str, Json]) -> Mapping[str, Json]:
    return {key: members[key] for key in sorted_jsonb_keys(members)} if len(members) > 1 else members


def _evm_output(bytecode_members: RecordValue) -> dict[str, Json]:
    code = bytecode_members["recompiledBytecode"]
    return {
        "object": (code or "")[2:] or None,
        **{member: bytecode_members[member] for member in _CODE if member in bytecode_members},
    }


class DerivationError(InvalidValueError):
    """Raised if no record can be derived from an owner's inputs (a workspace)."""

    def __init__(self, message: str, hint: str = "", pointer: Pointer = ()) -> None:
        super().__init__(message, hint)
        self.pointer = pointer  # begins with `STD_JSON_INPUT`, `STD_JSON_OUTPUT` or the name of a field


STD_JSON_INPUT: Final = "std_json_input"
STD_JSON_OUTPUT: Final = "std_json_output"


class WorkspaceDeployment(NamedTuple):
    """The transaction that created a contract; numbers are decimal strings.

    A member that is not known is None.
    """

    transaction_hash: Hex | None = None
    block_number: str | None = None  # "-1" for a contract of the genesis block
    transaction_index: str | None = None
    deployer: Address | None = None  # the sender of the transaction, even if a factory created the contract


class Workspace(NamedTuple):
    """The inputs that a contract's owner gives; statuary derives the rest."""

    chain_id: ChainId
    address: Address
    compiler: str  # `solc` or `vyper`
    compiler_version: str  # a version such as `0.8.30+commit.73712a01`; a leading `v` is dropped
    fully_qualified_name: str  # `path:Name`
    std_json_input: Json
    std_json_output: Json  # should contain `evm.legacyAssembly`, which makes auxdata numbers certain
    onchain_creation: Hex | None
    """The creation code on the chain, followed by the constructor arguments; None if unknown."""
    onchain_runtime: Hex | None  # the code at the address; None if unknown
    deployment: WorkspaceDeployment
    verified_at: Instant  # served in whole seconds
    match_id: str  # decimal text, unique in the site
    # `isProxy`, `proxyType` and `implementations`, if code does not show them; None if unknown
    proxy_resolution: Json | None = None


BYTECODE_MEMBERS = ("bytecode", "deployedBytecode")

_OLD_NAME_DIGITS = 36


class CompiledCode(NamedTuple):
    """The creation or runtime code of a compiled contract."""

    artifact: Mapping[str, Json]  # `evm.bytecode` or `evm.deployedBytecode`
    code: bytes  # the code, with zeros for libraries
    libraries: tuple[CodeReference, ...]  # positions of libraries in the code


class CompiledContract(NamedTuple):
    """A contract in a compiler's output: its JSON, creation and runtime code."""

    artifact: Mapping[str, Json]
    creation: CompiledCode
    runtime: CompiledCode


class ContractName(NamedTuple):
    """A fully qualified name, such as `src/Token.sol:Token`, in its parts."""

    path: str
    name: str


def split_qualified_name(fully_qualified_name: str) -> ContractName:
    """Split a fully qualified name at its last colon.

    Raises:
        DerivationError: if the name contains no colon, or nothing follows it.
    """
    path, colon, name = fully_qualified_name.rpartition(":")
    if not colon or not name:
        raise DerivationError(
            f"{fully_qualified_name!r} is not a fully qualified name",
            "write the source's path, a colon and the contract's name",
            ("fully_qualified_name",),
        )
    return ContractName(path, name)


def standard_json_language(std_json_input: Json) -> str:
    """Return the language of a compiler's JSON input, such as `Solidity`.

    Raises:
        DerivationError: if the input has no language.
    """
    language = std_json_input.get("language") if isinstance(std_json_input, dict) else None
    if not isinstance(language, str) or not language:
        raise DerivationError(
            "the standard JSON input names no language",
            "use the file that was given to --standard-json",
            (STD_JSON_INPUT, "language"),
        )
    return language.capitalize()


def find_compiled_contract(std_json_output: Json, source_path: str, contract_name: str) -> CompiledContract:
    """Find a contract in a compiler's standard JSON output.

    Raises:
        DerivationError: if the output lacks the contract or its bytecode.
    """
    artifact = as_object(std_json_output)
    for key in ("contracts", source_path, contract_name):
        member = artifact.get(key)
        if not isinstance(member, dict):
            raise DerivationError(
                f"the compiler's output has no contract {source_path}:{contract_name}",
                _suggest_contract_names(std_json_output),
                (STD_JSON_OUTPUT, "contracts"),
            )
        artifact = member
    pointer: Pointer = (STD_JSON_OUTPUT, "contracts", source_path, contract_name, "evm")
    sides = [_parse_compiled_code(artifact.get("evm"), member, pointer) for member in BYTECODE_MEMBERS]
    return CompiledContract(artifact, *sides)


def _suggest_contract_names(std_json_output: Json) -> str:
    contracts = std_json_output.get("contracts") if isinstance(std_json_output, dict) else None
    if not isinstance(contracts, dict) or not contracts:
        return "the output has no contracts; check it for compiler errors"
    names = [
        f"{path}:{name}"
        for path, artifacts in contracts.items()
        if isinstance(artifacts, dict)
        for name in artifacts
    ]
    return f"use one of {', '.join(names[:5])}{' …' if len(names) > 5 else ''}"


def _parse_compiled_code(evm: Json, member_name: str, pointer: Pointer) -> CompiledCode:
    artifact = evm.get(member_name) if isinstance(evm, dict) else None
    digits = artifact.get("object") if isinstance(artifact, dict) else None
    if not isinstance(artifact, dict) or not isinstance(digits, str) or not digits.removeprefix("0x"):
        raise DerivationError(
            f"the compiler's output has no evm.{member_name}.object",
            "add it to outputSelection and compile again; interfaces and abstract contracts have none",
            (*pointer, member_name, "object"),
        )
    try:
        libraries = tuple(parse_link_references(artifact.get("linkReferences")))
        code = decode_unlinked_code(digits.removeprefix("0x"), libraries)
    except InvalidValueError as error:
        raise DerivationError(f"evm.{member_name}: {error}", error.hint, (*pointer, member_name)) from None
    return CompiledCode(artifact, code, libraries)


def decode_unlinked_code(hex_digits: str, library_references: Sequence[CodeReference]) -> bytes:
    """Decode a compiler's bytecode, with zeros for library addresses.

    Args:
        hex_digits: the hex digits from the compiler, without `0x`.
        library_references: the positions of library addresses.

    Raises:
        InvalidValueError: if there is no library placeholder at a position, or the rest is not hex.
    """
    parts, end_of_last = [], 0
    for place in sorted(library_references, key=lambda place: place.start):
        start = 2 * place.start
        end = 2 * (place.start + place.length)
        if (
            hex_digits[start:end] not in (*library_placeholders(place.id), "0" * (end - start))
            or start < end_of_last
        ):
            raise InvalidValueError(
                f"the bytecode has {hex_digits[start:end]!r} at byte {place.start}, where the placeholder of "
                f"library {place.id} is expected"
            )
        parts += [hex_digits[end_of_last:start], "0" * (end - start)]
        end_of_last = end
    linked_digits = "".join([*parts, hex_digits[end_of_last:]])
    if not is_hex_digits(linked_digits):
        raise InvalidValueError("the bytecode has characters other than hex digits beside its linkReferences")
    return bytes.fromhex(linked_digits)


class LibraryPlaceholders(NamedTuple):
    """The strings that solc writes in place of a library's address."""

    since_0_5: str
    before_0_5: str


def library_placeholders(fully_qualified_name: str) -> LibraryPlaceholders:
    """Return the strings that solc writes where a library's address belongs."""
    digest = keccak256(fully_qualified_name.encode("utf-8", "surrogatepass")).hex()
    return LibraryPlaceholders(f"__${digest[:34]}$__", f"__{fully_qualified_name[:_OLD_NAME_DIGITS]:_<38}")


class CompiledMembers(NamedTuple):
    """The members of a contract's record that come from a compiler's output."""

    language: str
    version: str
    contract: CompiledContract  # the contract in the compiler's output
    auxdata: AuxdataPositions
    creation: dict[str, Json]  # members of `creationBytecode`, in served order
    runtime: dict[str, Json]  # members of `runtimeBytecode`, in served order
    artifacts: dict[str, Json]
    """The record's `abi`, `metadata`, storage layouts and documentation."""
    source_ids: dict[str, Json] | None


def compiled_record_members(
    std_json_output: Json, fully_qualified_name: str, *, language: str, version: str
) -> CompiledMembers:
    """Return the members of a contract's record that a compiler's output decides.

    Raises:
        InvalidValueError: if the output is incomplete or cannot be parsed.
    """
    contract = find_compiled_contract(std_json_output, *split_qualified_name(fully_qualified_name))
    auxdata = locate_auxdata(
        contract.creation.code,
        contract.runtime.code,
        language=language,
        version=version,
        assembly=as_object(contract.artifact.get("evm")).get("legacyAssembly"),
    )
    immutables = contract.runtime.artifact.get("immutableReferences")
    return CompiledMembers(
        language=language,
        version=version,
        contract=contract,
        auxdata=auxdata,
        creation=_bytecode_members(contract.creation, auxdata.creation, language),
        runtime={
            **_bytecode_members(contract.runtime, auxdata.runtime, language),
            # Sourcify serves null for every language except Solidity.
            "immutableReferences": sort_keys_as_jsonb(immutables or {}) if language == SOLIDITY else None,
        },
        artifacts=_artifact_members(contract.artifact, language),
        source_ids=_source_ids(std_json_output, language, version),
    )


def workspace_record_members(workspace: Workspace) -> CompiledMembers:
    """Return the record members that come from an author's compiler output.

    Raises:
        InvalidValueError: if the compiler's output is incomplete or cannot be parsed.
    """
    return compiled_record_members(
        workspace.std_json_output,
        workspace.fully_qualified_name,
        language=standard_json_language(workspace.std_json_input),
        version=workspace.compiler_version.removeprefix("v"),
    )


def _bytecode_members(compiled: CompiledCode, auxdata: AuxdataByNumber, language: str) -> dict[str, Json]:
    links = compiled.artifact.get("linkReferences")
    return {
        "recompiledBytecode": "0x" + compiled.code.hex(),
        "sourceMap": sort_keys_as_jsonb(compiled.artifact.get("sourceMap")),
        "linkReferences": sort_keys_as_jsonb(links or {}) if language in (SOLIDITY, "Yul") else None,
        "cborAuxdata": {
            number: {"value": "0x" + piece.value.hex(), "offset": piece.offset}
            for number, piece in auxdata.items()
        },
    }


def _artifact_members(compiler_output: Mapping[str, Json], language: str) -> dict[str, Json]:
    layout = compiler_output.get("layout")  # Vyper's name for storageLayout
    vyper_layout = layout.get("storage_layout") if isinstance(layout, dict) else None
    return {
        "abi": sort_keys_as_jsonb(compiler_output.get("abi")) if language != "Yul" else None,
        "metadata": _parse_metadata(compiler_output) if language == SOLIDITY else None,
        **{
            member: sort_keys_as_jsonb(value)
            for member, value in {
                "storageLayout": compiler_output.get("storageLayout") or vyper_layout,
                "transientStorageLayout": compiler_output.get("transientStorageLayout"),
                "userdoc": compiler_output.get("userdoc"),
                "devdoc": compiler_output.get("devdoc"),
            }.items()
        },
    }


def _parse_metadata(compiler_output: Mapping[str, Json]) -> Json:
    text = compiler_output.get("metadata")
    if not text:
        return None
    if not isinstance(text, str):
        raise DerivationError("the compiler's metadata is not text", pointer=(STD_JSON_OUTPUT, "metadata"))
    try:
        metadata: Json = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise DerivationError(
            f"the compiler's metadata is not JSON: {error}", pointer=(STD_JSON_OUTPUT,)
        ) from None
    return metadata


def _source_ids(std_json_output: Json, language: str, version: str) -> dict[str, Json] | None:
    """Return the ids of source files in source maps.

    solc has none before 0.3.6, and the server stores none for Yul and Fe.
    """
    sources = as_object(std_json_output).get("sources")
    if not compiler_evidence(language, version).has_source_ids or not isinstance(sources, dict):
        return None
    ids = {path: source.get("id") for path, source in sources.items() if isinstance(source, dict)}
    source_ids = {path: {"id": _parse_source_id(source_id)} for path, source_id in ids.items()}
    return dict(as_object(sort_keys_as_jsonb(source_ids)))


def _parse_source_id(source_id: Json) -> int:
    if is_whole_number(source_id):
        return int(source_id)
    if isinstance(source_id, str) and source_id.isascii() and source_id.isdigit() and len(source_id) < 10:
        return int(source_id)  # old compilers wrote numbers as text
    raise DerivationError(
        f"the id {source_id!r} of a source is not a number", pointer=(STD_JSON_OUTPUT, "sources")
    )


SideMatches = tuple[SideMatch | None, SideMatch | None]
"""The matches of creation and runtime code; None for an unknown or different side."""


def match_creation_and_runtime(
    compiled: CompiledMembers, onchain_creation: Hex | None, onchain_runtime: Hex | None
) -> SideMatches:
    """Match compiled creation and runtime code with the code on the chain.

    Pass None for code on the chain that is unknown.
    """
    contract, auxdata = compiled.contract, compiled.auxdata
    language, version = compiled.language, compiled.version
    creation_side = RecompiledSide(
        code=contract.creation.code,
        libraries=contract.creation.libraries,
        auxdata=auxdata.creation,
        language=language,
        version=version,
    )
    immutables = (
        contract.runtime.artifact.get("immutableReferences") if language in (SOLIDITY, "Yul") else None
    )
    runtime_side = RecompiledSide(
        code=contract.runtime.code,
        libraries=contract.runtime.libraries,
        immutables=parse_immutable_references(immutables),
        appended_immutables=appended_immutables_size(
            contract.creation.code,
            contract.runtime.code,
            language=language,
            version=version,
            auxdata=auxdata.creation,
        ),
        auxdata=auxdata.runtime,
        language=language,
        version=version,
    )
    types = constructor_argument_types(contract.artifact.get("abi"))
    return (
        match_creation(creation_side, bytes.fromhex(onchain_creation[2:]), types)
        if onchain_creation
        else None,
        match_runtime(runtime_side, bytes.fromhex(onchain_runtime[2:])) if onchain_runtime else None,
    )


def transformation_members(match: SideMatch | None) -> dict[str, Json]:
    """Return the members `transformations` and `transformationValues`.

    They list the edits that turn recompiled code into on-chain code; both are null without a match.
    """
    return {
        "transformations": [step.as_json() for step in match.transformations] if match else None,
        "transformationValues": sort_keys_as_jsonb(match.values) if match else None,
    }


def derive_record(workspace: Workspace) -> RecordValue:
    """Make a contract's record from its author's files.

    Raises:
        DerivationError: if the compiler's output is incomplete, or neither creation nor runtime code matches.
    """
    try:
        return _record_from_workspace(workspace)
    except DerivationError:
        raise
    except InvalidValueError as error:
        raise DerivationError(str(error), error.hint) from None


def _record_from_workspace(workspace: Workspace) -> RecordValue:
    _, name = split_qualified_name(workspace.fully_qualified_name)
    compiled = workspace_record_members(workspace)
    creation, runtime = match_creation_and_runtime(
        compiled, workspace.onchain_creation, workspace.onchain_runtime
    )
    if creation is None and runtime is None:
        raise DerivationError(
            "neither the creation nor the runtime bytecode on the chain matches the compiler's output",
            "check the compiler version, the settings, the sources and the address",
        )
    sources = _source_members(workspace.std_json_input)
    settings = _compiler_settings(workspace.std_json_input)
    overrides = as_object(workspace.std_json_input).get("storage_layout_overrides")
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
    record: RecordValue = {
        "matchId": workspace.match_id,
        "creationMatch": levels[0],
        "runtimeMatch": levels[1],
        "verifiedAt": format_verified_at(workspace.verified_at),
        "creationBytecode": sides[0],
        "runtimeBytecode": sides[1],
        "deployment": _deployment_members(workspace.deployment),
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
        "additionalInput": sort_keys_as_jsonb({"storage_layout_overrides": overrides}) if overrides else None,
        "stdJsonInput": None,
        "stdJsonOutput": None,
        "signatures": abi_signatures(artifacts["abi"]),
        "proxyResolution": _proxy_resolution(workspace),
        "match": overall_match_level(*levels),
        "chainId": workspace.chain_id,
        "address": workspace.address,
    }
    return record | standard_json_members(record)


def format_verified_at(verified_at: Instant) -> str:
    """Format the time of verification, such as `2026-11-02T10:00:00Z`."""
    return format_utc(verified_at)


def _deployment_members(deployment: WorkspaceDeployment) -> dict[str, Json]:
    return {
        "transactionHash": deployment.transaction_hash,
        "blockNumber": deployment.block_number,
        "transactionIndex": deployment.transaction_index,
        "deployer": deployment.deployer,
    }


def _source_members(std_json_input: Json) -> dict[str, Json]:
    sources = as_object(std_json_input).get("sources")
    if not isinstance(sources, dict) or not sources:
        raise DerivationError("the standard JSON input has no sources", pointer=(STD_JSON_INPUT, "sources"))
    contents: dict[str, Json] = {}
    for path, source in sources.items():
        content = source.get("content") if isinstance(source, dict) else None
        if not isinstance(content, str):
            raise DerivationError(
                f"the source {path!r} has no content",
                "write the source text into `content`; statuary does not fetch `urls`",
                (STD_JSON_INPUT, "sources", path),
            )
        contents[path] = {"content": content}
    return dict(as_object(sort_keys_as_jsonb(contents)))


def _compiler_settings(std_json_input: Json) -> dict[str, Json]:
    settings = as_object(std_json_input).get("settings")
    if not isinstance(settings, dict):
        raise DerivationError("the standard JSON has no `settings`", pointer=(STD_JSON_INPUT, "settings"))
    recorded_settings = {key: value for key, value in settings.items() if key != "outputSelection"}
    return dict(as_object(sort_keys_as_jsonb(recorded_settings)))


def _proxy_resolution(workspace: Workspace) -> Json:
    code = workspace.onchain_creation or workspace.onchain_runtime or "0x"
    decided = proxy_resolution_from_bytecode(bytes.fromhex(code[2:]))
    if decided is not None and (workspace.proxy_resolution is None or not decided["isProxy"]):
        return decided
    if workspace.proxy_resolution is not None:
        return workspace.proxy_resolution
    # Return Sourcify's answer without a chain. Derive the error id, so that builds write the same bytes.
    return {
        "proxyResolutionError": {
            "customCode": "proxy_resolution_error",
            "message": "Error while running proxy detection and implementation resolution",
            "errorId": str(uuid5(NAMESPACE_URL, f"statuary:{workspace.chain_id}:{workspace.address}")),
        }
    }
