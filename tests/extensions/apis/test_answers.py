"""Where no file answers: contracts that are not verified, and 4byte.directory's read."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from statuary.contracts.model.abi import signature_hash
from statuary.extensions.apis.blockscout import NOT_VERIFIED
from statuary.extensions.serving.lookup import LookupRequest, answer_api_request
from support.api_requests import ABSENT, CHAIN, FULL, SITE, contract_targets, directory_targets
from support.edge_runtimes import answers_of_deno, write_site
from support.host_servers import serve_with_caddy, serve_with_nginx, serve_with_statuary
from support.random_runs import seeded

PAGES = {"404.html": b"<!doctype html>404", "index.html": b"<!doctype html>"}


def ask(target: str, site: dict[str, bytes] = SITE, method: str = "GET") -> tuple[int, bytes] | None:
    response = answer_api_request(LookupRequest(method=method, target=target), site.get, lambda: "id")
    return None if response is None else (response.status, response.body)


def test_unverified_contract_gets_blockscout_404_message():
    status, answer = ask(f"/blockscout/1/api/v2/smart-contracts/{ABSENT}")
    assert (status, json.loads(answer)) == (404, NOT_VERIFIED)
    assert (
        ask(f"/blockscout/{CHAIN}/api/v2/smart-contracts/{FULL['address']}") is None
    )  # the host sends the file


def test_site_without_apis_ignores_api_requests():
    for target in (f"/blockscout/1/api/v2/smart-contracts/{ABSENT}", "/api/v1/signatures/"):
        assert ask(target, {}) is None


def test_4byte_lists_canonical_signature_first():
    status, body = ask("/api/v1/signatures/?hex_signature=0xa9059cbb&format=json")
    answer = json.loads(body)
    assert (status, answer["count"], answer["next"], answer["previous"]) == (200, 2, None, None)
    first, second = answer["results"]
    assert first == {
        "id": 1,
        "created_at": "2026-01-01T00:00:00.000Z",
        "text_signature": "transfer(address,uint256)",
        "hex_signature": "0xa9059cbb",
        "bytes_signature": "\xa9\x05\x9c\xbb",
    }
    assert (second["id"], second["text_signature"]) == (2, "many_msg_babbage(bytes1)")
    topic = signature_hash("E(uint256)")
    _, body = ask(f"/api/v1/event-signatures/?hex_signature={topic}")
    assert [one["text_signature"] for one in json.loads(body)["results"]] == ["E(uint256)"]
    for nothing in ("0x00000000", "0xzz", "", topic):
        _, body = ask(f"/api/v1/signatures/?hex_signature={nothing}")
        assert json.loads(body) == {"count": 0, "next": None, "previous": None, "results": []}


def targets() -> list[str]:
    dice = seeded(35)
    those = [*contract_targets(dice, 125), *directory_targets(dice, 125)]
    return [quote(target, safe="/?&=%,") for target in those]


@pytest.mark.slow
def test_edge_module_matches_serve_command(tmp_path):
    dice = seeded(3)
    cases = [
        {"target": one, "method": dice.choice(("GET", "GET", "HEAD", "POST", "OPTIONS"))} for one in targets()
    ]
    write_site(tmp_path / "build", SITE | PAGES)
    statuses = set()
    with serve_with_statuary(tmp_path) as server:
        for case, answer in zip(cases, answers_of_deno(SITE, cases), strict=True):
            ours = ask(case["target"], method=case["method"])
            assert ours == (None if answer is None else (answer["status"], answer["body"].encode())), case
            if ours is not None:
                served = server.fetch(case["target"], method=case["method"])
                assert (served["status"], served["body"]) == ours, case
                statuses.add(ours[0])
    assert statuses >= {200, 204, 404}


@pytest.mark.slow
@pytest.mark.parametrize("serve", [serve_with_nginx, serve_with_caddy], ids=["nginx", "Caddy"])
def test_web_servers_send_identical_api_responses(serve, tmp_path):
    dice = seeded(36)
    write_site(tmp_path / "build", SITE | PAGES)
    with serve(tmp_path) as server:
        for target in contract_targets(dice, 100):
            response = server.fetch(target)
            expected = ask(target) or (200, SITE[target.strip("/")])
            assert (response["status"], response["body"]) == expected, target
            assert response["headers"]["content-type"].startswith("application/json"), target
            assert response["headers"]["access-control-allow-origin"] == "*", target


@pytest.mark.slow
@pytest.mark.parametrize("serve", [serve_with_nginx, serve_with_caddy], ids=["nginx", "Caddy"])
def test_web_servers_respond_404_without_apis(serve, tmp_path: Path):
    write_site(tmp_path / "build", PAGES)
    with serve(tmp_path) as server:
        missing = (
            "/otterscan/signatures/ffffffff",
            f"/otterscan/contracts/full_match/1/{ABSENT}/metadata.json",
        )
        for target in (
            f"/blockscout/1/api/v2/smart-contracts/{ABSENT}",
            *missing,
        ):
            response = server.fetch(target)
            assert (response["status"], response["body"]) == (404, PAGES["404.html"])
            assert response["headers"]["access-control-allow-origin"] == "*"
