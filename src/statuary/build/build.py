"""The stages of a build, in order."""

from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from statuary.build.check import CheckedSite, check
from statuary.build.check_options import ALL_CHECKS, CheckOptions
from statuary.build.contracts import build_contracts
from statuary.build.execution.options import DEFAULT_EXECUTION, ExecutionOptions
from statuary.build.lists import offer_lists
from statuary.build.progress import Progress
from statuary.build.publish import OpenLog, extend_log, offer_site, publish
from statuary.build.read import read_site
from statuary.domain.findings import has_warnings
from statuary.domain.page_settings import ThemeError
from statuary.domain.primitives import Instant
from statuary.publishing.plan import Plan
from statuary.publishing.target import BuildTarget, CheckTarget

if TYPE_CHECKING:
    from statuary.publishing.log.log_keeper import LogExtension


class BuildResult(NamedTuple):
    """The result of a build."""

    checked: CheckedSite
    plan: Plan | None  # what changed in the target, or would have; None if findings stopped the build
    applied: bool
    seconds: float
    log: "LogExtension | None" = None  # the outcome for the log; None without one


def check_site(
    root: Path,
    now: Instant,
    progress: Progress,
    check_options: CheckOptions = ALL_CHECKS,
    *,
    execution: ExecutionOptions = DEFAULT_EXECUTION,
    target: BuildTarget | None = None,
) -> CheckedSite:
    """Read the content folder and run every check.

    The results of contracts go into `target`, or into memory.
    """
    site = read_site(root, now, check_options, progress)
    if site.catalogue is None:
        return check(root, site)
    try:
        with nullcontext(target) if target is not None else CheckTarget() as into:
            contracts = build_contracts(
                root, site.catalogue, into, progress, check_options=check_options, execution=execution
            )
    except ThemeError as error:
        return check(root, site).with_theme_error(error)
    return check(root, site, contracts)


def build_site(
    root: Path,
    target: BuildTarget,
    now: Instant,
    progress: Progress,
    check_options: CheckOptions = ALL_CHECKS,
    *,
    execution: ExecutionOptions = DEFAULT_EXECUTION,
    open_log: OpenLog | None = None,
) -> BuildResult:
    """Build the site of a content folder into an open target.

    If there is an error, or, with `strict`, a warning, the target does not change. A withheld contract does
    not stop anything else.

    Args:
        now: the instant that the site shows; the same content and instant give the same bytes.
        open_log: opens the log of a site that has one; None builds the site without its log.

    Raises:
        LogError: if the log would not continue the published one.
        PublishingError: if the target cannot take the site.
    """
    began = perf_counter()
    site = read_site(root, now, check_options, progress, with_log=open_log is not None)
    checked, plan, extension = check(root, site), None, None
    if site.catalogue is not None and site.status is not None:
        try:
            contracts = build_contracts(
                root, site.catalogue, target, progress, check_options=check_options, execution=execution
            )
            checked = check(root, site, contracts)
            if checked.may_publish and not (check_options.strict and has_warnings(checked.findings)):
                offer_lists(target, contracts, progress, execution.executor)
                extension = extend_log(contracts.catalogue, site.status, open_log)
                offer_site(
                    target, site.status, contracts, progress, verify=execution.verify, extension=extension
                )
                plan = publish(target, progress)
        except ThemeError as error:
            checked = checked.with_theme_error(error)
    applied = plan is not None and not target.dry_run
    return BuildResult(checked, plan, applied=applied, seconds=perf_counter() - began, log=extension)
