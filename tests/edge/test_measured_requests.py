"""Every measured request and selection, answered by the edge module under Deno."""

import hashlib
from typing import Any

import pytest

from statuary.extensions.serving.lookup import LookupRequest, Response, answer_api_request
from support.edge_runtimes import answers_of_deno
from support.edge_vectors import ERROR_ID
from support.measured_lookup import (
    DIFFERENCES,
    REVERSED_SOURCES,
    Case,
    measured_requests,
    measured_selections,
    measured_site,
)

pytestmark = pytest.mark.slow


def by_python(method: str, target: str) -> Response | None:
    return answer_api_request(
        LookupRequest(method=method, target=target), measured_site().get, lambda: "<uuid>"
    )


def site_for(targets: list[str]) -> dict[str, bytes]:
    """Return the documents that the targets can need: not every record."""
    wanted = " ".join(targets).lower()
    site = measured_site()
    return {
        path: body
        for path, body in site.items()
        if "0x" not in path or path.rsplit("/")[-1].lower() in wanted
    }


def test_edge_matches_python_on_recorded_requests():
    """Python's answers are held to the measured ones, difference by difference, in its own tests."""
    cases = measured_requests()
    assert cases
    requests = [{"method": case["method"], "target": case["path"]} for case in cases]
    answers = answers_of_deno(site_for([case["path"] for case in cases]), requests)
    for case, answer in zip(cases, answers, strict=True):
        expected = by_python(case["method"], case["path"])
        if expected is None:
            assert answer is None, case["case"]
            continue
        found = (
            answer["status"],
            answer["headers"].get("content-type"),
            ERROR_ID.sub("<uuid>", answer["body"]),
        )
        assert found == (
            expected.status,
            expected.headers.get("Content-Type"),
            expected.body.decode(),
        ), case["case"]


def test_edge_module_matches_recorded_sourcify_responses():
    cases = [case for case in measured_requests() if "body" in case and case["status"] != 304]
    requested = [{"method": case["method"], "target": case["path"]} for case in cases]
    answers = answers_of_deno(site_for([case["path"] for case in cases]), requested)
    pairs = zip(cases, answers, strict=True)
    different = {case["case"] for case, answer in pairs if not is_equal(case, answer)}
    assert different == {case["case"] for case in cases} & set(DIFFERENCES)


def is_equal(case: Case, answer: dict[str, Any] | None) -> bool:
    if answer is None:
        return False
    body = ERROR_ID.sub("<uuid>", answer["body"])
    found = answer["status"], answer["headers"].get("content-type"), body
    return found == (case["status"], case["headers"].get("content-type"), case["body"])


def test_field_selections_match_recorded_sourcify_bytes():
    cases = measured_selections()
    targets = [f"/v2/contract/{case['chainId']}/{case['address']}?{case['query']}" for case in cases]
    answers = answers_of_deno(site_for(targets), [{"target": target} for target in targets], digests=True)
    different = {
        (case["id"], case["query"])
        for case, answer in zip(cases, answers, strict=True)
        if answer["sha256"] != case["sha256"]
    }
    assert different == {(case["id"], "") for case in cases} | REVERSED_SOURCES


def test_largest_record_selections_match_python():
    paths = sorted(
        (path for path in measured_site() if path.startswith("v2/contract/") and path == path.lower()),
        key=lambda path: len(measured_site()[path]),
    )[-3:]
    queries = (
        "fields=abi",
        "omit=stdJsonOutput",
        "fields=signatures.event,compilation.name",
        "fields=sources,abi",
    )
    targets = [f"/{path}?{query}" for path in paths for query in queries]
    cases = [{"target": target, "chunk": 16_384} for target in targets]
    answers = answers_of_deno(site_for(targets), cases, digests=True)
    for target, answer in zip(targets, answers, strict=True):
        expected = by_python("GET", target)
        assert expected is not None
        assert answer["sha256"] == hashlib.sha256(expected.body).hexdigest(), target
