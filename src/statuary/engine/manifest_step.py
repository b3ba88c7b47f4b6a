"""The manifest of the files of a site: made by a build and a tick, and what is known by it where the ledger is gone."""

from functools import partial
from typing import TYPE_CHECKING

from statuary.base.budget import attempt
from statuary.base.files import MANIFEST, SIGNATURE, TARGET_ERRORS, is_snapshot_path
from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.publish.target import BuildTarget

if TYPE_CHECKING:
    from statuary.workers.executor import Executor


def adopt_listed(target: BuildTarget) -> None:
    """Know the files of a site whose ledger is gone by its manifest, if it has one."""
    text = target.published(MANIFEST) if target.ledger.run == 1 else None
    if text is not None:
        from statuary.publish.manifest import listed_files

        target.ledger.adopt(listed_files(text, target.published))


def list_files(
    target: BuildTarget, instant: Instant, *, verify: bool = False, executor: "Executor | None" = None
) -> list[Finding]:
    """Offer the manifest of the site as it will be, unless it is as it was; return why it is left out.

    The status is as of `instant`; with `verify` no published part of the manifest is trusted.
    """
    ledger = target.ledger
    is_renewed = (
        verify
        or not ledger.is_partial
        or not all(is_snapshot_path(path) for path, *_ in ledger.differences())
    )
    if target.lists_itself or (not is_renewed and target.keep([MANIFEST])):
        return []
    from statuary.publish.site_manifest import offer_manifest

    by_workers = None if executor is None else executor.whole_manifest
    offer = partial(offer_manifest, target, instant, verify=verify, by_workers=by_workers)
    failed = attempt(offer, "", "making the manifest of the files", TARGET_ERRORS)
    if failed is not None:  # none is better than one of other files
        target.withdraw([MANIFEST])
        ledger.documents.remove_unless_offered([MANIFEST, SIGNATURE])
    return [] if failed is None else [failed]
