"""Exclude components, incidents and maintenance windows that break a rule."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from statuary.base.findings import Finding, Severity
from statuary.site.site_content import SiteContent
from statuary.source.file_kinds import FileKind, match_pattern
from statuary.status.faulty_components import find_faulty_components, replace_faulty_components
from statuary.status.model.records import StatusCatalogue, StatusContent

RECORD_KINDS = (FileKind.INCIDENT, FileKind.MAINTENANCE, FileKind.TEMPLATE)
"""The files of which a build can do without one."""


def errors_in_record_files(findings: Iterable[Finding], site: SiteContent) -> list[Finding]:
    """Select the errors in files of incidents, maintenance windows and templates.

    Errors in files that are already excluded are left out.
    """
    return [
        finding
        for finding in findings
        if finding.severity is Severity.ERROR
        and finding.path not in site.unread
        and _is_record_file(finding.path)
    ]


def _is_record_file(path: str) -> bool:
    pattern = match_pattern(PurePosixPath(path)) if path else None
    return pattern is not None and pattern.kind in RECORD_KINDS


def without_records_of_files(site: SiteContent, paths: Collection[str]) -> SiteContent:
    """Return a copy of the content without the incidents of given files.

    Args:
        site: the content.
        paths: the files whose incidents and maintenance windows to leave out.
    """
    catalogue = site.content_of(StatusContent).catalogue
    catalogue = replace(
        catalogue,
        incidents=tuple(record for record in catalogue.incidents if record.source not in paths),
        maintenances=tuple(record for record in catalogue.maintenances if record.source not in paths),
    )
    return with_status_catalogue(site, catalogue)._replace(unread=site.unread.union(paths))


def with_status_catalogue(site: SiteContent, catalogue: StatusCatalogue) -> SiteContent:
    """Return a copy of the content with another status catalogue.

    Args:
        site: the content.
        catalogue: the page with its components, incidents and maintenance windows.
    """
    return site.with_section_content(site.content_of(StatusContent)._replace(catalogue=catalogue))


class StatusWithoutFaults(NamedTuple):
    """A site without the parts of the status that break a rule."""

    site: SiteContent
    findings: list[Finding]  # findings about the excluded parts, then those about the rest


def exclude_faulty_content(
    site: SiteContent, find_errors: Callable[[SiteContent], list[Finding]]
) -> StatusWithoutFaults:
    """Exclude the components, incidents and windows that break a rule.

    No last published version replaces them.

    Args:
        site: the content of the site.
        find_errors: runs the rules on a site's content, and returns their findings.
    """
    excluded: list[Finding] = []
    while True:
        found = find_errors(site)
        catalogue = site.content_of(StatusContent).catalogue
        if faulty := find_faulty_components(found, catalogue):
            kept = replace_faulty_components(catalogue, faulty, ())
            excluded += [finding for findings in faulty.values() for finding in findings]
            site = with_status_catalogue(site, kept.catalogue)
            site = site._replace(unread=site.unread | {catalogue.components_source})
        elif broken := errors_in_record_files(found, site):
            excluded += broken
            site = without_records_of_files(site, {finding.path for finding in broken})
        else:
            return StatusWithoutFaults(site, [*excluded, *found])
