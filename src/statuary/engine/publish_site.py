"""Documents about the whole site, and applying the plan."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from statuary.base.budget import INTERRUPTIONS, attempt
from statuary.base.errors import StatuaryError
from statuary.base.files import TARGET_ERRORS
from statuary.base.findings import Finding
from statuary.base.progress import Progress, stage
from statuary.contracts.incremental.built_contracts import BuiltContracts
from statuary.engine.catalogue import Catalogue
from statuary.engine.site_documents import settings_only_documents, settings_only_inputs
from statuary.engine.stages import Additions
from statuary.publish.fingerprint import digest_of, fingerprint_of
from statuary.publish.ledger.contract_rows import ContractCounts
from statuary.publish.ledger.schema import KeptGroup
from statuary.publish.plan import Plan
from statuary.publish.target import BuildTarget
from statuary.site.document import Document
from statuary.status.documents import status_documents
from statuary.status.isolate_faulty_records import with_documents
from statuary.status.site_status import SiteStatus

STATUS, TIMED, SETTINGS_ONLY = "status", "timed", "settings-only"
"""The groups of documents that a build keeps while they are made of the same; `TIMED` has those of `STATUS` that show
an instant, as they are called without the site's layout."""

ALL, EXAMPLES = "all of the status", "examples"
"""The names of the groups of a status, and the paths that the API page has as examples."""


def offer_site(
    target: BuildTarget,
    status: SiteStatus,
    contracts: BuiltContracts[Catalogue],
    progress: Progress,
    *,
    verify: bool,
    additions: Additions,
) -> list[Finding]:
    """Offer every document about the whole site, with what stages add to it; return why some are left out.

    The next build then makes all of them again.

    Raises:
        StatuaryError: if the documents of the status cannot be made, or an extension is not installed.
    """
    catalogue, counts = contracts.catalogue, contracts.counts
    if additions.former:
        status = replace(status, former=additions.former)
    left_out: list[Finding] = []
    with stage(progress, "Status documents and pages"):
        offer = StatusOffer(target, catalogue, additions, left_out)
        present = attempt(partial(offer.keep_or_make, status, verify=verify), "", "making it", TARGET_ERRORS)
        if isinstance(present, Finding):
            target.withdraw(offer.offered)
            status, left_out[:] = with_documents(status)
            present = offer.make_all(status)
        offer_settings_only(target, catalogue, counts, present, left_out, verify=verify)
    return left_out


@dataclass(slots=True)
class StatusOffer:
    """Offers the documents of a status, or keeps those of the last build."""

    target: BuildTarget
    catalogue: Catalogue
    additions: Additions
    left_out: list[Finding]  # gains why documents cannot be made
    offered: list[str] = field(default_factory=list)  # the paths so far

    def keep_or_make(self, status: SiteStatus, *, verify: bool) -> Sequence[str]:
        """Offer what differs from the last build, and keep the rest; return the paths of this instant."""
        fingerprint = fingerprint_of(status.all_inputs, self.catalogue.hosting).text
        timed: Sequence[str] | None = None if verify else self._keep_all(fingerprint)
        if timed is None:
            timed = self._offer_timed(status, verify=verify)
            parts = list(self._offer_final(status, verify=verify))
            self._note(ALL, fingerprint, [STATUS, TIMED, *parts])
        return [*timed, *self._examples(status, fingerprint)]

    def _examples(self, status: SiteStatus, fingerprint: str) -> Sequence[str]:
        """Return the paths of documents that stay, for the API page; from the last build if it is of the same content."""
        last = self.target.ledger.kept(EXAMPLES)
        paths = last.paths if last.fingerprint == fingerprint else tuple(status.example_paths)
        self._note(EXAMPLES, fingerprint, paths)
        return paths

    def make_all(self, status: SiteStatus) -> Sequence[str]:
        """Offer all documents, of which the next build keeps none; return the paths of this instant."""
        for group in (ALL, STATUS, TIMED, *(part.name for part in status.final_parts)):
            self.target.ledger.keep(group, "")
        present = self._make_timed(status)
        for part in status.final_parts:
            self._offer(part.documents())
        return [*present, *status.example_paths]

    def _keep_all(self, fingerprint: str) -> Sequence[str] | None:
        """Offer the status of the last build, if it is of the same content; return its timed documents, or None."""
        ledger = self.target.ledger
        whole = ledger.kept(ALL)
        groups = {name: ledger.kept(name) for name in whole.paths}
        if whole.fingerprint != fingerprint or not _keep_groups(self.target, groups):
            return None
        for name, group in {**groups, ALL: whole}.items():
            ledger.keep(name, group.fingerprint, paths=group.paths)
        return groups[TIMED].paths

    def _offer_timed(self, status: SiteStatus, *, verify: bool) -> Sequence[str]:
        """Offer what may change before the next build, with its epochs, or keep it; return the documents of this instant."""
        fingerprint = fingerprint_of(status.inputs, self.catalogue.hosting).text
        paths = None if verify else self._kept(STATUS, fingerprint)
        present: Sequence[str] = self.target.ledger.kept(TIMED).paths
        if paths is None:
            before = len(self.offered)
            present = self._make_timed(status)
            paths = self.offered[before:]
        self._note(STATUS, fingerprint, paths)
        self._note(TIMED, fingerprint, present)
        return present

    def _make_timed(self, status: SiteStatus) -> Sequence[str]:
        present = [document.path for document in status.present]
        documents = status_documents(
            status.present,
            status.epochs,
            self.left_out,
            published=self.target.published,
            members=self.additions.changes,
        )
        self._offer(documents)
        return present

    def _offer_final(self, status: SiteStatus, *, verify: bool) -> Iterator[str]:
        """Offer what does not change any more, or keep the parts whose records are the same; yield the groups."""
        common = digest_of(status.common, self.catalogue.hosting)
        for part in status.final_parts:
            fingerprint = fingerprint_of(common, part.digest).text
            paths = None if verify else self._kept(part.name, fingerprint)
            if paths is None:
                paths = self._offer(part.documents())
            self._note(part.name, fingerprint, paths)
            yield part.name

    def _kept(self, group: str, fingerprint: str) -> Sequence[str] | None:
        paths = _kept(self.target, group, fingerprint)
        self.offered += paths or ()
        return paths

    def _offer(self, documents: Iterable[Document]) -> Sequence[str]:
        return _offer(self.target, self.catalogue, documents, self.offered)

    def _note(self, group: str, fingerprint: str, paths: Iterable[str]) -> None:
        self.target.ledger.keep(group, "" if self.left_out else fingerprint, paths=paths)


def _keep_groups(target: BuildTarget, groups: Mapping[str, KeptGroup]) -> bool:
    unchanging = [group for name, group in groups.items() if name != TIMED]
    are_older = target.ledger.documents.are_older_than
    if not all(are_older(group.run, group.paths) for group in unchanging):
        return False
    return target.keep(path for group in unchanging for path in group.paths)


def _kept(target: BuildTarget, group: str, fingerprint: str) -> tuple[str, ...] | None:
    """Offer what an earlier build made of the same for a group; return its paths, or None if it must be made."""
    last, ledger = target.ledger.kept(group), target.ledger
    # whatever has published in between, such as a tick, may have replaced documents
    is_same = last.fingerprint == fingerprint and ledger.documents.are_older_than(last.run, last.paths)
    return last.paths if is_same and target.keep(last.paths) else None


def _offer(
    target: BuildTarget, catalogue: Catalogue, documents: Iterable[Document], paths: list[str]
) -> Sequence[str]:
    """Offer documents where the site's layout has them; return their paths, which `paths` gains as they are made."""
    from statuary.publish.host_layout import laid_out

    before = len(paths)

    def placed() -> Iterator[Document]:
        for document in laid_out(documents, catalogue.hosting):
            paths.append(document.path)
            yield document

    target.offer(placed())
    return paths[before:]


def publish(target: BuildTarget, progress: Progress) -> Plan:
    """Apply the plan of a target unless it is a dry run, and return it."""
    plan = target.plan()
    if not target.dry_run:
        with stage(progress, "Publishing"):
            target.apply()
    return plan


def offer_settings_only(
    target: BuildTarget,
    catalogue: Catalogue,
    contracts: ContractCounts,
    present: Sequence[str],
    left_out: list[Finding],
    *,
    verify: bool,
) -> None:
    """Offer the settings-only documents, or keep them if their fingerprint is unchanged.

    `present` are the paths of the timed documents; `left_out` gains why documents cannot be made.
    """
    fingerprint = fingerprint_of(*settings_only_inputs(catalogue, contracts, present)).text
    paths: Sequence[str] | None = None if verify else _kept(target, SETTINGS_ONLY, fingerprint)
    if paths is None:
        before = len(left_out)
        outcome = attempt(
            lambda: tuple(settings_only_documents(catalogue, contracts, present, left_out)),
            "",
            "making the documents of the settings",
            (*INTERRUPTIONS, StatuaryError),  # such as that an extension is not installed
        )
        left_out += [outcome] if isinstance(outcome, Finding) else []
        paths = _offer(target, catalogue, () if isinstance(outcome, Finding) else outcome, [])
        fingerprint = fingerprint if len(left_out) == before else ""
    target.ledger.keep(SETTINGS_ONLY, fingerprint, paths=paths)
