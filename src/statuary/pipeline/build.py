"""Read, check, build, publish: the whole way from content to site."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from statuary.content.places import placed
from statuary.content.read import read_content
from statuary.documents.all_documents import whole_site_documents
from statuary.documents.pages.theme_findings import broken_template
from statuary.domain.catalogue import Catalogue
from statuary.domain.findings import Finding, in_order
from statuary.domain.pages import ThemeBroken
from statuary.domain.primitives import Instant
from statuary.pipeline.announcements import Announcer, stage
from statuary.pipeline.checked import Checked, Outcome
from statuary.pipeline.contracts import Offer, PressedContracts, press_contracts
from statuary.pipeline.effort import USUAL_EFFORT, Effort
from statuary.pipeline.lists import offer_lists, page_entries
from statuary.pipeline.rigour import FULL_RIGOUR, Rigour
from statuary.pipeline.standing import offer_standing
from statuary.pipeline.status import StatusSide, status_side
from statuary.publishing.arrange import arranged
from statuary.publishing.publication import Publication
from statuary.publishing.publisher import Publisher


class Found(NamedTuple):
    """A site as reading and checking found it.

    Attributes:
        checked: what there is to say of it.
        status: its status side; None if the site could not be read.
        contracts: what became of its contracts; None if they were not looked at.
    """

    checked: Checked
    status: StatusSide | None = None
    contracts: PressedContracts | None = None


def check_site(
    root: Path,
    now: Instant,
    announcer: Announcer,
    offer: Offer,
    rigour: Rigour = FULL_RIGOUR,
    *,
    effort: Effort = USUAL_EFFORT,
) -> tuple[Checked, StatusSide | None]:
    """Read the content folder, run every check, and offer each contract's documents as they are made.

    Args:
        root: the content folder.
        now: the instant that the site tells.
        announcer: whoever shows progress.
        offer: takes the contracts' documents; with `nowhere`, any hands make them.
        rigour: how strictly it is judged.
        effort: how it is gone about.

    Returns:
        What was found, and the status side; None for the latter if the site could not be read.
    """
    found = _find(root, now, announcer, offer, rigour=rigour, effort=effort)
    return found.checked, found.status


def _find(
    root: Path,
    now: Instant,
    announcer: Announcer,
    into: Publication | Offer,
    *,
    rigour: Rigour,
    effort: Effort,
) -> Found:
    """Read and check a site, and press its contracts."""
    with stage(announcer, "Reading content"):
        catalogue, findings = read_content(root)
    if catalogue is None:
        return Found(checked=Checked(catalogue=None, findings=_in_place(root, findings)))
    with stage(announcer, "Status"):
        status = status_side(catalogue, now)
        findings += [*status.findings(rigour), *status.epoch_findings(), *status.theme_findings()]

    try:
        contracts = press_contracts(root, catalogue, into, announcer, rigour=rigour, effort=effort)
    except ThemeBroken as broken:
        findings.append(broken_template(broken))
        return Found(checked=Checked(catalogue=catalogue, findings=_in_place(root, findings)), status=status)
    catalogue = contracts.catalogue
    checked = Checked(
        catalogue=catalogue,
        findings=_in_place(root, [*findings, *catalogue.contracts.findings, *contracts.findings]),
        refused=_in_place(root, contracts.refused),
        refusals=contracts.refusals,
        contracts=contracts.rows.tally(),
        rows=contracts.rows,
        next_transition=status.next_transition,
    )
    return Found(checked=checked, status=status, contracts=contracts)


def _in_place(root: Path, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(in_order(placed(root, findings)))


def build_site(
    root: Path,
    publication: Publisher,
    now: Instant,
    announcer: Announcer,
    rigour: Rigour = FULL_RIGOUR,
    *,
    effort: Effort = USUAL_EFFORT,
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
        effort: how it is gone about.

    Raises:
        PublishingRefused: if the target cannot take the site.
    """
    began = perf_counter()
    into = publication if isinstance(publication, Publication) else publication.offer
    found = _find(root, now, announcer, into, rigour=rigour, effort=effort)
    checked = found.checked
    forbidden = not checked.may_publish or (rigour.strict and checked.all_findings)
    if checked.catalogue is None or found.contracts is None or forbidden:
        return Outcome(checked=checked, plan=None, applied=False, seconds=perf_counter() - began)
    try:
        offer_lists(publication, checked.catalogue, found.contracts, announcer, effort.hands)
        with stage(announcer, "Status documents and pages"):
            _offer_whole_site(found, checked.catalogue, found.contracts, publication, verify=effort.verify)
    except ThemeBroken as broken:
        findings = _in_place(root, [*checked.findings, broken_template(broken)])
        broken_site = replace(checked, findings=findings)
        return Outcome(checked=broken_site, plan=None, applied=False, seconds=perf_counter() - began)
    plan = publication.plan()
    if not publication.dry_run:
        with stage(announcer, "Publishing"):
            publication.apply()
    applied = not publication.dry_run
    return Outcome(checked=checked, plan=plan, applied=applied, seconds=perf_counter() - began)


def _offer_whole_site(
    found: Found,
    catalogue: Catalogue,
    contracts: PressedContracts,
    publication: Publisher,
    *,
    verify: bool,
) -> None:
    """Offer everything that is about the whole site."""
    assert found.status is not None  # noqa: S101 - what has contracts has a status side
    present = [document.path for document in found.status.present]
    offer_standing(publication, catalogue, found.checked.contracts, present, verify=verify)
    documents = whole_site_documents(
        catalogue,
        found.checked.contracts,
        page_entries(publication, catalogue, contracts),
        found.status.present,
        found.status.epochs,
        published=publication.published,
    )
    publication.offer(arranged(documents, catalogue.hosting))
