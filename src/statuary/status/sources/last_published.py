"""Keep published versions of records that can no longer be read."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from statuary.base.findings import Finding
from statuary.base.primitives import Instant, InvalidValueError, parse_instant
from statuary.publish.target import BuildTarget
from statuary.site.site_content import SiteContent
from statuary.status.model.records import (
    AffectedComponent,
    Automation,
    Incident,
    IncidentUpdate,
    Maintenance,
    StatusCatalogue,
    StatusContent,
)
from statuary.status.urls import INCIDENT


def keep_last_published_records(
    site: SiteContent, target: BuildTarget, paths: Collection[str]
) -> SiteContent:
    """Add the published versions of incidents whose files cannot be used.

    If another file has an incident with the same id, the published version stays and the other is left out.
    Maintenance windows are handled in the same way.

    Args:
        site: the content, without the incidents of the unusable files.
        target: the target of the build, which has the documents of the last build.
        paths: the unusable files and folders.
    """
    kept = [record for path in sorted(paths) for record in _published_records(path, target)]
    if not kept:
        return site
    content = site.content_of(StatusContent)
    return site.with_section_content(content._replace(catalogue=_with_records(content.catalogue, kept)))


def _with_records(catalogue: StatusCatalogue, kept: Sequence[Incident]) -> StatusCatalogue:
    """Add incidents and windows, replacing those with the same id."""
    kept_ids = {record.id for record in kept}
    others = [
        record for record in (*catalogue.incidents, *catalogue.maintenances) if record.id not in kept_ids
    ]
    records = [*others, *kept]
    windows = tuple(record for record in records if isinstance(record, Maintenance))
    incidents = tuple(record for record in records if not isinstance(record, Maintenance))
    return replace(catalogue, incidents=incidents, maintenances=windows)


def _published_records(path: str, target: BuildTarget) -> Iterator[Incident]:
    documents, folder = target.ledger.documents, INCIDENT.prefix.removesuffix("/")
    for source in (path, *documents.sole_sources_below(path, folder)):
        for document in documents.paths_made_from(source, folder):
            body = target.read_published(document)
            record = None if body is None else parse_published_record(body, source)
            if record is not None:
                yield record


def explain_record_errors(findings: Iterable[Finding], site: SiteContent) -> list[Finding]:
    """Append to errors in incidents' files their consequence for the page.

    For example, the incident stays as it was last published. Only the first finding about each file says so.

    Args:
        findings: the findings about files of incidents and maintenance windows.
        site: the content that the build publishes.
    """
    status = site.content_of(StatusContent).catalogue
    kept = {record.source.lower() for record in (*status.incidents, *status.maintenances)}
    told: set[str] = set()
    explained = []
    for finding in findings:
        if finding.path not in told:
            told.add(finding.path)
            path = finding.path.lower()  # only its case may be wrong
            consequence = "the file stays as last published" if path in kept else "the file is left out"
            if any(source.startswith(f"{path}/") for source in kept):
                consequence = "its files stay as last published"
            finding = replace(finding, message=f"{finding.message}; {consequence}")  # noqa: PLW2901
        explained.append(finding)
    return explained


Members = Mapping[str, Any]


def parse_published_record(document: bytes, source: str) -> Incident | None:
    """Convert an incident's published API document back to an incident.

    The updates of the incident keep the effects on components that the document states.

    Args:
        document: the bytes of the document.
        source: the content file that the incident belongs to.

    Returns:
        The incident, or a `Maintenance` if it has a window; None if the document is malformed.
    """
    try:
        return _record_from_members(orjson.loads(document)["incident"], source)
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, InvalidValueError):
        return None


def _record_from_members(members: Members, source: str) -> Incident:
    values: dict[str, Any] = {
        "id": members["id"],
        "source": source,
        "name": members["name"],
        "updates": tuple(_update_from_members(update) for update in reversed(members["incident_updates"])),
        "components": tuple(component["id"] for component in members["components"]),
        "created_at": parse_instant(members["created_at"]),
        "started_at": parse_instant(members["started_at"]),
        "shortlink": members["shortlink"],
        "updated_at": parse_instant(members["updated_at"]),
        "monitoring_at": _instant_or_none(members["monitoring_at"]),
        "resolved_at": _instant_or_none(members["resolved_at"]),
        "impact_override": members["impact"],
    }
    if "scheduled_for" not in members:
        return Incident(**values, reminder_intervals=members.get("reminder_intervals", "absent"))
    return Maintenance(
        **values,
        scheduled_for=parse_instant(members["scheduled_for"]),
        scheduled_until=parse_instant(members["scheduled_until"]),
        automation=Automation(scheduled_remind_prior=False),
    )


def _update_from_members(members: Members) -> IncidentUpdate:
    affected = members["affected_components"]
    return IncidentUpdate(
        id=members["id"],
        status=members["status"],
        body=members["body"],
        display_at=parse_instant(members["display_at"]),
        created_at=parse_instant(members["created_at"]),
        updated_at=parse_instant(members["updated_at"]),
        recorded=True,
        affected_components=None
        if affected is None
        else tuple(map(_affected_component_from_members, affected)),
        deliver_notifications=members["deliver_notifications"],
        custom_tweet=members["custom_tweet"],
        tweet_id=members["tweet_id"],
    )


def _affected_component_from_members(members: Members) -> AffectedComponent:
    return AffectedComponent(
        members.get("code"), members["name"], members.get("old_status"), members.get("new_status")
    )


def _instant_or_none(text: str | None) -> Instant | None:
    return None if text is None else parse_instant(text)
