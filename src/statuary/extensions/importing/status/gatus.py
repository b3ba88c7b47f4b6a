"""Gatus: a configuration file or folder, or a running instance: endpoints and announcements.

Format: https://github.com/TwiN/gatus#announcements. An announcement has a time, a kind and a message, and no end.
"""

from functools import partial
from typing import Any

from statuary.domain.status.vocabulary import UpdateStatus
from statuary.extensions.importing.report import Lost, SourceError
from statuary.extensions.importing.status.status_builder import ForeignUpdate, StatusBuilder, required_date
from statuary.extensions.importing.status.status_plan import (
    ImportRequest,
    Members,
    StatusPlan,
    as_members,
    files_below,
    list_of,
    required_text,
    text_of,
    yaml_file,
)

MAINTENANCE = frozenset({"maintenance"})

KINDS: dict[str, UpdateStatus] = {"operational": "resolved"}
"""The status of an announcement by its kind; of any other kind it is under investigation until it is archived."""


def read_gatus(request: ImportRequest) -> StatusPlan:
    """Return the content of a configuration or of a running instance; raise SourceError if it is not one of Gatus."""
    built = StatusBuilder(request)
    documents = _running(request) if request.is_url else _configured(request.source)
    known = [one for one in documents if {"endpoints", "announcements"} & set(one)]
    if not known:
        raise SourceError(
            f"{request.source} is neither a configuration nor a page of Gatus",
            "give its configuration, or the URL of its page",
        )
    _page(built, request, known)
    endpoints = [one for document in known for one in list_of(document, "endpoints")]
    built.convert(endpoints, partial(_endpoint, built), "an endpoint")
    announcements = [one for document in known for one in list_of(document, "announcements")]
    built.convert(announcements, partial(_announcement, built), "an announcement")
    if any(map(MAINTENANCE.intersection, known)):
        built.lost.append(
            Lost("only silences the alerts of Gatus; it is not announced to readers", "maintenance")
        )
    return built.plan


def _page(built: StatusBuilder, request: ImportRequest, known: list[Members]) -> None:
    interface = next((as_members(one["ui"]) for one in known if one.get("ui")), {})
    url = request.source if request.is_url else text_of(interface, "link")
    built.page(
        text_of(interface, "header", "title") or "Status", url, about=text_of(interface, "description")
    )


def _running(request: ImportRequest) -> list[Members]:
    base = request.source.rstrip("/")
    statuses: Any = request.web.json(f"{base}/api/v1/endpoints/statuses") or []
    settings = as_members(request.web.json(f"{base}/api/v1/config") or {})
    return [{"endpoints": statuses}, settings]


def _configured(source: str) -> list[Members]:
    files = files_below(source, (".yaml", ".yml"))
    return [yaml_file(file) for file in files]


def _endpoint(built: StatusBuilder, one: Members) -> None:
    name, group = required_text(one, "name"), text_of(one, "group")
    if text_of(one, "enabled") != "false":
        built.component(f"{group}/{name}", name, group=group)


def _announcement(built: StatusBuilder, one: Members) -> None:
    at, message = required_date(one, "timestamp"), required_text(one, "message")
    is_past = text_of(one, "archived") == "true" or one.get("archived") is True
    status = KINDS.get(text_of(one, "type"), "resolved" if is_past else "investigating")
    title = message.splitlines()[0].lstrip("# ").partition(". ")[0]
    built.incident(
        f"{at[:16]}-{text_of(one, 'type') or 'announcement'}",
        title,
        [ForeignUpdate(at, status, message)],
        {},
    )
