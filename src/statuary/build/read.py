"""Read the content: the catalogue, its status at an instant, and the findings about both."""

from pathlib import Path
from typing import NamedTuple

from statuary.build.check_options import CheckOptions
from statuary.build.progress import Progress, stage
from statuary.build.status import SiteStatus, status_at
from statuary.content.read_content import is_left_out, read_content
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding
from statuary.domain.primitives import Instant


class ReadSite(NamedTuple):
    """A site as read."""

    catalogue: Catalogue | None  # None if the site could not be read
    status: SiteStatus | None  # None if it was not read
    findings: list[Finding]  # what is wrong, except in contracts
    # why incidents, maintenances and pages that exceed a limit are left out; the rest is published
    left_out: list[Finding]


def read_site(
    root: Path, now: Instant, check_options: CheckOptions, progress: Progress, *, with_log: bool = True
) -> ReadSite:
    """Read the content folder, and check the site's status at an instant.

    Without a log, as in a snapshot of content, no page of the site refers to one.
    """
    with stage(progress, "Reading content"):
        catalogue, found = read_content(root)
    findings: list[Finding] = []
    left_out: list[Finding] = []
    for finding in found:
        (left_out if is_left_out(finding) else findings).append(finding)
    if catalogue is None:
        return ReadSite(None, None, findings, left_out)
    if not with_log:
        catalogue = catalogue._replace(log=None)
    if catalogue.own_pages:
        from statuary.documents.pages.own_pages import link_findings

        findings += link_findings(catalogue)
    with stage(progress, "Status"):
        status = status_at(catalogue, now)
        findings += [*status.findings(check_options), *status.epoch_findings(), *status.theme_findings()]
    return ReadSite(catalogue, status, findings, left_out)
