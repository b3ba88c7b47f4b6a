"""Exclude incidents and maintenance windows that break a rule."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from statuary.base.findings import Finding, Severity
from statuary.site.site_content import SiteContent
from statuary.source.file_kinds import FileKind, match_pattern
from statuary.status.model.records import StatusContent

RECORD_KINDS = (FileKind.INCIDENT, FileKind.MAINTENANCE, FileKind.TEMPLATE)
"""The files of which a build can do without one."""


def find_broken_files(findings: Iterable[Finding], site: SiteContent) -> list[Finding]:
    """Return the errors in files of incidents, maintenance windows and templates.

    Files that are excluded already are left out.
    """
    return [
        finding
        for finding in findings
        if finding.severity is Severity.ERROR and finding.path not in site.unread and _is_record(finding.path)
    ]


def _is_record(path: str) -> bool:
    pattern = match_pattern(PurePosixPath(path)) if path else None
    return pattern is not None and pattern.kind in RECORD_KINDS


def without_files(site: SiteContent, paths: Collection[str]) -> SiteContent:
    """Return a site without the records of some files, as if they could not be read."""
    content = site.of(StatusContent)
    catalogue = replace(
        content.catalogue,
        incidents=tuple(record for record in content.catalogue.incidents if record.source not in paths),
        maintenances=tuple(record for record in content.catalogue.maintenances if record.source not in paths),
    )
    return site.with_value(content._replace(catalogue=catalogue))._replace(unread=site.unread.union(paths))
