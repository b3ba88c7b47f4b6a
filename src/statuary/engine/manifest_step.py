"""Write a site's manifest, the list of its files."""

from functools import partial
from typing import TYPE_CHECKING

from statuary.base.budget import run_guarded
from statuary.base.files import MANIFEST, SIGNATURE, TARGET_ERRORS, is_manifest_path
from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.publish.target import BuildTarget

if TYPE_CHECKING:
    from statuary.workers.executor import Executor


def write_manifest(
    target: BuildTarget, instant: Instant, *, verify: bool = False, executor: "Executor | None" = None
) -> list[Finding]:
    """Add the manifest, the list of a site's files, if it changed.

    Args:
        target: the site that is being built.
        instant: the start of the status that the site shows.
        verify: make the whole manifest anew, without trusting a published part.
        executor: makes the manifest of many files in worker processes, if there are any.

    Returns:
        A finding if the manifest could not be made, and the site has none; else an empty list.
    """
    ledger = target.ledger
    is_renewed = (
        verify
        or not ledger.keeps_unreplaced
        or not all(is_manifest_path(path) for path, *_ in ledger.files_changed_since_last_build())
    )
    if target.writes_own_manifest or (not is_renewed and target.reuse([MANIFEST])):
        return []
    from statuary.publish.site_manifest import add_manifest

    by_workers = None if executor is None else executor.make_manifest_by_workers
    write = partial(add_manifest, target, instant, verify=verify, by_workers=by_workers)
    failed = run_guarded(write, "", "making the manifest of the files", TARGET_ERRORS)
    if failed is not None:  # a missing manifest is better than one that lists other files
        target.discard([MANIFEST])
        ledger.documents.remove_unless_added([MANIFEST, SIGNATURE])
    return [] if failed is None else [failed]
