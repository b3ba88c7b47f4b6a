"""Build, check and read sites from Python; `statuary` exports the same names.

    >>> import statuary
    >>> checked = statuary.check("content")
    >>> [str(finding.message) for finding in checked.all_findings]
    []

The manual has more (content/pages/manual/automation.md).
"""

from contextlib import ExitStack
from datetime import datetime
from functools import partial
from pathlib import Path

from statuary.base.clock import ClockError, instant_of_build
from statuary.base.errors import StatuaryError
from statuary.base.files import PublishingError, describe_folder_overlap
from statuary.base.findings import Finding, Position, Severity
from statuary.base.primitives import InvalidValueError
from statuary.base.progress import NoProgress
from statuary.engine.build import build_folder
from statuary.engine.check_site import check_site
from statuary.engine.report import BuildResult, CheckedSite
from statuary.engine.sections import ExtensionOptions
from statuary.extensions.serving.site import (
    Contract,
    DocumentNotFoundError,
    PageStatus,
    Site,
    SiteComponent,
    SiteIncident,
    SiteIncidentUpdate,
    open_snapshot,
)
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.ledger.damage import DamagedLedgerError
from statuary.publish.listing import DamagedSnapshotError
from statuary.publish.outcome import Extent, Outcome
from statuary.publish.plan import Action, Change, Plan
from statuary.section import CheckOptions
from statuary.source.git_state import GitQuery
from statuary.system.network.client import UnreachableError
from statuary.workers.executor import prepare_worker, process_executor
from statuary.workers.options import ExecutionOptions
from statuary.workers.task_window import WorkersLostError

__all__ = [
    "Action",
    "BuildResult",
    "Change",
    "CheckedSite",
    "ClockError",
    "Contract",
    "DamagedLedgerError",
    "DamagedSnapshotError",
    "DocumentNotFoundError",
    "Extent",
    "Finding",
    "InvalidValueError",
    "Outcome",
    "PageStatus",
    "Plan",
    "Position",
    "PublishingError",
    "Severity",
    "Site",
    "SiteComponent",
    "SiteIncident",
    "SiteIncidentUpdate",
    "StatuaryError",
    "UnreachableError",
    "WorkersLostError",
    "build",
    "check",
    "open_snapshot",
]


def build(
    content: str | Path,
    out: str | Path,
    *,
    now: datetime | None = None,
    strict: bool = False,
    dry_run: bool = False,
    workers: int = 1,
    log_key: str | Path | None = None,
    init_log: bool = False,
    allow_older: bool = False,
) -> BuildResult:
    """Check a content folder, and publish its site into a folder.

    The result's `outcome` says what was published. If errors stopped the build, nothing was, and `plan` is
    None. Otherwise `plan` has the numbers of added, replaced and removed files.

    Args:
        now: the instant that the site shows; by default SOURCE_DATE_EPOCH (seconds since 1970), else the
            current one. The same content and instant give the same bytes.
        strict: publish nothing while the site has a warning.
        dry_run: change nothing; `plan.changes()` yields the changes, and can be called only in this mode.
        workers: the number of processes. With more than one, your program needs `if __name__ == "__main__":`.
        log_key: the file with the private key that signs the site's log, the record of what was published;
            by default the key in STATUARY_LOG_KEY.
        init_log: start a new log, which is needed only once for a site.
        allow_older: allow an instant earlier than that of the last build.

    Raises:
        PublishingError: if the folder cannot take the site, contains the content, or has a site of a later
            instant.
        ClockError: if SOURCE_DATE_EPOCH is not a number.
        ValueError: if `now` has no offset from UTC.
    """
    root, folder = Path(content), Path(out)
    overlap = describe_folder_overlap(root, folder, "out")
    if overlap:
        raise PublishingError(overlap)
    instant = instant_of_build(now)
    key = None if log_key is None else Path(log_key)

    def build_once() -> BuildResult:
        with ExitStack() as stack:
            executor = stack.enter_context(process_executor(workers, prepare_worker))
            target = stack.enter_context(FolderTarget(folder, dry_run=dry_run))
            result = build_folder(
                root,
                target,
                instant,
                NoProgress(),
                CheckOptions(strict=strict),
                execution=ExecutionOptions(executor=executor, git=GitQuery(root)),
                extension_options=ExtensionOptions({"log": {"log_key": key, "init_log": init_log}}),
                allow_older=allow_older,
            )
            if dry_run and result.plan is not None:
                changes = tuple(result.plan.changes())
                return result._replace(plan=result.plan._replace(changes=partial(iter, changes)))
        return result

    try:
        try:
            return build_once()
        except DamagedLedgerError:  # the ledger was quarantined; read the folder again
            return build_once()
    except OSError as error:
        raise PublishingError(f"{error.filename or folder}: {error.strerror}") from error


def check(content: str | Path, *, now: datetime | None = None, workers: int = 1) -> CheckedSite:
    """Check a content folder, with every contract record, and publish nothing.

    The command `statuary check` does the same.

    Args:
        content: the content folder.
        now: the instant of the status; by default SOURCE_DATE_EPOCH (seconds since 1970), else the current
            one.
        workers: the number of processes. With more than one, your program needs `if __name__ == "__main__":`.

    Raises:
        ClockError: if SOURCE_DATE_EPOCH is not a number.
        ValueError: if `now` has no offset from UTC.
    """
    with process_executor(workers, prepare_worker) as executor:
        return check_site(
            Path(content), instant_of_build(now), NoProgress(), execution=ExecutionOptions(executor=executor)
        )
