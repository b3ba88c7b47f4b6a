"""Read contracts from solc's metadata and sources: folders and downloads of Sourcify, and those that tools write."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from statuary.base.json_values import Json, JsonObject
from statuary.base.primitives import Address, ChainId, keccak256
from statuary.contracts.model.derivation import WorkspaceDeployment
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import (
    SOURCE_SUFFIXES,
    decode_source_text,
    parse_json,
    read_file_bytes,
    read_json_file,
    read_text_file,
)
from statuary.extensions.importing.toolchains.foundry import make_compilation_from_metadata
from statuary.extensions.importing.toolchains.listed_contract import (
    ListedContract,
    ListedContracts,
    SourceContract,
    UnreadableContract,
    not_importable_if_malformed,
    parse_any_hex,
    parse_json_address,
    parse_json_chain_id,
)

MATCHES: Final = ("full_match", "partial_match")
METADATA: Final = "metadata.json"
TRANSACTION: Final = "creator-tx-hash.txt"
ADDRESS_IN_NAME: Final = re.compile(r"(?:(\d+)[^0-9a-zA-Z])?(0x[0-9a-fA-F]{40})(?![0-9a-fA-F])")
"""An address in the name of a folder, after a chain id or alone."""


class ContractLocation(NamedTuple):
    """The chain and address of a deployment; None for what is unknown."""

    chain_id: ChainId | None = None
    address: Address | None = None


def find_contract_location_in_path(path_parts: Sequence[str]) -> ContractLocation:
    """Find a chain and address in a path, such as `full_match/1/0x…`.

    Args:
        path_parts: the names of the folders, outermost first.

    Returns:
        The chain and address; None for what is not in the path.
    """
    for position in reversed(range(len(path_parts))):
        found = ADDRESS_IN_NAME.search(path_parts[position])
        if found is not None:
            chain_name = found[1] or _find_chain_id(path_parts[:position])
            chain_id = parse_json_chain_id(chain_name, "/".join(path_parts)) if chain_name else None
            return ContractLocation(chain_id, parse_json_address(found[2], path_parts[position]))
    return ContractLocation()


def _find_chain_id(path_parts: Sequence[str]) -> str:
    of_match = [after for name, after in pairwise(path_parts) if name in MATCHES]
    name = of_match[-1] if of_match else path_parts[-1] if path_parts else ""
    return name if name.isdecimal() else ""


def read_metadata_files(
    source: Path, files: Sequence[Path], typed_location: ContractLocation
) -> ListedContracts:
    """Yield a contract for each file with solc's metadata.

    Args:
        source: the folder or file that the user named.
        files: the metadata files.
        typed_location: the chain and address that the user typed, for a file whose path does not contain them.
    """
    for file in files:
        place = _add_typed_location(
            find_contract_location_in_path(file.resolve().parts[:-1]),
            typed_location,
            is_single_file=len(files) == 1,
        )
        name = str(file.relative_to(source)) if source.is_dir() else file.name
        if place.chain_id is None or place.address is None:
            yield _contract_without_location(name, place)
            continue
        folder = (
            source
            if source.is_dir() and find_contract_location_in_path(file.parts[:-1]).address is None
            else file.parent
        )
        yield ListedContract(place.chain_id, place.address, name, partial(_read_metadata_file, file, folder))


def _add_typed_location(
    path_location: ContractLocation, typed_location: ContractLocation, *, is_single_file: bool
) -> ContractLocation:
    """Add the chain and address that the user typed to a path's.

    The typed address is used only if there is a single file, to which it must belong.
    """
    address = path_location.address or (typed_location.address if is_single_file else None)
    return ContractLocation(path_location.chain_id or typed_location.chain_id, address)


def _contract_without_location(contract_name: str, place: ContractLocation) -> UnreadableContract:
    if place.address is None:
        return UnreadableContract(
            contract_name,
            "neither its folders nor the options name the address of the contract",
            "give this file as SOURCE, with --chain-id and --address",
        )
    return UnreadableContract(
        contract_name,
        "its folders do not name the chain of the contract",
        "add --chain-id",
        address=place.address,
    )


def _read_metadata_file(metadata_file: Path, source_folder: Path) -> SourceContract:
    """Read solc's metadata, and find the sources that it names.

    The sources may be at any depth of the folder.
    """
    if (metadata_file.parent / "sources").is_dir():
        return read_contract_folder(metadata_file.parent)
    with not_importable_if_malformed(metadata_file):
        metadata = read_json_file(metadata_file)
        # Remix writes metadata into the subfolder `artifacts` of the folder with the sources. So search the
        # folder above.
        if metadata_file.parent.name == "artifacts" and source_folder == metadata_file.parent:
            source_folder = source_folder.parent
        return _make_source_contract(
            metadata,
            _read_sources_by_hash(source_folder),
            str(source_folder),
            _read_transaction_hash(metadata_file.parent),
        )


def read_contract_folder(contract_folder: Path) -> SourceContract:
    """Read the folder of a contract in a Sourcify repository.

    The folder contains solc's metadata, the folder `sources`, and the creating transaction.

    Raises:
        NotImportableError: if a file is missing or malformed.
    """
    file = contract_folder / METADATA
    metadata = read_json_file(file)
    with not_importable_if_malformed(file):
        return _make_source_contract(
            metadata,
            _read_texts_by_hash(contract_folder / "sources"),
            str(contract_folder),
            _read_transaction_hash(contract_folder),
        )


def _read_transaction_hash(contract_folder: Path) -> str:
    file = contract_folder / TRANSACTION
    return read_text_file(file) if file.is_file() else ""


def _make_source_contract(
    metadata: JsonObject, sources_by_hash: Mapping[str, str], source_location: str, transaction_hash: str
) -> SourceContract:
    compilation = make_compilation_from_metadata(metadata, sources_by_hash, source_location)
    deployment = WorkspaceDeployment(transaction_hash=parse_any_hex(transaction_hash.strip()))
    return SourceContract(compilation=compilation, on_chain=OnChainContract(None, None, deployment))


def _read_sources_by_hash(folder: Path) -> dict[str, str]:
    """Read the source files below a folder, by their Keccak-256."""
    texts = {}
    for file in sorted(folder.rglob("*")):
        if file.suffix in SOURCE_SUFFIXES and file.is_file():
            raw = read_file_bytes(file)
            texts[f"0x{keccak256(raw).hex()}"] = raw.decode("utf-8", "replace")
    return texts


def _read_texts_by_hash(folder: Path) -> dict[str, str]:
    """Read all files below a folder, by their Keccak-256.

    Raises:
        NotImportableError: if a file cannot be read or is not UTF-8.
    """
    texts = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            raw = read_file_bytes(file)
            texts[f"0x{keccak256(raw).hex()}"] = decode_source_text(raw, file)
    return texts


def parse_v1_files_response(response: Json) -> list[JsonObject]:
    """Parse the files in a response of Sourcify's API (version 1).

    Args:
        response: the JSON response to a request such as `/files/any/1/0x…`.

    Returns:
        Objects with the members `path` and `content`; empty if the value is not such a response.
    """
    files = response.get("files") if isinstance(response, dict) else response
    if not isinstance(files, list) or not files:
        return []
    objects: list[JsonObject] = [
        file for file in files if isinstance(file, dict) and {"path", "content"} <= file.keys()
    ]
    return objects if len(objects) == len(files) else []


def read_sourcify_v1_response(
    files: Sequence[JsonObject], file_name: str, typed_location: ContractLocation
) -> ListedContracts:
    """Yield the contract in a saved response of Sourcify's API (version 1).

    If something is missing, the contract has an error instead of its content.

    Args:
        files: the files in the response, each with `path` and `content`.
        file_name: the name of the file with the response.
        typed_location: the chain and address that the user typed, for a response whose paths do not contain
            them.
    """
    contents = {str(file["path"]): str(file["content"]) for file in files}
    path = next((path for path in contents if PurePosixPath(path).name == METADATA), None)
    if path is None:
        yield UnreadableContract(file_name, f"it has no {METADATA}", "request the files of a contract again")
        return
    place = _add_typed_location(
        find_contract_location_in_path(PurePosixPath(path).parts[:-1]), typed_location, is_single_file=True
    )
    if place.chain_id is None or place.address is None:
        yield _contract_without_location(file_name, place)
        return
    yield ListedContract(
        place.chain_id, place.address, file_name, partial(_read_v1_response_contract, contents, path)
    )


def _read_v1_response_contract(contents_by_path: Mapping[str, str], folder_path: str) -> SourceContract:
    texts = {f"0x{keccak256(text.encode()).hex()}": text for text in contents_by_path.values()}
    transaction = contents_by_path.get(str(PurePosixPath(folder_path).with_name(TRANSACTION)), "")
    metadata = parse_json(contents_by_path[folder_path].encode(), folder_path)
    with not_importable_if_malformed(Path(folder_path)):
        if not isinstance(metadata, dict):
            raise NotImportableError(f"{folder_path} is not a JSON object")
        return _make_source_contract(metadata, texts, folder_path, transaction)
