"""Read, edit, validate, write: the way of one change to the status side of the content.

An edit is judged before anything is written: the edited text goes through the readers and the checks that a
build uses, together with everything else on the status side. Contracts are left alone, however many there are.
"""

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from statuary.content.editing.edited_files import edited_files
from statuary.content.places import placed
from statuary.content.read import read_content
from statuary.domain.findings import Finding, has_errors, in_order
from statuary.domain.primitives import Instant
from statuary.domain.status.catalogue import StatusCatalogue
from statuary.domain.status.timeline import Timeline
from statuary.pipeline.checked import FULL_RIGOUR
from statuary.pipeline.status import status_side

NOT_STATUS = frozenset({"contracts"})
"""What is not read: its files cannot change what the status documents say."""


class EditNotWritten(Exception):  # noqa: N818 - a decision, not a fault
    """An edit that was judged well could not be written; the file is as it was.

    Attributes:
        remedy: what to do.
    """

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change to one file.

    Attributes:
        path: the file, relative to the content folder, with forward slashes.
        before: what it holds; None if there is no such file.
        after: what it shall hold.
    """

    path: str
    before: str | None
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusContent:
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


def read_status(root: Path, now: Instant, edit: Edit | None = None) -> StatusContent:
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


def judge(root: Path, now: Instant, before: StatusContent, edit: Edit) -> tuple[list[Finding], bool]:
    """Return what an edit adds to the findings, and whether it may be written: not if one is an error."""
    added = findings_of_edit(before, read_status(root, now, edit))
    return added, not has_errors(added)


def write_edit(root: Path, edit: Edit) -> Path:
    """Write an edit beside the file and rename it into place; return the file.

    Its permissions stay, and a symbolic link stays one.

    Raises:
        EditNotWritten: if the file is no longer as it was read, or the disk refuses.
    """
    file = (root / edit.path).resolve()
    beside = file.with_name(f".{file.name}.{os.getpid()}.edited")
    try:
        _refuse_if_changed(file, edit)
        file.parent.mkdir(parents=True, exist_ok=True)
        _write(beside, edit.after.encode("utf-8"), like=file)
        beside.replace(file)
    except OSError as error:
        raise EditNotWritten(
            f"{file} cannot be written: {error.strerror}", "mend the cause, and repeat"
        ) from None
    finally:
        with suppress(OSError):
            beside.unlink()
    return file


def _refuse_if_changed(file: Path, edit: Edit) -> None:
    found = file.read_bytes() if file.exists() else None
    if found != (None if edit.before is None else edit.before.encode("utf-8")):
        raise EditNotWritten(f"{file} has been changed meanwhile", "repeat the command")


def _write(file: Path, body: bytes, like: Path) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(descriptor, "wb") as stream:
        if like.exists():
            os.fchmod(descriptor, like.stat().st_mode & 0o7777)
        stream.write(body)
        stream.flush()
        os.fsync(descriptor)
