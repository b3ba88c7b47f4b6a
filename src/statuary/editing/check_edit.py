"""What an edit would do to the status side of the content, before it is written.

An edit is judged before anything is written: the edited text goes through the readers and the checks that a
build uses, together with everything else on the status side. Contracts are left alone, however many there are.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from statuary.build.check_options import ALL_CHECKS
from statuary.build.status import status_at
from statuary.content.locate import locate_findings
from statuary.content.read_content import read_content
from statuary.domain.findings import Finding, has_errors, sorted_findings
from statuary.domain.primitives import Instant
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.timeline import Timeline
from statuary.editing.edited_files import edited_files
from statuary.editing.file_edit import FileEdit

CONTRACT_FOLDERS = frozenset({"contracts"})
"""What is not read: its files cannot change what the status documents say."""


class StatusContent(NamedTuple):
    """The status side of the content at an instant.

    Attributes:
        findings: everything that is wrong with it.
        line: the catalogue over time; None if it could not be read.
    """

    findings: tuple[Finding, ...]
    timeline: Timeline | None

    @property
    def catalogue(self) -> StatusCatalogue | None:
        """What was read."""
        return None if self.timeline is None else self.timeline.catalogue


def read_status_content(root: Path, now: Instant, edit: FileEdit | None = None) -> StatusContent:
    """Read and check the status side of a content folder.

    Args:
        root: the content folder.
        now: the instant that the rules judge by.
        edit: a change to see it with.
    """
    edited = {} if edit is None else {edit.path: edit.after}
    files = edited_files(root, edited, CONTRACT_FOLDERS) if root.is_dir() else None
    catalogue, findings = read_content(root, files)
    timeline = None
    if catalogue is not None:
        side = status_at(catalogue, now)
        findings = [*findings, *side.findings(ALL_CHECKS)]
        timeline = side.site.timeline
    return StatusContent(
        findings=tuple(sorted_findings(locate_findings(root, findings, edited))), timeline=timeline
    )


def added_findings(before: StatusContent, after: StatusContent) -> list[Finding]:
    """Return the findings that an edit adds: what was wrong already is not its fault."""
    known = Counter(map(_identity, before.findings))
    added = []
    for finding in after.findings:
        if known[_identity(finding)]:
            known[_identity(finding)] -= 1
        else:
            added.append(finding)
    return added


def _identity(finding: Finding) -> tuple[str, str, str]:
    """Return what makes a finding the same one after its lines have moved."""
    return finding.rule, finding.path, finding.message


def check_edit(root: Path, now: Instant, before: StatusContent, edit: FileEdit) -> tuple[list[Finding], bool]:
    """Return what an edit adds to the findings, and whether it may be written: not if one is an error."""
    added = added_findings(before, read_status_content(root, now, edit))
    return added, not has_errors(added)
