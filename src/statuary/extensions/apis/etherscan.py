"""Etherscan's `getsourcecode`, `getabi` and `getcontractcreation`, derived from records."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.contracts.model.compiler import library_addresses
from statuary.contracts.model.record import RecordValue
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.settings import Chain
from statuary.extensions.apis import urls
from statuary.extensions.apis.addressed import make_contract_document
from statuary.site.document import Document, encode_unchecked

UNVERIFIED: Final = "Contract source code not verified"
"""The message by which clients recognize an unverified contract."""

NO_DATA: Final = "No data found"
"""The message by which clients recognize a contract whose creation is unknown."""

CREATION: Final = "creation"
"""The name of an item of `getcontractcreation`, whose response lists those of several contracts."""

DEFAULT_RUNS: Final = 200
LICENSE = re.compile(r"SPDX-License-Identifier:\s*([A-Za-z0-9.+-]+)")


def etherscan_documents(checked_record: RecordWithProof, record_path: str) -> Iterator[Document]:
    """Make a contract's JSON in the format of the block explorer Etherscan.

    If evidence contradicts the record, its ABI and sources are not published. The transaction that created
    the contract is published unless the record fails its checks.

    Args:
        checked_record: the record with the results of its checks.
        record_path: the path of the record in the content folder.
    """
    record, bodies = checked_record.record, dict[str, Json]()
    if not checked_record.is_contradicted:
        abi = record["abi"]
        bodies["getsourcecode"] = make_success_response([make_source_code_result(record)])
        bodies["getabi"] = (
            make_success_response(encode_json_string(abi))
            if isinstance(abi, list)
            else make_error_response(UNVERIFIED)
        )
    creation = make_creation_response(record)
    if creation is not None and not checked_record.fails_checks:
        bodies[CREATION] = creation
    for action, body in bodies.items():
        yield make_contract_document(
            urls.ETHERSCAN, record, encode_unchecked(body), record_path, action=action
        )


def make_success_response(result: Json) -> JsonObject:
    """Wrap a result in the JSON that Etherscan's API sends on success.

    Args:
        result: the result, such as the ABI of a contract.
    """
    return {"status": "1", "message": "OK", "result": result}


def make_error_response(message: str) -> JsonObject:
    """Wrap a message in the JSON that Etherscan's API sends on errors.

    The HTTP status is 200 nevertheless, as at Etherscan.

    Args:
        message: the text for the client, which becomes the field `result`.
    """
    return {"status": "0", "message": "NOTOK", "result": message}


def encode_json_string(json_value: Json) -> str:
    """Encode JSON as compact text, without spaces.

    Etherscan's API sends an ABI as a string that contains such text.
    """
    return encode_unchecked(json_value).decode()


def make_source_code_result(record: RecordValue) -> JsonObject:
    """Return a contract's sources and settings in Etherscan's format.

    Returns:
        The object in the list `result` of the response to `getsourcecode`.
    """
    compilation = as_object(record["compilation"])
    settings = as_object(compilation.get("compilerSettings"))
    path, _, name = as_text(compilation.get("fullyQualifiedName")).rpartition(":")
    resolution = as_object(record.get("proxyResolution"))
    implementations = [as_object(item).get("address") for item in as_list(resolution.get("implementations"))]
    is_proxy = resolution.get("isProxy") is True
    return {
        "SourceCode": f"{{{encode_json_string(record['stdJsonInput'])}}}",
        "ABI": encode_json_string(record["abi"] if isinstance(record["abi"], list) else []),
        "ContractName": as_text(compilation.get("name")) or name,
        "CompilerVersion": format_compiler_version(compilation),
        "CompilerType": as_text(compilation.get("compiler")),
        "OptimizationUsed": "1" if is_optimizer_enabled(compilation) else "0",
        "Runs": str(get_optimizer_runs(compilation)),
        "ConstructorArguments": get_constructor_arguments(record),
        "EVMVersion": as_text(settings.get("evmVersion")) or "Default",
        "Library": _format_libraries(record),
        "ContractFileName": path,
        "LicenseType": find_source_license(record, path),
        "Proxy": "1" if is_proxy else "0",
        "Implementation": as_text(next(iter(implementations), "")).lower() if is_proxy else "",
        "SwarmSource": _format_metadata_url(record),
        "SimilarMatch": "",
    }


def format_compiler_version(compilation: Mapping[str, Json]) -> str:
    """Return the compiler version in Etherscan's format.

    Examples are `v0.8.30+commit.73712a01` and `vyper:0.3.10`, which has no commit.

    Args:
        compilation: the member `compilation` of the record.
    """
    version = as_text(compilation.get("compilerVersion"))
    if compilation.get("compiler") == "vyper":
        return f"vyper:{version.partition('+')[0]}"
    return f"v{version}"


def get_optimizer_runs(compilation: Mapping[str, Json]) -> Json:
    """Return the compiler setting `optimizer.runs`, or its default.

    Args:
        compilation: the member `compilation` of the record.

    Returns:
        The setting; if it is missing, 200 for solc and 0 for Vyper.
    """
    settings = as_object(compilation.get("compilerSettings"))
    default = 0 if compilation.get("language") == "Vyper" else DEFAULT_RUNS
    return as_object(settings.get("optimizer")).get("runs", default)


def is_optimizer_enabled(compilation: Mapping[str, Json]) -> bool:
    """Return whether the compiler's optimizer was enabled.

    Vyper's optimizer is enabled by default.

    Args:
        compilation: the member `compilation` of the record.
    """
    settings = as_object(compilation.get("compilerSettings"))
    if compilation.get("language") == "Vyper":
        return settings.get("optimize", True) not in (False, "none")
    return as_object(settings.get("optimizer")).get("enabled") is True


def get_constructor_arguments(record: RecordValue) -> str:
    """Return the arguments of a contract's constructor as hex, without `0x`.

    Returns:
        The arguments. The string is empty if there are none, or if they are unknown.
    """
    creation = as_object(record["creationBytecode"])
    values = as_object(creation.get("transformationValues"))
    return as_text(values.get("constructorArguments")).removeprefix("0x")


def collect_linked_libraries(record: RecordValue) -> dict[str, str]:
    """Return the addresses of the libraries that a contract's code calls.

    Libraries may be linked by the compiler or later; the addresses of both kinds are in the record.

    Returns:
        The addresses in lower case, by name, such as `src/Math.sol:Math`.
    """
    linked = library_addresses(
        as_object(as_object(record["compilation"]).get("compilerSettings")).get("libraries")
    )
    for side in ("creationBytecode", "runtimeBytecode"):
        values = as_object(as_object(record[side]).get("transformationValues"))
        linked |= library_addresses(values.get("libraries"))
    return linked


def _format_libraries(record: RecordValue) -> str:
    return ";".join(
        f"{path.rpartition(':')[2]}:{address.removeprefix('0x')}"
        for path, address in collect_linked_libraries(record).items()
    )


def find_source_license(record: RecordValue, source_path: str) -> str:
    """Find the SPDX license in a source file, such as `MIT`.

    Returns:
        The identifier; empty if the source has none.
    """
    text = as_text(as_object(as_object(record["sources"]).get(source_path)).get("content"))
    licence = LICENSE.search(text)
    return licence[1] if licence else ""


METADATA = re.compile("646970667358221220([0-9a-f]{64})|65627a7a723[01]5820([0-9a-f]{64})")
"""solc's hash of the metadata in runtime code: `ipfs`, a multihash, or `bzzr0` and `bzzr1`."""

LONGEST_END = 400
"""Hex digits at the end of code in which the hash is searched."""


def _format_metadata_url(record: RecordValue) -> str:
    code = as_text(as_object(record["runtimeBytecode"]).get("onchainBytecode"))
    digests = METADATA.findall(code[-LONGEST_END:])
    if not digests:
        return ""
    ipfs, swarm = digests[-1]
    return f"ipfs://{ipfs}" if ipfs else f"bzzr://{swarm}"


def make_creation_response(record: RecordValue) -> JsonObject | None:
    """Return who created a contract, in the format of Etherscan's `getcontractcreation`.

    Records do not contain the time of the block and the creating contract, so both are missing. An unknown
    block number is omitted too.

    Returns:
        The result, or None if the transaction or its sender is unknown.
    """
    deployment = as_object(record["deployment"])
    transaction = deployment.get("transactionHash")
    deployer = deployment.get("deployer")
    if not isinstance(transaction, str) or not isinstance(deployer, str):
        return None
    block = as_text(deployment.get("blockNumber"))
    return {
        "contractAddress": record["address"].lower(),
        "contractCreator": deployer.lower(),
        "txHash": transaction,
        **({"blockNumber": block} if block.isdecimal() else {}),
        "contractFactory": "",
        "creationBytecode": as_text(as_object(record["creationBytecode"]).get("onchainBytecode")),
    }


def iter_fixed_responses(chains: tuple[Chain, ...], site_url: str) -> Iterator[tuple[str, JsonObject]]:
    """Make the responses of Etherscan's API that need no contract.

    Examples are the list of chains, and error messages.

    Yields:
        The path and the content of each response.
    """
    chain_entries: list[Json] = [
        {
            "chainname": chain.title,
            "chainid": chain.chain_id,
            "blockexplorer": chain.explorer or site_url,
            "apiurl": f"{site_url}/{urls.ETHERSCAN_CALL}?chainid={chain.chain_id}",
            "status": 1,
            "comment": "",
        }
        for chain in chains
    ]
    yield (
        urls.ETHERSCAN_CHAINS.path(),
        {"comments": "", "totalcount": len(chain_entries), "result": chain_entries},
    )
    for chain in chains:
        yield urls.ETHERSCAN_CHAIN.path(chain_id=chain.chain_id), {"chainid": chain.chain_id}
    for name, body in ANSWERS.items():
        yield urls.ETHERSCAN_ANSWER.path(name=name), body


NOT_VERIFIED: JsonObject = {
    "SourceCode": "",
    "ABI": UNVERIFIED,
    "ContractName": "",
    "CompilerVersion": "",
    "OptimizationUsed": "",
    "Runs": "",
    "ConstructorArguments": "",
    "EVMVersion": "Default",
    "Library": "",
    "LicenseType": "Unknown",
    "Proxy": "0",
    "Implementation": "",
    "SwarmSource": "",
}
"""The body of `getsourcecode` for an unverified contract, as recorded."""

ANSWERS: dict[str, JsonObject] = {
    "getsourcecode": make_success_response([NOT_VERIFIED]),
    "getabi": make_error_response(UNVERIFIED),
    "getcontractcreation": make_error_response(NO_DATA),
    "chain": make_error_response(
        "Missing or unsupported chainid parameter, see v2/chainlist for the list of supported chainids"
    ),
    "module": make_error_response("Error! Missing Or invalid Module name"),
    "action": make_error_response("Error! Missing Or invalid Action name"),
    "address": make_error_response("Error! Invalid address format"),
    "verify": make_error_response(
        "This site takes no contracts: it publishes those that were verified before"
    ),
}
"""The bodies that do not depend on a contract, by the name of their document."""
