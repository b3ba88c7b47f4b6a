"""The look-up and the search of signatures: as measured on Sourcify's 4byte service, and the same under deno."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from statuary.contracts.model.abi import signature_hash
from statuary.extensions.apis.answers import matches_pattern
from statuary.extensions.apis.declarations import Declarations
from statuary.extensions.apis.signatures import collect_signatures, iter_signature_documents
from statuary.extensions.serving.lookup import LookupRequest, answer_api_request
from support.edge_runtimes import answers_of_deno
from support.random_runs import seeded

TRANSFER, EVENT = "transfer(address,uint256)", "Transfer(address,address,uint256)"
CLASHING = "_____$_$__$___$$$___$$___$__$$(address,uint256)"
NAMES = (
    TRANSFER,
    CLASHING,
    "transferFrom(address,address,uint256)",
    "test_underscore()",
    "testtunderscore()",
)
LOOKUP, SEARCH = "/signature-database/v1/lookup", "/signature-database/v1/search"


def site() -> dict[str, bytes]:
    declared = Declarations(
        (*NAMES, *(f"many{n}(uint256)" for n in range(150))), ("Bad()",), ((EVENT, EVENT),)
    )
    found = collect_signatures([declared.encode()], ["public(bytes)"])
    return {one.path: one.body for one in iter_signature_documents(found, "2026-01-01T00:00:00.000Z")}


SITE = site()


def ask(target: str, method: str = "GET") -> tuple[int, Any]:
    response = answer_api_request(LookupRequest(method=method, target=target), SITE.get, lambda: "id")
    assert response is not None
    return response.status, json.loads(response.body)


def result(target: str) -> Any:
    status, body = ask(target)
    assert status == 200
    assert body["ok"] is True
    return body["result"]


def key(text: str, length: int = 10) -> str:
    return signature_hash(text)[:length]


def named(text: str, **more: bool) -> dict[str, object]:
    return {"name": text, "filtered": False, "hasVerifiedContract": True} | more


def test_unknown_signature_hash_returns_null():
    unknown = "0x" + "12" * 32
    found = result(f"{LOOKUP}?function={key(TRANSFER)},0x12345678&event={key(EVENT, 66)},{unknown}")
    assert found == {
        "function": {key(TRANSFER): [named(TRANSFER)], "0x12345678": None},
        "event": {key(EVENT, 66): [named(EVENT)], unknown: []},
    }


def test_wrong_length_signature_hash_is_unknown():
    found = result(f"{LOOKUP}?function={key(TRANSFER, 66)}&event={key(EVENT)}")
    assert found == {"function": {key(TRANSFER, 66): None}, "event": {key(EVENT): []}}


def test_signature_lookup_keeps_requested_hash_case():
    sent = "0x" + key(TRANSFER)[2:].upper()
    assert result(f"{LOOKUP}?function={sent}")["function"] == {sent: [named(TRANSFER)]}


def test_function_selector_finds_error_signature():
    assert result(f"{LOOKUP}?function={key('Bad()')}")["function"][key("Bad()")] == [named("Bad()")]
    assert result(LOOKUP) == {"function": {}, "event": {}}
    assert result(f"{LOOKUP}?function=&event=") == {"function": {}, "event": {}}


@pytest.mark.parametrize(
    ("query", "count"), [("", 1), ("&filter=", 1), ("&filter=true", 1), ("&filter=false", 2)]
)
def test_colliding_signature_is_filtered_by_default(query, count):
    found = result(f"{LOOKUP}?function={key(TRANSFER)}{query}")["function"][key(TRANSFER)]
    assert found == [named(TRANSFER), named(CLASHING, filtered=True)][:count]


@pytest.mark.parametrize(
    "text",
    ["0x1234", "12345678", "0xzzzzzzzz", "0x12345678,", ",0x12345678", "0x12345678, 0x12345678", "<b>'\"\\"],
)
def test_invalid_signature_hash_returns_error(text):
    wrong = next(
        one
        for one in text.split(",")
        if len(one) != 10 or not one.startswith("0x") or "z" in one or " " in one
    )
    assert ask(f"{LOOKUP}?function={quote(text)}") == (
        500,
        {
            "ok": False,
            "error": f"Invalid hash '{wrong}'. Hash must be 0x-prefixed and either be a 4 byte or 32 byte hex string.",
        },
    )


def test_signature_search_lists_selector_and_topic():
    found = result(f"{SEARCH}?query={quote('test_under*')}")
    text = "test_underscore()"
    assert found == {"function": {key(text): [named(text)]}, "event": {key(text, 66): [named(text)]}}


@pytest.mark.parametrize(
    ("pattern", "count"), [("many*", 100), ("many??(uint256)", 90), ("TRANSFER*", 0), ("*address*", 4)]
)
def test_signature_search_returns_at_most_hundred(pattern, count):
    found = result(f"{SEARCH}?query={quote(pattern)}&filter=false")
    assert sum(len(items) for items in found["event"].values()) == count


@pytest.mark.parametrize("query", ["", "?query=", "?query=a%20b", "?query=%22", "?query=%C3%A9"])
def test_signature_search_with_invalid_pattern_fails(query):
    status, body = ask(f"{SEARCH}{query}")
    assert (status, body["ok"]) == (500, False)
    assert body["error"].startswith("Invalid search pattern '")


def test_lookup_without_signature_api_returns_none():
    assert answer_api_request(LookupRequest(target=LOOKUP), {}.get, lambda: "id") is None


def test_signature_pattern_matching_time_is_bounded():
    assert not matches_pattern("a" * 4_000, "*a" * 500 + "b")
    assert matches_pattern("a" * 400, "*a" * 100 + "*")


PATHS = (
    LOOKUP,
    SEARCH,
    LOOKUP + "/",
    LOOKUP.upper(),
    "/signature-database/v1/import",
    "/signature-database/v1/look%75p",
)
PIECES = (
    "function=", "event=", "query=", "filter=", "filter=false", "function[]=", "__proto__=", "&", "&", ",", ",",
    key(TRANSFER), key(TRANSFER).upper(), key(EVENT, 66), key("Bad()"), "0x12345678", "0x", "%00", "%zz", "%E6%BC", "%0a",
    "many*", "?", "*", "t?st_*", "%22%3Cscript%3E", "\\", "'", "+", "%2C", "%5B", "é", "constructor", "__proto__", "%F0%9F%98%80",
)  # fmt: skip


@pytest.mark.slow
def test_edge_matches_python_on_malformed_lookups():
    dice = seeded(7)
    targets = [
        f"{dice.choice(PATHS)}?{''.join(dice.choices(PIECES, k=dice.randint(0, 9)))}" for _ in range(500)
    ]
    methods = [dice.choice(("GET", "GET", "GET", "HEAD", "OPTIONS", "POST")) for _ in targets]
    cases = [{"target": target, "method": method} for target, method in zip(targets, methods, strict=True)]
    answers = answers_of_deno(SITE, cases)
    statuses = set()
    for case, answer in zip(cases, answers, strict=True):
        request = LookupRequest(method=case["method"], target=quote(case["target"], safe="/?&=%[]$,*+'\\"))
        response = answer_api_request(request, SITE.get, lambda: "id")
        if response is None or answer is None:
            assert (response, answer) == (None, None), case
            continue
        statuses.add(response.status)
        assert (answer["status"], answer["body"]) == (response.status, response.body.decode()), case
        if response.status == 200:
            assert answer["headers"]["etag"] == response.headers["ETag"], case
    assert statuses == {200, 204, 404, 500}
