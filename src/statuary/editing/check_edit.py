"""The effect of an edit on the status, before it is written.

The edited text goes through the readers and checks of a build, together with all other status sources.
Contracts are not read: they do not affect the status documents.
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from typing_extensions import override

from statuary.content.locate import locate_findings
from statuary.content.read_content import read_content
from statuary.content.source_files import SourceFile, walk_folder
from statuary.content.unreadable import BeyondLimitError
from statuary.domain.findings import Finding, has_errors, sorted_findings
from statuary.domain.primitives import Instant
from statuary.domain.status.timeline import Timeline
from statuary.editing.files import FileEdit
from statuary.pipeline.options import ALL_CHECKS
from statuary.pipeline.status import status_at

CONTRACT_FOLDERS = frozenset({"contracts"})


class StatusContent(NamedTuple):
    """The status side of the content at an instant; its timeline is None if it cannot be read."""

    findings: tuple[Finding, ...]
    timeline: Timeline | None
    language: str = ""  # of the pages


def read_status_content(root: Path, now: Instant, edits: Iterable[FileEdit] = ()) -> StatusContent:
    """Read and check the status side of a content folder, as it is or with edits."""
    edited = {edit.path: edit.after for edit in edits}
    files = edited_files(root, edited, CONTRACT_FOLDERS) if root.is_dir() or edited else None
    catalogue, findings = read_content(root, files)
    timeline, language = None, ""
    if catalogue is not None:
        language = catalogue.pages.language
        status = status_at(catalogue, now)
        findings = [*findings, *status.findings(ALL_CHECKS)]
        timeline = status.timeline
    return StatusContent(tuple(sorted_findings(locate_findings(root, findings, edited))), timeline, language)


def check_edit(root: Path, now: Instant, before: StatusContent, edit: FileEdit) -> tuple[list[Finding], bool]:
    """Return the findings that an edit adds, and whether it may be written: not if one is an error."""
    added = added_findings(root, now, before, [edit])
    return added, not has_errors(added)


def added_findings(
    root: Path, now: Instant, before: StatusContent, edits: Iterable[FileEdit]
) -> list[Finding]:
    """Return the findings that edits add."""
    counts = Counter(map(_identity, before.findings))
    added = []
    for finding in read_status_content(root, now, edits).findings:
        if counts[_identity(finding)]:
            counts[_identity(finding)] -= 1
        else:
            added.append(finding)
    return added


def _identity(finding: Finding) -> tuple[str, str, str]:
    """Return the identity of a finding, which stays when its lines move."""
    return finding.rule, finding.path, finding.message


@dataclass(frozen=True, slots=True)
class EditedFile(SourceFile):
    """A file whose edited text is not on disk yet."""

    edited: str

    @override
    def bytes(self, limit: int) -> bytes:
        raw = self.edited.encode("utf-8")
        if len(raw) > limit:
            raise BeyondLimitError(
                f"the file would have {len(raw):,} bytes, more than {limit:,}", "write less"
            )
        return raw


def edited_files(
    root: Path, edits: Mapping[str, str], without: Container[str] = ()
) -> Iterator[SourceFile | Finding]:
    """Yield what `walk_folder` yields, edited files with their new texts, and new files last."""
    new = dict(edits)
    for item in walk_folder(root, without) if root.is_dir() else ():
        if isinstance(item, SourceFile) and item.path in new:
            yield EditedFile(root, item.path, new.pop(item.path))
        else:
            yield item
    for path, text in sorted(new.items()):
        yield EditedFile(root, path, text)
