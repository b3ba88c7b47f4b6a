"""Conformance checks of the status API."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from operator import itemgetter
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from statuary.base.json_values import as_text
from statuary.base.primitives import Instant, InvalidValueError, parse_instant
from statuary.extensions.conform.deployment import CheckedDeployment, NotApplicableError
from statuary.extensions.conform.site_checks import check_api_headers, check_document, shape_problems
from statuary.site.urls import Url
from statuary.status import urls as status_urls
from statuary.status.api import shapes as status_shapes
from statuary.status.api.epoch_index import parse_epochs_or_empty
from statuary.status.model.vocabulary import (
    ACTIVE_STATUSES,
    CASCADE,
    COMPONENT_SEVERITY,
    UNRESOLVED_STATUSES,
    overall_status,
    worst_status,
)

Members = dict[str, Any]

EPOCH_DOCUMENTS = 4
"""Documents of an epoch to compare, as a multiple of the sample."""

DOCUMENTS: dict[Url, type] = {
    status_urls.SUMMARY: status_shapes.SummaryDocument,
    status_urls.STATUS: status_shapes.StatusDocument,
    status_urls.COMPONENTS: status_shapes.ComponentsDocument,
    status_urls.INCIDENTS: status_shapes.IncidentsDocument,
    status_urls.INCIDENTS_UNRESOLVED: status_shapes.IncidentsDocument,
    status_urls.MAINTENANCES: status_shapes.ScheduledMaintenancesDocument,
    status_urls.MAINTENANCES_UPCOMING: status_shapes.ScheduledMaintenancesDocument,
    status_urls.MAINTENANCES_ACTIVE: status_shapes.ScheduledMaintenancesDocument,
}
"""The documents that every status page has, with their shapes."""

KNOWN_STATUSES = {(status.indicator, status.description) for _, status in CASCADE}


def status_documents_are_served(deployment: CheckedDeployment) -> Iterator[str]:
    """The eight documents of the status API must be JSON, with every member that Statuspage serves today."""
    for url, shape in DOCUMENTS.items():
        yield from check_document(deployment, f"/{url.path()}", shape)


def documents_agree(deployment: CheckedDeployment) -> Iterator[str]:
    """The summary must have the same status, components and incidents as the other documents.

    All documents must also have the same page id.
    """
    summary = _request_valid_document(deployment, status_urls.SUMMARY)
    for url, member, source in (
        (status_urls.STATUS, "status", "status"),
        (status_urls.COMPONENTS, "components", "components"),
        (status_urls.INCIDENTS_UNRESOLVED, "incidents", "incidents"),
    ):
        if _request_valid_document(deployment, url).get(member) != summary.get(source):
            yield f"/{url.path()} and the summary have different {member}"
    announced = [
        maintenance
        for url in (status_urls.MAINTENANCES_UPCOMING, status_urls.MAINTENANCES_ACTIVE)
        for maintenance in _request_valid_document(deployment, url).get("scheduled_maintenances", [])
    ]
    if summary.get("scheduled_maintenances") != announced:
        yield "the summary's scheduled_maintenances are not the upcoming ones followed by the active ones"
    pages = {
        url.path(): _request_valid_document(deployment, url).get("page", {}).get("id") for url in DOCUMENTS
    }
    if len(set(pages.values())) > 1:
        yield f"the documents belong to different pages: {pages}"


def status_follows_components(deployment: CheckedDeployment) -> Iterator[str]:
    """The status of the page must be one of Statuspage's six, and follow from the components."""
    summary = _request_valid_document(deployment, status_urls.SUMMARY)
    served = summary["status"]["indicator"], summary["status"]["description"]
    if served not in KNOWN_STATUSES:
        yield f"the status {served[1]!r} with indicator {served[0]!r} is not one of Statuspage's"
    leaves = [component["status"] for component in summary["components"] if not component["group"]]
    if not leaves:
        raise NotApplicableError("the status page has no components, so it has no status to compare")
    if set(leaves) <= set(COMPONENT_SEVERITY):
        expected = overall_status(leaves)
        if served != (expected.indicator, expected.description):
            yield f"the status is {served[1]!r}, but the components give {expected.description!r}"


def groups_follow_components(deployment: CheckedDeployment) -> Iterator[str]:
    """A group must have the status of its worst component, and list its components by position."""
    components = _request_valid_document(deployment, status_urls.COMPONENTS)["components"]
    children: dict[str | None, list[Members]] = defaultdict(list)
    for component in components:
        children[component["group_id"]].append(component)
    groups = [component for component in components if component["group"]]
    if not groups:
        raise NotApplicableError("the status page has no component groups")
    for group in groups:
        yield from _find_group_problems(group, children[group["id"]])


def _find_group_problems(group: Members, children: list[Members]) -> Iterator[str]:
    worst = worst_status(child["status"] for child in children)
    if group["status"] != worst:
        yield f"the group {group['name']!r} is {group['status']}, but its worst component is {worst}"
    positions = {child["id"]: child["position"] for child in children}
    child_ids = group.get("components", [])
    if set(child_ids) != set(positions) or child_ids != sorted(child_ids, key=positions.__getitem__):
        yield f"the group {group['name']!r} does not list its components by position"


def lists_are_in_order(deployment: CheckedDeployment) -> Iterator[str]:
    """Every list must be in the order that Statuspage uses.

    - Components are sorted by position.
    - Incidents are sorted by creation, newest first; unresolved ones by their last update, newest first.
    - Upcoming maintenance windows are sorted by start, earliest first; active ones by their last update, newest first.
    - Updates of an incident are sorted by time, newest first.
    """
    for url, member, key, newest_first in (
        (status_urls.COMPONENTS, "components", itemgetter("position"), False),
        (status_urls.INCIDENTS, "incidents", _make_instant_getter("created_at"), True),
        (status_urls.INCIDENTS_UNRESOLVED, "incidents", _make_instant_getter("updated_at"), True),
        (
            status_urls.MAINTENANCES_UPCOMING,
            "scheduled_maintenances",
            _make_instant_getter("scheduled_for"),
            False,
        ),
        (status_urls.MAINTENANCES_ACTIVE, "scheduled_maintenances", _make_instant_getter("updated_at"), True),
    ):
        entries = _request_valid_document(deployment, url)[member]
        if entries != sorted(entries, key=key, reverse=newest_first):
            yield f"/{url.path()} is not in order"
    for incident in _request_listed_incidents(deployment):
        updates = incident["incident_updates"]
        if updates != sorted(updates, key=_make_instant_getter("display_at"), reverse=True):
            yield f"the updates of {incident['id']} are not newest first"


def lists_hold_what_they_say(deployment: CheckedDeployment) -> Iterator[str]:
    """Lists must contain only records with a fitting status.

    For example, the list of upcoming maintenance windows has only scheduled ones. An incident must have the status of its
    newest update.
    """
    for url, member, statuses in (
        (status_urls.INCIDENTS_UNRESOLVED, "incidents", UNRESOLVED_STATUSES),
        (status_urls.MAINTENANCES_UPCOMING, "scheduled_maintenances", {"scheduled"}),
        (status_urls.MAINTENANCES_ACTIVE, "scheduled_maintenances", ACTIVE_STATUSES),
    ):
        for incident in _request_valid_document(deployment, url)[member]:
            if incident["status"] not in statuses:
                yield f"/{url.path()} contains {incident['id']} with status {incident['status']}"
    for incident in _request_listed_incidents(deployment):
        newest = incident["incident_updates"][:1]
        if newest and newest[0]["status"] != incident["status"]:
            yield f"{incident['id']} has status {incident['status']}, but its newest update has {newest[0]['status']}"


def instants_are_in_the_page_s_zone(deployment: CheckedDeployment) -> Iterator[str]:
    """Every timestamp must have the offset of the page's time zone at that time, or `Z` for UTC."""
    summary = _request_valid_document(deployment, status_urls.SUMMARY)
    try:
        zone = ZoneInfo(summary["page"].get("time_zone", ""))
    except (ZoneInfoNotFoundError, ValueError):
        yield f"{summary['page'].get('time_zone')!r} is not an IANA time zone"
        return
    for timestamp in sorted(set(_find_timestamps([summary, *_request_listed_incidents(deployment)]))):
        served = datetime.fromisoformat(timestamp)
        if served.utcoffset() != served.astimezone(zone).utcoffset():
            yield f"{timestamp} is not in the time zone {zone.key}"


def _find_timestamps(json_value: object) -> Iterator[str]:
    if isinstance(json_value, str):
        if re.fullmatch(status_shapes.TIMESTAMP, json_value):
            yield json_value
        return
    for part in (
        json_value.values()
        if isinstance(json_value, dict)
        else json_value
        if isinstance(json_value, list)
        else ()
    ):
        yield from _find_timestamps(part)


def incidents_have_their_documents(deployment: CheckedDeployment) -> Iterator[str]:
    """Each listed incident or maintenance window must have its own document, with the same updates."""
    for incident in deployment.incidents():
        target = deployment.incident_path(as_text(incident["id"]))
        problems = list(check_document(deployment, target, status_shapes.IncidentDocument))
        yield from problems
        served = (
            incident
            if problems
            else _parse_json_object(deployment.get_response(target).body).get("incident", {})
        )
        for member in ("id", "name", "status", "impact", "incident_updates"):
            if served.get(member) != incident[member]:
                yield f"{target} and the list have different {member}"


def absent_incidents_are_not_found(deployment: CheckedDeployment) -> Iterator[str]:
    """The document of an unknown incident must return 404."""
    target = deployment.incident_path("no-such-incident")
    status = deployment.get_response(target).status
    if status != 404:
        yield f"{target} returns {status}, not 404"


def status_is_readable_anywhere(deployment: CheckedDeployment) -> Iterator[str]:
    """Status documents must be readable from any origin, with HEAD, and with conditional requests (304)."""
    urls = (status_urls.SUMMARY, status_urls.COMPONENTS, status_urls.INCIDENTS)
    yield from check_api_headers(deployment, [f"/{url.path()}" for url in urls])


def status_follows_the_clock(deployment: CheckedDeployment) -> Iterator[str]:
    """Documents that change at scheduled times must be current.

    A build also stores the versions for later times, such as the start of a maintenance window. From then on, the
    host must serve the later version.
    """
    index = deployment.get_json(f"/{status_urls.EPOCHS.path()}")
    problems = list(shape_problems(index, status_shapes.EpochsDocument))
    yield from (f"/{status_urls.EPOCHS.path()}: {problem}" for problem in problems)
    if problems:
        return
    epochs = parse_epochs_or_empty(deployment.get_response(f"/{status_urls.EPOCHS.path()}").body)
    begun = [since for since in epochs.instants[1:] if since <= deployment.now]
    if not begun:
        raise NotApplicableError("no scheduled change of the status has begun since the build")
    stored = [
        (path, document)
        for path in epochs.documents
        if (document := epochs.document_at(path, deployment.now))
    ]
    step = max(1, len(stored) // (EPOCH_DOCUMENTS * deployment.sample))
    for path, document in stored[::step]:
        if deployment.get_response(f"/{path}").body != document.body(
            lambda file: deployment.get_response(f"/{file}").body
        ):
            yield f"/{path} is not the document of the epoch that began at {index['instants'][len(begun)]}"


def _request_valid_document(deployment: CheckedDeployment, url: Url) -> Members:
    """Request a document of the status API with the right structure.

    Raises:
        NotApplicableError: if it is missing or has another shape, which another check reports.
    """
    value: Members = deployment.get_json(f"/{url.path()}")
    problem = next(shape_problems(value, DOCUMENTS[url]), None)
    if problem is not None:
        raise NotApplicableError(f"/{url.path()} does not have Statuspage's shape: {problem}")
    return value


def _request_listed_incidents(deployment: CheckedDeployment) -> list[Members]:
    incidents = _request_valid_document(deployment, status_urls.INCIDENTS)["incidents"]
    return [
        *incidents,
        *_request_valid_document(deployment, status_urls.MAINTENANCES)["scheduled_maintenances"],
    ]


def _make_instant_getter(member: str) -> Callable[[Members], Instant]:
    def instant_of(record: Members) -> Instant:
        try:
            return parse_instant(record[member])
        except InvalidValueError:
            raise NotApplicableError(
                f"the value {record[member]!r} of {member!r} is not a timestamp"
            ) from None

    return instant_of


def _parse_json_object(body: bytes) -> Members:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
