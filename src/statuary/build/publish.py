"""Documents about the whole site, and applying the plan."""

from statuary.build.contracts import BuiltContracts
from statuary.build.incremental.settings_only import offer_settings_only
from statuary.build.lists import listed_contracts
from statuary.build.progress import Progress, stage
from statuary.build.status import SiteStatus
from statuary.documents.all_documents import whole_site_documents
from statuary.publishing.host_layout import laid_out
from statuary.publishing.plan import Plan
from statuary.publishing.target import BuildTarget


def offer_site(
    target: BuildTarget, status: SiteStatus, contracts: BuiltContracts, progress: Progress, *, verify: bool
) -> None:
    """Offer every document about the whole site.

    Raises:
        ThemeError: if a template of the site's own cannot be rendered.
    """
    catalogue, counts = contracts.catalogue, contracts.counts
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
        )
        target.offer(laid_out(documents, catalogue.hosting))


def publish(target: BuildTarget, progress: Progress) -> Plan:
    """Apply the plan of a target unless it is a dry run, and return it."""
    plan = target.plan()
    if not target.dry_run:
        with stage(progress, "Publishing"):
            target.apply()
    return plan
