"""The files of a content folder by kind, and their faults."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Protocol, TypeVar

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding, Severity
from statuary.source.file_kinds import (
    THEME,
    FileKind,
    correct_case,
    is_ignored,
    match_pattern,
    pattern_of,
    unknown_file_finding,
)
from statuary.source.source_files import SourceFile, UnusableFile

Content = TypeVar("Content")
Content_co = TypeVar("Content_co", covariant=True)


class Load(Protocol[Content_co]):
    """A function that reads one kind of content file, such as incidents.

    It returns the content of the file, or None after adding the errors to `findings`.
    """

    def __call__(self, file: SourceFile, *, limit: int, findings: list[Finding]) -> Content_co | None:
        """Read a file.

        Args:
            limit: the maximum size of the file in bytes.
            findings: receives the errors in the file.
        """


ALONE = (FileKind.INCIDENT, FileKind.MAINTENANCE, FileKind.TEMPLATE, FileKind.PAGE)
"""The kinds of files that nothing else depends on."""


RECORD_FOLDERS = ("incidents", "maintenances")
"""The folders whose files a build can keep as they were last published."""


class ContentFiles:
    """The files of a content folder, by kind, with findings about them.

    Attributes:
        faulty_paths: files with errors that are used in part; these errors do not stop a build.
        left_out: errors about links, and about folders that contain no records. These errors stop a build
            only with `strict`.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.files: dict[FileKind, list[SourceFile]] = {kind: [] for kind in FileKind}
        self.theme: list[SourceFile] = []
        self.read_paths: set[str] = set()
        self.faulty_paths: set[str] = set()
        self.left_out: list[Finding] = []

    def add(self, file: SourceFile) -> None:
        """Add a file, unless it is a note or hidden.

        A file of no known kind is reported as a warning.
        """
        path = file.pure_path
        if is_ignored(path):
            return
        if path.parts[0] == THEME and len(path.parts) > 1:
            self.theme.append(file)
            return
        pattern = match_pattern(path)
        if pattern is not None:
            self.files[pattern.kind].append(file)
            return
        finding = unknown_file_finding(path, file.path)
        if finding.severity is Severity.ERROR:
            self._leave_out(finding, correct_case(path) or path)
        else:
            self.findings.append(finding)

    def add_unreadable_path(self, root: Path, finding: Finding) -> None:
        """Add a path that cannot be read, such as a dangling link.

        A file of a known kind, such as an incident, is reported like an unreadable file. If a whole folder of
        incidents or contracts cannot be read, the site keeps their last published versions.

        Args:
            root: the content folder.
            finding: the error about the path.
        """
        path = PurePosixPath(finding.path)
        if not path.parts:
            self.findings.append(finding)
        elif is_ignored(path):
            return
        elif match_pattern(path) is not None or (path.parts[0] == THEME and path.suffix):
            self.add(UnusableFile(root, finding.path, finding))
        else:
            self._leave_out(finding, path)

    def _leave_out(self, finding: Finding, path: PurePosixPath) -> None:
        """Add an error about a path that is not read; published incidents of it stay.

        Args:
            path: the path in the content folder from which the last build made its documents.
        """
        self.findings.append(finding)
        if path.parts[0] in RECORD_FOLDERS:
            self.faulty_paths |= {finding.path, str(path)}
        else:
            self.left_out.append(finding)

    def unreadable_paths(self) -> frozenset[str]:
        """Return the paths of files with errors that a build excludes.

        From some of them, such as components.yaml, only the faulty entries are excluded.
        """
        files = (file.path for kind in ALONE for file in self.files[kind])
        return frozenset(files).difference(self.read_paths) | self.faulty_paths

    def read_single(self, kind: FileKind, load: Load[Content]) -> tuple[SourceFile, Content] | None:
        """Read a file that exists only once, such as site.yaml.

        If the folder has a second file of this kind, an error is reported.

        Args:
            kind: the kind of file.
            load: reads the file and returns its content.

        Returns:
            The file and its content, or None if there is no file or it cannot be read.
        """
        for extra in self.files[kind][1:]:
            message = f"{self.files[kind][0].path} already contains the same settings"
            hint = "keep one of the two files"
            self.findings.append(Finding(rule="duplicate-file", path=extra.path, message=message, hint=hint))
            self.faulty_paths.add(extra.path)
        return next(self.read_all(kind, load), None)

    def read_all(self, kind: FileKind, load: Load[Content]) -> Iterator[tuple[SourceFile, Content]]:
        """Yield all files of a kind, each with its content.

        A file that cannot be read is reported as an error, and skipped.

        Args:
            kind: the kind of file, such as incidents.
            load: reads a file and returns its content.
        """
        limit = pattern_of(kind).limit
        for file in self.files[kind]:
            value = run_guarded(
                partial(load, file, limit=limit, findings=self.findings), file.path, "reading the file"
            )
            if isinstance(value, Finding):
                self.findings.append(value)
            elif value is not None:
                self.read_paths.add(file.path)
                yield file, value
