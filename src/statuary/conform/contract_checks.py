"""Rules of the contract look-up that plain files can satisfy."""

import json
from collections.abc import Iterator

from statuary.checks.contracts.prove import prove
from statuary.conform.checked_deployment import CheckedDeployment, DeployedContract, NotApplicableError
from statuary.conform.shared_checks import check_api_headers, check_document, shape_problems
from statuary.documents import url_table
from statuary.documents.contract_api.contract_shapes import (
    ContractEntry,
    ContractList,
    ContractOnAllChains,
    ListedChain,
)
from statuary.domain.contracts.record import Record
from statuary.domain.contracts.selection.field_names import BASE, IDENTITY
from statuary.domain.findings import Severity
from statuary.domain.primitives import InvalidValueError, parse_address


def chains_are_listed(deployment: CheckedDeployment) -> Iterator[str]:
    """`/chains` lists the chains with their ids."""
    yield from check_document(deployment, "/chains", list[ListedChain])


def contracts_are_listed(deployment: CheckedDeployment) -> Iterator[str]:
    """A chain's list has up to 200 of its contracts, newest match id first, with checksummed addresses."""
    target = f"/{url_table.CONTRACTS.path(chain_id=deployment.chain)}"
    yield from check_document(deployment, target, ContractList)
    listed = deployment.listed(deployment.chain)
    if [one.chain_id for one in listed] != [deployment.chain] * len(listed):
        yield f"{target} lists contracts of other chains"
    ids = [int(one.entry.get("matchId", 0)) for one in listed]
    if ids != sorted(ids, reverse=True):
        yield f"{target} is not in the order of match ids, the highest first"
    odd = [one.address for one in listed if not _is_checksummed(one.address)]
    if odd:
        yield f"{target} lists {odd[0]} without its EIP-55 checksum"


def _is_checksummed(address: str) -> bool:
    try:
        return parse_address(address) == address
    except InvalidValueError:
        return False


def records_are_served(deployment: CheckedDeployment) -> Iterator[str]:
    """A listed contract has a valid record under chain and address, which agrees with the list."""
    for contract in deployment.contracts:
        response = deployment.get(contract.target)
        if response.status != 200 or response.media_type != "application/json":
            yield f"{contract.target} returns {response.status} {response.media_type}"
            continue
        value = json.loads(response.body)
        shape = ContractEntry if set(value) == {*BASE, *IDENTITY} else Record
        yield from (f"{contract.target}: {problem}" for problem in shape_problems(value, shape))
        for member, text in contract.entry.items():
            if value.get(member) != text:
                yield f"{contract.target} has {member} {value.get(member)!r}, but {text!r} in the list"


def whole_records_are_served(deployment: CheckedDeployment) -> Iterator[str]:
    """With `fields=all`, or on a host that ignores it, a record has every member."""
    for contract in deployment.contracts:
        value = json.loads(deployment.record(contract))
        yield from (f"{contract.target}: {problem}" for problem in shape_problems(value, Record))


def records_are_proved(deployment: CheckedDeployment) -> Iterator[str]:
    """The claims of a record follow from its own bytes: replay, hashes, signatures, match levels."""
    for contract in deployment.contracts:
        value = json.loads(deployment.record(contract))
        if next(shape_problems(value, Record), None) is not None:
            raise NotApplicableError(f"{contract.target}is not a complete record")
        for finding in prove(value).findings:
            if finding.severity is Severity.ERROR:
                yield f"{contract.target}: {finding.message} [{finding.rule}]"


def both_address_forms_are_served(deployment: CheckedDeployment) -> Iterator[str]:
    """The lower-case and the checksummed address have the same record."""
    for contract in deployment.contracts:
        lower = DeployedContract(contract.chain_id, contract.address.lower(), contract.entry)
        if deployment.get(lower.target).body != deployment.get(contract.target).body:
            yield f"{lower.target} and {contract.target} differ"


def all_chains_are_listed(deployment: CheckedDeployment) -> Iterator[str]:
    """The look-up over all chains lists every chain on which an address is verified."""
    for contract in deployment.contracts:
        target = f"/{url_table.CONTRACT_ALL_CHAINS.path(address=contract.address)}"
        yield from check_document(deployment, target, ContractOnAllChains)
        results = json.loads(deployment.get(target).body or b"{}").get("results", [])
        if contract.chain_id not in [entry.get("chainId") for entry in results]:
            yield f"{target} does not list chain {contract.chain_id}"


def missing_contracts_are_not_found(deployment: CheckedDeployment) -> Iterator[str]:
    """An address that is not verified is answered with 404, on one chain and on all."""
    for url, members in (
        (url_table.CONTRACT, {"chain_id": deployment.chain}),
        (url_table.CONTRACT_ALL_CHAINS, {}),
    ):
        target = f"/{url.path(address=deployment.absent_address, **members)}"
        status = deployment.get(target).status
        if status != 404:
            yield f"{target} returns {status}, not 404"


def contracts_are_readable_from_any_origin(deployment: CheckedDeployment) -> Iterator[str]:
    """Any origin may read a record, HEAD is answered, and a conditional request gets 304."""
    targets = [f"/{url_table.CONTRACTS.path(chain_id=deployment.chain)}", deployment.contracts[0].target]
    yield from check_api_headers(deployment, targets)
