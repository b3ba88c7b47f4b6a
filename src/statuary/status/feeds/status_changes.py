"""`changes.json`: the page's changes as payloads of Statuspage's webhooks.

A build or tick compares the published status documents with the new ones. The payloads are those that
Statuspage posts (measured): a component's change of status, and an incident or maintenance with a new update.
As there, edits of old updates and updates without notification are omitted. While nothing changes, the
document stays as it is.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from statuary.site.document import Document, encode_json
from statuary.status.model.records import derived_id
from statuary.status.model.vocabulary import CLOSED_STATUSES
from statuary.status.urls import CHANGES, INCIDENTS, MAINTENANCES, SUMMARY

Members = dict[str, Any]

COMPARED_PATHS = (SUMMARY.path(), INCIDENTS.path(), MAINTENANCES.path())
"""The paths of the documents that are compared."""

PREVIOUS_PATHS = (*COMPARED_PATHS, CHANGES.path())
"""The paths of the published documents that are read."""

DOCUMENTATION = "https://support.atlassian.com/statuspage/docs/enable-webhook-notifications/"
"""Documentation of the payloads."""


INCIDENT, MAINTENANCE = "incident", "maintenance"


class PublishedStatus(NamedTuple):
    """The status that documents show, for comparison with the next documents.

    Attributes:
        oldest: for each list, the creation time of its oldest ended incident or window. Earlier ones may have
            been dropped from the list.
    """

    summary: Members  # three members of `summary.json`
    records: Mapping[str, Members]  # the listed incidents and maintenances by id
    oldest: Mapping[str, datetime | None]


def changes_document(
    read_published: Callable[[str], bytes | None],
    documents: Iterable[Document],
    extra_members: Mapping[str, Mapping[str, object]] | None = None,
) -> Document:
    """Return `changes.json`, which lists the changes since the last build.

    Each change has the form of a webhook's payload of Statuspage.

    Args:
        read_published: returns the published bytes of a path, or None.
        documents: the new documents. The summary and the lists of incidents and maintenances are compared.
        extra_members: keys that the changes of an incident have besides those of Statuspage, by incident id.
    """
    now = {document.path: document.body for document in documents if document.path in COMPARED_PATHS}
    previous_bodies = {path: read_published(path) for path in PREVIOUS_PATHS}
    payloads = _change_payloads(_published_status(previous_bodies), _published_status(now))
    further = extra_members or {}
    changes = [
        {**payload, **further.get(payload.get("incident", {}).get("id", ""), {})} for payload in payloads
    ]
    previous_changes = previous_bodies[CHANGES.path()]
    body = (
        previous_changes
        if previous_changes is not None and not changes
        else _encode_changes(previous_bodies, now, changes)
    )
    return Document(path=CHANGES.path(), body=body, cache=CHANGES.cache)


def _encode_changes(
    previous_bodies: Mapping[str, bytes | None], current_bodies: Mapping[str, bytes], changes: list[Members]
) -> bytes:
    previous_status = _published_status(previous_bodies)
    page = orjson.loads(current_bodies[SUMMARY.path()])["page"]
    since = None if previous_status is None else previous_status.summary["page"]["updated_at"]
    return encode_json({"page": page, "since": since, "changes": changes})


def _published_status(bodies_by_path: Mapping[str, bytes | None]) -> PublishedStatus | None:
    """Return the status in published documents.

    Returns:
        The status, or None if a document is missing or malformed.
    """
    try:
        summary, incidents, maintenances = (
            orjson.loads(bodies_by_path[path] or b"") for path in COMPARED_PATHS
        )
        records_by_kind = {
            INCIDENT: incidents["incidents"],
            MAINTENANCE: maintenances["scheduled_maintenances"],
        }
        return PublishedStatus(
            summary={key: summary[key] for key in ("page", "components", "status")},
            records={record["id"]: record for records in records_by_kind.values() for record in records},
            oldest={
                kind: min(map(_creation_time, filter(_is_closed_record, records)), default=None)
                for kind, records in records_by_kind.items()
            },
        )
    except (KeyError, TypeError, ValueError):
        return None


def _change_payloads(previous: PublishedStatus | None, current: PublishedStatus | None) -> Iterator[Members]:
    """Return the webhook payloads of all changes, sorted by time.

    For a first build, there are none.
    """
    if previous is None or current is None:
        return iter(())
    changes = [*_component_updates(previous, current), *_incident_payloads(previous, current)]
    return (payload for _, payload in sorted(changes, key=lambda change: change[0]))


Dated = tuple[tuple[datetime, str], Members]
"""A payload with its sort key."""


def _component_updates(previous: PublishedStatus, current: PublishedStatus) -> Iterator[Dated]:
    previous_statuses = {component["id"]: component["status"] for component in previous.summary["components"]}
    for component in current.summary["components"]:
        old = previous_statuses.get(component["id"])
        new = component["status"]
        # Skip a group. Its status is that of its worst component, and the change of that component is
        # announced already.
        if old is None or old == new or component["group"]:
            continue
        key = (datetime.fromisoformat(component["updated_at"]), component["id"])
        yield key, component_payload(component, old, current.summary["page"], current.summary["status"])


def component_payload(component: Members, old_status: str, page: Members, status: Members) -> Members:
    """Return the webhook payload for a component's change of status.

    Args:
        component: the component after the change, as in the API.
        old_status: the status before the change.
        page: the API's `page` object.
        status: the API's `status` object.
    """
    at, new = component["updated_at"], component["status"]
    update = {
        "old_status": old_status,
        "new_status": new,
        "created_at": at,
        "component_type": "Component",
        "id": derived_id(component["id"], at, new),
        "component_id": component["id"],
    }
    return _common_payload(page, status) | {"component": component, "component_update": update}


def _incident_payloads(previous_documents: PublishedStatus, current: PublishedStatus) -> Iterator[Dated]:
    for record in current.records.values():
        previous = previous_documents.records.get(record["id"])
        if previous is None and _may_be_hidden_by_list_limit(record, previous_documents):
            continue
        new = _new_updates(previous, record)
        if any(update["deliver_notifications"] for update in new):
            key = (max(datetime.fromisoformat(update["display_at"]) for update in new), record["id"])
            yield key, incident_payload(record, current.summary["page"], current.summary["status"])


def incident_payload(record: Members, page: Members, status: Members) -> Members:
    """Return the webhook payload for an update of an incident or window.

    Args:
        record: the incident or maintenance window, as in the API.
        page: the API's `page` object.
        status: the API's `status` object.
    """
    return _common_payload(page, status) | {"incident": _webhook_incident(record)}


def _new_updates(known_record: Members | None, record: Members) -> list[Members]:
    ids = {update["id"] for update in known_record["incident_updates"]} if known_record else set()
    return [update for update in record["incident_updates"] if update["id"] not in ids]


def _may_be_hidden_by_list_limit(record: Members, previous_status: PublishedStatus) -> bool:
    """Return whether the last build's list may have been too short for a record.

    This is possible if the record has ended, and is older than all ended ones in that list.
    """
    oldest = previous_status.oldest[MAINTENANCE if "scheduled_for" in record else INCIDENT]
    return oldest is not None and _is_closed_record(record) and _creation_time(record) < oldest


def _is_closed_record(record: Members) -> bool:
    return record["status"] in CLOSED_STATUSES


def _creation_time(record: Members) -> datetime:
    return datetime.fromisoformat(record["created_at"])


def _webhook_incident(record: Members) -> Members:
    postmortem = next((u for u in record["incident_updates"] if u["status"] == "postmortem"), None)
    postmortem_members = postmortem or {"body": None, "updated_at": None, "display_at": None}
    return {
        **record,
        "scheduled_for": record.get("scheduled_for"),
        "scheduled_until": record.get("scheduled_until"),
        "postmortem_body": postmortem_members["body"],
        "postmortem_body_last_updated_at": postmortem_members["updated_at"],
        "postmortem_published_at": postmortem_members["display_at"],
    }


def _common_payload(page: Members, status: Members) -> Members:
    """Return the members with which every webhook payload begins.

    `generated_at` comes from content, not from a clock.
    """
    return {
        "meta": {
            "unsubscribe": page["url"],
            "documentation": DOCUMENTATION,
            "generated_at": page["updated_at"],
        },
        "page": {
            "id": page["id"],
            "status_indicator": status["indicator"],
            "status_description": status["description"],
        },
    }
