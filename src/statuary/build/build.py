"""Read, check, build, publish: the whole way from content to site."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from statuary.build.check_options import ALL_CHECKS, CheckOptions
from statuary.build.contracts import BuiltContracts, Offer, build_contracts
from statuary.build.execution.options import DEFAULT_EXECUTION, ExecutionOptions
from statuary.build.incremental.settings_only import offer_settings_only
from statuary.build.lists import listed_contracts, offer_lists
from statuary.build.progress import Progress, stage
from statuary.build.results import BuildResult, CheckedSite
from statuary.build.status import SiteStatus, status_at
from statuary.content.locate import locate_findings
from statuary.content.read_content import read_content
from statuary.documents.all_documents import whole_site_documents
from statuary.documents.pages.theme_findings import template_finding
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding, sorted_findings
from statuary.domain.page_settings import ThemeError
from statuary.domain.primitives import Instant
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.host_layout import laid_out
from statuary.publishing.target import Target


class ReadSite(NamedTuple):
    """A site as reading and checking found it.

    Attributes:
        checked: what there is to say of it.
        status: its status side; None if the site could not be read.
        contracts: what became of its contracts; None if they were not looked at.
    """

    checked: CheckedSite
    status: SiteStatus | None = None
    contracts: BuiltContracts | None = None


def check_site(
    root: Path,
    now: Instant,
    progress_listener: Progress,
    offer: Offer,
    check_options: CheckOptions = ALL_CHECKS,
    *,
    execution: ExecutionOptions = DEFAULT_EXECUTION,
) -> tuple[CheckedSite, SiteStatus | None]:
    """Read the content folder, run every check, and offer each contract's documents as they are made.

    Args:
        root: the content folder.
        now: the instant that the site tells.
        announcer: whoever shows progress.
        offer: takes the contracts' documents; with `nowhere`, any hands make them.
        rigour: how strictly it is judged.
        effort: how it is gone about.

    Returns:
        What was found, and the status side; None for the latter if the site could not be read.
    """
    found = _read_and_check(
        root, now, progress_listener, offer, check_options=check_options, execution=execution
    )
    return found.checked, found.status


def _read_and_check(
    root: Path,
    now: Instant,
    progress_listener: Progress,
    into: FolderTarget | Offer,
    *,
    check_options: CheckOptions,
    execution: ExecutionOptions,
) -> ReadSite:
    """Read and check a site, and press its contracts."""
    with stage(progress_listener, "Reading content"):
        catalogue, findings = read_content(root)
    if catalogue is None:
        return ReadSite(checked=CheckedSite(catalogue=None, findings=_located(root, findings)))
    with stage(progress_listener, "Status"):
        status = status_at(catalogue, now)
        findings += [*status.findings(check_options), *status.epoch_findings(), *status.theme_findings()]

    try:
        contracts = build_contracts(
            root, catalogue, into, progress_listener, check_options=check_options, execution=execution
        )
    except ThemeError as broken:
        findings.append(template_finding(broken))
        return ReadSite(
            checked=CheckedSite(catalogue=catalogue, findings=_located(root, findings)), status=status
        )
    catalogue = contracts.catalogue
    checked = CheckedSite(
        catalogue=catalogue,
        findings=_located(root, [*findings, *catalogue.contracts.findings, *contracts.findings]),
        refused=_located(root, contracts.refused),
        refusals=contracts.refusals,
        contracts=contracts.rows.tally(),
        rows=contracts.rows,
        next_transition=status.next_transition,
    )
    return ReadSite(checked=checked, status=status, contracts=contracts)


def _located(root: Path, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted_findings(locate_findings(root, findings)))


def build_site(
    root: Path,
    publication: Target,
    now: Instant,
    progress_listener: Progress,
    check_options: CheckOptions = ALL_CHECKS,
    *,
    execution: ExecutionOptions = DEFAULT_EXECUTION,
) -> BuildResult:
    """Build the site of a content folder into a target.

    Nothing of the target changes if there is an error among the findings, or, with `strict`, a warning or a
    refused record.

    Args:
        root: the content folder.
        publication: the target, opened; a dry run is shown, not applied.
        now: the instant that the site tells; the same content and instant give the same bytes.
        announcer: whoever shows progress.
        rigour: how strictly it is judged.
        effort: how it is gone about.

    Raises:
        PublishingRefused: if the target cannot take the site.
    """
    began = perf_counter()
    into = publication if isinstance(publication, FolderTarget) else publication.offer
    found = _read_and_check(
        root, now, progress_listener, into, check_options=check_options, execution=execution
    )
    checked = found.checked
    forbidden = not checked.may_publish or (check_options.strict and checked.all_findings)
    if checked.catalogue is None or found.contracts is None or forbidden:
        return BuildResult(checked=checked, plan=None, applied=False, seconds=perf_counter() - began)
    try:
        offer_lists(publication, checked.catalogue, found.contracts, progress_listener, execution.executor)
        with stage(progress_listener, "Status documents and pages"):
            _offer_whole_site(found, checked.catalogue, found.contracts, publication, verify=execution.verify)
    except ThemeError as broken:
        findings = _located(root, [*checked.findings, template_finding(broken)])
        broken_site = replace(checked, findings=findings)
        return BuildResult(checked=broken_site, plan=None, applied=False, seconds=perf_counter() - began)
    plan = publication.plan()
    if not publication.dry_run:
        with stage(progress_listener, "Publishing"):
            publication.apply()
    applied = not publication.dry_run
    return BuildResult(checked=checked, plan=plan, applied=applied, seconds=perf_counter() - began)


def _offer_whole_site(
    found: ReadSite,
    catalogue: Catalogue,
    contracts: BuiltContracts,
    publication: Target,
    *,
    verify: bool,
) -> None:
    """Offer everything that is about the whole site."""
    assert found.status is not None  # noqa: S101 - what has contracts has a status side
    present = [document.path for document in found.status.present]
    offer_settings_only(publication, catalogue, found.checked.contracts, present, verify=verify)
    documents = whole_site_documents(
        catalogue,
        found.checked.contracts,
        listed_contracts(publication, catalogue, contracts),
        found.status.present,
        found.status.epochs,
        published=publication.published,
    )
    publication.offer(laid_out(documents, catalogue.hosting))
