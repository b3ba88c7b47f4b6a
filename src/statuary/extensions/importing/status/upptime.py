"""An Upptime repository: `.upptimerc.yml` and its issues, from GitHub's API or saved with `gh api`.

An incident is an issue with the label `status`, opened and closed by Upptime; its comments are updates. A maintenance
is an issue with the label `maintenance` and a window in a comment of HTML (https://upptime.js.org/docs).
"""

import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from statuary.domain.status.vocabulary import ComponentStatus
from statuary.extensions.importing.report import SourceError
from statuary.extensions.importing.status.status_builder import (
    ForeignUpdate,
    StatusBuilder,
    any_instant,
    required_date,
)
from statuary.extensions.importing.status.status_plan import (
    ImportRequest,
    Members,
    StatusPlan,
    as_members,
    list_of,
    parse_json,
    parse_source_yaml,
    read_file,
    required_text,
    text_of,
    yaml_file,
)

SETTINGS = ".upptimerc.yml"
WINDOW = re.compile(r"<!--(.*?)-->", re.DOTALL)
PER_PAGE = 100
EFFECTS: dict[bool, ComponentStatus | None] = {True: "degraded_performance", False: "major_outage"}
"""By whether Upptime calls the site degraded; otherwise it is down."""

SIGNS = re.compile(r"\A[^\w]*(?:🛑|⚠️?|🔴|🟨)\s*")


def read_upptime(request: ImportRequest) -> StatusPlan:
    """Return the content of a repository; raise SourceError if the source is not one of Upptime."""
    built = StatusBuilder(request)
    api = _api(request.source) if request.is_url else ""
    settings, issues, comments = _fetched(request, api) if api else _saved(request.source)
    for site in list_of(settings, "sites"):
        built.component(_slug(site), required_text(site, "name"))
    website = as_members(settings.get("status-website") or {})
    domain = text_of(website, "cname")
    built.page(
        text_of(website, "name"),
        f"https://{domain}" if domain else "",
        about=text_of(website, "introMessage"),
    )
    if not issues:
        built.plan.notes.append(
            "there are no issues: give the repository's URL, or save issues.json (see the manual)"
        )
    by_issue: dict[str, list[Members]] = {}
    for comment in comments:
        by_issue.setdefault(text_of(comment, "issue_url").rpartition("/")[2], []).append(comment)
    built.convert(issues, lambda one: _issue(built, one, by_issue), "an issue")
    return built.plan


def _api(source: str) -> str:
    if "/repos/" in source:
        return source.rstrip("/")
    parts = urlsplit(source).path.strip("/").removesuffix(".git").split("/")
    if len(parts) < 2:
        raise SourceError(f"{source} is not a repository", "write it like https://github.com/OWNER/NAME")
    return f"https://api.github.com/repos/{parts[0]}/{parts[1]}"


def _fetched(request: ImportRequest, api: str) -> tuple[Members, list[Members], list[Members]]:
    raw = as_members(request.web.json(f"{api}/contents/{SETTINGS}") or {})
    if "content" not in raw:
        raise SourceError(f"{api} has no {SETTINGS}", "give the Upptime repository")
    settings = as_members(parse_source_yaml(b64decode(raw["content"]).decode("utf-8", "replace"), SETTINGS))
    issues = list(_pages(request, f"{api}/issues?state=all&per_page={PER_PAGE}"))
    return settings, issues, list(_pages(request, f"{api}/issues/comments?per_page={PER_PAGE}"))


def _pages(request: ImportRequest, url: str) -> Iterator[Members]:
    number = 0
    while True:
        number += 1
        found = request.web.json(f"{url}&page={number}") or []
        yield from (as_members(one) for one in found)
        if len(found) < PER_PAGE:
            return


def _saved(source: str) -> tuple[Members, list[Members], list[Members]]:
    root, settings = Path(source), dict[str, Any]()
    if root.is_dir():
        settings = yaml_file(root / SETTINGS)
    files = sorted(root.glob("*.json")) if root.is_dir() else [root]
    documents = (parse_json(read_file(file), str(file)) for file in files)
    found = [as_members(one) for document in documents for one in document]
    return settings, [one for one in found if "title" in one], [one for one in found if "issue_url" in one]


def _slug(site: Members) -> str:
    """Return the name of a site in Upptime's labels."""
    return text_of(site, "slug") or re.sub(r"[^a-z0-9]+", "-", text_of(site, "name").lower()).strip("-")


def _issue(built: StatusBuilder, issue: Members, comments: dict[str, list[Members]]) -> None:
    labels = [text_of(one, "name") for one in list_of(issue, "labels")]
    replies = [_update(reply) for reply in comments.get(required_text(issue, "number"), ())]
    if "maintenance" in labels:
        _maintenance(built, issue, replies)
    elif "status" in labels and "pull_request" not in issue:
        sites = [label for label in labels if label != "status"]
        _incident(built, issue, replies, sites)


def _incident(built: StatusBuilder, issue: Members, replies: list[ForeignUpdate], sites: list[str]) -> None:
    closed_at = any_instant(issue, "closed_at")
    if replies and closed_at is not None:
        # Upptime comments that the site is up again, and then closes the issue
        replies[-1] = replies[-1]._replace(status="resolved")
    updates = [ForeignUpdate(required_date(issue, "created_at"), "investigating", _body(issue)), *replies]
    title = SIGNS.sub("", required_text(issue, "title"))
    effect = EFFECTS["degraded" in title]
    affected = {built.named(site): effect for site in sites}
    built.incident(f"issue-{text_of(issue, 'number')}", title, updates, affected, ended_at=closed_at)


def _maintenance(built: StatusBuilder, issue: Members, replies: list[ForeignUpdate]) -> None:
    window = WINDOW.search(text_of(issue, "body"))
    lines = window[1].splitlines() if window else []
    values: Members = {
        key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)
    }
    sites = [
        name.strip()
        for name in text_of(values, "expectedDown", "expectedDegraded").split(",")
        if name.strip()
    ]
    built.maintenance(
        f"issue-{required_text(issue, 'number')}",
        required_text(issue, "title"),
        (required_date(values, "start"), required_date(values, "end")),
        body=_body(issue),
        created_at=any_instant(issue, "created_at"),
        components=[built.named(site) for site in sites],
        updates=[
            one._replace(status="in_progress") for one in replies if one.at >= required_date(values, "start")
        ],
    )


def _body(record: Members) -> str:
    return WINDOW.sub("", text_of(record, "body")).strip()


def _update(comment: Members) -> ForeignUpdate:
    return ForeignUpdate(required_date(comment, "created_at"), "investigating", _body(comment))
