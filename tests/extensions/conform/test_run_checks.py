"""Every rule of `statuary conform` passes on this repository's own site, and fails where a site breaks it."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from statuary.base.primitives import Instant, parse_instant
from statuary.extensions.conform.conformance import (
    CHECKS,
    ConformanceArea,
    ConformanceLevel,
    ConformanceOutcome,
    run_checks,
    select_checks,
)
from statuary.extensions.conform.deployment import (
    CheckedDeployment,
    SendRequest,
)
from statuary.extensions.serving.lookup import LookupRequest
from statuary.extensions.serving.server import answer_site_request
from statuary.extensions.snapshots.site_reader import SiteReader, open_site
from statuary.site.urls import FRAMED_POLICY
from statuary.system.network.client import HttpResponse, UnreachableError
from support.host_servers import build_project
from support.packed_sites import has_zstd, require_zstd
from support.statuspage_captures import capture
from support.whole_site import ADDITIONS, DESCRIPTOR, MESSAGES

NOW = parse_instant("2026-11-21T09:00:00Z")
"""After some of the transitions that were ahead when the site was built."""

EVERYTHING = select_checks(ConformanceLevel.EDGE, frozenset(ConformanceArea))

Damage = Callable[[str, str, HttpResponse], HttpResponse]


SETTINGS = """
hosting: {files: [netlify, cloudflare]}
clear_signing: {}
metrics: {shown: {age: {name: Age of the newest block, file: age.csv}}}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteReader]:
    """This repository's own site without the manual, with descriptors and a metric."""
    packs = "packs: true\n" if has_zstd() else ""
    folder = tmp_path_factory.mktemp("project")
    project = build_project(folder, SETTINGS + packs, ADDITIONS, without="manual")
    with open_site(project / "build") as site:
        yield site


def asking(site: SiteReader, damage: Damage = lambda _target, _method, answered: answered) -> SendRequest:
    """Return what asks a site without a network, its answers damaged on their way."""

    def ask(target: str, method: str, headers: Mapping[str, str]) -> HttpResponse:
        request = LookupRequest(
            method=method,
            target=target,
            if_none_match=headers.get("If-None-Match"),
            range_header=headers.get("Range"),
        )
        answer = answer_site_request(request, site.read, NOW, lambda: "6f2dd1a4-27d1-4f6f-9c6b-4d0f3c1a2b3c")
        output = {name.lower(): text for name, text in answer.headers.items()}
        return damage(
            target, method, HttpResponse(status=int(answer.status), headers=output, body=answer.body)
        )

    return ask


def outcomes(ask: SendRequest, now: Instant = NOW) -> dict[str, ConformanceOutcome]:
    return {
        verdict.check.name: verdict.outcome for verdict in run_checks(CheckedDeployment(ask, now), EVERYTHING)
    }


@pytest.mark.slow
def test_built_site_passes_every_check(site):
    found = outcomes(asking(site))
    packs = found.pop("packs-have-the-records")
    assert set(found.values()) == {ConformanceOutcome.PASSED}
    assert packs is (ConformanceOutcome.PASSED if has_zstd() else ConformanceOutcome.SKIPPED)


# damages, each named by what is wrong with a site that has it


def answers(status: int, body: bytes = b"", **headers: str) -> Damage:
    return lambda _target, _method, _answered: HttpResponse(status=status, body=body, headers=headers)


def where(fits: Callable[[str], bool], damage: Damage, method: str = "GET") -> Damage:
    """Return a damage of some answers only."""

    def apply(target: str, asked: str, answered: HttpResponse) -> HttpResponse:
        return damage(target, asked, answered) if asked == method and fits(target) else answered

    return apply


def at(*targets: str) -> Callable[[str], bool]:
    return lambda target: target in targets


def below(prefix: str) -> Callable[[str], bool]:
    return lambda target: target.startswith(prefix)


def edited(edit: Callable[[Any], Any]) -> Damage:
    """Return a damage of good JSON answers: what `edit` makes of them in place, or gives back."""

    def apply(_target: str, _method: str, answered: HttpResponse) -> HttpResponse:
        if answered.status != 200:
            return answered
        value = json.loads(answered.body)
        made = edit(value)
        body = json.dumps(value if made is None else made, separators=(",", ":"), ensure_ascii=False).encode()
        return replace(answered, body=body)

    return apply


def with_headers(**headers: str) -> Damage:
    def apply(_target: str, _method: str, answered: HttpResponse) -> HttpResponse:
        output = {name.replace("_", "-"): text for name, text in headers.items()}
        return replace(answered, headers={**answered.headers, **output})

    return apply


def reversed_results(value: Any) -> None:
    value["results"].reverse()


def in_small_letters(value: Any) -> None:
    for entry in value["results"]:
        entry["address"] = entry["address"].lower()


def without(*path: str) -> Callable[[Any], None]:
    def edit(value: Any) -> None:
        for name in path[:-1]:
            value = value[0 if name == "0" else name]
        value.pop(path[-1])

    return edit


def setting(wanted: Any, *path: str) -> Callable[[Any], None]:
    def edit(value: Any) -> None:
        for name in path[:-1]:
            value = value[0 if name == "0" else name]
        value[path[-1]] = wanted

    return edit


def of_group(name: str, wanted: Any) -> Callable[[Any], None]:
    def edit(value: Any) -> None:
        next(one for one in value["components"] if one["group"])[name] = wanted

    return edit


def everything_down(value: Any) -> None:
    for component in value["components"]:
        component["status"] = "major_outage"


def updates_turned(value: Any) -> None:
    for incident in value["incidents"]:
        incident["incident_updates"].reverse()


def turned(member: str) -> Callable[[Any], None]:
    return lambda value: value[member].reverse()


def bytecode_changed(value: Any) -> None:
    code = value["runtimeBytecode"]["recompiledBytecode"]
    value["runtimeBytecode"]["recompiledBytecode"] = (
        code[:-6] + ("00" if code[-6:-4] != "00" else "11") + code[-4:]
    )


def spelled_anew(_target: str, _method: str, answered: HttpResponse) -> HttpResponse:
    """What JSON.parse and JSON.stringify make of an answer, if blanks are put between members."""
    return replace(answered, body=json.dumps(json.loads(answered.body)).encode())


def as_if_unasked(target: str, _method: str, answered: HttpResponse) -> HttpResponse:
    return answered if "?" not in target else replace(answered, status=200, body=b'{"all":"the same"}')


def in_utc(text: bytes) -> bytes:
    return text.replace(b"+01:00", b"Z")


SUMMARY, COMPONENTS = "/api/v2/summary.json", "/api/v2/components.json"
NAMES = "/signature-database/files/names.txt"
UNRESOLVED, INCIDENTS = "/api/v2/incidents/unresolved.json", "/api/v2/incidents.json"
UPCOMING = "/api/v2/scheduled-maintenances/upcoming.json"
LIST = "/v2/contracts/748463"
RECORDS = below("/v2/contract/748463/0x")
ABSENT = CheckedDeployment(answers(404), NOW).absent_address

NOT_FOUND = answers(404, b"<p>Not found</p>", **{"content-type": "text/html"})
NO_ETAG = with_headers(etag="")

DAMAGES: dict[str, list[Damage]] = {
    "chains-are-listed": [
        where(at("/chains"), NOT_FOUND),
        where(at("/chains"), with_headers(content_type="application/octet-stream")),
        where(at("/chains"), edited(setting("748463", "0", "chainId"))),
    ],
    "contracts-are-listed": [
        where(at(LIST), edited(reversed_results)),
        where(at(LIST), edited(in_small_letters)),
        where(at(LIST), edited(without("results", "0", "matchId"))),
    ],
    "records-are-served": [
        where(RECORDS, NOT_FOUND),
        where(RECORDS, with_headers(content_type="application/octet-stream")),
        where(RECORDS, edited(setting("9", "matchId"))),
        where(RECORDS, edited(without("address"))),
    ],
    "whole-records-are-served": [
        where(RECORDS, edited(without("metadata"))),
        where(RECORDS, edited(setting(7, "compilation", "name"))),
    ],
    "records-are-proved": [where(RECORDS, edited(bytecode_changed))],
    "both-address-forms-are-served": [
        where(lambda target: target == target.lower() and RECORDS(target), NOT_FOUND),
    ],
    "all-chains-are-listed": [
        where(below("/v2/contract/all-chains/"), NOT_FOUND),
        where(below("/v2/contract/all-chains/"), edited(setting([], "results"))),
    ],
    "missing-contracts-are-not-found": [
        where(lambda target: ABSENT in target and "all-chains" not in target, answers(200, b"{}")),
        where(lambda target: ABSENT in target and "all-chains" in target, answers(200, b'{"results":[]}')),
    ],
    "contracts-are-readable-from-any-origin": [
        with_headers(access_control_allow_origin="https://sourcify.dev"),
        NO_ETAG,
        where(lambda _target: True, answers(405), "HEAD"),
        lambda _target, _method, answered: (
            replace(answered, status=200) if answered.status == 304 else answered
        ),
    ],
    "missing-contracts-are-reported-in-json": [
        where(lambda target: ABSENT in target, answers(404, b'{"match":null}')),
    ],
    "malformed-parameters-are-rejected": [
        where(below("/v2/contract/abc/"), NOT_FOUND),
        where(below("/v2/contract/abc/"), answers(400, b'{"message":"bad request"}')),
        lambda _target, _method, answered: replace(
            answered, body=answered.body.replace(b"6f2dd1a4-27d1-4f6f", b"00000000-0000-0000")
        ),
    ],
    "unknown-chains-are-rejected": [where(below("/v2/contracts/9999"), answers(200, b'{"results":[]}'))],
    "wrong-checksums-are-rejected": [where(lambda target: ABSENT.swapcase()[2:] in target, NOT_FOUND)],
    "fields-are-selected": [
        where(lambda target: "fields=abi" in target, spelled_anew),
        where(lambda target: "?fields=" in target and "all" not in target, as_if_unasked),
    ],
    "fields-are-omitted": [where(lambda target: "?omit=" in target, as_if_unasked)],
    "invalid-selectors-are-rejected": [
        where(lambda target: "colour=red" in target, answers(200, b"{}")),
        where(lambda target: "fields=abi,&" in f"{target}&", NOT_FOUND),
    ],
    "paths-ignore-case": [
        where(below("/V2/"), NOT_FOUND),
        where(lambda target: RECORDS(target) and target.rpartition("0x")[2].isupper(), NOT_FOUND),
        where(lambda target: target.endswith("/") and len(target) > 1, NOT_FOUND),
    ],
    "lists-are-sorted-and-limited": [
        where(lambda target: "sort=asc" in target, edited(reversed_results)),
        where(lambda target: "limit=2" in target, edited(setting([], "results"))),
        where(lambda target: "limit=201" in target, answers(200, b'{"results":[]}')),
    ],
    "server-prefix-is-served": [where(below("/server/"), NOT_FOUND)],
    "preflight-requests-are-answered": [where(lambda _target: True, answers(405), "OPTIONS")],
    "unknown-routes-are-not-found": [where(at("/v2"), answers(200, b"{}"))],
    "status-documents-are-served": [
        where(at(SUMMARY), NOT_FOUND),
        where(at(COMPONENTS), with_headers(content_type="text/plain")),
        where(at(COMPONENTS), edited(without("components", "0", "showcase"))),
        where(at(INCIDENTS), answers(200, b"<html>", **{"content-type": "application/json"})),
        where(at(SUMMARY), edited(setting("2026-11-20T10:00:00Z", "page", "updated_at"))),
    ],
    "documents-agree": [
        where(at(COMPONENTS), edited(setting("Another", "components", "0", "name"))),
        where(at(UPCOMING), edited(turned("scheduled_maintenances"))),
        where(at("/api/v2/status.json"), edited(setting("another", "page", "id"))),
    ],
    "status-follows-components": [
        where(at(SUMMARY), edited(setting("All is well", "status", "description"))),
        where(at(SUMMARY), edited(setting("critical", "status", "indicator"))),
        where(at(SUMMARY), edited(everything_down)),
    ],
    "groups-follow-components": [
        where(at(COMPONENTS), edited(of_group("status", "major_outage"))),
        where(at(COMPONENTS), edited(of_group("components", []))),
    ],
    "lists-are-in-order": [
        where(at(COMPONENTS), edited(turned("components"))),
        where(at(INCIDENTS), edited(turned("incidents"))),
        where(at(UPCOMING), edited(turned("scheduled_maintenances"))),
        where(at(INCIDENTS), edited(updates_turned)),
    ],
    "lists-hold-what-they-say": [
        where(at(UNRESOLVED), edited(setting("resolved", "incidents", "0", "status"))),
        where(at(UPCOMING), edited(setting("completed", "scheduled_maintenances", "0", "status"))),
        where(at(INCIDENTS), edited(setting("identified", "incidents", "0", "status"))),
    ],
    "instants-are-in-the-page-s-zone": [
        where(at(SUMMARY), lambda _target, _method, answered: replace(answered, body=in_utc(answered.body))),
        where(at(SUMMARY), edited(setting("Zurich", "page", "time_zone"))),
    ],
    "incidents-have-their-documents": [
        where(below("/incidents/"), NOT_FOUND),
        where(below("/incidents/"), edited(setting("Another", "incident", "name"))),
    ],
    "absent-incidents-are-not-found": [where(below("/incidents/no-such"), answers(200, b"{}"))],
    "status-is-readable-anywhere": [with_headers(access_control_allow_origin=""), NO_ETAG],
    "status-follows-the-clock": [
        where(
            lambda target: not target.startswith("/api/v2/_epochs"),
            lambda _target, _method, answered: replace(answered, body=answered.body + b" "),
        ),
        where(at("/api/v2/_epochs/index.json"), edited(setting("soon", "until"))),
    ],
    "openapi-describes-the-site": [
        where(at("/openapi.json"), edited(setting("2.0", "openapi"))),
        where(at("/maintenances.ics"), NOT_FOUND),
    ],
    "files-have-their-media-types": [
        where(at("/feed.json"), with_headers(content_type="application/json")),
        where(at("/badge.svg"), with_headers(access_control_allow_origin="")),
    ],
    "status-is-cached-briefly": [
        where(at(SUMMARY), with_headers(cache_control="public, max-age=3600")),
        where(at("/history.atom"), with_headers(cache_control="")),
        where(at("/chains"), with_headers(cache_control="max-age=60")),
    ],
    "pages-are-protected": [
        where(at("/"), with_headers(content_security_policy="")),
        where(at("/"), with_headers(content_security_policy="default-src 'self' 'unsafe-inline'")),
        where(at("/"), with_headers(x_content_type_options="")),
        where(at("/"), with_headers(x_frame_options="", content_security_policy=FRAMED_POLICY)),
        where(
            at("/"),
            lambda _target, _method, answered: replace(
                answered, body=answered.body + b"<script>run()</script>"
            ),
        ),
    ],
    "internal-files-are-hidden": [where(below("/.statuary/"), answers(200, b"SQLite format 3\x00"))],
    "missing-files-are-not-found": [where(at("/nothing/is/here"), answers(200, b"<p>Hello</p>"))],
    "interfaces-have-listed-contracts": [
        where(at("/otterscan/files/config.json"), answers(200, b"{}")),
        where(below("/blockscout"), answers(200, b"{}")),
    ],
    "missing-contracts-are-said-in-json": [
        where(at(f"/blockscout/748463/api/v2/smart-contracts/{ABSENT}"), NOT_FOUND),
        where(
            at(f"/blockscout/748463/api/v2/smart-contracts/{ABSENT}"),
            answers(200, b'{"message":"Not found"}'),
        ),
    ],
    "code-finds-contracts": [where(below("/code/0x"), answers(200, b"{}"))],
    "proxies-are-resolved": [
        where(below("/proxies/748463/"), NOT_FOUND),
        where(below("/proxies/748463/"), answers(200, b'{"abi":[{"item":1}]}')),
    ],
    "descriptors-are-indexed": [
        where(at("/clear-signing/index.calldata.json"), answers(200, b"{}")),
        where(at("/clear-signing/index.eip712.json"), edited(lambda value: {key: {} for key in value})),
    ],
    "descriptors-have-proofs": [
        where(at(f"/clear-signing/{DESCRIPTOR}"), NOT_FOUND),
        where(at(f"/clear-signing/{MESSAGES}"), edited(without("metadata"))),
        where(
            below("/clear-signing/proof/"),
            edited(setting({}, "descriptors", "0", "claims", "fits", "status")),
        ),
    ],
    "metrics-have-their-points": [
        where(at("/metrics-display/age/week.json"), NOT_FOUND),
        where(at("/metrics-display/age/day.json"), edited(setting([], "metrics"))),
        where(
            at("/metrics-display/age/day.json"), edited(lambda value: value["metrics"][0]["data"].reverse())
        ),
    ],
    "packs-have-the-records": [
        where(at("/packs/packs.json"), answers(200, b"{}")),
        where(at("/packs/packs.json"), answers(500)),
        where(at("/packs/packs.json"), answers(200, b'{"version":1,"packs":[]}')),
        where(below("/packs/data/"), NOT_FOUND),
        where(below("/packs/data/"), answers(206, b"other")),
        where(below("/proof/"), answers(200, b"{}")),
    ],
    "signatures-are-counted": [where(at(NAMES), answers(200, b"one()\n")), where(at(NAMES), NOT_FOUND)],
    "signatures-are-looked-up": [
        where(below("/signature-database/v1/lookup"), NOT_FOUND),
        where(below("/signature-database/v1/lookup"), answers(200, b'{"ok":true,"result":{"function":{}}}')),
        where(below("/signature-database/v1/lookup"), answers(500, b'{"ok":false}')),
    ],
    "explorer-calls-are-answered": [
        where(below("/v2/api?"), NOT_FOUND),
        where(below("/v2/api?"), answers(200, b'{"status":"1","result":[{"SourceCode":"x"}]}')),
    ],
    "signatures-are-searched": [
        where(below("/signature-database/v1/search"), NOT_FOUND),
        where(below("/signature-database/v1/search"), answers(200, b"{}")),
    ],
}


def test_every_conformance_check_has_damage_example():
    assert set(DAMAGES) == {check.name for check in CHECKS}


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        pytest.param(name, damage, id=f"{name}-{n}")
        for name, damages in DAMAGES.items()
        for n, damage in enumerate(damages)
    ],
)
def test_damaged_site_fails_matching_conformance_check(name, damage, site):
    if name == "packs-have-the-records":
        require_zstd()
    check = next(check for check in CHECKS if check.name == name)
    (verdict,) = run_checks(CheckedDeployment(asking(site, damage), NOW), [check])
    assert verdict.outcome is ConformanceOutcome.FAILED
    assert all(verdict.problems)


def test_conform_rereads_changed_document(site):
    requested: list[str] = []

    def once(target: str, _method: str, answered: HttpResponse) -> HttpResponse:
        requested.append(target)
        first = requested.count(target) == 1
        return (
            edited(setting("Another", "components", "0", "name"))(target, "GET", answered)
            if first
            else answered
        )

    check = next(check for check in CHECKS if check.name == "documents-agree")
    deployment = CheckedDeployment(asking(site, where(at(COMPONENTS), once)), NOW)
    (verdict,) = run_checks(deployment, [check])
    assert (verdict.outcome, requested.count(COMPONENTS)) == (ConformanceOutcome.PASSED, 2)


def test_pages_with_x_frame_options_pass(site):
    """Hosts whose rules add up leave the directive out if the site has documents that may be framed."""
    framed = where(at("/"), with_headers(content_security_policy=FRAMED_POLICY))
    assert outcomes(asking(site, framed))["pages-are-protected"] is ConformanceOutcome.PASSED


def test_conformance_checks_skip_absent_features(site):
    """A site without pages, without descriptors or metrics, a chain without contracts, a moment before any transition."""
    nothing_added = outcomes(
        asking(
            site,
            where(
                lambda target: "clear-signing" in target or target in ("/openapi.json", "/packs/packs.json"),
                NOT_FOUND,
            ),
        )
    )
    for name in (
        "descriptors-are-indexed",
        "descriptors-have-proofs",
        "metrics-have-their-points",
        "packs-have-the-records",
    ):
        assert nothing_added[name] is ConformanceOutcome.SKIPPED
    no_pages = outcomes(asking(site, where(at("/"), NOT_FOUND)))
    assert no_pages["pages-are-protected"] is ConformanceOutcome.SKIPPED
    nothing_listed = outcomes(asking(site, where(below("/v2/contracts/"), edited(setting([], "results")))))
    assert nothing_listed["records-are-served"] is ConformanceOutcome.SKIPPED
    early = outcomes(asking(site), parse_instant("2026-11-20T12:00:01Z"))
    assert early["status-follows-the-clock"] is ConformanceOutcome.SKIPPED


def test_records_with_minimal_fields_conform(site):
    members = ("matchId", "creationMatch", "runtimeMatch", "verifiedAt", "match", "chainId", "address")
    cut = where(
        lambda target: RECORDS(target.lower().removeprefix("/server")) and "?" not in target,
        edited(lambda value: {name: value[name] for name in members}),
    )
    found = outcomes(asking(site, cut))
    assert {found[check.name] for check in CHECKS if check.area is ConformanceArea.CONTRACTS} == {
        ConformanceOutcome.PASSED
    }


@pytest.mark.parametrize(
    ("name", "method", "statuses"),
    [("missing-files", "GET", (400, 403, 404)), ("preflight", "OPTIONS", (200, 204))],
)
def test_conformance_rule_states_accepted_http_statuses(site, name, method, statuses):
    check = next(check for check in CHECKS if check.name.startswith(name))
    for status in statuses:
        answered = answers(status, **{"access-control-allow-origin": "*"})
        damage = where(lambda target: target != "/openapi.json", answered, method)
        (verdict,) = run_checks(CheckedDeployment(asking(site, damage), NOW), [check])
        assert (verdict.outcome, str(status) in check.rule) == (ConformanceOutcome.PASSED, True)


def test_incomplete_record_skips_proof_check(site):
    check = next(check for check in CHECKS if check.name == "records-are-proved")
    cut = where(RECORDS, edited(without("sources")))
    (verdict,) = run_checks(CheckedDeployment(asking(site, cut), NOW), [check])
    assert verdict.outcome is ConformanceOutcome.SKIPPED
    assert " does not return a complete contract record" in verdict.problems[0]


def test_unreachable_deployment_stops_checks():
    def ask(target: str, _method: str, _headers: Mapping[str, str]) -> HttpResponse:
        raise UnreachableError(target, "cannot be asked")

    with pytest.raises(UnreachableError):
        list(run_checks(CheckedDeployment(ask, NOW), EVERYTHING))


def test_level_and_area_select_conformance_checks():
    static = select_checks(ConformanceLevel.STATIC, frozenset([ConformanceArea.STATUS]))
    assert {(check.level, check.area) for check in static} == {
        (ConformanceLevel.STATIC, ConformanceArea.STATUS)
    }
    assert len(EVERYTHING) == len(CHECKS) == len({check.name for check in CHECKS})
    assert all(check.rule.endswith(".") for check in CHECKS)


def page_of(summary: dict[str, Any]) -> SendRequest:
    """Return what asks a page whose other documents follow from its captured summary."""
    page, planned = summary["page"], summary["scheduled_maintenances"]
    begun = [one for one in planned if one["status"] != "scheduled"]
    bodies = {
        SUMMARY: summary,
        "/api/v2/status.json": {"page": page, "status": summary["status"]},
        COMPONENTS: {"page": page, "components": summary["components"]},
        INCIDENTS: {"page": page, "incidents": summary["incidents"]},
        UNRESOLVED: {"page": page, "incidents": summary["incidents"]},
        "/api/v2/scheduled-maintenances.json": {"page": page, "scheduled_maintenances": planned},
        UPCOMING: {"page": page, "scheduled_maintenances": [one for one in planned if one not in begun]},
        "/api/v2/scheduled-maintenances/active.json": {"page": page, "scheduled_maintenances": begun},
        **{
            f"/incidents/{one['id']}.json": {"page": page, "incident": one}
            for one in (*summary["incidents"], *planned)
        },
    }

    def ask(target: str, method: str, headers: Mapping[str, str]) -> HttpResponse:
        if target not in bodies:
            return HttpResponse(status=404)
        found = {"content-type": "application/json", "access-control-allow-origin": "*", "etag": '"1"'}
        if "If-None-Match" in headers:
            return HttpResponse(status=304, headers=found)
        return HttpResponse(
            status=200, headers=found, body=b"" if method == "HEAD" else json.dumps(bodies[target]).encode()
        )

    return ask


@pytest.mark.parametrize(
    "name", ["major-asana", "minor-bexio", "minor-cloudflare-with-maintenances", "minor-hashicorp"]
)
def test_captured_statuspages_pass_conformance_checks(name):
    """HashiCorp's page is on another vendor's system, which leaves most members out."""
    summary = capture(f"linuxfabrik-{name}.summary.json")
    summary.setdefault("scheduled_maintenances", [])
    checks = select_checks(ConformanceLevel.STATIC, frozenset([ConformanceArea.STATUS]))
    verdicts = list(run_checks(CheckedDeployment(page_of(summary), NOW, sample_size=20), checks))
    failed = {one.check.name: one.problems for one in verdicts if one.outcome is ConformanceOutcome.FAILED}
    assert set(failed) == (
        {"status-documents-are-served", "incidents-have-their-documents"} if "hashicorp" in name else set()
    )


def test_deeply_nested_response_fails(site):
    def damaged(target: str, method: str, answered: HttpResponse) -> HttpResponse:
        return replace(answered, body=b"[" * 100_000) if answered.status == 200 else answered

    outcomes = {one.outcome for one in run_checks(CheckedDeployment(asking(site, damaged), NOW), EVERYTHING)}
    assert ConformanceOutcome.FAILED in outcomes
