"""Check a content folder: a build that makes no documents."""

from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

from typing_extensions import override

from statuary.base.files import PublishingError
from statuary.base.primitives import Instant
from statuary.base.progress import Progress
from statuary.engine.read_content import read_site
from statuary.engine.report import BuildReport, CheckedSite
from statuary.engine.sections import NO_OPTIONS, ExtensionOptions, Sections, enabled_sections
from statuary.publish.ledger.schema import NoOutput, PartitionOutput
from statuary.publish.plan import Plan
from statuary.publish.target import BuildTarget, StatelessTarget
from statuary.section import ALL_CHECKS, CheckOptions, Run
from statuary.site.document import Document
from statuary.workers.options import DEFAULT_EXECUTION, ExecutionOptions


class CheckTarget(StatelessTarget):
    """A target for `statuary check` that discards documents and keeps results."""

    dry_run = True
    partition_size = 256

    @override
    def output_for_task(self, name: str) -> PartitionOutput:
        return NoOutput()

    @override
    def add(self, documents: Iterable[Document]) -> None:
        """Discard documents, because a check publishes nothing."""

    @override
    def plan(self) -> Plan:
        return self.ledger.plan()

    @override
    def apply(self) -> None:
        raise PublishingError("a site that is only checked cannot be published")


def check_site(
    root: Path,
    now: Instant,
    progress: Progress,
    check_options: CheckOptions = ALL_CHECKS,
    *,
    execution: ExecutionOptions = DEFAULT_EXECUTION,
    target: BuildTarget | None = None,
    extension_options: ExtensionOptions = NO_OPTIONS,
) -> CheckedSite:
    """Check a content folder without publishing it.

    Args:
        root: the content folder.
        now: the time of the status.
        check_options: the checks to run.
        execution: the options that affect how the check runs, but not its result.
        target: receives the results of contracts; None keeps them in memory.
        extension_options: the options of the enabled extensions.
    """
    report = BuildReport()
    site = read_site(root, progress, report)
    if site is None:
        return report.checked_site(root)
    with nullcontext(target) if target is not None else CheckTarget() as into:
        run = Run(
            instant=now,
            target=into,
            root=root,
            site=site,
            is_check=True,
            checks=check_options,
            execution=execution,
            progress=progress,
        )
        sections = Sections(enabled_sections(site, extension_options), run, report)
        sections.exclude_faults()
        sections.find_faults()
        sections.check()
    return report.checked_site(root, run, sections.outlook)
