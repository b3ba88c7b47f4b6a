"""Rules of a site of statuary beside the two APIs."""

import json
import re
from collections.abc import Iterator

from statuary.conform.deployment import Deployment
from statuary.conform.judging import is_readable_anywhere
from statuary.conform.verdict import NothingToJudge
from statuary.documents import url_table

FILES = (
    url_table.HISTORY_ATOM,
    url_table.HISTORY_RSS,
    url_table.FEED,
    url_table.CALENDAR,
    url_table.BADGE,
    url_table.BADGE_ENDPOINT,
    url_table.STYLE,
)
"""Documents whose type is no JSON of the APIs."""

INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>\s*\S", re.IGNORECASE)
HANDLER = re.compile(rb"<[a-z][^>]*\son[a-z]+\s*=", re.IGNORECASE)


def what_is_served_is_described(deployment: Deployment) -> Iterator[str]:
    """`openapi.json` is an OpenAPI 3.1 document, and the documents it names without parameters are there."""
    told = deployment.json(f"/{url_table.OPENAPI.path()}")
    if not str(told.get("openapi", "")).startswith("3.1"):
        yield f"openapi.json says {told.get('openapi')!r}, not 3.1"
    for path in told.get("paths", {}):
        if "{" not in path and deployment.get(path).status != 200:
            yield f"{path} is described and answers {deployment.get(path).status}"


def files_have_their_types(deployment: Deployment) -> Iterator[str]:
    """Feeds, calendar, badges and styles are sent as what they are, readable by any origin."""
    _is_of_statuary(deployment)
    for url in FILES:
        answered = deployment.get(f"/{url.path()}")
        wanted = url.media_type.partition(";")[0]
        if answered.status == 404:
            continue
        if answered.media_type != wanted:
            yield f"/{url.path()} is sent as {answered.media_type or 'nothing'}, not {wanted}"
        if not is_readable_anywhere(answered):
            yield f"/{url.path()}: no Access-Control-Allow-Origin: *"


def present_is_kept_briefly(deployment: Deployment) -> Iterator[str]:
    """What tells the present may be kept for half a minute at most, a list that a build changes not at all."""
    _is_of_statuary(deployment)
    for url, longest in (
        (url_table.SUMMARY, url_table.STATUS_FRESHNESS),
        (url_table.HISTORY_ATOM, url_table.STATUS_FRESHNESS),
        (url_table.CHAINS, 0),
    ):
        cache = deployment.get(f"/{url.path()}").headers.get("cache-control", "")
        seconds = re.search(r"max-age=(\d+)", cache)
        if url.keeps_time and not seconds:
            yield f"/{url.path()} has no Cache-Control with max-age"
        elif seconds and int(seconds[1]) > longest:
            yield f"/{url.path()} may be kept for {seconds[1]} seconds"


def pages_are_guarded(deployment: Deployment) -> Iterator[str]:
    """Pages run no script but those beside them, are framed by nobody, and are taken for what they are."""
    _is_of_statuary(deployment)
    page = deployment.get("/")
    if page.status != 200 or page.media_type != "text/html":
        raise NothingToJudge(f"/ answers {page.status} {page.media_type}: the site has no pages")
    policy = page.headers.get("content-security-policy", "")
    for directive in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"):
        if directive not in policy:
            yield f"/ has no Content-Security-Policy with {directive}"
    if "unsafe-inline" in policy:
        yield "/ allows what is written into a page to run"
    if page.headers.get("x-content-type-options") != "nosniff":
        yield "/ has no X-Content-Type-Options: nosniff"
    if INLINE_SCRIPT.search(page.body) or HANDLER.search(page.body):
        yield "/ has a script written into it"


def own_notes_are_hidden(deployment: Deployment) -> Iterator[str]:
    """The build's own notes are not served."""
    _is_of_statuary(deployment)
    answered = deployment.get("/.statuary/ledger.sqlite3")
    if answered.body.startswith(b"SQLite"):
        yield "/.statuary/ledger.sqlite3 is served"


def what_is_not_there_is_not_found(deployment: Deployment) -> Iterator[str]:
    """A path that nothing lies at is answered with 404."""
    _is_of_statuary(deployment)
    for target in ("/nothing/lies/here", "/incidents/nothing.html", "/%2e%2e/%2e%2e/etc/passwd"):
        status = deployment.get(target).status
        if status not in (400, 403, 404):
            yield f"{target} answers {status}, not 404"


def _is_of_statuary(deployment: Deployment) -> None:
    """Leave deployments of others alone: they have pages of their own kind.

    Raises:
        NothingToJudge: if the deployment is none of statuary's.
    """
    answered = deployment.get(f"/{url_table.OPENAPI.path()}")
    try:
        told = json.loads(answered.body) if answered.status == 200 else {}
    except ValueError:
        told = {}
    if "statuary" not in str(told.get("info", {}).get("description", "")):
        raise NothingToJudge("the deployment is not made by statuary")
