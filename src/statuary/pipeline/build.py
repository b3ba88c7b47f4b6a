"""Read, check, build, publish: the whole way from content to site."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from statuary.checks.catalogue import proof_rules
from statuary.content.places import placed
from statuary.content.read import read_content
from statuary.documents.all_documents import whole_site_documents
from statuary.documents.document import Document
from statuary.documents.pages.theme_findings import broken_template
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import in_order
from statuary.domain.pages import ThemeBroken
from statuary.domain.primitives import Instant
from statuary.pipeline.announcements import Announcer, stage
from statuary.pipeline.checked import FULL_RIGOUR, Checked, Outcome, Rigour
from statuary.pipeline.contracts import Offer, press_contracts
from statuary.pipeline.status import StatusSide, status_side
from statuary.publishing.arrange import arranged
from statuary.publishing.publisher import Publisher


def check_site(
    root: Path, now: Instant, announcer: Announcer, offer: Offer, rigour: Rigour = FULL_RIGOUR
) -> tuple[Checked, StatusSide | None]:
    """Read the content folder, run every check, and offer each contract's documents as they are made.

    Args:
        root: the content folder.
        now: the instant that the site tells.
        announcer: whoever shows progress.
        offer: takes the contracts' documents.
        rigour: how strictly it is judged.

    Returns:
        What was found, and the status side; None for the latter if the site could not be read.
    """
    with stage(announcer, "Reading content"):
        catalogue, findings = read_content(root)
    if catalogue is None:
        return Checked(catalogue=None, findings=tuple(in_order(placed(root, findings)))), None
    with stage(announcer, "Status"):
        status = status_side(catalogue, now)
        findings += [*status.findings(rigour), *status.epoch_findings(), *status.theme_findings()]

    def offer_arranged(documents: Iterator[Document]) -> None:
        offer(arranged(documents, catalogue.hosting))

    try:
        contracts = press_contracts(root, catalogue, announcer, offer_arranged, rigour)
    except ThemeBroken as broken:
        findings.append(broken_template(broken))
        return Checked(catalogue=catalogue, findings=tuple(in_order(placed(root, findings)))), status
    checked = Checked(
        catalogue=catalogue,
        findings=tuple(in_order(placed(root, [*findings, *contracts.findings]))),
        refused=tuple(in_order(placed(root, contracts.refused))),
        refusals=contracts.refusals,
        rows=tuple(contracts.rows),
        entries=tuple(contracts.entries),
        next_transition=status.next_transition,
    )
    return checked, status


def build_site(
    root: Path, publication: Publisher, now: Instant, announcer: Announcer, rigour: Rigour = FULL_RIGOUR
) -> Outcome:
    """Build the site of a content folder into a target.

    Nothing of the target changes if there is an error among the findings, or, with `strict`, a warning or a
    refused record.

    Args:
        root: the content folder.
        publication: the target, opened; a dry run is shown, not applied.
        now: the instant that the site tells; the same content and instant give the same bytes.
        announcer: whoever shows progress.
        rigour: how strictly it is judged.

    Raises:
        PublishingRefused: if the target cannot take the site.
    """
    began = perf_counter()
    checked, status = check_site(root, now, announcer, publication.offer, rigour)
    forbidden = not checked.may_publish or (rigour.strict and checked.all_findings)
    if checked.catalogue is None or status is None or forbidden:
        return Outcome(checked=checked, plan=None, applied=False, seconds=perf_counter() - began)
    try:
        with stage(announcer, "Lists and status documents"):
            _offer_whole_site(checked, checked.catalogue, status, publication)
    except ThemeBroken as broken:
        findings = in_order(placed(root, [*checked.findings, broken_template(broken)]))
        broken_site = replace(checked, findings=tuple(findings))
        return Outcome(checked=broken_site, plan=None, applied=False, seconds=perf_counter() - began)
    plan = publication.plan()
    if not publication.dry_run:
        with stage(announcer, "Publishing"):
            publication.apply()
    applied = not publication.dry_run
    return Outcome(checked=checked, plan=plan, applied=applied, seconds=perf_counter() - began)


def _offer_whole_site(
    checked: Checked, catalogue: Catalogue, status: StatusSide, publication: Publisher
) -> None:
    """Offer everything that is about more than one contract."""
    documents = whole_site_documents(
        catalogue,
        checked.rows,
        checked.entries,
        status.present,
        status.epochs,
        published=publication.published,
        rules=proof_rules(),
    )
    publication.offer(arranged(documents, catalogue.hosting))
