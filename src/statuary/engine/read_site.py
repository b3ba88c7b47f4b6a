"""Read a content folder, and check the status of its site."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from statuary.base.budget import DEFECT, run_guarded
from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.base.progress import Progress, stage
from statuary.engine.options import CheckOptions
from statuary.engine.read_content import is_excluded, read_content
from statuary.engine.report import BuildReport
from statuary.engine.section import Section
from statuary.engine.sections import enabled_sections, without_building_sections
from statuary.publish.target import BuildTarget
from statuary.site.pages.theme_findings import text_findings
from statuary.site.site_content import SiteContent
from statuary.status.isolate_faulty_records import isolate_faulty_records
from statuary.status.model.records import StatusContent
from statuary.status.site_status import SiteStatus


class ReadSite(NamedTuple):
    """A site as read."""

    catalogue: SiteContent
    status: SiteStatus


def read_site(
    root: Path,
    now: Instant,
    check_options: CheckOptions,
    progress: Progress,
    report: BuildReport,
    *,
    with_sections: bool = True,
    target: BuildTarget | None = None,
) -> ReadSite | None:
    """Read the content folder, and check the site's status at an instant.

    Args:
        report: gains the findings about the content, except about contracts.
        with_sections: False leaves out the sections that add to a build, as in a snapshot of content.
        target: has what was last published, for files that cannot be read now.

    Returns:
        The site, or None if it cannot be read.
    """
    with stage(progress, "Reading content"):
        catalogue, all_findings = read_content(root)
    report.exclude(filter(is_excluded, all_findings))
    findings = [finding for finding in all_findings if not is_excluded(finding)]
    if catalogue is None:
        report.findings += findings
        return None
    catalogue, unread, findings = _with_unread_files(catalogue, findings, target)
    report.skipped += unread
    if not with_sections:
        catalogue = without_building_sections(catalogue)
    with stage(progress, "Status"):
        catalogue, status, unsound = isolate_faulty_records(catalogue, now, partial(_families, catalogue))
    report.exclude(filter(is_excluded, unsound))
    report.skipped += [finding for finding in unsound if not is_excluded(finding)]
    for finding in (*findings, *_checked(catalogue, status, check_options)):
        is_alone = finding.rule == DEFECT or finding.path in catalogue.of(StatusContent).unread
        (report.skipped if is_alone else report.findings).append(finding)
    return ReadSite(catalogue, status)


class _UnreadFiles(NamedTuple):
    """A site with what was last published from files that cannot be read now, and the findings about them and others."""

    catalogue: SiteContent
    unread: list[Finding]
    others: list[Finding]


def _with_unread_files(
    catalogue: SiteContent, findings: Sequence[Finding], target: BuildTarget | None
) -> _UnreadFiles:
    paths = catalogue.of(StatusContent).unread
    others = [finding for finding in findings if finding.path not in paths]
    unread = [finding for finding in findings if finding.path in paths]
    if unread and target is not None:
        from statuary.engine.last_published import keep_last_published, with_consequences

        catalogue = keep_last_published(catalogue, paths, target)
        unread = with_consequences(unread, catalogue)
    return _UnreadFiles(catalogue, unread, others)


def _families(catalogue: SiteContent) -> list[Section]:
    """Return the sections whose documents change with the status."""
    sections = (section for _, section in enabled_sections(catalogue))
    return [section for section in sections if type(section).documents_at is not Section.documents_at]


def _checked(catalogue: SiteContent, status: SiteStatus, check_options: CheckOptions) -> list[Finding]:
    """Return the findings about a site's theme, status and Markdown links."""
    keys, source = [key for key, _ in catalogue.extensions], catalogue.source
    checks: list[tuple[Callable[[], Iterable[Finding]], str, str]] = [
        (partial(text_findings, catalogue.pages, keys), source, "reading the theme's texts"),
        (partial(status.findings, check_options.skipped), source, "checking the status"),
        (status.epoch_findings, source, "counting the epochs"),
    ]
    for row, section in enabled_sections(catalogue):
        checks.append((partial(section.findings, catalogue), source, f"checking `{row.name}`"))
    return [finding for check in checks for finding in _findings_of(*check)]


def _findings_of(find: Callable[[], Iterable[Finding]], path: str, action: str) -> list[Finding]:
    outcome = run_guarded(lambda: list(find()), path, action)
    return [outcome] if isinstance(outcome, Finding) else outcome
