"""Move a published site's status to a later instant, without building."""

from pathlib import Path
from typing import NamedTuple

from statuary.base.files import PublishingError
from statuary.base.findings import Finding
from statuary.base.primitives import Instant, format_utc
from statuary.engine.manifest_step import write_manifest
from statuary.engine.report import BuildReport
from statuary.engine.sections import (
    NO_OPTIONS,
    EnabledSection,
    ExtensionOptions,
    Sections,
    published_sections,
)
from statuary.publish.folder.folder_target import FolderTarget
from statuary.registry import STATUS
from statuary.section import Run
from statuary.status.api.epoch_index import EpochIndex, read_epoch_index
from statuary.status.moved_status import MovedStatus


class TickResult(NamedTuple):
    """The result of `tick`: the changed documents and the errors."""

    changed_paths: list[str]  # the paths of the status documents that changed
    line: str  # the sections' line of the summary
    findings: list[Finding]  # the errors of sections
    epochs: EpochIndex  # the index of the documents that the last build precomputed


def tick(
    root: Path, now: Instant, extension_options: ExtensionOptions = NO_OPTIONS, *, dry_run: bool = False
) -> TickResult:
    """Update a published site to a given time, without a build.

    The last build has already written the documents for that time.

    Args:
        root: the folder of the site.
        now: the time that the site will show.
        extension_options: the options of the extensions that the site has.
        dry_run: change nothing and run no extension; only return the paths that would change.

    Raises:
        PublishingError: if the site has no precomputed documents, was built for a later time, or is being
            built.
    """
    index = read_epoch_index(root)
    if now < index.start:
        raise PublishingError(
            f"the site was built for {format_utc(index.start)} or later, but the time is {format_utc(now)}",
            "set the clock or --now; if the last build had a wrong clock, run `statuary build --allow-older`",
        )
    with FolderTarget(root) as target:
        target.ledger.keep_unreplaced()
        status = MovedStatus(target, index, now)
        changed_paths = status.changed_paths
        if dry_run:
            return TickResult(changed_paths, "", [], index)
        report = BuildReport()
        run = Run(instant=now, target=target, to=extension_options.to)
        extensions = published_sections(extension_options, target)
        sections = Sections([*extensions, EnabledSection(STATUS, status)], run, report)
        sections.build()
        sections.finalize()
        documents = target.ledger.documents
        if any(documents.files_to_write()) or any(documents.paths_to_remove()):
            report.skipped += write_manifest(target, index.latest_change_until(now))
            target.apply()
            sections.on_published()
    return TickResult(changed_paths, "\n".join(report.lines), report.skipped, index)
