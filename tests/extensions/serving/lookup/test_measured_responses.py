"""Every measured request and selection, answered here and compared byte for byte."""

import hashlib
import json

import pytest

from statuary.extensions.serving.lookup import LookupRequest, Response, answer_api_request
from support.measured_lookup import (
    DIFFERENCES,
    FULL_RECORD,
    REVERSED_SOURCES,
    Case,
    measured_requests,
    measured_selections,
    measured_site,
    with_reversed_sources,
)


def answer_to(case: Case) -> Response | None:
    request = LookupRequest(
        method=case["method"],
        target=case["path"],
        if_none_match=case["request_headers"].get("If-None-Match"),
    )
    return answer_api_request(request, measured_site().get, lambda: "<uuid>")


def same_body(case: Case, body: bytes) -> bool:
    if "body" in case:
        return body.decode() == case["body"]
    canonical = json.dumps(json.loads(body), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest() == case["body_json_sha256_of_canonical"]


def is_equal(case: Case, answer: Response | None) -> bool:
    """Compare status, type, body, and the entity tag: a digest of the real body that no reordering survives."""
    if answer is None:
        return False
    headers = case["headers"]
    has_tag = "etag" in headers and "<uuid>" not in case.get("body", "") and case["method"] == "GET"
    return (
        answer.status == case["status"]
        and answer.headers.get("Content-Type") == headers.get("content-type")
        and answer.headers["Access-Control-Allow-Origin"] == headers["access-control-allow-origin"]
        and same_body(case, answer.body)
        and (not has_tag or answer.headers["ETag"] == headers["etag"])
    )


def test_responses_differ_from_sourcify_as_listed():
    cases = measured_requests()
    different = {case["case"] for case in cases if not is_equal(case, answer_to(case))}
    assert different == set(DIFFERENCES)
    assert len(cases) - len(different) >= 120


def test_listed_sourcify_differences_have_stated_status():
    by_name = {case["case"]: case for case in measured_requests()}
    answers = {name: answer_to(by_name[name]) for name in DIFFERENCES}
    assert {name: answer and answer.status for name, answer in answers.items()} == {
        name: status for name, (status, _) in DIFFERENCES.items()
    }
    full = answer_to(by_name["fields_all"])
    for name, (_, reason) in DIFFERENCES.items():
        if reason == FULL_RECORD:
            assert answers[name] == full, name


def test_omit_removes_only_nested_field():
    by_name = {case["case"]: case for case in measured_requests()}
    full = json.loads(answer_to(by_name["fields_all"]).body)
    del full["deployment"]["blockNumber"]
    answered = json.loads(answer_to(by_name["omit_nested_valid"]).body)
    assert json.dumps(answered) == json.dumps(full)


def test_field_selections_match_recorded_sourcify_responses():
    cases = measured_selections()
    assert len(cases) == 720
    different = {(case["id"], case["query"]) for case in cases if not is_same_selection(case)}
    assert different == {(case["id"], "") for case in cases} | REVERSED_SOURCES


def test_responses_differ_only_in_source_order():
    cases = [case for case in measured_selections() if (case["id"], case["query"]) in REVERSED_SOURCES]
    assert len(cases) == 6
    assert all(is_same_selection(case, reverse_sources=True) for case in cases)


def is_same_selection(case: Case, *, reverse_sources: bool = False) -> bool:
    path = f"v2/contract/{case['chainId']}/{case['address'].lower()}"
    site = measured_site()
    record = with_reversed_sources(site[path]) if reverse_sources else site[path]
    answer = answer_api_request(
        LookupRequest(target=f"/{path}?{case['query']}"), (site | {path: record}).get, str
    )
    assert answer is not None
    return len(answer.body) == case["bytes"] and hashlib.sha256(answer.body).hexdigest() == case["sha256"]


@pytest.mark.parametrize("if_none_match", ['"{tag}"', 'W/"{tag}"', '"other", W/"{tag}"', "*"])
def test_lookup_with_matching_etag_responds_304(if_none_match):
    case = next(case for case in measured_requests() if case["case"] == "fields_abi")
    tag = case["headers"]["etag"].removeprefix('W/"').removesuffix('"')
    request = LookupRequest(target=case["path"], if_none_match=if_none_match.format(tag=tag))
    answer = answer_api_request(request, measured_site().get, str)
    assert answer == Response(
        status=304, headers={"Access-Control-Allow-Origin": "*", "ETag": case["headers"]["etag"]}
    )
