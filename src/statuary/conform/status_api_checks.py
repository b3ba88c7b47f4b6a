"""Rules of the status API."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from operator import itemgetter
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from statuary.conform.checked_deployment import CheckedDeployment, NotApplicableError
from statuary.conform.shared_checks import check_api_headers, check_document, shape_problems
from statuary.documents import url_table
from statuary.documents.status_api import status_shapes
from statuary.documents.url import Url
from statuary.domain.primitives import InvalidValueError, parse_instant
from statuary.domain.status.overall_status import CASCADE, OF_IMPACT, page_status, worst_status
from statuary.domain.status.vocabulary import (
    ACTIVE_STATUSES,
    COMPONENT_SEVERITY,
    IMPACT_SEVERITY,
    UNRESOLVED_STATUSES,
)

Members = dict[str, Any]

SPREAD = 4
"""Documents that keep time looked at, for each record and incident that is."""

DOCUMENTS: dict[Url, Any] = {
    url_table.SUMMARY: status_shapes.Summary,
    url_table.STATUS: status_shapes.Status,
    url_table.COMPONENTS: status_shapes.Components,
    url_table.INCIDENTS: status_shapes.Incidents,
    url_table.INCIDENTS_UNRESOLVED: status_shapes.Incidents,
    url_table.MAINTENANCES: status_shapes.ScheduledMaintenances,
    url_table.MAINTENANCES_UPCOMING: status_shapes.ScheduledMaintenances,
    url_table.MAINTENANCES_ACTIVE: status_shapes.ScheduledMaintenances,
}
"""The documents that every page has, with their shapes."""

KNOWN_PAIRS = {
    (whole.indicator, whole.description) for whole in (*(row[1] for row in CASCADE), *OF_IMPACT.values())
}
"""Every indicator with its descriptions: seven of them."""


def status_documents_are_served(deployment: CheckedDeployment) -> Iterator[str]:
    """The eight documents of a page are there, as JSON, with every member that current pages have."""
    for url, shape in DOCUMENTS.items():
        yield from check_document(deployment, f"/{url.path()}", shape)


def documents_agree(deployment: CheckedDeployment) -> Iterator[str]:
    """The summary says what the single documents say, and all of one page."""
    summary = _document(deployment, url_table.SUMMARY)
    for url, member, part in (
        (url_table.STATUS, "status", summary.get("status")),
        (url_table.COMPONENTS, "components", summary.get("components")),
        (url_table.INCIDENTS_UNRESOLVED, "incidents", summary.get("incidents")),
    ):
        told = _document(deployment, url)
        if told.get(member) != part:
            yield f"/{url.path()} has other {member} than the summary"
    planned = [
        maintenance
        for url in (url_table.MAINTENANCES_UPCOMING, url_table.MAINTENANCES_ACTIVE)
        for maintenance in _document(deployment, url).get("scheduled_maintenances", [])
    ]
    if summary.get("scheduled_maintenances") != planned:
        yield "the summary's scheduled_maintenances are not the upcoming ones and then the active ones"
    pages = {url.path(): _document(deployment, url).get("page", {}).get("id") for url in DOCUMENTS}
    if len(set(pages.values())) > 1:
        yield f"the documents tell of several pages: {pages}"


def status_follows_components(deployment: CheckedDeployment) -> Iterator[str]:
    """The page's status is one of seven, and follows from its components, else from its unresolved incidents."""
    summary = _document(deployment, url_table.SUMMARY)
    told = summary["status"]["indicator"], summary["status"]["description"]
    if told not in KNOWN_PAIRS:
        yield f"the status {told[1]!r} with the indicator {told[0]!r} is none of Statuspage's"
    leaves = [one["status"] for one in summary["components"] if not one["group"]]
    impacts = [one["impact"] for one in summary["incidents"]]
    if set(leaves) <= set(COMPONENT_SEVERITY) and set(impacts) <= set(IMPACT_SEVERITY):
        wanted = page_status(leaves, impacts)
        if told != (wanted.indicator, wanted.description):
            yield f"the status is {told[1]!r}; from components and incidents follows {wanted.description!r}"


def groups_follow_components(deployment: CheckedDeployment) -> Iterator[str]:
    """A group is as its worst component is, and names its components in the order of their positions."""
    components = _document(deployment, url_table.COMPONENTS)["components"]
    groups = [one for one in components if one["group"]]
    if not groups:
        raise NotApplicableError("the page has no groups")
    for group in groups:
        yield from _group_problems(group, [one for one in components if one["group_id"] == group["id"]])


def _group_problems(group: Members, children: list[Members]) -> Iterator[str]:
    if group["status"] != worst_status(child["status"] for child in children):
        yield f"the group {group['name']!r} is {group['status']}, its worst component is not"
    positions = {child["id"]: child["position"] for child in children}
    named = group.get("components", [])
    if set(named) != set(positions) or named != sorted(named, key=positions.__getitem__):
        yield f"the group {group['name']!r} does not name its components in their order"


def lists_are_in_order(deployment: CheckedDeployment) -> Iterator[str]:
    """Components come by position, incidents and their updates newest first, upcoming windows soonest first."""
    for url, member, key, newest_first in (
        (url_table.COMPONENTS, "components", itemgetter("position"), False),
        (url_table.INCIDENTS, "incidents", _instant("created_at"), True),
        (url_table.INCIDENTS_UNRESOLVED, "incidents", _instant("created_at"), True),
        (url_table.MAINTENANCES_UPCOMING, "scheduled_maintenances", _instant("scheduled_for"), False),
    ):
        told = _document(deployment, url)[member]
        if told != sorted(told, key=key, reverse=newest_first):
            yield f"/{url.path()} is not in order"
    for incident in _incidents(deployment):
        updates = incident["incident_updates"]
        if updates != sorted(updates, key=_instant("display_at"), reverse=True):
            yield f"the updates of {incident['id']} are not the newest first"


def lists_hold_what_they_say(deployment: CheckedDeployment) -> Iterator[str]:
    """Unresolved incidents are that, upcoming windows have not begun, active ones have."""
    for url, member, statuses in (
        (url_table.INCIDENTS_UNRESOLVED, "incidents", UNRESOLVED_STATUSES),
        (url_table.MAINTENANCES_UPCOMING, "scheduled_maintenances", {"scheduled"}),
        (url_table.MAINTENANCES_ACTIVE, "scheduled_maintenances", ACTIVE_STATUSES),
    ):
        for one in _document(deployment, url)[member]:
            if one["status"] not in statuses:
                yield f"/{url.path()} holds {one['id']}, which is {one['status']}"
    for one in _incidents(deployment):
        if one["incident_updates"] and one["incident_updates"][0]["status"] != one["status"]:
            yield f"{one['id']} is {one['status']}, its newest update says otherwise"


def instants_are_in_the_page_s_zone(deployment: CheckedDeployment) -> Iterator[str]:
    """Every instant has the offset that the page's time zone has at that instant, `Z` for UTC."""
    summary = _document(deployment, url_table.SUMMARY)
    try:
        zone = ZoneInfo(summary["page"].get("time_zone", ""))
    except (ZoneInfoNotFoundError, ValueError):
        yield f"{summary['page'].get('time_zone')!r} is no IANA time zone"
        return
    stamps = sorted(set(_stamps([summary, *_incidents(deployment)])))
    for stamp in stamps:
        told = datetime.fromisoformat(stamp)
        if told.utcoffset() != told.astimezone(zone).utcoffset():
            yield f"{stamp} is not in the zone {zone.key}"


def _stamps(value: Any) -> Iterator[str]:
    """Yield every text of a document that is an instant."""
    if isinstance(value, str):
        if re.fullmatch(status_shapes.TIMESTAMP, value):
            yield value
        return
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _stamps(part)


def incidents_have_their_documents(deployment: CheckedDeployment) -> Iterator[str]:
    """A listed incident or maintenance has a document of its own, which tells the same updates."""
    for listed in deployment.incidents():
        target = deployment.incident_target(listed["id"])
        problems = list(check_document(deployment, target, status_shapes.IncidentPage))
        yield from problems
        told = listed if problems else _or_nothing(deployment.get(target).body).get("incident", {})
        for member in ("id", "name", "status", "impact", "incident_updates"):
            if told.get(member) != listed[member]:
                yield f"{target} has another {member} than the list"


def absent_incidents_are_not_found(deployment: CheckedDeployment) -> Iterator[str]:
    """An incident that never was is response with 404."""
    target = deployment.incident_target("nobody-has-opened-this")
    status = deployment.get(target).status
    if status != 404:
        yield f"{target} answers {status}, not 404"


def status_is_readable_anywhere(deployment: CheckedDeployment) -> Iterator[str]:
    """Any origin may read the documents, HEAD is response, and a client that holds one is told so (304)."""
    urls = (url_table.SUMMARY, url_table.COMPONENTS, url_table.INCIDENTS)
    yield from check_api_headers(deployment, [f"/{url.path()}" for url in urls])


def status_follows_the_clock(deployment: CheckedDeployment) -> Iterator[str]:
    """From each known instant on, the documents say what was written for it beforehand."""
    index = deployment.json(f"/{url_table.EPOCHS.path()}")
    problems = list(shape_problems(index, status_shapes.Epochs))
    yield from (f"/{url_table.EPOCHS.path()}: {problem}" for problem in problems)
    if problems:
        return
    begun = [epoch for epoch in index["epochs"] if parse_instant(epoch["from"]) <= deployment.now]
    if not begun:
        raise NotApplicableError("no document has changed by itself since this was built")
    documents = list(begun[-1]["documents"].items())
    step = max(1, len(documents) // (SPREAD * deployment.sample))
    for path, place in documents[::step]:
        if deployment.get(f"/{path}").body != deployment.get(f"/{place}").body:
            yield f"/{path} does not say what it is to say since {begun[-1]['from']}"


def _document(deployment: CheckedDeployment, url: Url) -> Members:
    """Return a document of the right shape; a check of its own says of the others what is wrong with them."""
    value: Members = deployment.json(f"/{url.path()}")
    problem = next(shape_problems(value, DOCUMENTS[url]), None)
    if problem is not None:
        raise NotApplicableError(f"/{url.path()} has not the shape of Statuspage: {problem}")
    return value


def _incidents(deployment: CheckedDeployment) -> list[Members]:
    """Return every listed incident and maintenance."""
    incidents = _document(deployment, url_table.INCIDENTS)["incidents"]
    return [*incidents, *_document(deployment, url_table.MAINTENANCES)["scheduled_maintenances"]]


def _instant(member: str) -> Callable[[Members], Any]:
    def key(one: Members) -> Any:
        try:
            return parse_instant(one[member])
        except InvalidValueError:
            raise NotApplicableError(f"{one[member]!r} is no instant") from None

    return key


def _or_nothing(body: bytes) -> Members:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
