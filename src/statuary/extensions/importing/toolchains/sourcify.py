"""Import contracts from Sourcify servers, repositories and downloads.

`GET /v2/contracts/{chainId}` lists a chain, 200 contracts a page; `GET
/v2/contract/{chainId}/{address}?fields=all` is a record. https://docs.sourcify.dev/docs/api/
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from statuary.base.json_values import Json, JsonObject
from statuary.base.primitives import Address, ChainId
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import MAX_FILE_BYTES, WebSource, parse_json, read_file_bytes
from statuary.extensions.importing.toolchains.listed_contract import (
    ListedContract,
    ListedContracts,
    SourceContract,
    parse_json_address,
    parse_json_chain_id,
    yield_contracts_or_error,
)
from statuary.extensions.importing.toolchains.sourcify_metadata import (
    MATCHES,
    METADATA,
    ContractLocation,
    parse_v1_files_response,
    read_contract_folder,
    read_metadata_files,
    read_sourcify_v1_response,
)

PAGE: Final = 200
"""Contracts of a page, which is the maximum of a server."""


def read_sourcify_api(
    url: str, web: WebSource, chain_id: ChainId, addresses: Sequence[Address]
) -> ListedContracts:
    """Yield contracts from a server with Sourcify's API (version 2).

    A contract is requested only when it is read.

    Args:
        url: the URL of the server, such as https://sourcify.dev/server, with or without /v2.
        web: the HTTP client.
        chain_id: the chain of the contracts.
        addresses: the contracts to import; empty for all contracts on the chain, oldest first.

    Raises:
        UnreachableError: if the server does not respond.
        NotImportableError: if the server's list of contracts is not in the format of Sourcify's API.
    """
    base = f"{url.rstrip('/').removesuffix('/v2')}/v2"
    for address in addresses or _list_chain_addresses(base, web, chain_id):
        yield ListedContract(
            chain_id,
            address,
            address,
            partial(_fetch_contract, f"{base}/contract/{chain_id}/{address}?fields=all", web),
        )


def _list_chain_addresses(server_url: str, web: WebSource, chain_id: ChainId) -> Iterator[Address]:
    last_match_id, after_query = "", ""
    while True:
        page_url = f"{server_url}/contracts/{chain_id}?sort=asc&limit={PAGE}{after_query}"
        results = _fetch_result_page(web, page_url)
        yield from (parse_json_address(contract.get("address"), page_url) for contract in results)
        following = str(results[-1].get("matchId", "")) if results else ""
        # A page with fewer results than requested is the last one. Also stop if the server ignores
        # `afterMatchId` and returns the same page again.
        if len(results) < PAGE or following in ("", last_match_id):
            return
        last_match_id = following
        after_query = f"&afterMatchId={following}"


def _fetch_result_page(web: WebSource, page_url: str) -> list[JsonObject]:
    page = web.fetch_json(page_url)
    results = page.get("results") if isinstance(page, dict) else None
    if not isinstance(results, list) or not all(isinstance(contract, dict) for contract in results):
        raise NotImportableError(
            f"{page_url} is not a list of contracts", "write the URL of a server with Sourcify's API v2"
        )
    return results


def _fetch_contract(contract_url: str, web: WebSource) -> SourceContract:
    raw = web.get(contract_url)
    if raw is None:
        raise NotImportableError("the server has no verified contract at this address on this chain")
    return SourceContract(record=raw)


ABOVE: Final = ("", "contracts", "repository/contracts")


def read_sourcify_folder(folder: Path, typed_location: ContractLocation) -> ListedContracts:
    """Yield the contracts in a folder that Sourcify, solc or statuary wrote.

    The folder is a Sourcify repository, or contains solc's metadata files or contract records.

    Args:
        folder: the folder, or one file.
        typed_location: the chain and address that the user typed, for files whose path does not contain them.

    Raises:
        NotImportableError: if there is no such file.
    """
    if any((folder / above / match).is_dir() for above in ABOVE for match in MATCHES):
        yield from read_sourcify_repository(folder)
        return
    metadata_files = _find_metadata_files(folder)
    if metadata_files:
        yield from read_metadata_files(folder, metadata_files, typed_location)
        return
    root = folder if folder.is_dir() else folder.parent
    for file in _find_record_files(folder):
        name = file.relative_to(root).as_posix()
        yield from yield_contracts_or_error(file, name, _list_file_records(file, typed_location))


def _find_metadata_files(folder: Path) -> list[Path]:
    """Find files of solc's metadata: `metadata.json` or Remix's `Fare_metadata.json`."""
    if folder.is_file():
        return [folder] if folder.name.endswith(METADATA) else []
    return [] if _find_site_records(folder) else sorted(folder.rglob(f"*{METADATA}"))


def _find_record_files(folder: Path) -> list[Path]:
    """Find the files that may contain records of contracts.

    Args:
        folder: a folder, or one file.

    Raises:
        NotImportableError: if there are none.
    """
    if folder.is_file():
        if _may_contain_records(folder):
            return [folder]
        raise NotImportableError(
            f"{folder} is not a file with records of contracts",
            "give a .json or .jsonl file, a metadata.json, a folder, or a .zip or .tar.gz of one",
        )
    if not folder.is_dir():
        raise NotImportableError(f"there is no file or folder {folder}", "check the spelling of the path")
    files = _find_site_records(folder) or [
        file for file in sorted(folder.rglob("*")) if _may_contain_records(file)
    ]
    if not files:
        if any(folder.rglob("*.parquet")):
            raise NotImportableError(
                f"{folder} has tables of a Sourcify export, which are not imported but read by each build",
                "copy them into a folder below contracts/ of the content",
            )
        raise NotImportableError(
            f"{folder} has no full_match or partial_match, no metadata.json, and no records",
            "give a folder of Sourcify's repository, a folder with <chain id>/<address>.json or other files of"
            " records, or the URL of a server with API v2",
        )
    return files


def _find_site_records(folder: Path) -> list[Path]:
    """Find the records in a copy of a statuary site, each once.

    A site has two files for each record: one with the address in lower case, one with the checksummed address. The
    latter is returned.
    """
    chains = [chain for chain in (folder / "v2/contract").glob("*/") if chain.name.isdecimal()]
    by_name: dict[str, Path] = {}
    for file in sorted((file for chain in chains for file in chain.iterdir()), reverse=True):
        # Each record has a file with the lower-case address and one with the EIP-55 address. The reverse
        # order gives the EIP-55 file last, so this file replaces the other one.
        by_name[f"{file.parent.name}/{file.name.lower()}"] = file
    return sorted(by_name.values())


def _may_contain_records(file: Path) -> bool:
    """Return whether a file may contain records of contracts.

    Such a file is JSON or JSON Lines, or a saved response of Sourcify's API, named after the address.
    """
    is_document = not file.suffix and file.name.startswith("0x")
    return (file.suffix in RECORD_SUFFIXES or is_document) and file.is_file()


RECORD_SUFFIXES: Final = (".json", ".jsonl", ".ndjson")


def _list_file_records(file: Path, typed_location: ContractLocation) -> ListedContracts:
    raw = read_file_bytes(file, MAX_FILE_BYTES)
    bodies = raw.splitlines() if file.suffix in (".jsonl", ".ndjson") else [raw]
    for body in filter(None, (line.strip() for line in bodies)):
        value = parse_json(body, str(file))
        if files := parse_v1_files_response(value):
            yield from read_sourcify_v1_response(files, file.name, typed_location)
            continue
        if not isinstance(value, dict) or "chainId" not in value:
            raise _not_a_record_error(value)
        chain_id = parse_json_chain_id(value["chainId"], str(file))
        address = parse_json_address(value.get("address"), str(file))
        yield ListedContract(chain_id, address, file.name, partial(SourceContract, record=body))


def _not_a_record_error(value: Json) -> NotImportableError:
    if isinstance(value, dict) and isinstance(value.get("results"), list):
        return NotImportableError(
            "the file is a list of contracts without their records",
            "import from the server: `statuary import sourcify URL --chain-id ID`",
        )
    return NotImportableError(
        "the file is not a record of API v2", "a record has chainId and address, as ?fields=all gives them"
    )


def read_sourcify_repository(folder: Path) -> ListedContracts:
    """Yield the contracts in a Sourcify repository.

    The folders `full_match` and `partial_match` are searched in the given folder, in `contracts`, and in
    `repository/contracts`.

    Raises:
        NotImportableError: if there is no such folder.
    """
    roots = [folder / above / match for above in ABOVE for match in MATCHES]
    roots = [root for root in roots if root.is_dir()]
    if not roots:
        raise NotImportableError(
            f"{folder} has no full_match or partial_match",
            "give a folder of Sourcify's repository, or the URL of a server with API v2",
        )
    for root in roots:
        for chain in sorted(root.glob("*/")):
            for contract in _find_contract_folders(chain):
                name = f"{chain.name}/{contract.name}"
                yield from yield_contracts_or_error(
                    contract, name, _list_folder_contract(chain, contract, name)
                )


def _find_contract_folders(chain_folder: Path) -> Iterator[Path]:
    """Yield the folders of a chain's contracts.

    They may be inside folders such as `5f`, which are named after the first byte of addresses.
    """
    for folder in sorted(chain_folder.glob("*/")):
        yield from sorted(folder.glob("0x*/")) or [folder]


def _list_folder_contract(chain_folder: Path, contract_folder: Path, contract_name: str) -> ListedContracts:
    chain_id = parse_json_chain_id(chain_folder.name, str(chain_folder))
    yield ListedContract(
        chain_id,
        parse_json_address(contract_folder.name, str(contract_folder)),
        contract_name,
        partial(read_contract_folder, contract_folder),
    )
