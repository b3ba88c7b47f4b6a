"""Add documents that depend on settings alone, and publish the site."""

from typing import TYPE_CHECKING

from statuary.base.budget import INTERRUPTIONS, run_guarded
from statuary.base.errors import StatuaryError
from statuary.base.findings import Finding
from statuary.base.progress import Progress, stage
from statuary.engine.site_documents import config_documents, config_inputs
from statuary.publish.document_groups import add_documents, reused_group
from statuary.publish.fingerprint import fingerprint_of
from statuary.publish.plan import Plan
from statuary.publish.target import BuildTarget
from statuary.section import Run

if TYPE_CHECKING:
    from collections.abc import Iterable

CONFIG = "settings-only"
"""The group of these documents in the ledger."""


def publish(target: BuildTarget, progress: Progress) -> Plan:
    """Apply the plan of a target, unless it is a dry run.

    Returns:
        The plan.
    """
    plan = target.plan()
    if not target.dry_run:
        with stage(progress, "Publishing"):
            target.apply()
    return plan


def add_config_documents(run: Run, skipped: list[Finding]) -> None:
    """Add the documents that depend on settings alone, or reuse them.

    Args:
        run: the run, with the site and the target.
        skipped: receives a finding for each document that cannot be made.
    """
    target, site = run.target, run.site
    if site is None:
        return
    fingerprint = fingerprint_of(*config_inputs(site, run)).text
    paths: Iterable[str] | None = None if run.execution.verify else reused_group(target, CONFIG, fingerprint)
    if paths is None:
        count_before = len(skipped)
        outcome = run_guarded(
            lambda: tuple(config_documents(site, run, skipped)),
            "",
            "making the documents of the settings",
            (*INTERRUPTIONS, StatuaryError),  # such as that a library is not installed
        )
        if isinstance(outcome, Finding):
            skipped.append(outcome)
        paths = add_documents(target, site.hosting, () if isinstance(outcome, Finding) else outcome, [])
        fingerprint = fingerprint if len(skipped) == count_before else ""
    target.ledger.save_group(CONFIG, fingerprint, paths=paths)
