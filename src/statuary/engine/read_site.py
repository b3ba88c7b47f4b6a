"""Read a content folder, and exclude records that would stop a build."""

from pathlib import Path
from typing import NamedTuple

from statuary.base.findings import Finding
from statuary.base.progress import Progress, stage
from statuary.engine.read_content import is_excluded, read_content
from statuary.engine.report import BuildReport
from statuary.site.site_content import SiteContent


class ReadSite(NamedTuple):
    """A site's content, and findings in files it can do without."""

    site: SiteContent | None  # None if it cannot be read
    findings: list[Finding]  # about the others
    unread: list[Finding]  # about files of `SiteContent.unread`


def read_site(root: Path, progress: Progress, report: BuildReport) -> ReadSite:
    """Read the content folder.

    Args:
        report: receives the reasons why records are excluded, or all findings if the site cannot be read.
    """
    with stage(progress, "Reading content"):
        site, all_findings = read_content(root)
    report.exclude(filter(is_excluded, all_findings))
    findings = [finding for finding in all_findings if not is_excluded(finding)]
    if site is None:
        report.findings += findings
        return ReadSite(None, [], [])
    unread = [finding for finding in findings if finding.path in site.unread]
    return ReadSite(site, [finding for finding in findings if finding.path not in site.unread], unread)
