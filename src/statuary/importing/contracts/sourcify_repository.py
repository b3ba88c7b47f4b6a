"""The published layout of Sourcify's repository: `full_match` or `partial_match`, chain id, address.

A contract's folder has `metadata.json`, `sources/`, and `creator-tx-hash.txt` if the transaction is known. Sources are
found by the hashes in the metadata, because file names in the repository are cleaned. Layout:
https://docs.sourcify.dev/docs/repository/ and `RepositoryV1` of Sourcify's server.
"""

from functools import partial
from pathlib import Path
from typing import Final

from statuary.domain.contracts.workspace import WorkspaceDeployment
from statuary.domain.primitives import keccak256
from statuary.importing.contracts.found_contract import (
    Found,
    FoundContract,
    SourceContract,
    any_address,
    any_chain_id,
    any_hex,
    complete,
    found_in,
)
from statuary.importing.contracts.metadata_compilation import compilation_of_metadata
from statuary.importing.import_error import ContractImportError
from statuary.importing.input_files import decode_source, read_json_file, read_source_bytes
from statuary.importing.on_chain_contract import OnChainContract

MATCHES: Final = ("full_match", "partial_match")


def read_sourcify_repository(folder: Path) -> Found:
    """Yield the contracts of a folder with `full_match` or `partial_match` in it, or in `contracts` or `repository` below.

    Raises:
        ContractImportError: if it has none of them.
    """
    roots = [
        folder / above / match for above in ("", "contracts", "repository/contracts") for match in MATCHES
    ]
    roots = [root for root in roots if root.is_dir()]
    if not roots:
        raise ContractImportError(
            f"{folder} has no full_match or partial_match",
            "give a folder of Sourcify's repository, or the URL of a server with API v2",
        )
    for root in roots:
        for contract in sorted(root.glob("*/*/")):
            name = f"{contract.parent.name}/{contract.name}"
            yield from found_in(contract, name, _contract(contract, name))


def _contract(folder: Path, name: str) -> Found:
    chain_id = any_chain_id(folder.parent.name, str(folder.parent))
    yield FoundContract(chain_id, any_address(folder.name, str(folder)), name, partial(_read, folder))


def _read(contract: Path) -> SourceContract:
    file = contract / "metadata.json"
    metadata = read_json_file(file)
    with complete(file):
        compilation = compilation_of_metadata(metadata, _texts(contract / "sources"), str(contract))
    transaction_file = contract / "creator-tx-hash.txt"
    transaction = None
    if transaction_file.is_file():
        transaction = any_hex(decode_source(read_source_bytes(transaction_file), transaction_file).strip())
    return SourceContract(
        compilation=compilation,
        on_chain=OnChainContract(None, None, WorkspaceDeployment(transaction_hash=transaction)),
    )


def _texts(folder: Path) -> dict[str, str]:
    """Return the texts of all files below a folder by their Keccak-256."""
    texts = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            raw = read_source_bytes(file)
            texts[f"0x{keccak256(raw).hex()}"] = decode_source(raw, file)
    return texts
