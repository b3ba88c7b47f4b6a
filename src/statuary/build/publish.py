"""Documents about the whole site, and applying the plan."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from statuary.build.contracts import BuiltContracts
from statuary.build.incremental.fingerprint import fingerprint_of
from statuary.build.lists import listed_contracts
from statuary.build.progress import Progress, stage
from statuary.build.status import SiteStatus
from statuary.checks.rule_catalogue import proof_rules
from statuary.documents.all_documents import (
    settings_only_documents,
    settings_only_inputs,
    whole_site_documents,
)
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.contract_counts import ContractCounts
from statuary.domain.site_settings import LogSettings
from statuary.publishing.host_layout import laid_out
from statuary.publishing.log.log_keeper import LogExtension
from statuary.publishing.plan import Plan
from statuary.publishing.target import BuildTarget

if TYPE_CHECKING:
    from statuary.publishing.log.site_log import SiteLog

OpenLog = Callable[[LogSettings], "SiteLog"]
"""Opens the log of a site with these settings."""


def extend_log(catalogue: Catalogue, status: SiteStatus, open_log: OpenLog | None) -> LogExtension | None:
    """Append to the site's log what the build is about to publish; None if it has no log.

    Raises:
        LogError: if it would not continue the published log.
    """
    if catalogue.log is None or open_log is None:
        return None
    return open_log(catalogue.log).extend(status.incidents, contracts=True)


def offer_site(
    target: BuildTarget,
    status: SiteStatus,
    contracts: BuiltContracts,
    progress: Progress,
    *,
    verify: bool,
    extension: LogExtension | None = None,
) -> None:
    """Offer every document about the whole site; of its log, `extension` has what pages show.

    Raises:
        ThemeError: if a template of the site's own cannot be rendered.
    """
    catalogue, counts = contracts.catalogue, contracts.counts
    if extension is not None and extension.former:
        status = replace(status, former=extension.former)
    with stage(progress, "Status documents and pages"):
        present = [document.path for document in status.present]
        offer_settings_only(target, catalogue, counts, present, verify=verify)
        documents = whole_site_documents(
            catalogue,
            counts,
            listed_contracts(target, contracts),
            status.present,
            status.epochs,
            published=target.published,
            log_entries=extension.by_incident if extension else {},
        )
        target.offer(laid_out(documents, catalogue.hosting))


def publish(target: BuildTarget, progress: Progress) -> Plan:
    """Apply the plan of a target unless it is a dry run, and return it."""
    plan = target.plan()
    if not target.dry_run:
        with stage(progress, "Publishing"):
            target.apply()
    return plan


NOTE = "settings-only"
"""The note of a build that holds their fingerprint, and a line for each of their paths."""


def offer_settings_only(
    target: BuildTarget,
    catalogue: Catalogue,
    contracts: ContractCounts,
    present: Sequence[str],
    *,
    verify: bool,
) -> None:
    """Offer the settings-only documents, or keep them if their fingerprint is unchanged.

    `present` are the paths of the timed documents.
    """
    fingerprint = fingerprint_of(*settings_only_inputs(catalogue, contracts, present)).text
    last, *paths = target.ledger.note(NOTE).split("\n")
    if verify or last != fingerprint or not target.keep(paths):
        documents = settings_only_documents(catalogue, contracts, present, proof_rules())
        placed = list(laid_out(documents, catalogue.hosting))
        target.offer(placed)
        paths = [document.path for document in placed]
    target.ledger.add_notes({NOTE: "\n".join((fingerprint, *paths))})
