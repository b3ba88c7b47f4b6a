"""Import an Upptime repository and its issues.

Issues come from GitHub's API or are saved with `gh api`.

An incident is an issue with the label `status`, opened and closed by Upptime; its comments are updates. A
maintenance is an issue with the label `maintenance` and a window in a comment of HTML
(https://upptime.js.org/docs).
"""

import re
from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from statuary.base.json_values import as_list
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.sources import MOST_PAGES, make_too_many_pages_error, parse_json
from statuary.extensions.importing.status.fields import (
    Fields,
    parse_source_yaml,
    read_json_documents,
    read_yaml_mapping,
)
from statuary.extensions.importing.status.status_builder import ForeignUpdate, StatusBuilder
from statuary.extensions.importing.status.status_plan import ImportRequest, StatusPlan
from statuary.status.editing.new_record import slug
from statuary.status.model.vocabulary import ComponentStatus
from statuary.system.network.client import display_location

SETTINGS, SUMMARY = ".upptimerc.yml", "history/summary.json"
SHOWN: dict[str, ComponentStatus] = {"down": "major_outage", "degraded": "degraded_performance"}
"""The status of a component on Upptime's page, by its last measurement."""

WINDOW = re.compile(r"<!--(.*?)-->", re.DOTALL)
PER_PAGE = 100
EFFECTS: dict[bool, ComponentStatus | None] = {True: "degraded_performance", False: "major_outage"}
"""The status of affected components, by whether the title of the issue says "degraded"."""

SIGNS = re.compile(r"\A[^\w]*(?:🛑|⚠️?|🔴|🟨)\s*")


def read_upptime(request: ImportRequest) -> StatusPlan:
    """Read an Upptime repository from GitHub or a local copy.

    Raises:
        NotImportableError: if the source is not an Upptime repository.
    """
    builder = StatusBuilder(request)
    api = _repository_api_url(request.source) if request.is_url else ""
    settings, issues, comments, summaries = (
        _fetch_repository(request, api) if api else _read_saved_repository(request.source)
    )
    for site in settings.get_objects("sites"):
        builder.add_component(_issue_label(site), site.required_text("name"))
    for summary in summaries:
        builder.note_shown_status(
            summary.get_text("slug"), SHOWN.get(summary.get_text("status"), "operational")
        )
    website = settings.get_object("status-website")
    domain = website.get_text("cname")
    builder.set_page(
        website.get_text("name"),
        f"https://{domain}" if domain else "",
        about=website.get_text("introMessage"),
    )
    if not issues:
        builder.plan.notes.append(
            "there are no issues: give the repository's URL, or save issues.json (see the manual)"
        )
    by_issue = defaultdict[str, list[Fields]](list)
    for comment in comments:
        by_issue[comment.get_text("issue_url").rpartition("/")[2]].append(comment)
    builder.convert_records(issues, lambda issue: _add_issue(builder, issue, by_issue), "an issue")
    return builder.plan


def _repository_api_url(source: str) -> str:
    if "/repos/" in source:
        return source.rstrip("/")
    parts = urlsplit(source).path.strip("/").removesuffix(".git").split("/")
    if len(parts) < 2:
        raise NotImportableError(
            f"{display_location(source)} is not the URL of a GitHub repository",
            "write it like https://github.com/OWNER/NAME",
        )
    return f"https://api.github.com/repos/{parts[0]}/{parts[1]}"


Repository = tuple[Fields, list[Fields], list[Fields], list[Fields]]
"""The settings, the issues, their comments, and the last measurement of each site."""


def _fetch_repository(request: ImportRequest, api: str) -> Repository:
    raw = _read_repository_file(request, api, SETTINGS)
    if not raw:
        raise NotImportableError(
            f"{display_location(api)} has no {SETTINGS}",
            "name the repository of your Upptime page, such as https://github.com/OWNER/REPOSITORY",
        )
    settings = Fields.from_json_value(parse_source_yaml(raw, SETTINGS))
    measured = parse_json(_read_repository_file(request, api, SUMMARY).encode() or b"[]", SUMMARY)
    issues = list(_fetch_issue_pages(request, f"{api}/issues?state=all&per_page={PER_PAGE}"))
    comments = list(_fetch_issue_pages(request, f"{api}/issues/comments?per_page={PER_PAGE}"))
    return settings, issues, comments, [*map(Fields.from_json_value, as_list(measured))]


def _read_repository_file(request: ImportRequest, api: str, path: str) -> str:
    """Fetch a file of a repository from GitHub's API.

    Returns:
        The text; empty if there is no such file.
    """
    raw = Fields.from_json_value(request.web.fetch_json(f"{api}/contents/{path}") or {})
    try:
        return b64decode(raw.get_text("content")).decode("utf-8", "replace")
    except ValueError:
        raise NotImportableError(
            f"{display_location(api)} responds with a {path} whose content is not base64"
        ) from None


def _fetch_issue_pages(request: ImportRequest, url: str) -> Iterator[Fields]:
    for number in range(1, MOST_PAGES + 1):
        page = as_list(request.web.fetch_json(f"{url}&page={number}"))
        yield from map(Fields.from_json_value, page)
        if len(page) < PER_PAGE:
            return
    raise make_too_many_pages_error(url)


def _read_saved_repository(source: str) -> Repository:
    root = Path(source)
    settings = read_yaml_mapping(root / SETTINGS) if root.is_dir() else Fields()
    lists = [document for _, document in read_json_documents(source) if isinstance(document, list)]
    records = [Fields(record) for records in lists for record in records if isinstance(record, dict)]

    def documents_with_keys(*keys: str) -> list[Fields]:
        return [record for record in records if record.keys() >= {*keys}]

    return (
        settings,
        documents_with_keys("title", "labels"),
        documents_with_keys("issue_url"),
        documents_with_keys("slug", "uptime"),
    )


CAMEL_CASE = (
    (re.compile(r"([A-Z]{2,})(\d+)"), r"\1 \2"),
    (re.compile(r"([a-z\d]+)([A-Z]{2,})"), r"\1 \2"),
    (re.compile(r"([a-z\d])([A-Z])"), r"\1 \2"),
    (re.compile(r"([A-Z]+)([A-Z][a-rt-z\d]+)"), r"\1 \2"),
)
"""The boundaries of words in Upptime's slugs: `MySQL docs` becomes `my-sql-docs`."""


def _issue_label(site: Fields) -> str:
    """Return the label that Upptime gives to the issues of a site."""
    name = site.get_text("name").replace("&", " and ")
    for pattern, divided in CAMEL_CASE:
        name = pattern.sub(divided, name)
    return site.get_text("slug") or slug(name)


def _add_issue(builder: StatusBuilder, issue: Fields, comments: dict[str, list[Fields]]) -> None:
    labels = [label.get_text("name") for label in issue.get_objects("labels")]
    is_incident = "status" in labels and "pull_request" not in issue
    if is_incident or "maintenance" in labels:
        _count_upptime_issue(builder, issue, is_maintenance="maintenance" in labels)
    replies = [
        ForeignUpdate(
            reply.required_free_form_time("created_at"), "investigating", _text_without_window(reply)
        )
        for reply in comments.get(issue.required_text("number"), ())
    ]
    if "maintenance" in labels:
        _add_maintenance(builder, issue, replies)
    elif is_incident:
        sites = [label for label in labels if label != "status"]
        _add_incident(builder, issue, replies, sites)


def _count_upptime_issue(builder: StatusBuilder, issue: Fields, *, is_maintenance: bool) -> None:
    title = SIGNS.sub("", issue.get_text("title"))
    is_closed = issue.get_text("state") == "closed"
    is_open = not (is_maintenance or is_closed or issue.get_text("closed_at"))
    builder.add_original_record(
        f"issue-{issue.get_text('number')}", title, issue.get_text("created_at"), is_open=is_open
    )


def _add_incident(
    builder: StatusBuilder, issue: Fields, replies: list[ForeignUpdate], sites: list[str]
) -> None:
    closed_at = issue.get_free_form_time("closed_at")
    if replies and closed_at is not None:
        # When a site is up again, Upptime first writes a comment and then closes the issue. So the last
        # comment is the update that resolves the incident.
        replies[-1] = replies[-1]._replace(status="resolved")
    updates = [
        ForeignUpdate(
            issue.required_free_form_time("created_at"), "investigating", _text_without_window(issue)
        ),
        *replies,
    ]
    title = SIGNS.sub("", issue.required_text("title"))
    effect = EFFECTS["degraded" in title]
    affected = {builder.get_or_add_component_key(site): effect for site in sites}
    builder.add_incident(f"issue-{issue.get_text('number')}", title, updates, affected, ended_at=closed_at)


def _add_maintenance(builder: StatusBuilder, issue: Fields, replies: list[ForeignUpdate]) -> None:
    window = WINDOW.search(issue.get_text("body"))
    lines = window[1].splitlines() if window else []
    values = Fields((key.strip(), text.strip()) for key, _, text in (line.partition(":") for line in lines))
    begins = values.required_free_form_time("start")
    sites = values.get_text("expectedDown", "expectedDegraded").split(",")
    builder.add_maintenance(
        f"issue-{issue.required_text('number')}",
        issue.required_text("title"),
        (begins, values.required_free_form_time("end")),
        body=_text_without_window(issue),
        created_at=issue.get_free_form_time("created_at"),
        components=[builder.get_or_add_component_key(site.strip()) for site in sites if site.strip()],
        updates=[reply._replace(status="in_progress") for reply in replies if reply.at >= begins],
    )


def _text_without_window(record: Fields) -> str:
    return WINDOW.sub("", record.get_text("body")).strip()
