"""Rules of the contract look-up that plain files can satisfy."""

import json
import re
from collections.abc import Iterator

from statuary.base.findings import Severity
from statuary.base.json_values import Json, as_list, as_non_negative_integer, as_object
from statuary.base.primitives import InvalidValueError, parse_address
from statuary.contracts import urls as contract_urls
from statuary.contracts.api.shapes import (
    ContractEntry,
    ContractList,
    ContractOnAllChains,
    ListedChain,
)
from statuary.contracts.checks.prove import prove
from statuary.contracts.model.field_names import BASE, IDENTITY
from statuary.contracts.model.record import Record
from statuary.extensions.conform.deployment import CheckedDeployment, DeployedContract, NotApplicableError
from statuary.extensions.conform.site_checks import check_api_headers, check_document, shape_problems
from statuary.extensions.serving.selection import NotCanonicalError, parse_selection, select_members


def chains_are_listed(deployment: CheckedDeployment) -> Iterator[str]:
    """The document `/chains` must list the chains of the deployment with their ids."""
    yield from check_document(deployment, "/chains", list[ListedChain])


def contracts_are_listed(deployment: CheckedDeployment) -> Iterator[str]:
    """The list of a chain must have up to 200 contracts, newest first.

    Addresses must have their checksum (EIP-55). Contracts are sorted by match id, a number that grows with each
    verification.
    """
    target = f"/{contract_urls.CONTRACTS.path(chain_id=deployment.chain)}"
    yield from check_document(deployment, target, ContractList)
    contracts = deployment.listed_contracts(deployment.chain)
    if [contract.chain_id for contract in contracts] != [deployment.chain] * len(contracts):
        yield f"{target} lists contracts of other chains"
    ids = [as_non_negative_integer(contract.entry.get("matchId")) or 0 for contract in contracts]
    if ids != sorted(ids, reverse=True):
        yield f"{target} is not in the order of match ids, the highest first"
    odd = [contract.address for contract in contracts if not _has_valid_checksum(contract.address)]
    if odd:
        yield f"{target} lists {odd[0]} without its EIP-55 checksum"


def _has_valid_checksum(address: str) -> bool:
    try:
        return parse_address(address) == address
    except InvalidValueError:
        return False


VERDICT = "verdict"
"""The member of a list entry whose record is contradicted; records do not have it."""


def records_are_served(deployment: CheckedDeployment) -> Iterator[str]:
    """Each listed contract must have a valid record that agrees with the list."""
    for contract in deployment.sample_contracts:
        response = deployment.get_response(contract.record_path)
        if response.status != 200 or response.media_type != "application/json":
            yield f"{contract.record_path} returns {response.status} {response.media_type}"
            continue
        value = json.loads(response.body)
        shape = ContractEntry if set(value) == {*BASE, *IDENTITY} else Record
        yield from (f"{contract.record_path}: {problem}" for problem in shape_problems(value, shape))
        for member, text in contract.entry.items():
            if member != VERDICT and value.get(member) != text:
                yield f"{contract.record_path} has {member} {value.get(member)!r}, but {text!r} in the list"


def whole_records_are_served(deployment: CheckedDeployment) -> Iterator[str]:
    """A request with `fields=all` must return every member of a record."""
    for contract in deployment.sample_contracts:
        value = json.loads(deployment.request_record(contract))
        yield from (f"{contract.record_path}: {problem}" for problem in shape_problems(value, Record))


def records_are_proved(deployment: CheckedDeployment) -> Iterator[str]:
    """A record's claims must follow from the data in the record.

    Claims are checked as in a build: for example, that the compiled code is the one on the chain, and that hashes
    match. A record that the list marks as contradicted is skipped, since it makes no claims.
    """
    for contract in deployment.sample_contracts:
        if VERDICT in contract.entry:
            continue
        value = json.loads(deployment.request_record(contract))
        if next(shape_problems(value, Record), None) is not None:
            raise NotApplicableError(f"{contract.record_path} does not return a complete contract record")
        for finding in prove(value).findings:
            if finding.severity is Severity.ERROR:
                yield f"{contract.record_path}: {finding.message} [{finding.rule}]"


def both_address_forms_are_served(deployment: CheckedDeployment) -> Iterator[str]:
    """A record must be served at the lower-case and at the checksummed address."""
    for contract in deployment.sample_contracts:
        lower = DeployedContract(contract.chain_id, contract.address.lower(), contract.entry)
        if (
            deployment.get_response(lower.record_path).body
            != deployment.get_response(contract.record_path).body
        ):
            yield f"{lower.record_path} and {contract.record_path} differ"


def all_chains_are_listed(deployment: CheckedDeployment) -> Iterator[str]:
    """The look-up over all chains must list every chain on which an address has a verified contract."""
    for contract in deployment.sample_contracts:
        target = f"/{contract_urls.CONTRACT_ALL_CHAINS.path(address=contract.address)}"
        yield from check_document(deployment, target, ContractOnAllChains)
        results = json.loads(deployment.get_response(target).body or b"{}").get("results", [])
        if contract.chain_id not in [entry.get("chainId") for entry in results]:
            yield f"{target} does not list chain {contract.chain_id}"


def missing_contracts_are_not_found(deployment: CheckedDeployment) -> Iterator[str]:
    """The look-up of an address without a verified contract must return 404, on one chain and on all."""
    for url, members in (
        (contract_urls.CONTRACT, {"chain_id": deployment.chain}),
        (contract_urls.CONTRACT_ALL_CHAINS, {}),
    ):
        target = f"/{url.path(address=deployment.absent_address, **members)}"
        status = deployment.get_response(target).status
        if status != 404:
            yield f"{target} returns {status}, not 404"


def contracts_are_readable_from_any_origin(deployment: CheckedDeployment) -> Iterator[str]:
    """Records must be readable from any origin, with HEAD, and with conditional requests (304)."""
    targets = [
        f"/{contract_urls.CONTRACTS.path(chain_id=deployment.chain)}",
        deployment.sample_contracts[0].record_path,
    ]
    yield from check_api_headers(deployment, targets)


ERROR_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

FIELDS_QUERIES = (
    "fields=abi",
    "fields=compilation,abi",
    "fields=deployment.blockNumber,compilation.compilerVersion,deployment.deployer",
    "fields=runtimeBytecode.onchainBytecode,matchId",
    "fields=abi%2Cmetadata,abi",
)
OMIT_QUERIES = (
    "omit=stdJsonInput,stdJsonOutput",
    "omit=creationBytecode,matchId,runtimeBytecode,proxyResolution",
)
"""Queries that Sourcify's server and statuary answer alike, which those with a dot in `omit` are not."""

REJECTED_QUERIES = (
    ("fields=nonsense", "Field selector nonsense is not a valid field"),
    ("fields=abi,", "Field selector  is not a valid field"),
    ("fields=Abi", "Field selector Abi is not a valid field"),
    ("fields=match", "Field selector match is not a valid field"),
    ("omit=compilation.sources", "Field selector compilation.sources is not a valid field"),
    ("fields=all,abi", "Cannot specify 'all' with other fields"),
    ("fields=abi&omit=metadata", "Cannot specify both fields and omit"),
    ("fields=", "Empty value found for query parameter 'fields'"),
    ("fields=abi&fields=metadata", "request/query/fields must be string"),
    ("colour=red", "Unknown query parameter 'colour'"),
)
"""Invalid queries, with the messages of Sourcify's server."""

UNKNOWN_CHAIN = "99999999999999999999"


def missing_contracts_are_reported_in_json(deployment: CheckedDeployment) -> Iterator[str]:
    """A 404 must contain the chain, the address and nulls; the look-up over all chains must be empty."""
    nothing = {
        "match": None,
        "creationMatch": None,
        "runtimeMatch": None,
        "chainId": deployment.chain,
        "address": deployment.absent_address,
    }
    contract = _contract_path(deployment.chain, deployment.absent_address)
    everywhere = f"/{contract_urls.CONTRACT_ALL_CHAINS.path(address=deployment.absent_address)}"
    for target, expected in ((contract, nothing), (everywhere, {"results": []})):
        response = deployment.get_response(target)
        if response.status != 404 or _parse_json(response.body) != expected:
            yield f"{target} returns {response.status} {response.body[:120]!r}"


def malformed_parameters_are_rejected(deployment: CheckedDeployment) -> Iterator[str]:
    """A malformed chain id or address must return 400 with Sourcify's message."""
    address, chain = deployment.absent_address, deployment.chain
    pattern = r"(\b0x[a-fA-F0-9]{40}\b)"
    for parameters, message in (
        (("abc", address), r'request/params/chainId must match pattern "^\d+$"'),
        (("1" * 21, address), "request/params/chainId must NOT have more than 20 characters"),
        ((chain, address[:-1]), "request/params/address must NOT have fewer than 42 characters"),
        ((chain, f"{address}0"), "request/params/address must NOT have more than 42 characters"),
        ((chain, f"{address[:-1]}g"), f'request/params/address must match pattern "{pattern}"'),
    ):
        yield from _find_rejection_faults(
            deployment, _contract_path(*parameters), "invalid_parameter", message
        )


def unknown_chains_are_rejected(deployment: CheckedDeployment) -> Iterator[str]:
    """A request for an unlisted chain must return 400 with the code `unsupported_chain`."""
    if UNKNOWN_CHAIN in deployment.chains:
        raise NotApplicableError(
            f"the site lists chain {UNKNOWN_CHAIN}, which this check uses as an unknown chain"
        )
    for target in (
        _contract_path(UNKNOWN_CHAIN, deployment.absent_address),
        f"/{contract_urls.CONTRACTS.path(chain_id=UNKNOWN_CHAIN)}",
    ):
        yield from _find_rejection_faults(
            deployment, target, "unsupported_chain", f"Chain {UNKNOWN_CHAIN} not found"
        )


def wrong_checksums_are_rejected(deployment: CheckedDeployment) -> Iterator[str]:
    """A mixed-case address with a wrong EIP-55 checksum must return 400."""
    wrong = "0x" + deployment.absent_address[2:].swapcase()
    target = _contract_path(deployment.chain, wrong)
    yield from _find_rejection_faults(deployment, target, "invalid_parameter", f"Invalid address: {wrong}")


def fields_are_selected(deployment: CheckedDeployment) -> Iterator[str]:
    """A request with `fields` must return only the named members and the basic ones.

    Every response has the basic members, such as the address. The values must be those of the whole record.
    """
    yield from _find_selection_faults(deployment, FIELDS_QUERIES)


def fields_are_omitted(deployment: CheckedDeployment) -> Iterator[str]:
    """The parameter `omit` must return the whole record without the named members."""
    yield from _find_selection_faults(deployment, OMIT_QUERIES)


def _find_selection_faults(deployment: CheckedDeployment, queries: tuple[str, ...]) -> Iterator[str]:
    for contract in deployment.sample_contracts:
        record = deployment.request_record(contract)
        for query in queries:
            name, _, text = query.replace("%2C", ",").partition("=")
            selection = parse_selection(*((text, None) if name == "fields" else (None, text)))
            try:
                expected = select_members(record, selection)
            except NotCanonicalError as odd:
                raise NotApplicableError(f"{contract.record_path} is not compact JSON: {odd}") from None
            response = deployment.get_response(f"{contract.record_path}?{query}")
            if (response.status, response.body) != (200, expected):
                yield f"{contract.record_path}?{query} returns {response.status}, {len(response.body)} bytes, not {len(expected)}"


def invalid_selectors_are_rejected(deployment: CheckedDeployment) -> Iterator[str]:
    """An unknown name in `fields` or `omit`, or an unknown parameter, must return 400 with Sourcify's message."""
    target = deployment.sample_contracts[0].record_path
    for query, message in REJECTED_QUERIES:
        yield from _find_rejection_faults(deployment, f"{target}?{query}", "invalid_parameter", message)


def paths_ignore_case(deployment: CheckedDeployment) -> Iterator[str]:
    """A path in any case, with a final slash, or with an upper-case address must give the same record."""
    contract = deployment.sample_contracts[0]
    capitals = DeployedContract(contract.chain_id, "0x" + contract.address[2:].upper(), contract.entry)
    for target in (
        capitals.record_path,
        f"{contract.record_path}/",
        contract.record_path.replace(contract_urls.CONTRACT.prefix, contract_urls.CONTRACT.prefix.upper()),
    ):
        response = deployment.get_response(target)
        if (response.status, response.body) != (200, deployment.get_response(contract.record_path).body):
            yield f"{target} returns {response.status} and is not {contract.record_path}"


def lists_are_sorted_and_limited(deployment: CheckedDeployment) -> Iterator[str]:
    """The list of contracts must follow the parameters `sort`, `limit` and `afterMatchId`."""
    base = f"/{contract_urls.CONTRACTS.path(chain_id=deployment.chain)}"
    newest = [contract.entry["matchId"] for contract in deployment.listed_contracts(deployment.chain)]
    if len(newest) < 3:
        raise NotApplicableError(f"{base} lists fewer than the three contracts that this check needs")
    expected_ids = {f"{base}?limit=2": newest[:2], f"{base}?afterMatchId={newest[0]}&limit=2": newest[1:3]}
    if len(newest) < 200:
        expected_ids |= {f"{base}?sort=asc&limit=3": newest[::-1][:3]}
    for target, ids in expected_ids.items():
        value = as_object(_parse_json(deployment.get_response(target).body))
        match_ids = [as_object(entry).get("matchId") for entry in as_list(value.get("results"))]
        if match_ids != ids:
            yield f"{target} lists {match_ids}, not {ids}"
    yield from _find_rejection_faults(
        deployment, f"{base}?limit=201", "invalid_parameter", "request/query/limit must be <= 200"
    )


def server_prefix_is_served(deployment: CheckedDeployment) -> Iterator[str]:
    """Paths below `/server` must return the same documents, because some clients use them on sourcify.dev."""
    for target in (deployment.sample_contracts[0].record_path, f"/{contract_urls.CHAINS.pattern}"):
        prefixed = f"/{contract_urls.SERVER_PREFIX}{target}"
        response = deployment.get_response(prefixed)
        if (response.status, response.body) != (200, deployment.get_response(target).body):
            yield f"{prefixed} returns {response.status} and is not {target}"


def preflight_requests_are_answered(deployment: CheckedDeployment) -> Iterator[str]:
    """An OPTIONS request must return 204 or 200, and allow any origin."""
    target = deployment.sample_contracts[0].record_path
    asked = {"Origin": "https://explorer.example", "Access-Control-Request-Method": "GET"}
    response = deployment.ask(target, "OPTIONS", asked)
    if response.status not in (200, 204) or response.headers.get("access-control-allow-origin") != "*":
        yield f"OPTIONS {target} returns {response.status}"


def unknown_routes_are_not_found(deployment: CheckedDeployment) -> Iterator[str]:
    """A path that is not a route of the contract look-up must return 404."""
    for path in ("", "/contract", "/contract/1", "/nothing/here"):
        target = f"/{contract_urls.LOOKUP_FOLDER}{path}"
        status = deployment.get_response(target).status
        if status != 404:
            yield f"{target} returns {status}, not 404"


def _contract_path(chain_id: str, address: str) -> str:
    return f"/{contract_urls.CONTRACT.path(chain_id=chain_id, address=address)}"


def _find_rejection_faults(
    deployment: CheckedDeployment, path: str, custom_code: str, message: str
) -> Iterator[str]:
    response = deployment.get_response(path)
    value = _parse_json(response.body)
    if response.status != 400 or not isinstance(value, dict):
        yield f"{path} returns {response.status}, not 400 with a JSON body"
    elif (value.get("customCode"), value.get("message")) != (custom_code, message):
        yield f"{path} says {value.get('customCode')}: {value.get('message')!r}, not {custom_code}: {message!r}"
    elif not ERROR_ID.fullmatch(str(value.get("errorId"))):
        yield f"{path} has the errorId {value.get('errorId')!r}, which is not a random UUID"


def _parse_json(body: bytes) -> Json:
    try:
        value: Json = json.loads(body)
    except ValueError:
        return None
    return value
