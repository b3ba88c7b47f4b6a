"""OpenAPI operations of the explorers' APIs."""

from collections.abc import Mapping

from statuary.contracts.model.contract_row import ContractRow
from statuary.extensions.apis import urls
from statuary.extensions.apis.settings import Api, ApisSettings
from statuary.site.operations import ApiDescription, Operation
from statuary.site.urls import Url

Parameter = dict[str, object]

HASHES = "^0x([0-9a-fA-F]{8}|[0-9a-fA-F]{64})(,0x([0-9a-fA-F]{8}|[0-9a-fA-F]{64}))*$"
"""The pattern of a list of hashes."""


def describe_operations(
    settings: ApisSettings, example_contract: ContractRow | None
) -> tuple[ApiDescription, ...]:
    """Describe the enabled APIs for `openapi.json`.

    Args:
        settings: the enabled APIs.
        example_contract: a contract of the site for example URLs; None if the site has none.
    """
    describe = {
        Api.SIGNATURES: _describe_signatures,
        Api.ETHERSCAN: _describe_etherscan,
        Api.OTTERSCAN: _describe_otterscan,
        Api.BLOCKSCOUT: _describe_blockscout,
        Api.CODE: _describe_code_api,
        Api.PROXIES: _describe_proxies,
    }
    descriptions = []
    for api in settings.apis:
        description = describe[api](example_contract)
        operations = tuple(operation._replace(tag=description.tag) for operation in description.operations)
        descriptions.append(description._replace(operations=operations))
    return tuple(descriptions)


def _describe_query_parameter(
    parameter_name: str, description: str, pattern: str, *, is_required: bool = False
) -> Parameter:
    schema = {"type": "string", "pattern": pattern} if pattern else {"type": "string"}
    return {
        "name": parameter_name,
        "in": "query",
        "description": description,
        "required": is_required,
        "schema": schema,
    }


def _describe_json_responses(
    description: str, schema: Mapping[str, object], error_descriptions: Mapping[str, str]
) -> dict[str, object]:
    answer = {"description": description, "content": {"application/json": {"schema": schema}}}
    return {
        "responses": {
            "200": answer,
            **{status: {"description": text} for status, text in error_descriptions.items()},
        }
    }


OBJECT: Parameter = {"type": "object"}

NEEDS_EDGE = {"x-needs-edge": True}
"""The mark of a call that hosts of plain files do not answer."""

PLAIN_FILES = {"404": "The host serves only plain files."}

ERRORS = PLAIN_FILES | {
    "500": 'What is asked is no hash, or no pattern: `{"ok":false,"error":"…"}`, as the measured service answers.',
}

FILTER = _describe_query_parameter("filter", "`false`: also the names that are filtered.", "")


def _make_call_url(name: str, url_path: str, description: str) -> Url:
    """Return the URL of an API call that no file answers.

    A program at the edge (a CDN's worker) or `statuary serve` answers the call.
    """
    return Url(name, url_path, description)


def _describe_otterscan(example_contract: ContractRow | None) -> ApiDescription:
    folder = "" if example_contract is None else f"{example_contract.chainId}/{example_contract.address}"
    match = "full" if example_contract is not None and example_contract.match == "exact_match" else "partial"
    metadata = f"{match}_match/{folder}/metadata.json"
    chain = "" if example_contract is None else urls.OTTERSCAN_CHAIN.path(chain_id=example_contract.chainId)
    return ApiDescription(
        "otterscan",
        "What Otterscan reads: its `assetsURLPrefix`, and contracts in the layouts of Sourcify's repository.",
        (
            Operation(
                urls.REPOSITORY,
                example=folder and urls.REPOSITORY.path(path=metadata),
                extra_members=_describe_json_responses(
                    "The file.", {}, {"404": "There is no such file, or the record has no metadata."}
                ),
            ),
            Operation(
                urls.OTTERSCAN_SIGNATURE,
                example=urls.OTTERSCAN_SIGNATURE.path(selector="06fdde03"),
                extra_members=_describe_text_responses(
                    "The signatures.", "No verified contract has the selector."
                ),
            ),
            Operation(
                urls.OTTERSCAN_TOPIC,
                example=urls.OTTERSCAN_TOPIC.path(topic=TRANSFER),
                extra_members=_describe_text_responses(
                    "The declarations.", "No verified contract has the event."
                ),
            ),
            Operation(urls.OTTERSCAN_CHAIN, example=chain, may_be_missing=True),
            Operation(urls.OTTERSCAN_CONFIG, example=urls.OTTERSCAN_CONFIG.path()),
        ),
    )


TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"


def _describe_text_responses(description: str, not_found_text: str) -> dict[str, object]:
    answer = {"description": description, "content": {"text/plain": {"schema": {"type": "string"}}}}
    return {"responses": {"200": answer, "404": {"description": not_found_text}}}


def _describe_blockscout(example_contract: ContractRow | None) -> ApiDescription:
    call = (
        ""
        if example_contract is None
        else urls.BLOCKSCOUT.path(chain_id=example_contract.chainId, address=example_contract.address)
    )
    not_verified = {"404": "The contract is not verified."}
    return ApiDescription(
        "blockscout",
        "Blockscout's answer about a contract.",
        (
            Operation(
                urls.BLOCKSCOUT,
                example=call,
                extra_members=_describe_json_responses("The contract.", OBJECT, not_verified),
            ),
        ),
    )


def _describe_code_api(_: ContractRow | None) -> ApiDescription:
    unknown = {"404": "No verified contract has it."}
    return ApiDescription(
        "code",
        "Verified contracts by the hash of their runtime code, which `eth_getProof` calls `codeHash`, and by its template.",
        (
            Operation(urls.CODE, extra_members=_describe_json_responses("The contracts.", OBJECT, unknown)),
            Operation(
                urls.CODE_TEMPLATE,
                extra_members=_describe_json_responses("The template and its contracts.", OBJECT, unknown),
            ),
            Operation(
                urls.CODE_LENGTH, extra_members=_describe_json_responses("The templates.", OBJECT, unknown)
            ),
        ),
    )


def _describe_proxies(_: ContractRow | None) -> ApiDescription:
    not_found = {"404": "The contract is not verified, or its record names no implementation."}
    without = {"404": "These two implementations of the proxy are not compared, or one has no record."}
    return ApiDescription(
        "proxies",
        "Each proxy with its implementations: its merged ABI, where each entry says whose code it is, the implementations "
        "that the site has seen, and what changed from one to another.",
        (
            Operation(urls.PROXIES, example=urls.PROXIES.path()),
            Operation(urls.PROXY, extra_members=_describe_json_responses("The proxy.", OBJECT, not_found)),
            Operation(
                urls.PROXY_ABI,
                extra_members=_describe_json_responses("The merged ABI.", {"type": "array"}, not_found),
            ),
            Operation(
                urls.PROXY_CHANGES, extra_members=_describe_json_responses("What changed.", OBJECT, without)
            ),
        ),
    )


def _describe_signatures(example_contract: ContractRow | None) -> ApiDescription:
    abi = (
        ""
        if example_contract is None
        else urls.ABI.path(chain_id=example_contract.chainId, address=example_contract.address)
    )
    not_found = {"404": "The contract is not verified, or has no ABI."}
    return ApiDescription(
        "signatures",
        "The look-up of Sourcify's 4byte service, over the verified contracts of this site, and files that tools "
        "read. An edge runtime answers look-up and search; the rest are plain files.",
        (
            Operation(
                _make_call_url("signature-lookup", urls.SIGNATURE_LOOKUP, "the signatures with some hashes"),
                query=(
                    _describe_query_parameter(
                        "function", "4-byte hashes of functions and errors, separated by commas.", HASHES
                    ),
                    _describe_query_parameter(
                        "event", "32-byte hashes of events, separated by commas.", HASHES
                    ),
                    FILTER,
                ),
                example=f"{urls.SIGNATURE_LOOKUP}?function=0x06fdde03,0x12345678",
                extra_members=_describe_json_responses("The signatures by hash.", OBJECT, ERRORS)
                | NEEDS_EDGE,
            ),
            Operation(
                _make_call_url(
                    "signature-search", urls.SIGNATURE_SEARCH, "up to 100 signatures that fit a pattern"
                ),
                query=(
                    _describe_query_parameter(
                        "query",
                        "A signature, with `*` for any text and `?` for one character; case matters.",
                        "^[a-zA-Z0-9$_()\\[\\],*?]+$",
                        is_required=True,
                    ),
                    FILTER,
                ),
                example=f"{urls.SIGNATURE_SEARCH}?query=transfer*",
                extra_members=_describe_json_responses("The signatures by hash.", OBJECT, ERRORS)
                | NEEDS_EDGE,
            ),
            Operation(
                _make_call_url(
                    "directory-signatures", "api/v1/signatures/", "functions as 4byte.directory lists them"
                ),
                query=(
                    _describe_query_parameter(
                        "hex_signature", "A selector; what is none has no signatures.", ""
                    ),
                ),
                example="api/v1/signatures/?hex_signature=0x06fdde03",
                extra_members=_describe_json_responses("The functions and errors.", OBJECT, PLAIN_FILES)
                | NEEDS_EDGE,
            ),
            Operation(
                _make_call_url(
                    "directory-events", "api/v1/event-signatures/", "events as 4byte.directory lists them"
                ),
                query=(
                    _describe_query_parameter(
                        "hex_signature", "A topic; what is none has no signatures.", ""
                    ),
                ),
                example=f"api/v1/event-signatures/?hex_signature=0x{TRANSFER}",
                extra_members=_describe_json_responses("The events.", OBJECT, PLAIN_FILES) | NEEDS_EDGE,
            ),
            Operation(urls.SIGNATURE_STATS, example=urls.SIGNATURE_STATS.path()),
            Operation(urls.SIGNATURE_NAMES, example=urls.SIGNATURE_NAMES.path()),
            Operation(urls.FOUNDRY_SIGNATURES, example=urls.FOUNDRY_SIGNATURES.path()),
            Operation(urls.CLEF_SIGNATURES, example=urls.CLEF_SIGNATURES.path()),
            Operation(
                urls.ABI,
                example=abi,
                extra_members=_describe_json_responses("The ABI.", {"type": "array"}, not_found),
            ),
        ),
    )


def _describe_etherscan(example_contract: ContractRow | None) -> ApiDescription:
    chain, address = (
        ("1", "0x" + "0" * 40)
        if example_contract is None
        else (example_contract.chainId, example_contract.address)
    )
    call = f"{urls.ETHERSCAN_CALL}?chainid={chain}&module=contract&action"
    return ApiDescription(
        "etherscan",
        "Etherscan's calls about a contract. Any key is accepted, and there is no limit. `explorer/<chainId>/api` is the "
        "same for clients that send no `chainid`. An edge runtime answers, and so do nginx and Caddy by rules.",
        (
            Operation(
                _make_call_url(
                    "etherscan-call", urls.ETHERSCAN_CALL, "the source, the ABI or the creation of a contract"
                ),
                query=(
                    _describe_query_parameter("chainid", "The chain.", "^[0-9]{1,20}$"),
                    _describe_query_parameter("module", "`contract`.", "^contract$", is_required=True),
                    _describe_query_parameter(
                        "action",
                        "What is asked.",
                        "^(getsourcecode|getabi|getcontractcreation)$",
                        is_required=True,
                    ),
                    _describe_query_parameter(
                        "address", "The contract, in lower case or with its checksum.", "^0x[0-9a-fA-F]{40}$"
                    ),
                    _describe_query_parameter(
                        "contractaddresses", "Up to ten contracts, separated by commas.", ""
                    ),
                    _describe_query_parameter("apikey", "Any text; it is ignored.", ""),
                ),
                example=f"{call}=getabi&address={address}",
                extra_members=_describe_json_responses(
                    "The answer, or an error as `status` 0.", OBJECT, PLAIN_FILES
                )
                | NEEDS_EDGE,
            ),
            Operation(urls.ETHERSCAN_LIST, example=urls.ETHERSCAN_LIST.path()),
        ),
    )
