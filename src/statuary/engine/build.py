"""The stages of a build, in order."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, Self

from statuary.base.budget import DEFECT, run_guarded
from statuary.base.files import TARGET_ERRORS
from statuary.base.findings import Finding, Severity, error_count, has_errors, has_warnings, sorted_findings
from statuary.base.primitives import Instant
from statuary.base.progress import Progress, stage
from statuary.contracts.incremental.built_contracts import (
    CONTRACTS,
    BuiltContracts,
    has_contracts,
    without_contracts,
)
from statuary.engine.catalogue import Catalogue
from statuary.engine.manifest_step import adopt_manifest_files, write_manifest
from statuary.engine.options import ALL_CHECKS, CheckOptions
from statuary.engine.publish_site import add_site_documents, publish
from statuary.engine.read_content import is_excluded, read_content
from statuary.engine.section import Run, Section, SectionResult
from statuary.engine.sections import (
    NO_OPTIONS,
    ExtensionOptions,
    Sections,
    enabled_sections,
    remove_disabled_documents,
    without_building_sections,
)
from statuary.publish.ledger.contract_rows import ContractCounts
from statuary.publish.origin import SiteOrigin, build_meta, refuse_earlier_build
from statuary.publish.outcome import NOTHING_PUBLISHED, Outcome, outcome_except
from statuary.publish.plan import Plan
from statuary.publish.target import BuildTarget
from statuary.registry import load, providers
from statuary.site.pages.theme_findings import text_findings
from statuary.status.isolate_faulty_records import isolate_faulty_records
from statuary.status.site_status import SiteStatus
from statuary.version import VERSION
from statuary.workers.options import DEFAULT_EXECUTION, ExecutionOptions

if TYPE_CHECKING:
    from statuary.contracts.incremental.build_settings import RecordRecompiler


class ReadSite(NamedTuple):
    """A site as read."""

    catalogue: Catalogue | None  # None if the site could not be read
    status: SiteStatus | None  # None if it was not read
    findings: list[Finding]  # faults of the content, except in contracts
    # why incidents, maintenance windows and pages are excluded; the rest is published
    exclusion_reasons: list[Finding]
    skipped: tuple[Finding, ...] = ()  # why documents are skipped; the rest is published


def read_site(
    root: Path,
    now: Instant,
    check_options: CheckOptions,
    progress: Progress,
    *,
    with_sections: bool = True,
    target: BuildTarget | None = None,
) -> ReadSite:
    """Read the content folder, and check the site's status at an instant.

    Without sections, as in a snapshot of content, those that add to a build are off.
    """
    with stage(progress, "Reading content"):
        catalogue, all_findings = read_content(root)
    exclusion_reasons = list(filter(is_excluded, all_findings))
    all_findings = [finding for finding in all_findings if not is_excluded(finding)]
    if catalogue is None:
        return ReadSite(None, None, all_findings, exclusion_reasons)
    catalogue, unread, findings = _with_unread_files(catalogue, all_findings, target)
    if not with_sections:
        catalogue = without_building_sections(catalogue)
    with stage(progress, "Status"):
        catalogue, status, unsound = isolate_faulty_records(catalogue, now, partial(_families, catalogue))
    skipped = [*unread, *(finding for finding in unsound if not is_excluded(finding))]
    exclusion_reasons += filter(is_excluded, unsound)
    faults = list[Finding]()
    for finding in (*findings, *_checked(catalogue, status, check_options)):
        is_alone = finding.rule == DEFECT or finding.path in catalogue.unread
        (skipped if is_alone else faults).append(finding)
    return ReadSite(catalogue, status, faults, exclusion_reasons, tuple(skipped))


class _UnreadFiles(NamedTuple):
    """A site with what was last published from files that cannot be read now, and the findings about them and others."""

    catalogue: Catalogue
    unread: list[Finding]
    others: list[Finding]


def _with_unread_files(
    catalogue: Catalogue, findings: Sequence[Finding], target: BuildTarget | None
) -> _UnreadFiles:
    paths = catalogue.unread
    others = [finding for finding in findings if finding.path not in paths]
    unread = [finding for finding in findings if finding.path in paths]
    if unread and target is not None:
        from statuary.engine.last_published import keep_last_published, with_consequences

        catalogue = keep_last_published(catalogue, paths, target)
        unread = with_consequences(unread, catalogue)
    return _UnreadFiles(catalogue, unread, others)


def _families(catalogue: Catalogue) -> list[Section]:
    """Return the sections whose documents change with the status."""
    sections = (section for _, section in enabled_sections(catalogue))
    return [section for section in sections if type(section).documents_at is not Section.documents_at]


def _checked(catalogue: Catalogue, status: SiteStatus, check_options: CheckOptions) -> list[Finding]:
    """Return the findings about a site's theme, status and Markdown links."""
    keys, source = [key for key, _ in catalogue.extensions], catalogue.status.page_source
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSite:
    """A checked site."""

    root: Path  # the content folder
    catalogue: Catalogue | None  # the site; None if it could not be read
    # what is wrong with the content, located and in order; an error forbids publishing
    findings: tuple[Finding, ...]
    # why contracts, incidents, maintenance windows or pages are excluded; the rest is published
    exclusion_reasons: tuple[Finding, ...] = ()
    excluded_count: int = 0  # the number of excluded records
    # why documents are skipped or those of the last build are kept; the rest is published
    skipped: tuple[Finding, ...] = ()
    line: str = ""  # the sections' line of the summary
    contracts: ContractCounts = field(default_factory=ContractCounts)
    # when the published status next changes; None if not before the horizon
    next_transition: Instant | None = None
    # when the next build is due; None if nothing changes until the content does
    horizon: Instant | None = None

    @property
    def may_publish(self) -> bool:
        """Whether the site could be read and has no errors."""
        return self.catalogue is not None and not has_errors(self.findings)

    @property
    def is_clean(self) -> bool:
        """Whether there are no errors, including errors that exclude a record."""
        return self.may_publish and not has_errors((*self.exclusion_reasons, *self.skipped))

    @property
    def all_findings(self) -> list[Finding]:
        """All findings in order."""
        return sorted_findings((*self.findings, *self.exclusion_reasons, *self.skipped))

    @property
    def has_warnings(self) -> bool:
        """Whether there is a finding other than a note."""
        return has_warnings(self.all_findings)

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return Counter(finding.severity for finding in self.all_findings)[severity]

    def with_section_result(self, result: SectionResult) -> Self:
        """Return the site with the findings and the line of sections."""
        skipped = _located(self.root, [*self.skipped, *result.findings])
        return replace(self, skipped=skipped, line=result.line)


def check(root: Path, site: ReadSite, contracts: BuiltContracts[Catalogue] | None = None) -> CheckedSite:
    """Gather the findings about a site.

    Args:
        contracts: None if they were not built.
    """
    if contracts is None or site.status is None:
        findings = _located(root, [*site.findings, *site.exclusion_reasons])
        skipped = _located(root, site.skipped)
        return CheckedSite(root=root, catalogue=site.catalogue, findings=findings, skipped=skipped)
    unnamed = contracts.catalogue.contracts.findings
    return CheckedSite(
        root=root,
        catalogue=contracts.catalogue,
        findings=_located(root, [*site.findings, *contracts.findings]),
        exclusion_reasons=_located(root, [*site.exclusion_reasons, *unnamed, *contracts.exclusion_reasons]),
        excluded_count=len(site.exclusion_reasons) + contracts.excluded_count + error_count(unnamed),
        skipped=_located(root, [*site.skipped, *contracts.skipped]),
        contracts=contracts.counts,
        next_transition=site.status.next_transition,
        horizon=site.status.horizon,
    )


def _located(root: Path, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    if not findings:
        return ()
    from statuary.source.locate import locate_findings

    return tuple(sorted_findings(locate_findings(root, findings)))


class BuildResult(NamedTuple):
    """The result of a build."""

    checked: CheckedSite
    plan: Plan | None  # the changes in the target, made or planned; None if findings stopped the build
    applied: bool
    seconds: float

    @property
    def outcome(self) -> Outcome:
        """What the build published, or would have in a dry run."""
        if self.plan is None:
            return NOTHING_PUBLISHED
        return outcome_except((*self.checked.exclusion_reasons, *self.checked.skipped))


def contracts_of(
    root: Path,
    catalogue: Catalogue,
    target: BuildTarget,
    progress: Progress,
    *,
    check_options: CheckOptions,
    execution: ExecutionOptions,
    now: Instant,
    options: ExtensionOptions = NO_OPTIONS,
) -> BuiltContracts[Catalogue]:
    """Build the contracts, if the site has any.

    If something goes wrong with all of them, such as that workers are lost, those of the last build stay as
    they are.

    Raises:
        click.UsageError: if options of extensions contradict each other.
    """
    if not has_contracts(catalogue, target.ledger):
        return without_contracts(catalogue, target, check_options.checks, verify=execution.verify)
    from statuary.contracts.incremental.rebuild import build_contracts, reuse_previous_contracts

    recompiler = _recompiler(options)

    def build() -> BuiltContracts[Catalogue]:
        return build_contracts(
            root,
            catalogue,
            target,
            progress,
            checks=check_options.checks,
            execution=execution,
            now=now,
            recompiler=recompiler,
        )

    action = "building the contracts, so that those of the last build stay"
    built_contracts = run_guarded(build, CONTRACTS, action, TARGET_ERRORS)
    return (
        reuse_previous_contracts(catalogue, target, built_contracts)
        if isinstance(built_contracts, Finding)
        else built_contracts
    )


def _recompiler(options: ExtensionOptions) -> "RecordRecompiler | None":
    """Return what compiles the records of a build again; None if no option asks for it."""
    for name, target in providers("recompiler").items():
        values = options.options.get(name, {})
        if any(values.values()):
            opened: RecordRecompiler | None = load(target)(values)
            return opened
    return None


def _add_lists(
    target: BuildTarget, contracts: BuiltContracts[Catalogue], progress: Progress, execution: ExecutionOptions
) -> list[Finding]:
    """Add the lists of contracts, unless they are unchanged.

    Returns:
        The findings about skipped lists, which the next build makes again.
    """
    if contracts.are_unchanged:
        return []
    from statuary.contracts.incremental.lists import add_lists

    skipped: list[Finding] = []
    failed = run_guarded(
        lambda: add_lists(target, contracts, progress, execution.executor, skipped),
        CONTRACTS,
        "making the lists of contracts",
        TARGET_ERRORS,
    )
    if failed is not None:
        skipped.append(failed)
    if skipped:
        target.ledger.save_group(CONTRACTS, "")
    return skipped


def build_folder(
    root: Path,
    target: BuildTarget,
    now: Instant,
    progress: Progress,
    check_options: CheckOptions,
    *,
    execution: ExecutionOptions,
    extension_options: ExtensionOptions,
    allow_older: bool = False,
) -> BuildResult:
    """Build the site of a content folder into a folder, and record its origin.

    Raises:
        PublishingError: if the folder cannot take the site, or has one of a later instant and `allow_older`
            is not set.
    """
    if not allow_older:
        refuse_earlier_build(target.ledger.get_meta("instant"), now)
    revision = "" if execution.git is None or (git := execution.git.answer) is None else git.revision
    target.ledger.set_meta(build_meta(SiteOrigin(instant=now, revision=revision, statuary=VERSION)))
    return build_site(
        root, target, now, progress, check_options, execution=execution, extension_options=extension_options
    )


def build_site(
    root: Path,
    target: BuildTarget,
    now: Instant,
    progress: Progress,
    check_options: CheckOptions = ALL_CHECKS,
    *,
    execution: ExecutionOptions = DEFAULT_EXECUTION,
    extension_options: ExtensionOptions | None = None,
) -> BuildResult:
    """Build the site of a content folder into an open target.

    If there is an error, or, with `strict`, a warning, the target does not change. An excluded contract does
    not affect anything else.

    Args:
        now: the instant that the site shows; the same content and instant give the same bytes.
        extension_options: the options of the enabled extensions; None builds the site without those that add to a build.

    Raises:
        PublishingError: if the target cannot take the site.
    """
    began = perf_counter()
    site = read_site(
        root, now, check_options, progress, with_sections=extension_options is not None, target=target
    )
    checked, plan = check(root, site), None
    if site.catalogue is not None and site.status is not None:
        contracts = contracts_of(
            root,
            site.catalogue,
            target,
            progress,
            check_options=check_options,
            execution=execution,
            now=now,
            options=extension_options or NO_OPTIONS,
        )
        checked = check(root, site, contracts)
        if checked.may_publish and not (check_options.strict and has_warnings(checked.findings)):
            skipped = _add_lists(target, contracts, progress, execution)
            status, options = site.status, extension_options or NO_OPTIONS
            run = Run(now, target, options.to, root, site.catalogue, contracts, lambda: status.incidents)
            sections = Sections(enabled_sections(site.catalogue, options), run)
            additions = sections.build()
            remove_disabled_documents(site.catalogue, target, site.skipped)
            skipped += add_site_documents(
                target, status, contracts, progress, verify=execution.verify, result=additions
            )
            line, finalize_findings = sections.finalize()
            adopt_manifest_files(target)
            finalize_findings += write_manifest(
                target, status.unchanged_since, verify=execution.verify, executor=execution.executor
            )
            plan = publish(target, progress)
            finalize_findings += [] if target.dry_run else sections.on_published()
            findings = (*additions.findings, *skipped, *finalize_findings)
            checked = checked.with_section_result(additions._replace(findings=findings, line=line))
    applied = plan is not None and not target.dry_run
    return BuildResult(checked, plan, applied=applied, seconds=perf_counter() - began)
