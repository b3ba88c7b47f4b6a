"""Import deployments of hardhat-deploy.

Version 1 has the chain in `.chainId` and the inputs in `solcInputs/`. Version 2, which is rocketh, has the
chain in `.chain`, and in each file the input (`solcInput`), the creation code, the encoded arguments and the
transaction.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import orjson

from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.base.primitives import Address, ChainId
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import (
    read_json_file,
    read_text_file,
    required_object,
    required_string,
)
from statuary.extensions.importing.toolchains.compilation import (
    ImportedCompilation,
    get_compiler_for_language,
)
from statuary.extensions.importing.toolchains.foundry import make_compilation_from_metadata
from statuary.extensions.importing.toolchains.hardhat_sources import HardhatBuilds
from statuary.extensions.importing.toolchains.listed_contract import (
    UNCHECKED_CREATION,
    ListedContract,
    ListedContracts,
    SourceContract,
    UnreadableContract,
    find_creation_code,
    make_deployment,
    not_importable_if_malformed,
    parse_any_hex,
    parse_json_address,
    parse_json_chain_id,
    to_decimal_string,
    yield_contracts_or_error,
)

CHAIN_FILES = (".chainId", ".chain")
PROXY_SUFFIXES = ("_Proxy", "_DiamondProxy")
IMPLEMENTATION_SUFFIX = "_Implementation"


def read_hardhat_deploy(folder: Path) -> ListedContracts:
    """Yield the contracts that hardhat-deploy deployed on any network.

    Args:
        folder: the project, its `deployments` folder, or the folder of one network.

    Raises:
        NotImportableError: if no folder of a network has a chain id.
    """
    above = folder / "deployments" if (folder / "deployments").is_dir() else folder
    networks = [network for network in (above, *sorted(above.glob("*/"))) if _find_chain_id_file(network)]
    if not networks:
        raise NotImportableError(
            f"{folder} has no deployments/<network>/.chainId",
            "name the folder of a project with deployments of hardhat-deploy",
        )
    for network in networks:
        yield from yield_contracts_or_error(network, network.name, _list_network_contracts(network))


def _find_chain_id_file(network_folder: Path) -> Path | None:
    return next((network_folder / name for name in CHAIN_FILES if (network_folder / name).is_file()), None)


def _read_chain_id(network_folder: Path) -> ChainId:
    file = _find_chain_id_file(network_folder) or network_folder / CHAIN_FILES[0]
    chain_text = read_json_file(file).get("chainId") if file.name == ".chain" else read_text_file(file)
    return parse_json_chain_id(chain_text, str(file))


def _list_network_contracts(network_folder: Path) -> ListedContracts:
    chain_id = _read_chain_id(network_folder)
    # hardhat-deploy writes two files for a proxy: `Name.json` has the ABI that users call, and
    # `Name_Proxy.json` (or `Name_DiamondProxy.json`) describes the code at the same address.
    names = sorted(file.stem for file in network_folder.glob("*.json") if not file.name.startswith("."))
    proxies = {name for name in names if not {name + suffix for suffix in PROXY_SUFFIXES}.isdisjoint(names)}
    names_by_address: dict[str, str] = {}
    listed_addresses: set[str] = set()
    builds = HardhatBuilds(network_folder, "deployments")
    for name in names:
        file = network_folder / f"{name}.json"
        contracts = _list_file_contracts(file, chain_id, builds, names_by_address, is_proxy=name in proxies)
        for contract in yield_contracts_or_error(file, f"{network_folder.name}/{name}", contracts):
            if isinstance(contract, ListedContract):
                listed_addresses.add(contract.address)
            yield contract
    for address in sorted(names_by_address.keys() - listed_addresses):
        yield UnreadableContract(
            names_by_address[address],
            "no file of the network describes it",
            chain_id=chain_id,
            address=Address(address),
        )


def _list_file_contracts(
    deployment_file: Path,
    chain_id: ChainId,
    builds: HardhatBuilds,
    names_by_address: dict[str, str],
    *,
    is_proxy: bool,
) -> ListedContracts:
    """Yield the contracts in a file of hardhat-deploy, oldest first.

    The file has the last deployment of a name, and earlier ones in its history.

    Args:
        deployment_file: the file.
        chain_id: the chain of the network.
        builds: the compiler runs of the project.
        names_by_address: a dict to which this function adds the addresses that the file only mentions, each with a
            description.
        is_proxy: whether the deployment is a proxy, whose own code another file describes.
    """
    deployment = read_json_file(deployment_file)
    history = [*map(as_object, as_list(deployment.get("history")))]
    for deployment_entry in (deployment, *history):
        for member, address in _related_addresses(deployment_entry):
            names_by_address.setdefault(
                parse_json_address(address, str(deployment_file)), f"{deployment_file.stem}'s {member}"
            )
    for number, earlier_deployment in enumerate(history, 1):
        if earlier_deployment.get("address") is not None and not is_proxy:
            address = parse_json_address(earlier_deployment["address"], str(deployment_file))
            name = f"{deployment_file.stem}, deployment {number}"
            read_source = partial(_read_deployed_contract, deployment_file, builds, earlier_deployment)
            yield ListedContract(chain_id, address, name, read_source)
    address = parse_json_address(deployment.get("address"), str(deployment_file))
    if is_proxy:
        names_by_address.setdefault(address, deployment_file.stem)
    else:
        read_source = partial(_read_deployed_contract, deployment_file, builds, deployment)
        yield ListedContract(chain_id, address, deployment_file.stem, read_source)


def _related_addresses(deployment: JsonObject) -> Iterator[tuple[str, Json]]:
    """Yield the implementation and the facets that a deployed proxy names.

    A facet may be an array, as the node returned it.
    """
    if (implementation := deployment.get("implementation")) is not None:
        yield "implementation", implementation
    for facet in as_list(deployment.get("facets")):
        parts = as_list(facet)
        yield (
            "facet",
            parts[0] if parts else facet if isinstance(facet, str) else as_object(facet).get("facetAddress"),
        )


def _read_deployed_contract(
    deployment_file: Path, builds: HardhatBuilds, deployment: JsonObject
) -> SourceContract:
    with not_importable_if_malformed(deployment_file):
        return SourceContract(
            compilation=_read_deployment_compilation(deployment_file, builds, deployment),
            on_chain=_on_chain_contract(deployment),
        )


def _on_chain_contract(deployment: JsonObject) -> OnChainContract:
    receipt = as_object(deployment.get("receipt"))
    sent = as_object(deployment.get("transaction"))
    sender = receipt.get("from") or sent.get("origin")
    created = make_deployment(
        deployment.get("transactionHash") or receipt.get("transactionHash") or sent.get("hash"),
        receipt.get("blockNumber"),
        receipt.get("transactionIndex"),
        sender,
    )
    code = parse_any_hex(
        as_text(deployment.get("bytecode")) + as_text(deployment.get("argsData")).removeprefix("0x")
    )
    nonce = to_decimal_string(sent.get("nonce"))
    if code is None or nonce is None or parse_any_hex(sender) is None:
        return OnChainContract(None, None, created)
    creation = find_creation_code(as_text(deployment.get("address")), sender, nonce, None, code)
    return OnChainContract(creation, None, created, (UNCHECKED_CREATION,) if creation is None else ())


def _read_deployment_compilation(
    deployment_file: Path, builds: HardhatBuilds, deployment: JsonObject
) -> ImportedCompilation:
    text = as_text(deployment.get("metadata"))
    if not text:
        contract_name = as_text(deployment.get("contractName"))
        creation = parse_any_hex(deployment.get("bytecode"))
        return builds.find_compilation(
            contract_name or deployment_file.stem.removesuffix(IMPLEMENTATION_SUFFIX),
            creation,
            "its file has no metadata of a compiler",
        )
    metadata: JsonObject = orjson.loads(text)
    solc_input = _read_solc_input(deployment_file, deployment)
    if solc_input is None:
        # Many repositories do not commit the folder `solcInputs`. Without this folder, take the contract's
        # sources from its metadata.
        return make_compilation_from_metadata(metadata, {}, str(deployment_file))
    ((path, name),) = required_object(metadata, "settings", "compilationTarget").items()
    return ImportedCompilation(
        compiler=get_compiler_for_language(solc_input["language"]),
        version=required_string(metadata, "compiler", "version"),
        fully_qualified_name=f"{path}:{name}",
        std_json_input=solc_input,
        std_json_output=None,
    )


def _read_solc_input(deployment_file: Path, deployment: JsonObject) -> JsonObject | None:
    """Read the compiler's input in the deployment or the project.

    Returns:
        The input, or None if the project does not have the file.

    Raises:
        NotImportableError: if the deployment does not name its input.
    """
    if text := as_text(deployment.get("solcInput")):
        return as_object(orjson.loads(text))
    input_file = _solc_input_file(deployment_file, deployment)
    return read_json_file(input_file) if input_file.is_file() else None


def _solc_input_file(deployment_file: Path, deployment: JsonObject) -> Path:
    digest = deployment.get("solcInputHash")
    if not isinstance(digest, str) or not digest.isalnum():
        raise NotImportableError(
            f"{deployment_file} names no compiler input (solcInputHash)",
            "deploy with hardhat-deploy 0.7 or later",
        )
    return deployment_file.parent / "solcInputs" / f"{digest}.json"
