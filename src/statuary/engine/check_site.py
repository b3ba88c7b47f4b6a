"""Check a content folder: everything of a build but its documents."""

from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

from typing_extensions import override

from statuary.base.files import PublishingError
from statuary.base.primitives import Instant
from statuary.base.progress import Progress
from statuary.engine.build_contracts import build_contracts_of
from statuary.engine.options import ALL_CHECKS, CheckOptions
from statuary.engine.read_site import read_site
from statuary.engine.report import BuildReport, CheckedSite
from statuary.engine.section import Run
from statuary.engine.sections import NO_OPTIONS, ExtensionOptions, Sections, enabled_sections
from statuary.publish.ledger.schema import NoOutput, PartitionOutput
from statuary.publish.plan import Plan
from statuary.publish.target import BuildTarget, StatelessTarget
from statuary.site.document import Document
from statuary.workers.options import DEFAULT_EXECUTION, ExecutionOptions


class CheckTarget(StatelessTarget):
    """A target in memory that keeps results of sources, but no documents."""

    dry_run = True
    partition_size = 256

    @override
    def output(self, name: str) -> PartitionOutput:
        return NoOutput()

    @override
    def add(self, documents: Iterable[Document]) -> None:
        """Ignore the documents."""

    @override
    def plan(self) -> Plan:
        return self.ledger.plan()

    @override
    def apply(self) -> None:
        raise PublishingError("a check publishes nothing")


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
    """Read the content folder and run every check.

    The results of contracts go into `target`, or into memory.
    """
    report = BuildReport()
    site = read_site(root, now, check_options, progress, report)
    if site is None:
        return report.checked_site(root)
    catalogue, status = site
    run = Run(now, root=root, site=catalogue)
    sections = Sections(enabled_sections(catalogue, extension_options), run, report)
    with nullcontext(target) if target is not None else CheckTarget() as into:
        contracts = build_contracts_of(
            root, catalogue, into, progress, check_options=check_options, execution=execution, now=now
        )
    report.add_contracts(contracts)
    sections.check(progress)
    return report.checked_site(root, contracts, status)
