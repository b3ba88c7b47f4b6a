"""What an edit would do to the status side of the content, before it is written.

An edit is judged before anything is written: the edited text goes through the readers and the checks that a
build uses, together with everything else on the status side. Contracts are left alone, however many there are.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from statuary.content.editing.edited_files import edited_files
from statuary.content.editing.file_edit import FileEdit
from statuary.content.places import placed
from statuary.content.read import read_content
from statuary.domain.findings import Finding, has_errors, in_order
from statuary.domain.primitives import Instant
from statuary.domain.status.catalogue import StatusCatalogue
from statuary.domain.status.timeline import Timeline
from statuary.pipeline.rigour import FULL_RIGOUR
from statuary.pipeline.status import status_side

NOT_STATUS = frozenset({"contracts"})
"""What is not read: its files cannot change what the status documents say."""


class StatusContent(NamedTuple):
    """The status side of the content at an instant.

    Attributes:
        findings: everything that is wrong with it.
        line: the catalogue over time; None if it could not be read.
    """

    findings: tuple[Finding, ...]
    line: Timeline | None

    @property
    def catalogue(self) -> StatusCatalogue | None:
        """What was read."""
        return None if self.line is None else self.line.catalogue


def read_status(root: Path, now: Instant, edit: FileEdit | None = None) -> StatusContent:
    """Read and check the status side of a content folder.

    Args:
        root: the content folder.
        now: the instant that the rules judge by.
        edit: a change to see it with.
    """
    edited = {} if edit is None else {edit.path: edit.after}
    files = edited_files(root, edited, NOT_STATUS) if root.is_dir() else None
    catalogue, findings = read_content(root, files)
    line = None
    if catalogue is not None:
        side = status_side(catalogue, now)
        findings = [*findings, *side.findings(FULL_RIGOUR)]
        line = side.site.line
    return StatusContent(findings=tuple(in_order(placed(root, findings, edited))), line=line)


def findings_of_edit(before: StatusContent, after: StatusContent) -> list[Finding]:
    """Return the findings that an edit adds: what was wrong already is not its fault."""
    known = Counter(map(_gist, before.findings))
    added = []
    for finding in after.findings:
        if known[_gist(finding)]:
            known[_gist(finding)] -= 1
        else:
            added.append(finding)
    return added


def _gist(finding: Finding) -> tuple[str, str, str]:
    """Return what makes a finding the same one after its lines have moved."""
    return finding.rule, finding.path, finding.message


def judge(root: Path, now: Instant, before: StatusContent, edit: FileEdit) -> tuple[list[Finding], bool]:
    """Return what an edit adds to the findings, and whether it may be written: not if one is an error."""
    added = findings_of_edit(before, read_status(root, now, edit))
    return added, not has_errors(added)
