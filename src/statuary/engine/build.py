"""Build a site: read it, check it, make what changed, publish."""

from pathlib import Path
from time import perf_counter

from statuary.base.primitives import Instant
from statuary.base.progress import Progress, report_stage
from statuary.engine.config_documents import add_config_documents
from statuary.engine.manifest_step import write_manifest
from statuary.engine.read_content import read_site
from statuary.engine.report import BuildReport, BuildResult
from statuary.engine.sections import (
    NO_OPTIONS,
    ExtensionOptions,
    Sections,
    enabled_sections,
    remove_disabled_documents,
    without_building_sections,
)
from statuary.publish.host_limits import find_exceeded_limits
from statuary.publish.origin import SiteOrigin, origin_meta_values, refuse_earlier_build
from statuary.publish.target import BuildTarget
from statuary.section import ALL_CHECKS, CheckOptions, Run
from statuary.version import VERSION
from statuary.workers.options import DEFAULT_EXECUTION, ExecutionOptions


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
    """Build a site from a content folder into a site folder.

    The site folder also stores the build's time, the content's git revision, and the version of statuary.

    Args:
        root: the content folder.
        now: the time that the site shows.
        check_options: the checks to run.
        execution: the options that affect how the build runs, but not its result.
        extension_options: the options of the enabled extensions.
        allow_older: whether `now` may be before the time of the last build.

    Raises:
        PublishingError: if the folder cannot take the site, or has a site of a later time and `allow_older`
            is not set.
    """
    if not allow_older:
        refuse_earlier_build(target.ledger.get_meta("instant"), now)
    revision = "" if execution.git is None or (git := execution.git.wait_for_state) is None else git.revision
    target.ledger.set_meta(origin_meta_values(SiteOrigin(instant=now, revision=revision, statuary=VERSION)))
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
    """Build a site from a content folder into an open target.

    Anything with an error is excluded, or stays as last published, and the rest of the site is published. The
    build stops, and the target stays as it is, if an error in site.yaml is about a value that nothing can
    replace (`engine/faulty_settings.py`), or no component is usable; with `strict`, at any error or warning.

    Args:
        root: the content folder.
        target: the place to publish to.
        now: the time that the site shows; the same content and time give the same bytes.
        check_options: the checks to run.
        execution: the options that affect how the build runs, but not its result.
        extension_options: the options of the enabled extensions; None builds the site without extensions that
            add documents.

    Raises:
        PublishingError: if the target cannot take the site.
    """
    began = perf_counter()
    report = BuildReport()
    # Read all files except contract records now. There may be millions of records, so each is read when its
    # documents are made.
    site = read_site(
        root, progress, report, target.ledger, verify=execution.verify, strict=check_options.strict
    )
    if site is None:
        return BuildResult(report.checked_site(root), None, applied=False, seconds=perf_counter() - began)
    if extension_options is None:
        site = without_building_sections(site)
    options = extension_options or NO_OPTIONS
    run = Run(
        instant=now,
        target=target,
        to=options.to,
        root=root,
        site=site,
        checks=check_options,
        execution=execution,
        progress=progress,
    )
    sections = Sections(enabled_sections(site, options), run, report)
    sections.exclude_faults()
    sections.find_faults()
    plan = None
    # The sections, such as contracts and status, only add their documents to a plan. The published site
    # changes when this plan is applied below.
    if sections.build(strict=check_options.strict):  # False if the content has an error
        remove_disabled_documents(site, target, report.skipped)
        add_config_documents(run, report.skipped)
        sections.finalize()
        report.skipped += write_manifest(
            target, sections.outlook.unchanged_since, verify=execution.verify, executor=execution.executor
        )
        plan = target.plan()
        report.skipped += find_exceeded_limits(site, target, plan)
        if not target.dry_run:
            with report_stage(progress, "Publishing"):
                target.apply()
            sections.on_published()
    checked = report.checked_site(root, run, sections.outlook)
    applied = plan is not None and not target.dry_run
    return BuildResult(checked, plan, applied=applied, seconds=perf_counter() - began)
