"""hardhat-deploy's `deployments/<network>` folders: a file for each contract, and the compiler's inputs.

`<Name>.json` has address, receipt and solc's metadata; `solcInputs/<hash>.json` the whole standard JSON input;
`.chainId` the chain. Neither the compiler's output nor the transaction's input is kept, so a contract has to be
compiled again. Format: `Deployment` of hardhat-deploy 1.0, and the files that it
wrote in tests/importing.
"""

from functools import partial
from pathlib import Path
from typing import Any

import orjson

from statuary.domain.primitives import ChainId
from statuary.importing.contracts.found_contract import (
    Found,
    FoundContract,
    SourceContract,
    any_address,
    any_chain_id,
    any_deployment,
    complete,
    found_in,
)
from statuary.importing.contracts.metadata_compilation import compilation_of_metadata
from statuary.importing.import_error import ContractImportError
from statuary.importing.imported_compilation import ImportedCompilation, compiler_for_language
from statuary.importing.input_files import decode_source, read_json_file, read_source_bytes
from statuary.importing.on_chain_contract import OnChainContract

CHAIN_FILE = ".chainId"
PROXY_SUFFIX = "_Proxy"


def read_hardhat_deploy(folder: Path) -> Found:
    """Yield the contracts of every network of a project.

    Args:
        folder: the project, its `deployments` folder, or the folder of one network.

    Raises:
        ContractImportError: if there is no network with its chain id.
    """
    above = folder / "deployments" if (folder / "deployments").is_dir() else folder
    networks = [one for one in (above, *sorted(above.glob("*/"))) if (one / CHAIN_FILE).is_file()]
    if not networks:
        raise ContractImportError(
            f"{folder} has no deployments/<network>/.chainId", "give the folder of a hardhat-deploy project"
        )
    for network in networks:
        yield from found_in(network, network.name, _contracts(network))


def _contracts(network: Path) -> Found:
    chain_file = network / CHAIN_FILE
    chain_id = any_chain_id(decode_source(read_source_bytes(chain_file), chain_file), str(chain_file))
    # Name.json and Name_Proxy.json are one contract, and the second has its code
    names = sorted(file.stem for file in network.glob("*.json") if not file.name.startswith("."))
    for name in names:
        if name + PROXY_SUFFIX not in names:
            file = network / f"{name}.json"
            yield from found_in(file, f"{network.name}/{name}", _contract(file, chain_id))


def _contract(file: Path, chain_id: ChainId) -> Found:
    deployment = read_json_file(file)
    address = any_address(deployment.get("address"), str(file))
    yield FoundContract(chain_id, address, file.stem, partial(_read, file, deployment))


def _read(file: Path, deployment: dict[str, Any]) -> SourceContract:
    receipt = deployment.get("receipt") or {}
    with complete(file):
        sent = any_deployment(
            deployment.get("transactionHash") or receipt.get("transactionHash"),
            receipt.get("blockNumber"),
            receipt.get("transactionIndex"),
            receipt.get("from"),
        )
        return SourceContract(
            compilation=_compilation(file, deployment), on_chain=OnChainContract(None, None, sent)
        )


def _compilation(file: Path, deployment: dict[str, Any]) -> ImportedCompilation:
    if not deployment.get("metadata"):
        raise ContractImportError(
            "its file has no metadata of a compiler",
            "the contract was not deployed from sources of this project",
        )
    metadata = orjson.loads(deployment["metadata"])
    input_file = _input_file(file, deployment)
    if not input_file.is_file():
        # many repositories leave out solcInputs; the metadata has the sources of the contract
        return compilation_of_metadata(metadata, {}, str(file))
    ((path, name),) = metadata["settings"]["compilationTarget"].items()
    solc_input = read_json_file(input_file)
    return ImportedCompilation(
        compiler=compiler_for_language(solc_input["language"]),
        version=metadata["compiler"]["version"],
        fully_qualified_name=f"{path}:{name}",
        std_json_input=solc_input,
        std_json_output=None,
    )


def _input_file(file: Path, deployment: dict[str, Any]) -> Path:
    digest = deployment.get("solcInputHash")
    if not isinstance(digest, str) or not digest.isalnum():
        raise ContractImportError(
            f"{file} names no compiler input (solcInputHash)", "deploy with hardhat-deploy 0.7 or later"
        )
    return file.parent / "solcInputs" / f"{digest}.json"
