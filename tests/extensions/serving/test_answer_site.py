"""Answers to any request for a site: status documents by the clock, plain files, pages that are not there."""

import pytest

from statuary.base.primitives import parse_instant
from statuary.extensions.serving.lookup import LookupRequest, Response, make_entity_tag
from statuary.extensions.serving.server import answer_site_request

SITE = {
    "index.html": b"<title>plain</title>",
    "api/v2/summary.json": b'{"epoch":"plain"}',
    "api/v2/status.json": b'{"epoch":"status"}',
    "api/v2/_epochs/20261201T100000000Z/api/v2/summary.json": b'{"epoch":"a"}',
    "api/v2/_epochs/20261201T100000000Z/index.html": b"<title>a</title>",
    "api/v2/_epochs/index.json": b'{"until":"2026-12-09T00:00:00.000Z","complete":true,'
    b'"instants":["2026-12-01T09:00:00.000Z","2026-12-01T10:00:00.000Z"],'
    b'"documents":{"api/v2/summary.json":{"whole":[0,1]},"index.html":{"whole":[0,1]}}}',
    "docs/index.html": b"<title>docs</title>",
    "style.css": b"a{}",
}
BEFORE, AFTER = parse_instant("2026-12-01T09:59:50Z"), parse_instant("2026-12-01T10:00:00Z")


def answer(target: str, *, now=BEFORE, site=SITE, **asked: str) -> Response:
    return answer_site_request(LookupRequest(target=target, **asked), site.get, now, lambda: "<uuid>")


@pytest.mark.parametrize(
    ("target", "before", "after"),
    [
        ("/api/v2/summary.json", b'{"epoch":"plain"}', b'{"epoch":"a"}'),
        ("/", b"<title>plain</title>", b"<title>a</title>"),
        ("/index.html?x=1", b"<title>plain</title>", b"<title>a</title>"),
        ("/api/v2/status.json", b'{"epoch":"status"}', b'{"epoch":"status"}'),
    ],
)
def test_status_document_changes_at_transition_time(target, before, after):
    assert answer(target, now=BEFORE).body == before
    assert answer(target, now=AFTER).body == after


def test_cache_lasts_until_next_transition():
    assert answer("/api/v2/summary.json", now=BEFORE).headers["Cache-Control"] == "public, max-age=10"
    assert answer("/api/v2/summary.json", now=AFTER).headers["Cache-Control"] == "public, max-age=30"


@pytest.mark.parametrize(
    "index",
    [
        b"",
        b"[]",
        b"{",
        b'{"epochs":1}',
        b'{"until":"x","instants":["2026-12-01T09:00:00Z"],"documents":{}}',
        SITE["api/v2/_epochs/index.json"].replace(b"[0,1]", b"7"),
        SITE["api/v2/_epochs/index.json"].replace(b"2026-12-01T10", b"some day"),
    ],
)
def test_invalid_epoch_index_serves_current_document(index):
    site = SITE | {"api/v2/_epochs/index.json": index}
    assert answer("/api/v2/summary.json", now=AFTER, site=site).body == b'{"epoch":"plain"}'


def test_missing_epoch_file_serves_current_document():
    site = {path: body for path, body in SITE.items() if not path.startswith("api/v2/_epochs/2")}
    assert answer("/api/v2/summary.json", now=AFTER, site=site).body == b'{"epoch":"plain"}'


@pytest.mark.parametrize(
    ("target", "body", "media_type"),
    [
        ("/style.css", b"a{}", "text/css; charset=utf-8"),
        ("/docs/", b"<title>docs</title>", "text/html; charset=utf-8"),
        ("/docs", b"<title>docs</title>", "text/html; charset=utf-8"),
        ("/api%2Fv2/status.json", b'{"epoch":"status"}', "application/json; charset=utf-8"),
    ],
)
def test_static_files_have_media_types(target, body, media_type):
    answered = answer(target)
    assert (answered.status, answered.body, answered.headers["Content-Type"]) == (200, body, media_type)


def test_missing_document_responds_404():
    assert answer("/nothing").status == 404
    page = SITE | {"404.html": b"<title>gone</title>"}
    answered = answer("/nothing", site=page)
    assert (answered.status, answered.body) == (404, b"<title>gone</title>")


def test_post_request_to_file_responds_405():
    answered = answer("/style.css", method="POST")
    assert (answered.status, answered.headers["Allow"]) == (405, "GET, HEAD")


def test_head_request_returns_length_without_body():
    answered = answer("/style.css", method="HEAD")
    assert (answered.body, answered.headers["Content-Length"]) == (b"", "3")


def test_file_with_matching_etag_responds_304():
    assert answer("/style.css", if_none_match=make_entity_tag(b"a{}")).status == 304
    assert answer("/style.css", if_none_match='"other"').status == 200


def test_contract_lookup_takes_precedence_over_files():
    assert answer("/v2/contract/1/0x12").status == 400
    assert answer("/v2/none").body.startswith(b"<!DOCTYPE html>")


def test_status_after_last_epoch_is_stale():
    index = (
        b'{"until":"2026-11-03T00:00:00.000Z","complete":true,'
        b'"instants":["2026-11-01T00:00:00.000Z","2026-11-02T00:00:00.000Z"],'
        b'"documents":{"api/v2/status.json":{"whole":[0,1]}}}'
    )
    files = {
        "api/v2/_epochs/index.json": index,
        "api/v2/status.json": b"{}",
        "api/v2/_epochs/20261102T000000000Z/api/v2/status.json": b"{}",
    }

    def headers(now):
        request = LookupRequest(method="GET", target="/api/v2/status.json")
        return answer_site_request(request, files.get, parse_instant(now), lambda: "id").headers

    assert "Statuary-Stale-Since" not in headers("2026-11-02T12:00:00Z")
    assert headers("2026-11-03T00:00:00Z")["Statuary-Stale-Since"] == "2026-11-03T00:00:00.000Z"


LETTERS = {"packs/data/a.pack": b"abcdefghij", "empty.bin": b""}


@pytest.mark.parametrize(
    ("wanted", "status", "body", "says"),
    [
        ("bytes=0-0", 206, b"a", "bytes 0-0/10"),
        ("bytes=2-4", 206, b"cde", "bytes 2-4/10"),
        ("bytes=7-", 206, b"hij", "bytes 7-9/10"),
        ("bytes=7-900", 206, b"hij", "bytes 7-9/10"),
        ("bytes=-3", 206, b"hij", "bytes 7-9/10"),
        ("bytes=-900", 206, b"abcdefghij", "bytes 0-9/10"),
        ("bytes=10-", 416, b"", "bytes */10"),
        ("bytes=10-12", 416, b"", "bytes */10"),
        ("bytes=-0", 416, b"", "bytes */10"),
        *(
            (text, 200, b"abcdefghij", None)
            for text in ("bytes=4-2", "bytes=1-2,4-5", "items=1-2", "bytes=-", "", "bytes=a-b")
        ),
        ("bytes=" + "9" * 18 + "-", 416, b"", "bytes */10"),
        ("bytes=" + "9" * 5000 + "-", 200, b"abcdefghij", None),
    ],
)
def test_range_request_returns_requested_bytes(wanted, status, body, says):
    found = answer("/packs/data/a.pack", site=LETTERS, range_header=wanted)
    assert (found.status, found.body, found.headers.get("Content-Range")) == (status, body, says)


def test_range_of_empty_file_is_unsatisfiable():
    assert answer("/empty.bin", site=LETTERS, range_header="bytes=0-").headers["Content-Range"] == "bytes */0"
    assert answer("/none", site=LETTERS, range_header="bytes=0-").status == 404
    whole = answer("/packs/data/a.pack", site=LETTERS, range_header="bytes=1-2", method="HEAD")
    assert (whole.status, whole.headers["Content-Length"]) == (200, "10")


def test_etag_takes_precedence_over_range():
    tag = make_entity_tag(b"abcdefghij")
    asked = {"range_header": "bytes=1-2", "site": LETTERS}
    assert answer("/packs/data/a.pack", if_none_match=tag, **asked).status == 304
    assert answer("/packs/data/a.pack", if_range=tag, **asked).status == 200
    assert answer("/packs/data/a.pack", if_range='"other"', **asked).status == 200
