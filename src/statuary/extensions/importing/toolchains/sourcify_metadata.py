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
    decode_source,
    parse_json,
    read_bytes,
    read_json_file,
    read_text,
)
from statuary.extensions.importing.toolchains.foundry import compilation_of_metadata
from statuary.extensions.importing.toolchains.listed_contract import (
    ListedContract,
    ListedContracts,
    SourceContract,
    UnreadableContract,
    parse_any_address,
    parse_any_chain_id,
    parse_any_hex,
    report_missing_parts,
)

MATCHES: Final = ("full_match", "partial_match")
METADATA: Final = "metadata.json"
TRANSACTION: Final = "creator-tx-hash.txt"
ADDRESS_IN_NAME: Final = re.compile(r"(?:(\d+)[^0-9a-zA-Z])?(0x[0-9a-fA-F]{40})(?![0-9a-fA-F])")
"""An address in the name of a folder, after a chain id or alone."""


class Place(NamedTuple):
    """The chain and address of a deployment, as far as known."""

    chain_id: ChainId | None = None
    address: Address | None = None


def parse_place(parts: Sequence[str]) -> Place:
    """Return the chain and address in a path such as `full_match/1/0x…`.

    Args:
        parts: the names of the folders, outermost first.
    """
    for position in reversed(range(len(parts))):
        found = ADDRESS_IN_NAME.search(parts[position])
        if found is not None:
            chain_name = found[1] or _chain_name(parts[:position])
            chain_id = parse_any_chain_id(chain_name, "/".join(parts)) if chain_name else None
            return Place(chain_id, parse_any_address(found[2], parts[position]))
    return Place()


def _chain_name(parts: Sequence[str]) -> str:
    """Return the chain id among the folders above a contract, or an empty string."""
    of_match = [after for name, after in pairwise(parts) if name in MATCHES]
    name = of_match[-1] if of_match else parts[-1] if parts else ""
    return name if name.isdecimal() else ""


def read_metadata_files(source: Path, files: Sequence[Path], given: Place) -> ListedContracts:
    """Yield the contract that each solc metadata file describes.

    Args:
        source: the folder or file that the user named.
        files: the metadata files.
        given: the chain and address from options, for a file whose path does not contain them.
    """
    for file in files:
        place = _complete_place(parse_place(file.resolve().parts[:-1]), given, is_only=len(files) == 1)
        name = str(file.relative_to(source)) if source.is_dir() else file.name
        if place.chain_id is None or place.address is None:
            yield _unplaced_contract(name, place)
            continue
        folder = source if source.is_dir() and parse_place(file.parts[:-1]).address is None else file.parent
        yield ListedContract(place.chain_id, place.address, name, partial(_read_metadata_file, file, folder))


def _complete_place(found: Place, given: Place, *, is_only: bool) -> Place:
    """Return a place with what options add; an address only if it can be no other contract's."""
    address = found.address or (given.address if is_only else None)
    return Place(found.chain_id or given.chain_id, address)


def _unplaced_contract(name: str, place: Place) -> UnreadableContract:
    if place.address is None:
        return UnreadableContract(
            name,
            "neither its folders nor the options name the address of the contract",
            "give this file as SOURCE, with --chain-id and --address",
        )
    return UnreadableContract(
        name, "its folders do not name the chain of the contract", "add --chain-id", address=place.address
    )


def _read_metadata_file(file: Path, folder: Path) -> SourceContract:
    """Read metadata and the sources that it names.

    Args:
        folder: the folder that has the sources, at any depth.
    """
    if (file.parent / "sources").is_dir():
        return read_contract_folder(file.parent)
    with report_missing_parts(file):
        metadata = read_json_file(file)
        # Remix writes metadata into a folder `artifacts`, which is beside the sources
        if file.parent.name == "artifacts" and folder == file.parent:
            folder = folder.parent
        return _source_contract(
            metadata, _read_sources_by_hash(folder), str(folder), _read_transaction(file.parent)
        )


def read_contract_folder(contract: Path) -> SourceContract:
    """Read the folder of a contract in a Sourcify repository.

    The folder contains solc's metadata, the folder `sources`, and the creating transaction.

    Raises:
        NotImportableError: if a file is missing or malformed.
    """
    file = contract / METADATA
    metadata = read_json_file(file)
    with report_missing_parts(file):
        return _source_contract(
            metadata, _read_texts_by_hash(contract / "sources"), str(contract), _read_transaction(contract)
        )


def _read_transaction(contract: Path) -> str:
    file = contract / TRANSACTION
    return read_text(file) if file.is_file() else ""


def _source_contract(
    metadata: JsonObject, texts: Mapping[str, str], where: str, transaction: str
) -> SourceContract:
    compilation = compilation_of_metadata(metadata, texts, where)
    deployment = WorkspaceDeployment(transaction_hash=parse_any_hex(transaction.strip()))
    return SourceContract(compilation=compilation, on_chain=OnChainContract(None, None, deployment))


def _read_sources_by_hash(folder: Path) -> dict[str, str]:
    """Read the sources below a folder, by their Keccak-256; skip what is not text."""
    texts = {}
    for file in sorted(folder.rglob("*")):
        if file.suffix in SOURCE_SUFFIXES and file.is_file():
            raw = read_bytes(file)
            texts[f"0x{keccak256(raw).hex()}"] = raw.decode("utf-8", "replace")
    return texts


def _read_texts_by_hash(folder: Path) -> dict[str, str]:
    """Read the files below a folder, by their Keccak-256.

    Raises:
        NotImportableError: if one cannot be read or is not UTF-8.
    """
    texts = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            raw = read_bytes(file)
            texts[f"0x{keccak256(raw).hex()}"] = decode_source(raw, file)
    return texts


def parse_files_answer(value: Json) -> list[JsonObject]:
    """Return the files in a response of Sourcify's API v1.

    Args:
        value: the JSON response to a request such as `/files/any/1/0x…`.

    Returns:
        Objects with the members `path` and `content`; empty if the value is not such a response.
    """
    files = value.get("files") if isinstance(value, dict) else value
    if not isinstance(files, list) or not files:
        return []
    objects: list[JsonObject] = [
        file for file in files if isinstance(file, dict) and {"path", "content"} <= file.keys()
    ]
    return objects if len(objects) == len(files) else []


def read_answer_files(files: Sequence[JsonObject], name: str, given: Place) -> ListedContracts:
    """Yield the contract in a saved response of Sourcify's API v1.

    Args:
        files: the files in the response, each with `path` and `content`.
        name: the name of the file with the response.
        given: the chain and address from options, for a response whose paths do not contain them.
    """
    contents = {str(file["path"]): str(file["content"]) for file in files}
    path = next((path for path in contents if PurePosixPath(path).name == METADATA), None)
    if path is None:
        yield UnreadableContract(name, f"it has no {METADATA}", "request the files of a contract again")
        return
    place = _complete_place(parse_place(PurePosixPath(path).parts[:-1]), given, is_only=True)
    if place.chain_id is None or place.address is None:
        yield _unplaced_contract(name, place)
        return
    yield ListedContract(place.chain_id, place.address, name, partial(_read_answer_files, contents, path))


def _read_answer_files(contents: Mapping[str, str], path: str) -> SourceContract:
    texts = {f"0x{keccak256(text.encode()).hex()}": text for text in contents.values()}
    transaction = contents.get(str(PurePosixPath(path).with_name(TRANSACTION)), "")
    metadata = parse_json(contents[path].encode(), path)
    with report_missing_parts(Path(path)):
        if not isinstance(metadata, dict):
            raise NotImportableError(f"{path} is not a JSON object")
        return _source_contract(metadata, texts, path, transaction)
