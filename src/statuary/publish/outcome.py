"""The outcome of a run: nothing, all or a part."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple, Self

from statuary.base.findings import Finding, Severity


class Extent(StrEnum):
    """The published part of a site: nothing, all, or all except faulty parts."""

    NOTHING = "nothing"
    ALL = "all"
    PARTIAL = "all-except-missing"
    FOLDER = (
        "folder-only"  # built into the folder, and not, or not completely, published to the target of `--to`
    )


class Outcome(NamedTuple):
    """The result of a build or publication, or of a dry run.

    Attributes:
        missing: names of content files, folders or targets that were not published completely. Readers get
            nothing, the last published version, or a contract that its own evidence contradicts.
    """

    extent: Extent
    missing: tuple[str, ...] = ()

    def with_missing(self, names: Iterable[str]) -> Self:
        """Return the outcome with the names of further unpublished files or folders.

        If nothing was published at all, the outcome stays the same.

        Args:
            names: the content files, folders or targets that were not published completely.
        """
        missing = tuple(sorted({*self.missing, *names}))
        if self.extent is Extent.NOTHING or not missing:
            return self
        extent = Extent.FOLDER if self.extent is Extent.FOLDER else Extent.PARTIAL
        return self._replace(extent=extent, missing=missing)

    def with_failed_target(self, name: str) -> Self:
        """Return the outcome of a build whose publication to `--to` failed.

        Args:
            name: the path or URL to which it was not published.
        """
        return self._replace(extent=Extent.FOLDER, missing=(name, *self.missing))


NOTHING_PUBLISHED = Outcome(Extent.NOTHING)
ALL_PUBLISHED = Outcome(Extent.ALL)


def outcome_with_faults(findings: Iterable[Finding]) -> Outcome:
    """Return the outcome of a build that left out parts with errors.

    Args:
        findings: the findings of the build. Each error names a file or setting that could not be used as the
            author wrote it.
    """
    errors = (finding for finding in findings if finding.severity is Severity.ERROR)
    return ALL_PUBLISHED.with_missing(_faulty_file_or_setting(finding) for finding in errors)


def _faulty_file_or_setting(finding: Finding) -> str:
    is_setting = finding.path.startswith("site.") and bool(finding.pointer)
    return f"{finding.path}: {finding.pointer[0]}" if is_setting else finding.path
