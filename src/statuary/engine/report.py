"""The findings of a run, and its results."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from statuary.base.findings import Finding, Severity, has_errors, has_warnings_or_errors, sorted_findings
from statuary.publish.outcome import NOTHING_PUBLISHED, Outcome, outcome_with_faults
from statuary.publish.plan import Plan

if TYPE_CHECKING:
    from statuary.base.primitives import Instant
    from statuary.section import FinalResult, Outlook, Run, SectionResult
    from statuary.site.site_content import SiteContent


@dataclass(slots=True)
class BuildReport:
    """Collects the findings of a check or build."""

    findings: list[Finding] = field(default_factory=list)  # of the content; an error forbids publishing
    exclusion_reasons: list[Finding] = field(default_factory=list)  # why records or pages are excluded
    excluded_count: int = 0  # the number of excluded records
    skipped: list[Finding] = field(
        default_factory=list
    )  # why documents keep their last version, or are missing
    lines: list[str] = field(default_factory=list)  # the sections' lines of the summary
    counts: list[str] = field(default_factory=list)  # the counts of the sections, for the summary
    unsorted: list[Finding] = field(default_factory=list)  # of files, until `Sections.find_faults` sorts them

    def exclude(self, reasons: Iterable[Finding]) -> None:
        """Record the reasons for excluding incidents, maintenance windows or pages."""
        for reason in reasons:
            self.exclusion_reasons.append(reason)
            self.excluded_count += 1

    def add(self, result: "SectionResult") -> None:
        """Add the findings and counts from a section's `check` or `build`."""
        self.findings += result.findings
        self.exclusion_reasons += result.exclusion_reasons
        self.excluded_count += result.excluded_count
        self.skipped += result.skipped
        self.counts += result.counts
        self.lines += filter(None, [result.line])

    def add_final(self, result: "FinalResult") -> None:
        """Add the findings and counts from a section's `finalize`."""
        self.skipped += result.skipped
        self.lines += filter(None, [result.line])

    def stops_publishing(self, *, strict: bool) -> bool:
        """Return whether an error, or with `strict` a warning, stops the build."""
        return has_errors(self.findings) or (strict and has_warnings_or_errors(self.findings))

    def checked_site(
        self, root: Path, run: "Run | None" = None, outlook: "Outlook | None" = None
    ) -> "CheckedSite":
        """Convert this report to the result of a check or build.

        Args:
            root: the content folder.
            run: the check or build; None if the site could not be read.
            outlook: the times of the next change and build; None if the site could not be read.
        """
        if run is None or outlook is None:
            findings = _add_positions(root, [*self.findings, *self.exclusion_reasons])
            skipped = _add_positions(root, self.skipped)
            return CheckedSite(root=root, site=None, findings=findings, skipped=skipped)
        return CheckedSite(
            root=root,
            site=run.site,
            findings=_add_positions(root, self.findings),
            exclusion_reasons=_add_positions(root, self.exclusion_reasons),
            excluded_count=self.excluded_count,
            skipped=_add_positions(root, self.skipped),
            line="\n".join(self.lines),
            counts=tuple(self.counts),
            next_transition=outlook.next_transition,
            horizon=outlook.horizon,
        )


def _add_positions(root: Path, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    if not findings:
        return ()
    from statuary.source.locate import locate_findings

    return tuple(sorted_findings(locate_findings(root, findings)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSite:
    """The result of checking a site: errors, warnings, and the next change."""

    root: Path  # the content folder
    site: "SiteContent | None"  # the site; None if it could not be read
    findings: tuple[Finding, ...]  # of the content, with positions, in order; an error forbids publishing
    exclusion_reasons: tuple[Finding, ...] = ()  # why records or pages are excluded
    excluded_count: int = 0  # the number of excluded records
    skipped: tuple[Finding, ...] = ()  # why documents keep their last version, or are missing
    line: str = ""  # the sections' line of the summary
    counts: tuple[str, ...] = ()  # what the site contains, such as "12 components"
    next_transition: "Instant | None" = None  # None if the status does not change before the horizon
    horizon: "Instant | None" = None  # when the next build is due; None if no time is set

    @property
    def may_publish(self) -> bool:
        """Whether the site could be read and has no errors."""
        return self.site is not None and not has_errors(self.findings)

    @property
    def is_clean(self) -> bool:
        """Whether no error was found, not even in an excluded record."""
        return self.may_publish and not has_errors((*self.exclusion_reasons, *self.skipped))

    @property
    def all_findings(self) -> list[Finding]:
        """All findings in the order in which they are printed."""
        return sorted_findings((*self.findings, *self.exclusion_reasons, *self.skipped))

    @property
    def has_warnings(self) -> bool:
        """Whether there is a warning or an error."""
        return has_warnings_or_errors(self.all_findings)

    def count(self, severity: Severity) -> int:
        """Return the number of errors, warnings or notes."""
        return Counter(finding.severity for finding in self.all_findings)[severity]


class BuildResult(NamedTuple):
    """The result of a build: findings, changes, and the time that it took."""

    checked: CheckedSite
    plan: Plan | None  # the changes in the target, made or planned; None if findings stopped the build
    applied: bool
    seconds: float

    @property
    def outcome(self) -> Outcome:
        """The outcome of the build, or the outcome that it would have without --dry-run."""
        if self.plan is None:
            return NOTHING_PUBLISHED
        return outcome_with_faults((*self.checked.exclusion_reasons, *self.checked.skipped))
