"""Conformance vectors: a small site and what is answered from it, made by the Python side.

    PYTHONPATH=tests python tests/support/edge_vectors.py        writes tests/edge/vectors.json again

The edge module must give the same answers under every runtime. The records are made up for this file: each is
there for its spelling (numbers that a parser would respell, quotes and brackets in strings) or its gaps.
"""

import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

from statuary.base.primitives import Address, checksum_address, keccak256, parse_instant
from statuary.contracts.api import list_pages
from statuary.contracts.api import lists as contract_lists
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.field_names import DOTTED, SELECTABLE
from statuary.contracts.model.record import make_contract_row
from statuary.extensions.serving.lookup import LookupRequest, answer_api_request
from statuary.extensions.serving.server import find_scheduled_version
from statuary.site.document import Document, encode_json
from statuary.status.api.epochs import PatchBase
from support.chain_lists import list_of_rows
from support.sites import lookup_site

VECTORS = Path(__file__).parents[1] / "edge" / "vectors.json"
ERROR_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
COMPARED_HEADERS = (
    "Content-Type",
    "Access-Control-Allow-Origin",
    "Access-Control-Allow-Methods",
    "Content-Security-Policy",
    "X-Content-Type-Options",
)

Case = dict[str, Any]


def address(name: str) -> Address:
    """Return the address for a name."""
    return checksum_address("0x" + keccak256(name.encode())[-20:].hex())


ODD, BARE, TWIN, ABSENT = (address(name) for name in ("odd spelling", "bare", "twin", "absent"))

ODD_RECORD = (
    rb'{"matchId":"7","creationMatch":"exact_match","runtimeMatch":"match","verifiedAt":"2026-01-02T03:04:05Z",'
    rb'"creationBytecode":{"onchainBytecode":"0x60","recompiledBytecode":"0x60","sourceMap":"1:2:0:-:0;;;",'
    rb'"linkReferences":{},"cborAuxdata":{"1":{"value":"0xa2","offset":12}},"transformations":[],'
    rb'"transformationValues":{}},'
    rb'"runtimeBytecode":{"onchainBytecode":"0x61","recompiledBytecode":"0x62","sourceMap":{"pc":[1.0,-0.0]},'
    rb'"linkReferences":{"lib.sol":{"L":[{"start":1,"length":20}]}},"cborAuxdata":{},'
    rb'"immutableReferences":{"9":[{"start":1e2,"length":32}]},"transformations":[],"transformationValues":{}},'
    rb'"deployment":{"transactionHash":null,"blockNumber":"-1","transactionIndex":"0","deployer":null},'
    rb'"sources":{"a \"b\".sol":{"content":"\"abi\":[{}]} \\\\\" /* \u2028 \ud800 \u00e9 '
    + "é 漢 😀".encode()
    + rb' */\n"},"}{][,:.sol":{"content":""}},'
    rb'"compilation":{"language":"Solidity","compiler":"solc","compilerVersion":"0.8.30+commit.73712a01",'
    rb'"compilerSettings":{"optimizer":{"runs":12345678901234567890,"enabled":true}},"name":"Odd",'
    rb'"fullyQualifiedName":"a \"b\".sol:Odd"},'
    rb'"abi":[{"name":"f","type":"function","inputs":[],"outputs":[],"stateMutability":"view"},{"limit":1.50}],'
    rb'"metadata":{"version":1,"abi":"not this one"},"storageLayout":null,"transientStorageLayout":{},'
    rb'"userdoc":{"kind":"user"},"devdoc":{},"sourceIds":{"a \"b\".sol":{"id":0}},"additionalInput":null,'
    rb'"stdJsonInput":{"language":"Solidity","sources":{},"settings":{}},"stdJsonOutput":{"contracts":{}},'
    rb'"signatures":{"function":[{"signature":"f()"}],"event":[],"error":[]},'
    rb'"proxyResolution":{"isProxy":false,"proxyType":null,"implementations":[]},"unheardOf":[1e5],'
    rb'"match":"exact_match","chainId":"1","address":"' + ODD.encode() + rb'"}'
)


def bare_record(match_id: str, chain_id: str, place: Address) -> bytes:
    """Return a record with gaps: groups that are null, members that are not there."""
    return encode_json(
        {
            "matchId": match_id,
            "creationMatch": None,
            "runtimeMatch": "match",
            "verifiedAt": "2026-02-03T04:05:06Z",
            "creationBytecode": None,
            "deployment": None,
            "sources": {},
            "abi": None,
            "signatures": {"function": []},
            "match": "match",
            "chainId": chain_id,
            "address": place,
        }
    )


CHAINS = (
    b'[{"name":"One","chainId":1,"supported":true},{"name":"Ten","chainId":10,"rpc":[]},'
    b'{"name":"Empty","chainId":56},{"name":"Far","chainId":18446744073709551615}]'
)


def status_document(epoch: str) -> bytes:
    """Return a status document that says from which epoch it is."""
    return encode_json(
        {"page": {"id": "demo", "name": "A page of two words and more, in all of its epochs"}, "epoch": epoch}
    )


EPOCHS = {
    "until": "2026-12-25T00:00:00.000Z",
    "complete": True,
    "instants": [f"2026-12-01T{hour:02}:00:00.000Z" for hour in (9, 10, 11, 12, 13, 14)],
    # at 12 a file that is lost, at 13 a patch of it, at 14 what was at 11
    "documents": {"api/v2/summary.json": {"whole": [0, 1, 3], "patched": [2, 4], "again": {"5": 2}}},
}
STATUS_DOCUMENTS = {
    "api/v2/summary.json": status_document("plain"),
    "api/v2/_epochs/20261201T090000000Z/api/v2/summary.json": status_document("plain"),
    "api/v2/_epochs/20261201T100000000Z/api/v2/summary.json": status_document("a"),
    "api/v2/_epochs/20261201T110000000Z/api/v2/summary.json.patch.json": PatchBase(
        Document(path="", body=status_document("a"))
    ).patch(Document(path="", body=status_document("b \u00e9 patched"))),
    "api/v2/_epochs/20261201T130000000Z/api/v2/summary.json.patch.json": b'{"base":"","parts":[]}',
    "api/v2/_epochs/index.json": encode_json(EPOCHS),
}


def listed_row(number: int) -> ContractRow:
    """Return one of the many contracts of chain 10."""
    return ContractRow(
        match="match",
        creationMatch=None,
        runtimeMatch="match",
        chainId="10",
        address=address(f"listed {number}"),
        verifiedAt="2026-03-04T05:06:07Z",
        matchId=str(number),
    )


def fixture_site() -> dict[str, bytes]:
    """Return the site's documents by path; chain 10 has its list in pages of three."""
    records = [
        ODD_RECORD,
        bare_record("8", "1", TWIN),
        bare_record("98", "10", TWIN),
        bare_record("9", "1", BARE),
    ]
    rows = [listed_row(number) for number in (2, 3, 11, 20, 101, 9007199254740993, 9007199254740995)]
    site = lookup_site(records, CHAINS, rows)
    on_ten = sorted([*rows, make_contract_row(json.loads(records[2]))], key=lambda row: int(row.matchId))
    with patch.object(list_pages, "PAGE_SIZE", 3):
        pages = {
            one.path: one.body for one in contract_lists.chain_list_documents(list_of_rows("10", on_ten))
        }
    return site | pages | {"v2/contracts/10": site["v2/contracts/10"]} | STATUS_DOCUMENTS


def targets() -> list[str]:
    """Return the GET requests of the vectors."""
    odd = f"/v2/contract/1/{ODD}"
    return [
        *(odd + query for query in QUERIES),
        *(f"{odd}?fields={name}" for name in (*SELECTABLE, *DOTTED)),
        *(f"{odd}?omit={name}" for name in (*SELECTABLE, *DOTTED)),
        *(f"/v2/contract/1/{BARE}?{query}" for query in BARE_QUERIES),
        *(f"/v2/contract/{chain}/{ODD}?fields=abi" for chain in CHAIN_IDS),
        *(f"/v2/contract/1/{text}" for text in ADDRESSES),
        *(f"/v2/contract/all-chains/{text}" for text in ADDRESSES),
        f"/v2/contract/all-chains/{ODD}?fields=abi",
        f"/v2/contract/999/{ODD}?fields=nonsense",
        "/v2/contract/999/0xnope?fields=abi,,abi&omit=abi",
        f"/v2/contract/999/{ODD.swapcase().replace('X', 'x')}",
        *(f"/v2/contracts/10{query}" for query in LIST_QUERIES),
        *(f"/v2/contracts/{chain}?limit=1" for chain in CHAIN_IDS),
        *(path.format(odd=ODD, lower=ODD.lower()) for path in PATHS),
    ]


QUERIES = [
    "",
    "?",
    "?&",
    "?fields=all",
    "?fields=abi,metadata",
    "?fields=metadata,abi",
    "?fields=abi%2Cdeployment",
    "?fields=%61bi",
    "?fields=abi,%20deployment",
    "?fields=abi,+deployment",
    "?fields=abi,abi",
    "?fields=abi,",
    "?fields=,abi",
    "?fields=abi,,abi",
    "?fields=",
    "?fields",
    "?omit=",
    "?fields=abi&fields=deployment",
    "?fields=abi&fields=abi",
    "?omit=abi&omit=metadata",
    "?fields[]=abi",
    "?fields%5B%5D=abi",
    "?fields[a]=abi",
    "?omit[0]=abi",
    "?fields[=abi",
    "?fields=all,abi",
    "?fields=all,all",
    "?fields=nonsense,all",
    "?fields=ALL",
    "?fields=Abi",
    "?fields=match",
    "?fields=chainId",
    "?fields=address",
    "?fields=nonsense",
    "?fields=abi,nonsense,worse",
    "?fields=compilation.sources",
    "?fields=creationBytecode.transformationValues.libraries",
    "?fields=..",
    "?fields=.",
    "?fields=compilation.",
    "?fields=abi.0",
    "?fields=abi.length",
    "?fields=sources.foo",
    "?fields=stdJsonInput.sources",
    "?fields=proxyResolution.isProxy",
    "?fields=abi,proxyResolution.onchainCreationBytecode,proxyResolution.onchainRuntimeBytecode,runtimeBytecode",
    "?fields=proxyResolution.onchainRuntimeBytecode,proxyResolution,abi",
    "?fields=proxyResolution,proxyResolution.onchainRuntimeBytecode",
    "?fields=runtimeBytecode.onchainBytecode,proxyResolution.onchainRuntimeBytecode,creationBytecode.sourceMap",
    "?fields=__proto__",
    "?fields=constructor",
    "?fields=toString",
    "?fields=hasOwnProperty",
    "?fields=unheardOf",
    "?fields=%22%3Cb%3E%5C%0a%00%E6%BC%A2",
    "?fields=%zz",
    "?fields=%E6%BC",
    "?fields=abi=metadata",
    "?omit=all",
    "?omit=match",
    "?omit=nonsense",
    "?omit=a.b.c",
    "?omit=compilation.sources",
    "?fields=abi&omit=metadata",
    "?fields=all&omit=abi",
    "?fields=nonsense&omit=nonsense",
    "?fields=abi&omit=",
    "?omit=&fields=abi",
    "?foo=bar",
    "?fields=abi&pretty=1",
    "?pretty=1&fields=",
    "?fields=&pretty=1",
    "?Fields=abi",
    "?__proto__=1",
    "?=abi",
    "?&&fields=abi&",
    "?fields=compilation.name,compilation",
    "?fields=compilation,compilation.name",
    "?fields=signatures.error,abi,signatures.function",
    "?fields=deployment.blockNumber,deployment,matchId",
    "?fields=stdJsonOutput,verifiedAt,creationBytecode.sourceMap,runtimeBytecode",
    "?fields=runtimeBytecode.immutableReferences,creationBytecode.cborAuxdata",
    "?omit=deployment.blockNumber,deployment.deployer,deployment.transactionHash,deployment.transactionIndex",
    "?omit=deployment.blockNumber,deployment",
    "?omit=matchId,creationMatch,verifiedAt,creationBytecode,runtimeBytecode,sources,stdJsonInput",
    "?omit=verifiedAt,matchId,abi,abi",
]
BARE_QUERIES = [
    "fields=all",
    "fields=metadata",
    "fields=metadata,abi,userdoc",
    "fields=deployment.blockNumber",
    "fields=signatures.event",
    "fields=signatures.event,signatures",
    "fields=creationBytecode,creationBytecode.sourceMap",
    "fields=sources,abi,signatures,deployment",
    "omit=abi",
    "omit=deployment.blockNumber,signatures.function",
    "omit=matchId,creationMatch,runtimeMatch,verifiedAt,sources",
]
CHAIN_IDS = [
    "1",
    "10",
    "0",
    "56",
    "999",
    "01",
    "0010",
    "abc",
    "0x1",
    "-1",
    "1.0",
    "1e0",
    "%201",
    "%31",
    "__proto__",
    "%D9%A1",
    "%F0%9D%95%8A" * 15,
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999",
    "999999999999999999999",
    "%zz",
]
ADDRESSES = [
    ODD,
    ODD.lower(),
    "0x" + ODD[2:].upper(),
    ODD.upper(),
    ODD.swapcase().replace("X", "x"),
    ODD[:-1],
    ODD + "0",
    ODD[2:],
    ODD + ".json",
    "0xZZ" + ODD[4:],
    "%30x" + ODD[2:],
    quote("漢" * 42),
    TWIN,
    ABSENT,
    ABSENT.lower(),
    "0x" + "0" * 40,
    "0x123",
    "%zz",
]
LIST_QUERIES = [
    "",
    "?",
    "?limit=200",
    "?sort=desc",
    "?sort=asc",
    "?limit=2",
    "?limit=2.9",
    "?limit=1e0",
    "?limit=4&sort=asc",
    "?limit=5&sort=desc",
    "?afterMatchId=98",
    "?afterMatchId=99",
    "?afterMatchId=2",
    "?afterMatchId=0",
    "?afterMatchId=9007199254740994",
    "?afterMatchId=9007199254740993&sort=asc",
    "?afterMatchId=9007199254740995&sort=asc",
    "?afterMatchId=99999999999999999999999999&limit=1",
    "?afterMatchId=3&sort=asc&limit=3",
    "?afterMatchId=20&sort=asc&limit=1",
    "?afterMatchId=11&limit=200",
    "?afterMatchId=abc",
    "?afterMatchId=-1",
    "?afterMatchId=",
    "?limit=0",
    "?limit=0.9",
    "?limit=201",
    "?limit=200.5",
    "?limit=x",
    "?limit=0x10",
    "?limit=1&limit=2",
    "?limit[]=1",
    "?sort=up",
    "?sort=ASC",
    "?sort=asc&sort=desc",
    "?sort=up&limit=0&afterMatchId=x",
    "?limit=0&afterMatchId=x",
    "?page=2",
    "?page=2&sort=up",
    "?limit=1,2",
    "?sort=a$c&page=2",
    "?afterMatchId=(1)&sort=asc",
]
PATHS = [
    "/chains",
    "/chains/",
    "/Chains?x=1",
    "/server/chains",
    "/v2/contract/1/{odd}/?fields=abi",
    "/V2/Contract/1/{odd}?fields=abi",
    "/v2/CONTRACT/ALL-CHAINS/{odd}",
    "/V2/contracts/1/",
    "/server/v2/contract/1/{lower}?fields=abi",
    "/SERVER/V2/contract/1/{odd}?fields=nonsense",
    "/server/v2/contracts/1?limit=1",
    "/server/v2/contract/all-chains/{odd}",
    "/v2//contract/1/{odd}",
    "/v2/contract/1",
    "/v2/contract/",
    "/v2/contract",
    "/v2/contract/1/{odd}/abi",
    "/v2/contracts",
    "/v2/contracts/1/2",
    "/v2",
    "/v2/",
    "/server/v2/verify/1",
    "/v2/contract/1/{odd}//",
    "/v2/it's/&/a",
    "/",
    "/v3/contract/1/{odd}",
    "/v2x",
    "/health",
    "/Health/?x=1",
    "/server/health",
    "/version",
    "/server/version/",
    "/healthy",
    "/api",
    "/api?x=1",
    "/api/?modules=contract",
    "/api?module=contract&action=getabi&address={odd}",
    "/API/?chainid=1&module=contract",
    "/api?module",
    "/server",
    "/server/api/v2/summary.json",
    "/api/v2/summary.json.txt",
    "/incidents/1",
    "/v2/contracts-pages/10/index.json",
]


def cases() -> list[Case]:
    """Return every case with the answer that the Python side gives."""
    odd = f"/v2/contract/1/{ODD}?fields=abi"
    requested = [case(target) for target in targets()]
    requested += [
        case(odd, method=method) for method in ("HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH")
    ]
    requested += [case("/v2/contracts/abc", method=method) for method in ("HEAD", "OPTIONS", "POST")]
    requested += [
        case("/chains", method="POST"),
        case("/", method="POST"),
        case("/health", method="POST"),
        case("/api", method="POST"),
        case("/api", method="OPTIONS"),
        case("/api?module=contract", method="HEAD"),
        case("/v2/none", method="OPTIONS"),
    ]
    requested += [timed_case("/api/v2/summary.json", now) for now in INSTANTS]
    requested += [
        timed_case("/api/v2/status.json", INSTANTS[2]),
        timed_case("/api/v2/_epochs/index.json", INSTANTS[2]),
    ]
    return requested


INSTANTS = [
    "2026-11-30T00:00:00.000Z",
    "2026-12-01T09:59:35.500Z",
    "2026-12-01T09:59:59.999Z",
    "2026-12-01T10:00:00.000Z",
    "2026-12-01T10:59:59.000Z",
    "2026-12-01T11:00:00.001Z",
    "2026-12-01T12:00:05.000Z",
    "2026-12-01T13:00:05.000Z",
    "2026-12-01T14:00:00.000Z",
]


def case(target: str, method: str = "GET") -> Case:
    """Return a look-up request and its answer, None where the site's own files are the answer."""
    answer = answer_api_request(
        LookupRequest(method=method, target=target), fixture_site().get, lambda: "<uuid>"
    )
    answered = answer and {
        "status": answer.status,
        "headers": {name: answer.headers[name] for name in COMPARED_HEADERS if name in answer.headers},
        "body": answer.body.decode(),
    }
    return {"method": method, "target": target, "answer": answered}


def timed_case(target: str, now: str) -> Case:
    """Return a request for a status document at an instant, and its answer."""
    answer = find_scheduled_version(target[1:], fixture_site().get, parse_instant(now))
    answered = answer and {
        "status": answer.status,
        "headers": {name: answer.headers[name] for name in (*COMPARED_HEADERS[:2], "Cache-Control")},
        "body": answer.body.decode(),
    }
    return {"method": "GET", "target": target, "now": now, "answer": answered}


def vectors() -> dict[str, Any]:
    """Return the whole file."""
    return {
        "about": "A site's documents by path, and requests with their answers. `now` is the clock; an answer of "
        "null means that the site's own files are the answer; `<uuid>` is any UUID of version 4. Headers that are "
        "not named are not compared.",
        "site": {path: body.decode() for path, body in sorted(fixture_site().items())},
        "cases": cases(),
    }


def vectors_text() -> str:
    """Return the text of the file, a case a line."""
    value = vectors()
    lines = [json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in value["cases"]]
    head = json.dumps({key: value[key] for key in ("about", "site")}, ensure_ascii=False, indent=1)[:-2]
    return head + ',\n "cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    VECTORS.write_text(vectors_text(), encoding="utf-8")
