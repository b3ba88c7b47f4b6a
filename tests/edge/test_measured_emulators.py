"""Every measured request and selection, sent to the runtimes of the hosts over HTTP."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from statuary.extensions.serving.lookup import LookupRequest, answer_api_request
from support.edge_runtimes import (
    Served,
    serve_with_cloudflare,
    serve_with_deno,
    serve_with_netlify,
    write_site,
)
from support.edge_vectors import ERROR_ID
from support.measured_lookup import measured_requests, measured_selections, measured_site
from support.random_runs import IS_LARGE

pytestmark = pytest.mark.slow

MeasuredRequest = tuple[str, str]


def requests_to_send() -> list[MeasuredRequest]:
    """Return the measured requests that are the look-up's, and the selections, as method and target."""
    requests = [(case["method"], case["path"]) for case in measured_requests()]
    selections = [
        ("GET", f"/v2/contract/{case['chainId']}/{case['address']}?{case['query']}")
        for case in measured_selections()
    ]
    return [one for one in dict.fromkeys([*requests, *selections]) if expected(one) is not None]


def expected(one: MeasuredRequest) -> tuple[int, str | None, str] | None:
    """Return what Python answers: it is held to the measurements, difference by difference, in its own tests."""
    method, target = one
    answer = answer_api_request(
        LookupRequest(method=method, target=target), measured_site().get, lambda: "<uuid>"
    )
    return answer and (answer.status, answer.headers.get("Content-Type"), answer.body.decode())


def response_of(server: Served, one: MeasuredRequest) -> tuple[int, str | None, str]:
    answer = server.ask(one[1], one[0])
    return answer["status"], answer["headers"].get("content-type"), ERROR_ID.sub("<uuid>", answer["body"])


def of_deno(folder: Path) -> AbstractContextManager[Served]:
    return serve_with_deno(write_site(folder, measured_site()))


def of_cloudflare(folder: Path) -> AbstractContextManager[Served]:
    return serve_with_cloudflare(measured_site(), folder)


def of_netlify(folder: Path) -> AbstractContextManager[Served]:
    return serve_with_netlify(measured_site(), folder)


@pytest.mark.parametrize(("host", "step"), [(of_deno, 5), (of_cloudflare, 5), (of_netlify, 29)])
def test_edge_runtimes_match_recorded_sourcify_responses(
    host: Callable[[Path], AbstractContextManager[Served]], step: int, tmp_path: Path
):
    """A spread of them is asked, and all of them in a large run; Netlify knows only reads."""
    requests = requests_to_send()[:: 1 if IS_LARGE else step]
    if host is of_netlify:
        requests = [one for one in requests if one[0] in ("GET", "HEAD")]
    with host(tmp_path) as server:
        different = {one: answer for one in requests if (answer := response_of(server, one)) != expected(one)}
    assert not different
    assert len(requests) >= 25
