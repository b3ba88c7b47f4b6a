"""Rules of the interfaces of explorers and tools.

The rules apply to sites that have such interfaces.
"""

import json
from collections.abc import Iterator

from statuary.base.json_values import Json, as_list, as_object, as_text
from statuary.base.primitives import keccak256
from statuary.contracts.model.abi import signature_hash
from statuary.extensions.apis import urls
from statuary.extensions.conform.deployment import CheckedDeployment, DeployedContract, NotApplicableError
from statuary.system.network.client import HttpResponse

UNKNOWN_SELECTOR = "0x00000001"


def signatures_are_counted(deployment: CheckedDeployment) -> Iterator[str]:
    """The count of function, event and error signatures must match the listed ones."""
    total = as_object(as_object(_signature_statistics(deployment).get("result")).get("count")).get("total")
    names = _listed_signatures(deployment)
    if total != len(names):
        yield f"/{urls.SIGNATURE_STATS.path()} counts {total} signatures, and {len(names)} are listed"


def signatures_are_looked_up(deployment: CheckedDeployment) -> Iterator[str]:
    """The look-up must find a listed signature by its selector, and return null for an unknown selector."""
    _signature_statistics(deployment)
    for name in _listed_signatures(deployment)[: deployment.sample]:
        selector = signature_hash(name)[:10]
        target = f"/{urls.SIGNATURE_LOOKUP}?function={selector},{UNKNOWN_SELECTOR}&filter=false"
        functions = _functions_in_lookup(deployment, target)
        if name not in [as_object(item).get("name") for item in as_list(functions.get(selector))]:
            yield f"{target} does not have {name}"
        if functions.get(UNKNOWN_SELECTOR, "") is not None:
            yield f"{target} has {functions.get(UNKNOWN_SELECTOR, 'nothing')!r} for an unknown selector, not null"


def signatures_are_searched(deployment: CheckedDeployment) -> Iterator[str]:
    """The search must find a listed signature by its first characters, and reject an invalid pattern."""
    _signature_statistics(deployment)
    for name in _listed_signatures(deployment)[:1]:
        target = f"/{urls.SIGNATURE_SEARCH}?query={name[:3]}*&filter=false"
        if not _functions_in_lookup(deployment, target):
            yield f"{target} finds nothing"
    target = f"/{urls.SIGNATURE_SEARCH}?query=%20"
    if deployment.get_response(target).status != 500:
        yield f"{target} returns {deployment.get_response(target).status}, not 500"


def explorer_calls_are_answered(deployment: CheckedDeployment) -> Iterator[str]:
    """Etherscan's calls must return the ABI of a listed contract, and report an unknown one as unverified."""
    chains = f"/{urls.ETHERSCAN_CHAINS.path()}"
    if deployment.get_response(chains).status == 404:
        raise NotApplicableError(
            f"{chains} returns 404: the site does not serve the calls of a block explorer"
        )
    for contract in deployment.sample_contracts:
        base = f"/{urls.ETHERSCAN_CALL}?chainid={contract.chain_id}&module=contract&action=getsourcecode&address="
        for address, is_verified in ((contract.address, True), (deployment.absent_address, False)):
            response = deployment.get_response(base + address)
            body = as_object(json.loads(response.body)) if response.status == 200 else {}
            source = as_object(next(iter(as_list(body.get("result"))), {})).get("SourceCode")
            if body.get("status") != "1" or bool(source) is not is_verified:
                yield f"{base}{address} returns {response.status} and the source {str(source)[:20]!r}"


def interfaces_have_listed_contracts(deployment: CheckedDeployment) -> Iterator[str]:
    """The files for block explorers must exist for verified contracts only.

    Otterscan and Blockscout read these files.
    """
    config = f"/{urls.OTTERSCAN_CONFIG.path()}"
    has_otterscan = deployment.get_response(config).status == 200
    targets = [
        _explorer_file_path(contract.chain_id, contract.address) for contract in deployment.sample_contracts
    ]
    has_blockscout = any(deployment.get_response(target).status == 200 for target in targets)
    if not has_otterscan and not has_blockscout:
        raise NotApplicableError(
            f"{config} returns no document: the site serves neither Otterscan nor Blockscout"
        )
    if has_otterscan and "assetsURLPrefix" not in _request_json_object(deployment, config):
        yield f"{config} has no assetsURLPrefix"
    if has_blockscout:
        yield from _find_wrong_explorer_files(deployment, targets)


def missing_contracts_are_said_in_json(deployment: CheckedDeployment) -> Iterator[str]:
    """Blockscout's interface must respond with JSON if a contract is not verified."""
    target = _explorer_file_path(
        _require_contract_with_explorer_file(deployment).chain_id, deployment.absent_address
    )
    response = deployment.get_response(target)
    if response.status != 404 or not as_object(_parse_response_json(response)):
        yield f"{target} returns {response.status}, and not 404 with an object"


def _require_contract_with_explorer_file(deployment: CheckedDeployment) -> DeployedContract:
    for contract in deployment.sample_contracts:
        if deployment.get_response(_explorer_file_path(contract.chain_id, contract.address)).status == 200:
            return contract
    raise NotApplicableError(
        "no listed contract has a file for Blockscout: the site does not serve Blockscout"
    )


def proxies_are_resolved(deployment: CheckedDeployment) -> Iterator[str]:
    """A proxy's merged ABI must match its document, which names the contract of each entry.

    The merged ABI combines those of the proxy and its implementations.
    """
    proxies = as_list(as_object(deployment.get_json(f"/{urls.PROXIES.path()}")).get("proxies"))
    for proxy in map(as_object, proxies[: deployment.sample]):
        place = {"chain_id": as_text(proxy.get("chainId")), "address": as_text(proxy.get("address"))}
        target = f"/{urls.PROXY.path(**place)}"
        abi_target = f"/{urls.PROXY_ABI.path(**place)}"
        body = as_object(_parse_response_json(deployment.get_response(target)))
        entries = [as_object(entry) for entry in as_list(body.get("abi"))]
        if _parse_response_json(deployment.get_response(abi_target)) != [
            entry.get("item") for entry in entries
        ]:
            yield f"{abi_target} is not the ABI of {target}"
        if not all(as_list(entry.get("from")) for entry in entries):
            yield f"{target} has an entry that is of no contract"


def code_finds_contracts(deployment: CheckedDeployment) -> Iterator[str]:
    """A search for the hash of a contract's code must find the contract."""
    checked = False
    for contract in deployment.sample_contracts:
        record = as_object(deployment.get_json(contract.record_path))
        code = as_text(as_object(record.get("runtimeBytecode")).get("onchainBytecode")).removeprefix("0x")
        digest = f"0x{keccak256(bytes.fromhex(code)).hex()}"
        response = deployment.get_response(f"/{urls.CODE.path(code_hash=digest)}")
        if response.status == 404 or not code:
            continue
        checked = True
        contracts = as_list(as_object(_parse_response_json(response)).get("contracts"))
        if contract.address not in [as_object(item).get("address") for item in contracts]:
            yield f"/{urls.CODE.path(code_hash=digest)} does not have {contract.address}"
    if not checked:
        raise NotApplicableError(
            "no listed contract is found by its code: the site does not serve searches by code"
        )


def _find_wrong_explorer_files(deployment: CheckedDeployment, file_paths: list[str]) -> Iterator[str]:
    for target in file_paths:
        response = deployment.get_response(target)
        if response.status != 200 or _request_json_object(deployment, target).get("is_verified") is not True:
            yield f"{target} returns {response.status}, and does not say that the contract is verified"
    absent = _explorer_file_path(deployment.sample_contracts[0].chain_id, deployment.absent_address)
    if deployment.get_response(absent).status != 404:
        yield f"{absent} returns {deployment.get_response(absent).status}, not 404"


def _explorer_file_path(chain_id: str, address: str) -> str:
    return f"/{urls.BLOCKSCOUT.path(chain_id=chain_id, address=address)}"


def _parse_response_json(response: HttpResponse) -> Json:
    """Parse the JSON of a response. None if it is not JSON."""
    try:
        value: Json = json.loads(response.body)
    except ValueError:
        return None
    return value


def _request_json_object(deployment: CheckedDeployment, path: str) -> dict[str, Json]:
    return dict(as_object(json.loads(deployment.get_response(path).body)))


def _signature_statistics(deployment: CheckedDeployment) -> dict[str, Json]:
    target = f"/{urls.SIGNATURE_STATS.path()}"
    if deployment.get_response(target).status == 404:
        raise NotApplicableError(f"{target} returns 404: the site publishes no signatures")
    return dict(as_object(json.loads(deployment.get_response(target).body)))


def _listed_signatures(deployment: CheckedDeployment) -> list[str]:
    return deployment.get_response(f"/{urls.SIGNATURE_NAMES.path()}").body.decode().split()


def _functions_in_lookup(deployment: CheckedDeployment, path: str) -> dict[str, Json]:
    response = deployment.get_response(path)
    answer = as_object(json.loads(response.body)) if response.status == 200 else {}
    return dict(as_object(as_object(answer.get("result")).get("function")))
