"""The look-up's errors with their measured messages, and its responses on a site of two records."""

import json

import pytest

from statuary.extensions.serving.lookup import LookupRequest, Response, answer_api_request
from statuary.site.document import encode_json
from support.sites import lookup_site

ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
"""An address of EIP-55's own examples."""

RECORD = encode_json(
    {
        "matchId": "7",
        "creationMatch": None,
        "runtimeMatch": "match",
        "verifiedAt": "2026-01-02T03:04:05Z",
        "abi": [],
        "match": "match",
        "chainId": "1",
        "address": ADDRESS,
    }
)
SITE = lookup_site([RECORD], b'[{"chainId":1},{"chainId":56}]')

CHAIN_PATTERN = r'request/params/chainId must match pattern "^\d+$"'
ADDRESS_PATTERN = r'request/params/address must match pattern "(\b0x[a-fA-F0-9]{40}\b)"'
TOO_SHORT = "request/params/address must NOT have fewer than 42 characters"
TOO_LONG = "request/params/address must NOT have more than 42 characters"


def answer(target: str, method: str = "GET", **asked: str) -> Response:
    answered = answer_api_request(
        LookupRequest(method=method, target=target, **asked), SITE.get, lambda: "some-id"
    )
    assert answered is not None
    return answered


@pytest.mark.parametrize(
    ("target", "custom_code", "message"),
    [
        (f"contract/abc/{ADDRESS}", "invalid_parameter", CHAIN_PATTERN),
        (f"contract/0x1/{ADDRESS}", "invalid_parameter", CHAIN_PATTERN),
        (f"contract/-1/{ADDRESS}", "invalid_parameter", CHAIN_PATTERN),
        (f"contract/%D9%A1/{ADDRESS}", "invalid_parameter", CHAIN_PATTERN),
        (
            f"contract/{'9' * 21}/{ADDRESS}",
            "invalid_parameter",
            "request/params/chainId must NOT have more than 20 characters",
        ),
        (f"contract/{'9' * 20}/{ADDRESS}", "unsupported_chain", f"Chain {'9' * 20} not found"),
        (f"contract/01/{ADDRESS}", "unsupported_chain", "Chain 01 not found"),
        (f"contract/1/{ADDRESS[:-1]}", "invalid_parameter", TOO_SHORT),
        (f"contract/1/{ADDRESS[2:]}", "invalid_parameter", TOO_SHORT),
        (f"contract/1/{ADDRESS}0", "invalid_parameter", TOO_LONG),
        (f"contract/1/{ADDRESS}.json", "invalid_parameter", TOO_LONG),
        (f"contract/1/0X{ADDRESS[2:]}", "invalid_parameter", ADDRESS_PATTERN),
        (f"contract/1/0xZZ{ADDRESS[4:]}", "invalid_parameter", ADDRESS_PATTERN),
        (
            f"contract/1/{ADDRESS.replace('aAeb', 'AAeb')}",
            "invalid_parameter",
            f"Invalid address: {ADDRESS.replace('aAeb', 'AAeb')}",
        ),
        ("contract/1/%zz", "invalid_parameter", "malformed uri'"),
        (f"contract/1/{ADDRESS}?foo=bar", "invalid_parameter", "Unknown query parameter 'foo'"),
        (
            f"contract/1/{ADDRESS}?fields=",
            "invalid_parameter",
            "Empty value found for query parameter 'fields'",
        ),
        (
            f"contract/1/{ADDRESS}?fields=abi&fields=abi",
            "invalid_parameter",
            "request/query/fields must be string",
        ),
        (f"contract/1/{ADDRESS}?omit[a]=abi", "invalid_parameter", "request/query/omit must be string"),
        (
            f"contract/1/{ADDRESS}?fields=abi,",
            "invalid_parameter",
            "Field selector  is not a valid field",
        ),
        ("contracts/9", "unsupported_chain", "Chain 9 not found"),
        ("contracts/1?limit=x", "invalid_parameter", "request/query/limit must be number"),
        ("contracts/1?limit=0", "invalid_parameter", "request/query/limit must be >= 1"),
        ("contracts/1?limit=201", "invalid_parameter", "request/query/limit must be <= 200"),
        (
            "contracts/1?sort=up",
            "invalid_parameter",
            "request/query/sort must be equal to one of the allowed values: asc, desc",
        ),
        (
            "contracts/1?afterMatchId=abc",
            "invalid_parameter",
            r'request/query/afterMatchId must match pattern "^\d+$"',
        ),
        (
            "contracts/1?sort=a,b",
            "invalid_parameter",
            "Parameter 'sort' must be url encoded. It's value may not contain reserved characters.",
        ),
        (
            f"contract/all-chains/{ADDRESS}?fields=abi",
            "invalid_parameter",
            "Unknown query parameter 'fields'",
        ),
        ("contract/all-chains/0x1", "invalid_parameter", TOO_SHORT),
    ],
)
def test_invalid_lookup_parameter_responds_400(target, custom_code, message):
    answered = answer(f"/v2/{target}")
    assert answered.status == 400
    assert json.loads(answered.body) == {"customCode": custom_code, "message": message, "errorId": "some-id"}


WRONG_CHECKSUM = ADDRESS.replace("aAeb", "AAeb")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("contract/x/0x1?foo=1&fields=", "Unknown query parameter 'foo'"),
        ("contract/x/0x1?fields=a&fields=b", "request/query/fields must be string"),
        ("contract/x/0x1?fields=nonsense", CHAIN_PATTERN),
        ("contract/9/0x1?fields=nonsense", TOO_SHORT),
        (f"contract/9/{WRONG_CHECKSUM}?fields=nonsense", "Chain 9 not found"),
        (f"contract/56/{WRONG_CHECKSUM}?fields=nonsense", f"Invalid address: {WRONG_CHECKSUM}"),
        (f"contract/56/{ADDRESS}?fields=nonsense", "Field selector nonsense is not a valid field"),
        ("contracts/x?limit=0", "request/query/limit must be >= 1"),
        (
            "contracts/x?sort=up&limit=0",
            "request/query/sort must be equal to one of the allowed values: asc, desc",
        ),
        (
            "contracts/x?page=1&sort=a,b",
            "Parameter 'sort' must be url encoded. It's value may not contain reserved characters.",
        ),
    ],
)
def test_first_invalid_lookup_parameter_is_reported(target, message):
    assert json.loads(answer(f"/v2/{target}").body)["message"] == message


@pytest.mark.parametrize("chain_id", ["0", "56"])
def test_unverified_address_responds_404(chain_id):
    answered = answer(f"/v2/contract/{chain_id}/{ADDRESS.lower()}?fields=all")
    assert answered.status == 404
    assert (
        answered.body
        == (
            f'{{"match":null,"creationMatch":null,"runtimeMatch":null,"chainId":"{chain_id}","address":"{ADDRESS}"}}'
        ).encode()
    )


@pytest.mark.parametrize(
    "path",
    [
        f"/v2/contract/1/{ADDRESS}",
        f"/v2/contract/1/{ADDRESS.lower()}/",
        f"/V2/Contract/%31/0x{ADDRESS[2:].upper()}",
        f"/server/v2/contract/1/{ADDRESS}?fields=all",
    ],
)
def test_any_address_spelling_finds_contract(path):
    answered = answer(path)
    assert (answered.status, answered.body) == (200, RECORD)
    assert answered.headers["Content-Type"] == "application/json; charset=utf-8"
    assert answered.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", ["/v2", "/v2/", "/v2/contract/1", "/v2//contract/1/2", "/v2/<i>'&\""])
def test_unknown_route_responds_404(path):
    answered = answer(path)
    assert (answered.status, answered.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    escaped = path.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = escaped.replace('"', "&quot;").replace("'", "&#39;")
    assert f"<pre>Cannot GET {escaped}</pre>" in answered.body.decode()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_unknown_http_method_responds_404(method):
    assert f"Cannot {method} /chains" in answer("/chains", method=method).body.decode()


def test_options_request_allows_any_origin():
    answered = answer(f"/v2/contract/1/{ADDRESS}", method="OPTIONS")
    assert (answered.status, answered.body) == (204, b"")
    assert answered.headers["Access-Control-Allow-Origin"] == "*"


def test_head_request_returns_headers_without_body():
    read, requested = answer(f"/v2/contract/1/{ADDRESS}"), answer(f"/v2/contract/1/{ADDRESS}", method="HEAD")
    assert requested.body == b""
    assert requested.headers == read.headers | {"Content-Length": str(len(read.body))}


@pytest.mark.parametrize(
    "path", ["/", "/index.html", "/v3/contract/1/0x", "/v2x", "/v2/contracts-pages/1/index.json"]
)
def test_path_outside_lookup_api_returns_none(path):
    assert answer_api_request(LookupRequest(target=path), SITE.get, str) is None


def test_chains_without_chain_list_responds_404():
    answered = answer_api_request(LookupRequest(target="/chains"), {}.get, str)
    assert answered is not None
    assert answered.status == 404
