"""Write a contract's files: a workspace or a record, and its chain in site.yaml."""

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from statuary.base.files import PublishingError
from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.base.limits import LARGEST_SOURCE_FILE
from statuary.base.primitives import ChainId, InvalidValueError
from statuary.contracts.model.derivation import Workspace, format_verified_at, workspace_record_members
from statuary.contracts.model.record import RecordValue
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.evidence import anchor_file_path, compilation_file_path
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import required_object
from statuary.site.document import encode_unchecked
from statuary.source.edit_files import EditError, FileEdit, write_edit
from statuary.source.edit_yaml import append_yaml_item
from statuary.source.schema_line import with_schema_line
from statuary.source.yaml_nodes import YamlValue, yaml_file_text
from statuary.system.files import read_below
from statuary.system.writing import atomic_file

WORKSPACE_FILES = ("creation.hex", "input.json", "output.json", "runtime.hex", "contract.yaml")
"""The files of a workspace, in the order in which they are written; the last one completes it."""

ARTIFACT_MEMBERS = (
    "abi",
    "devdoc",
    "userdoc",
    "metadata",
    "storageLayout",
    "transientStorageLayout",
    "layout",
)
"""The outputs that a record is derived from, apart from bytecode."""

CODE_MEMBERS = ("object", "sourceMap", "linkReferences", "immutableReferences")

ASSEMBLY = "legacyAssembly"

MISSING = "# Missing: "
"""The start of `contract.yaml` in a workspace that an import could not complete."""


def make_contract_files(workspace: Workspace, record: RecordValue, form: ContractForm) -> dict[str, bytes]:
    """Make the files of a contract: its inputs or its record.

    Args:
        workspace: the inputs of the record.
        record: the record, the JSON that describes the verified contract; derived from the inputs.
        form: whether to write the inputs (a workspace), from which builds derive the record, or the record
            itself.

    Returns:
        The content of each file by its path.
    """
    if form is ContractForm.RECORD:
        return {f"contracts/{workspace.chain_id}/{workspace.address}.json": encode_unchecked(record)}
    return _workspace_files(workspace, format_contract_yaml(workspace))


def make_incomplete_contract_files(workspace: Workspace, missing_parts: Iterable[str]) -> dict[str, bytes]:
    """Make the files of a contract for which some inputs are unknown.

    Comments in `contract.yaml` say what is missing.

    Args:
        workspace: the known inputs of the record.
        missing_parts: the missing inputs.

    Returns:
        The content of each file by its path.
    """
    comment = "".join(f"{MISSING}{' '.join(item.split())}\n" for item in missing_parts)
    return _workspace_files(workspace, comment + format_contract_yaml(workspace))


def _workspace_files(workspace: Workspace, settings: str) -> dict[str, bytes]:
    output = workspace.std_json_output
    texts = {
        "creation.hex": _format_code_file(workspace.onchain_creation),
        "input.json": json.dumps(workspace.std_json_input, ensure_ascii=False, indent=2) + "\n",
        "output.json": encode_unchecked(output).decode() + "\n" if output else "",
        "runtime.hex": _format_code_file(workspace.onchain_runtime),
        "contract.yaml": settings,
    }
    folder = PurePosixPath("contracts") / workspace.chain_id / workspace.address
    return {str(folder / name): text.encode("utf-8") for name in WORKSPACE_FILES if (text := texts[name])}


def _format_code_file(code: str | None) -> str:
    return f"{code}\n" if code else ""


def format_contract_yaml(workspace: Workspace) -> str:
    """Format `contract.yaml`, which has the chain, address and compiler."""
    return yaml_file_text({key: value for key, value in _contract_yaml_members(workspace).items() if value})


def _contract_yaml_members(workspace: Workspace) -> dict[str, YamlValue]:
    deployment = workspace.deployment
    members = {
        "transaction_hash": deployment.transaction_hash,
        "block_number": deployment.block_number,
        "transaction_index": deployment.transaction_index,
        "deployer": deployment.deployer,
    }
    return {
        "compiler": {"name": workspace.compiler, "version": workspace.compiler_version},
        "contract": workspace.fully_qualified_name,
        "verified_at": format_verified_at(workspace.verified_at),
        "match_id": workspace.match_id,
        "deployment": {key: value for key, value in members.items() if value is not None},
        "proxy": _proxy_yaml_members(as_object(workspace.proxy_resolution)),
    }


def _proxy_yaml_members(proxy_resolution: JsonObject) -> dict[str, YamlValue]:
    if not proxy_resolution:
        return {}
    members: dict[str, YamlValue] = {
        "is_proxy": proxy_resolution["isProxy"] is True,
        "type": as_text(proxy_resolution["proxyType"]),
        "implementations": [
            {key: as_text(value) for key, value in as_object(implementation).items()}
            for implementation in as_list(proxy_resolution["implementations"])
        ],
    }
    return {key: value for key, value in members.items() if value not in ("", [])}


def trim_compiler_output(workspace: Workspace) -> Workspace:
    """Remove the compiler outputs that are not needed for the record.

    Raises:
        InvalidValueError: if the output lacks a part that every record has.
    """
    trimmed = workspace._replace(std_json_output=_trim_output(workspace, with_assembly=False))
    if workspace_record_members(trimmed).auxdata == workspace_record_members(workspace).auxdata:
        return trimmed
    # The code has several sections of compiler metadata (auxdata), and only the assembly shows where they
    # are. So keep the assembly.
    return workspace._replace(std_json_output=_trim_output(workspace, with_assembly=True))


def _trim_output(workspace: Workspace, *, with_assembly: bool) -> dict[str, Json]:
    output = workspace.std_json_output
    path, _, name = workspace.fully_qualified_name.rpartition(":")
    try:
        artifact = required_object(output, "contracts", path, name)
        compiled = required_object(artifact, "evm")
        evm: dict[str, Json] = {
            side: _select_members(required_object(compiled, side), CODE_MEMBERS)
            for side in ("bytecode", "deployedBytecode")
        }
    except InvalidValueError:
        raise InvalidValueError(
            f"the compiler's output has no creation and runtime bytecode of {workspace.fully_qualified_name}"
        ) from None
    if with_assembly and ASSEMBLY in compiled:
        evm[ASSEMBLY] = compiled[ASSEMBLY]
    trimmed: dict[str, Json] = {
        "contracts": {path: {name: {**_select_members(artifact, ARTIFACT_MEMBERS), "evm": evm}}}
    }
    if sources := as_object(as_object(output).get("sources")):
        trimmed["sources"] = {
            source: {"id": value["id"]}
            for source, value in sources.items()
            if isinstance(value, dict) and "id" in value
        }
    return trimmed


def _select_members(json_object: JsonObject, member_names: tuple[str, ...]) -> dict[str, Json]:
    return {name: json_object[name] for name in member_names if name in json_object}


HINT = "fix the cause and add the contract again with --force"


def write_contract(root: Path, files: Mapping[str, bytes], replaced_source: ContractSource | None) -> None:
    """Write a contract's files, and remove the files that they replace.

    Args:
        root: the content folder.
        files: the content of each file by its path, in the order in which they are written.
        replaced_source: the existing contract that the new one replaces, or None; unrelated files are kept.

    Raises:
        NotImportableError: if a file cannot be written or removed.
    """
    stale = [path for path in list_contract_file_paths(replaced_source) if path not in files]
    try:
        for path, body in files.items():
            with atomic_file(root / path) as stream:
                stream.write(_add_schema_line(root, path, body))
        for path in stale:
            _remove_replaced_file(root / path, [root / written_file for written_file in files])
    except PublishingError as error:
        raise NotImportableError(str(error), HINT) from None
    except OSError as error:
        raise NotImportableError(f"{error.filename or root}: {error.strerror}", HINT) from None


def _add_schema_line(root: Path, path: str, file_bytes: bytes) -> bytes:
    """Add the line that names its JSON schema to a YAML file.

    Incomplete files do not get it.
    """
    if not path.endswith(".yaml") or file_bytes.startswith(MISSING.encode()):
        return file_bytes
    return with_schema_line(root, path, file_bytes.decode()).encode()


def list_contract_file_paths(source: ContractSource | None) -> list[str]:
    """List the paths of a contract's files in the content folder.

    Returns:
        The contract's own files, its stored compiler output, and its Merkle proofs; empty if `source` is None.
    """
    if source is None:
        return []
    evidence = [compilation_file_path(source), anchor_file_path(source)]
    if source.form is not ContractForm.WORKSPACE:
        return [source.path, *evidence]
    return [*(str(PurePosixPath(source.path).parent / name) for name in WORKSPACE_FILES), *evidence]


def _remove_replaced_file(file: Path, written_files: list[Path]) -> None:
    # On a file system that ignores case, the two paths may be the same file: the new spelling of an address
    # may differ only in case.
    if not file.exists() or any(file.samefile(file_written) for file_written in written_files):
        return
    file.unlink()
    if not any(file.parent.iterdir()):
        file.parent.rmdir()


def add_chain(root: Path, file: str, chain_id: ChainId) -> None:
    """Add a chain to site.yaml, with a name such as `Chain 1`.

    Args:
        root: the content folder.
        file: the path of site.yaml in the content folder.
        chain_id: the id of the chain to add.

    Raises:
        EditError: if the file cannot be edited.
    """
    site_text = read_below(root, file, LARGEST_SOURCE_FILE).removeprefix(BOM_UTF8).decode()
    chain: Mapping[str, int | str] = {"chain_id": int(chain_id), "name": f"Chain {chain_id}"}
    try:
        edited_text = append_yaml_item(site_text, ("chains",), chain)
    except EditError as error:
        raise error.with_file(root / file) from None
    write_edit(root, FileEdit(file, site_text, edited_text))
