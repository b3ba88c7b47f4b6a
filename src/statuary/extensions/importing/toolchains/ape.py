"""Import deployments and compilations of ape.

A project lists deployments by ecosystem and network in ape-config.yaml; those that ape made itself are in its
data folder (`APE_DATA_FOLDER`, or ~/.ape), in `<ecosystem>/deployments_map.json`. `.build/__local__.json` is
a package manifest (EIP-2678) with the sources, contract types and compilers. Formats: eth-ape 0.8.52.
"""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import (
    read_json_file,
    required_list,
    required_object,
    required_string,
)
from statuary.extensions.importing.status.fields import read_yaml_mapping
from statuary.extensions.importing.toolchains.compilation import ImportedCompilation
from statuary.extensions.importing.toolchains.listed_contract import (
    ListedContract,
    ListedContracts,
    SourceContract,
    UnreadableContract,
    make_deployment,
    not_importable_if_malformed,
    parse_json_address,
    parse_json_chain_id,
    yield_contracts_or_error,
)

CONFIG: Final = "ape-config.yaml"
MANIFEST: Final = ".build/__local__.json"
MAP: Final = "deployments_map.json"

CHAIN_IDS: Final = {
    ("ethereum", "mainnet"): "1",
    ("ethereum", "sepolia"): "11155111",
    ("ethereum", "holesky"): "17000",
    ("arbitrum", "mainnet"): "42161",
    ("arbitrum", "sepolia"): "421614",
    ("base", "mainnet"): "8453",
    ("base", "sepolia"): "84532",
    ("optimism", "mainnet"): "10",
    ("optimism", "sepolia"): "11155420",
    ("polygon", "mainnet"): "137",
}
"""The chain ids of networks that ape and its plugins define; a project's own are under `networks.custom`."""

SUFFIXES: Final = {".vy": ("Vyper", (".vy", ".vyi", ".json")), ".sol": ("Solidity", (".sol",))}
"""The language of a source by its suffix, with the suffixes of files that it may import."""


class ApeDeployment(NamedTuple):
    """A deployment in ape's list."""

    ecosystem: str
    network: str
    contract: str
    entry: JsonObject


def read_ape(folder: Path) -> ListedContracts:
    """Yield the contracts that a project of the tool ape deployed.

    Raises:
        NotImportableError: if the project is not compiled, or lists no deployments.
    """
    file = folder / MANIFEST
    if not file.is_file():
        raise NotImportableError(
            f"{folder} has no {MANIFEST}",
            "name the folder of an ape project that was compiled with `ape compile`",
        )
    manifest = read_json_file(file)
    config = read_yaml_mapping(folder / CONFIG) if (folder / CONFIG).is_file() else {}
    names = as_object(manifest.get("contractTypes")).keys()
    deployments = [
        *_deployments_in_config(config),
        *(
            deployment
            for deployment in _deployments_in_data_folder(find_ape_data_folder())
            if deployment.contract in names
        ),
    ]
    if not deployments:
        raise NotImportableError(
            f"neither {folder / CONFIG} nor {find_ape_data_folder()} lists a deployment of this project",
            "deploy it to a network other than `local`, or list it under `deployments` in the file",
        )
    chain_ids = {**CHAIN_IDS, **_custom_chain_ids(config)}
    for deployment in deployments:
        where = f"{deployment.contract} ({as_text(deployment.entry.get('address'))})"
        yield from yield_contracts_or_error(
            folder, where, _list_ape_deployment(file, manifest, chain_ids, deployment)
        )


def find_ape_data_folder() -> Path:
    """Return the folder in which the tool ape stores deployments.

    It is the environment variable `APE_DATA_FOLDER`, or `~/.ape`.
    """
    return Path(os.environ.get("APE_DATA_FOLDER") or Path.home() / ".ape")


def _deployments_in_config(config: JsonObject) -> Iterator[ApeDeployment]:
    for ecosystem, networks in as_object(config.get("deployments")).items():
        for network, entries in as_object(networks).items():
            for entry in map(as_object, as_list(entries)):
                yield ApeDeployment(ecosystem, network, as_text(entry.get("contract_type")), entry)


def _deployments_in_data_folder(folder: Path) -> Iterator[ApeDeployment]:
    for file in sorted(folder.glob(f"*/{MAP}")):
        for ecosystem, networks in as_object(read_json_file(file).get("ecosystems")).items():
            for network, contracts in as_object(networks).items():
                for contract, entries in as_object(contracts).items():
                    for entry in map(as_object, as_list(entries)):
                        yield ApeDeployment(ecosystem, network, contract, entry)


def _custom_chain_ids(config: JsonObject) -> dict[tuple[str, str], str]:
    networks = map(as_object, as_list(as_object(config.get("networks")).get("custom")))
    return {
        (as_text(network.get("ecosystem")) or "ethereum", as_text(network.get("name"))): str(
            network.get("chain_id")
        )
        for network in networks
    }


def _list_ape_deployment(
    manifest_file: Path,
    manifest: JsonObject,
    chain_ids: dict[tuple[str, str], str],
    deployment: ApeDeployment,
) -> ListedContracts:
    ecosystem, network, contract, entry = deployment
    address = parse_json_address(entry.get("address"), contract)
    chain_id = chain_ids.get((ecosystem, network))
    if chain_id is None:
        yield UnreadableContract(
            contract,
            f"{CONFIG} has no chain id of the network {ecosystem}:{network}",
            "add the network under `networks.custom`, with its chain_id",
            address=address,
        )
        return
    created = make_deployment(entry.get("transaction_hash"), None, None, None)
    yield ListedContract(
        parse_json_chain_id(chain_id, CONFIG),
        address,
        contract,
        partial(_read_ape_contract, manifest_file, manifest, contract, OnChainContract(None, None, created)),
    )


def _read_ape_contract(
    manifest_file: Path, manifest: JsonObject, contract_name: str, on_chain: OnChainContract
) -> SourceContract:
    with not_importable_if_malformed(manifest_file):
        return SourceContract(
            compilation=_compilation_in_manifest(manifest, contract_name), on_chain=on_chain
        )


def _compilation_in_manifest(manifest: JsonObject, contract_name: str) -> ImportedCompilation:
    """Read the compiler input of a contract from ape's package manifest.

    Raises:
        NotImportableError: if the manifest does not have the contract or its compiler.
        InvalidValueError: if it lacks another part.
    """
    if contract_name not in as_object(manifest.get("contractTypes")):
        raise NotImportableError(
            f"{MANIFEST} has no contract type {contract_name}",
            "compile the project with `ape compile --force`",
        )
    path = required_string(manifest, "contractTypes", contract_name, "sourceId")
    suffix = PurePosixPath(path).suffix
    compilers = map(as_object, required_list(manifest, "compilers"))
    compiler = next(
        (
            compiler_value
            for compiler_value in compilers
            if contract_name in as_list(compiler_value.get("contractTypes"))
        ),
        None,
    )
    if compiler is None or suffix not in SUFFIXES:
        raise NotImportableError(
            f"{MANIFEST} does not say with which Solidity or Vyper compiler {contract_name} was compiled"
        )
    language = SUFFIXES[suffix][0]
    compiler_settings = required_object(compiler, "settings")
    return ImportedCompilation(
        compiler="vyper" if language == "Vyper" else "solc",
        version=required_string(compiler, "version"),
        fully_qualified_name=f"{path}:{PurePosixPath(path).stem if language == 'Vyper' else contract_name}",
        std_json_input={
            "language": language,
            "sources": _sources_for_compiler(manifest, compiler_settings, suffix),
            "settings": _remove_local_settings(compiler_settings),
        },
        std_json_output=None,
    )


def _sources_for_compiler(
    manifest: JsonObject, compiler_settings: JsonObject, file_suffix: str
) -> JsonObject:
    language, suffixes = SUFFIXES[file_suffix]
    sources: dict[str, Json] = {
        name: {"content": required_string(source, "content")}
        for name, source in required_object(manifest, "sources").items()
        if name.endswith(suffixes)
    }
    compiled = as_object(compiler_settings.get("outputSelection")).keys() & sources.keys()
    if language == "Solidity" and compiled:
        # Leave out the sources for other compiler versions, because they would not compile with this version.
        return {name: source for name, source in sources.items() if name in compiled}
    return sources


def _remove_local_settings(compiler_settings: JsonObject) -> JsonObject:
    """Remove outputs and absolute search paths from a compiler's settings."""
    settings: dict[str, Json] = {
        name: value
        for name, value in compiler_settings.items()
        if name not in ("outputSelection", "search_paths")
    }
    paths = [
        path for path in as_list(compiler_settings.get("search_paths")) if not as_text(path).startswith("/")
    ]
    return {**settings, "search_paths": paths} if paths else settings
