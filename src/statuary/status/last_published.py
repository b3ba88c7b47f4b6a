"""Keep published versions of records that can no longer be read."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from statuary.base.findings import Finding
from statuary.publish.target import BuildTarget
from statuary.site.site_content import SiteContent
from statuary.status.model.records import Incident, Maintenance, StatusContent
from statuary.status.sources.published_record import published_record
from statuary.status.urls import INCIDENT


def keep_last_published(site: SiteContent, target: BuildTarget) -> SiteContent:
    """Add the published version of each record that cannot be read."""
    kept = [record for path in sorted(site.unread) for record in _published_records(path, target)]
    if not kept:
        return site
    content = site.of(StatusContent)
    windows = tuple(record for record in kept if isinstance(record, Maintenance))
    incidents = tuple(record for record in kept if not isinstance(record, Maintenance))
    status = content.catalogue
    status = replace(
        status, incidents=status.incidents + incidents, maintenances=status.maintenances + windows
    )
    return site.with_value(content._replace(catalogue=status))


def _published_records(path: str, target: BuildTarget) -> Iterator[Incident]:
    """Yield the records that were published from a file."""
    for document in target.ledger.documents.made_from(path, INCIDENT.prefix.removesuffix("/")):
        body = target.published(document)
        record = None if body is None else published_record(body, path)
        if record is not None:
            yield record


def with_consequences(findings: Iterable[Finding], site: SiteContent) -> list[Finding]:
    """State in an unread file's findings how the site treats it.

    The record stays as last published, or is left out.
    """
    status = site.of(StatusContent).catalogue
    kept = {record.source for record in (*status.incidents, *status.maintenances)}
    told: set[str] = set()
    explained = []
    for finding in findings:
        if finding.path not in told:
            told.add(finding.path)
            consequence = "it stays as last published" if finding.path in kept else "it is left out"
            finding = replace(finding, message=f"{finding.message}; {consequence}")  # noqa: PLW2901
        explained.append(finding)
    return explained
