"""Rules of a statuary site in addition to the two APIs."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache

from pydantic import TypeAdapter, ValidationError

from statuary.base.json_values import Json
from statuary.contracts import urls as contract_urls
from statuary.extensions.conform.deployment import CheckedDeployment, NotApplicableError
from statuary.site import urls as site_urls
from statuary.site.urls import STATUS_MAX_AGE
from statuary.status import urls as status_urls
from statuary.system.network.client import HttpResponse

JSON_TYPE = "application/json"

MAX_SHAPE_PROBLEMS = 3
"""Violations of a shape that are listed; the others are counted."""


def check_document(deployment: CheckedDeployment, path: str, shape: type) -> Iterator[str]:
    """Check the HTTP status, media type and structure of a JSON document.

    Args:
        deployment: the deployed site with the document.
        path: the path of the document.
        shape: the type that the JSON value must have, such as a TypedDict.

    Yields:
        A sentence for each fault.
    """
    response = deployment.get_response(path)
    if response.status != 200:
        yield f"{path} returns {response.status}, not 200"
        return
    if response.media_type != JSON_TYPE:
        yield f"{path} is sent as {response.media_type or 'nothing'}, not {JSON_TYPE}"
    try:
        value = json.loads(response.body)
    except ValueError as error:
        yield f"{path} is not JSON: {error}"
        return
    yield from (f"{path}: {problem}" for problem in shape_problems(value, shape))


def shape_problems(value: Json, shape: type) -> Iterator[str]:
    """Check that a JSON value has the structure of a type.

    Args:
        value: the parsed JSON.
        shape: the type that the JSON value must have, such as a TypedDict.

    Yields:
        A sentence for each of the first faults, and a sentence with the number of further faults.
    """
    try:
        _cached_type_adapter(shape).validate_python(value)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False)
        for problem in problems[:MAX_SHAPE_PROBLEMS]:
            yield f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
        if len(problems) > MAX_SHAPE_PROBLEMS:
            yield f"and {len(problems) - MAX_SHAPE_PROBLEMS} more"


@cache
def _cached_type_adapter(shape: type) -> TypeAdapter[object]:
    return TypeAdapter(shape)


def allows_any_origin(response: HttpResponse) -> bool:
    """Return whether scripts of other sites may read a response (CORS)."""
    return response.headers.get("access-control-allow-origin") == "*"


def check_api_headers(deployment: CheckedDeployment, paths: list[str]) -> Iterator[str]:
    """Check the HTTP headers of API documents.

    Pages of any origin must be allowed to read the documents. HEAD must return the same media type without a
    body, and conditional requests must return 304.

    Args:
        deployment: the deployed site with the documents.
        paths: the paths of the documents.

    Yields:
        A sentence for each fault.

    Raises:
        NotApplicableError: if a document is missing.
    """
    for target in paths:
        got = deployment.get_response(target)
        if got.status != 200:
            raise NotApplicableError(f"{target} returns HTTP status {got.status} instead of a document")
        if not allows_any_origin(got):
            yield f"{target}: no Access-Control-Allow-Origin: *"
        head = deployment.ask(target, "HEAD", {})
        if head.status != 200 or head.body or head.media_type != got.media_type:
            yield f"HEAD {target} returns {head.status} {head.media_type}, {len(head.body)} bytes"
        yield from _find_conditional_request_faults(deployment, target, got)


def _find_conditional_request_faults(
    deployment: CheckedDeployment, path: str, response: HttpResponse
) -> Iterator[str]:
    tag = response.headers.get("etag")
    if not tag:
        yield f"{path}: no ETag"
        return
    conditional_response = deployment.ask(path, "GET", {"If-None-Match": tag})
    if conditional_response.status != 304 or conditional_response.body:
        yield f"{path} with If-None-Match: {tag} returns {conditional_response.status}, not 304"


TYPED_FILES = (
    status_urls.HISTORY_ATOM,
    status_urls.HISTORY_RSS,
    status_urls.FEED,
    status_urls.CALENDAR,
    status_urls.BADGE,
    status_urls.BADGE_ENDPOINT,
    site_urls.STYLE,
)
"""Documents with a media type of their own."""

INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>\s*\S", re.IGNORECASE)
INLINE_HANDLER = re.compile(rb"<[a-z][^>]*\son[a-z]+\s*=", re.IGNORECASE)


def openapi_describes_the_site(deployment: CheckedDeployment) -> Iterator[str]:
    """The file `openapi.json` must be OpenAPI 3.1, and its paths without parameters must exist.

    Paths that require an edge program are not checked.
    """
    openapi = deployment.get_json(f"/{site_urls.OPENAPI.path()}")
    if not str(openapi.get("openapi", "")).startswith("3.1"):
        yield f"openapi.json has version {openapi.get('openapi')!r}, not 3.1"
    for path, item in openapi.get("paths", {}).items():
        if item.get("get", {}).get("x-needs-edge") is True:
            continue
        if "{" in path:
            continue
        allowed = {200, 404} if "404" in item["get"]["responses"] else {200}
        if deployment.get_response(path).status not in allowed:
            yield f"{path} is described and returns {deployment.get_response(path).status}"


def files_have_their_media_types(deployment: CheckedDeployment) -> Iterator[str]:
    """Feeds, the calendar, badges and styles must have their media types, and be readable from any origin."""
    _require_statuary_site(deployment)
    for url in TYPED_FILES:
        response = deployment.get_response(f"/{url.path()}")
        expected_type = url.media_type.partition(";")[0]
        if response.status == 404:
            continue
        if response.media_type != expected_type:
            yield f"/{url.path()} is sent as {response.media_type or 'nothing'}, not {expected_type}"
        if not allows_any_origin(response):
            yield f"/{url.path()}: no Access-Control-Allow-Origin: *"


def status_is_cached_briefly(deployment: CheckedDeployment) -> Iterator[str]:
    """Caches may keep status documents for half a minute at most, and must revalidate other documents."""
    _require_statuary_site(deployment)
    for url, longest in (
        (status_urls.SUMMARY, STATUS_MAX_AGE),
        (status_urls.HISTORY_ATOM, STATUS_MAX_AGE),
        (contract_urls.CHAINS, 0),
    ):
        cache = deployment.get_response(f"/{url.path()}").headers.get("cache-control", "")
        seconds = re.search(r"max-age=(\d+)", cache)
        if url.changes_with_time and not seconds:
            yield f"/{url.path()} has no Cache-Control with max-age"
        elif seconds and int(seconds[1]) > longest:
            yield f"/{url.path()} may be cached for {seconds[1]} seconds"


def pages_are_protected(deployment: CheckedDeployment) -> Iterator[str]:
    """Pages must run only scripts of the site, and must forbid framing and content sniffing."""
    _require_statuary_site(deployment)
    page = deployment.get_response("/")
    if page.status != 200 or page.media_type != "text/html":
        raise NotApplicableError(f"/ returns {page.status} {page.media_type}: the site has no pages")
    yield from _find_missing_protection(page.headers)
    if INLINE_SCRIPT.search(page.body) or INLINE_HANDLER.search(page.body):
        yield "/ contains an inline script"


def _find_missing_protection(headers: Mapping[str, str]) -> Iterator[str]:
    policy = headers.get("content-security-policy", "")
    for directive in ("default-src 'none'", "script-src 'self'"):
        if directive not in policy:
            yield f"/ has no Content-Security-Policy with {directive}"
    # Some hosts combine the headers of all rules that match a path. There, `frame-ancestors` for pages would
    # also apply to documents that other sites may embed, so X-Frame-Options is accepted instead.
    if "frame-ancestors 'none'" not in policy and headers.get("x-frame-options", "").upper() != "DENY":
        yield "/ has neither frame-ancestors 'none' in its Content-Security-Policy nor X-Frame-Options: DENY"
    if "unsafe-inline" in policy:
        yield "/ allows inline code"
    if headers.get("x-content-type-options") != "nosniff":
        yield "/ has no X-Content-Type-Options: nosniff"


def internal_files_are_hidden(deployment: CheckedDeployment) -> Iterator[str]:
    """The site's internal database, the ledger, must not be served."""
    _require_statuary_site(deployment)
    response = deployment.get_response("/.statuary/ledger.sqlite3")
    if response.body.startswith(b"SQLite"):
        yield "/.statuary/ledger.sqlite3 is served"


def missing_files_are_not_found(deployment: CheckedDeployment) -> Iterator[str]:
    """An unknown path must return 404, 403 or 400."""
    _require_statuary_site(deployment)
    for target in (
        "/nothing/is/here",
        f"/{status_urls.INCIDENT_PAGE.path(incident_id='nothing')}",
        "/%2e%2e/%2e%2e/etc/passwd",
    ):
        status = deployment.get_response(target).status
        if status not in (400, 403, 404):
            yield f"{target} returns {status}, not 404, 403 or 400"


def _require_statuary_site(deployment: CheckedDeployment) -> None:
    """Skip a check for sites of other systems.

    Raises:
        NotApplicableError: if statuary did not make the site.
    """
    response = deployment.get_response(f"/{site_urls.OPENAPI.path()}")
    try:
        document = json.loads(response.body) if response.status == 200 else {}
    except ValueError:
        document = {}
    if "statuary" not in str(document.get("info", {}).get("description", "")):
        raise NotApplicableError("this site was not built by statuary, so the check does not apply")
