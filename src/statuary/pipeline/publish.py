"""Documents about the whole site, and applying the plan."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from statuary.documents.all_documents import (
    settings_only_documents,
    settings_only_inputs,
    status_documents,
)
from statuary.documents.document import Document
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.rows import ContractCounts
from statuary.pipeline.contract_stage import BuiltContracts
from statuary.pipeline.fingerprint import digest_of, fingerprint_of
from statuary.pipeline.progress import Progress, stage
from statuary.pipeline.stages import Additions
from statuary.pipeline.status import SiteStatus
from statuary.publishing.files import MANIFEST
from statuary.publishing.host_layout import laid_out
from statuary.publishing.ledger.schema import KeptGroup
from statuary.publishing.plan import Plan
from statuary.publishing.target import BuildTarget

STATUS, TIMED, SETTINGS_ONLY = "status", "timed", "settings-only"
"""The groups of documents that a build keeps while they are made of the same; `TIMED` has those of `STATUS` that show
an instant, as they are called without the site's layout."""

ALL = "all of the status"
"""The names of the groups of a status."""


def offer_site(
    target: BuildTarget,
    status: SiteStatus,
    contracts: BuiltContracts,
    progress: Progress,
    *,
    verify: bool,
    additions: Additions,
) -> None:
    """Offer every document about the whole site, with what stages add to it.

    Raises:
        ThemeError: if a template of the site's own cannot be rendered.
    """
    catalogue, counts = contracts.catalogue, contracts.counts
    if additions.former:
        status = replace(status, former=additions.former)
    with stage(progress, "Status documents and pages"):
        fingerprint = fingerprint_of(status.all_inputs, catalogue.hosting).text
        timed: Sequence[str] | None = None if verify else _keep_all(target, fingerprint)
        if timed is None:
            timed = _offer_timed(target, status, catalogue, additions, verify=verify)
            parts = _offer_final(target, status, catalogue, verify=verify)
            target.ledger.keep(ALL, fingerprint, paths=[STATUS, TIMED, *parts])
        offer_settings_only(target, catalogue, counts, [*timed, *status.example_paths], verify=verify)


def _keep_all(target: BuildTarget, fingerprint: str) -> Sequence[str] | None:
    """Offer the status of the last build, if it is of the same content; return its timed documents, or None."""
    ledger = target.ledger
    kept = ledger.kept(ALL)
    groups = {name: ledger.kept(name) for name in kept.paths}
    if kept.fingerprint != fingerprint or not _keep_groups(target, groups):
        return None
    for name, group in {**groups, ALL: kept}.items():
        ledger.keep(name, group.fingerprint, paths=group.paths)
    return groups[TIMED].paths


def _keep_groups(target: BuildTarget, groups: Mapping[str, KeptGroup]) -> bool:
    made = [group for name, group in groups.items() if name != TIMED]
    are_older = target.ledger.documents.are_older_than
    if not all(are_older(group.run, group.paths) for group in made):
        return False
    return target.keep(path for group in made for path in group.paths)


def _offer_timed(
    target: BuildTarget, status: SiteStatus, catalogue: Catalogue, additions: Additions, *, verify: bool
) -> Sequence[str]:
    """Offer what may change before the next build, with its epochs, or keep it; return the documents of this instant."""
    fingerprint = fingerprint_of(status.inputs, catalogue.hosting).text
    paths: Sequence[str] | None = None if verify else _kept(target, STATUS, fingerprint)
    present: Sequence[str] = target.ledger.kept(TIMED).paths
    if paths is None:
        present = [document.path for document in status.present]
        documents = status_documents(
            status.present, status.epochs, published=target.published, members=additions.changes
        )
        paths = _offer(target, catalogue, documents)
    target.ledger.keep(STATUS, fingerprint, paths=paths)
    target.ledger.keep(TIMED, fingerprint, paths=present)
    return present


def _offer_final(
    target: BuildTarget, status: SiteStatus, catalogue: Catalogue, *, verify: bool
) -> Iterator[str]:
    """Offer what does not change any more, or keep the parts whose records are the same; yield the groups."""
    common = digest_of(status.common, catalogue.hosting)
    for part in status.final_parts:
        fingerprint = fingerprint_of(common, part.digest).text
        paths: Sequence[str] | None = None if verify else _kept(target, part.name, fingerprint)
        if paths is None:
            paths = _offer(target, catalogue, part.documents())
        target.ledger.keep(part.name, fingerprint, paths=paths)
        yield part.name


def _kept(target: BuildTarget, group: str, fingerprint: str) -> tuple[str, ...] | None:
    """Offer what an earlier build made of the same for a group; return its paths, or None if it must be made."""
    last, ledger = target.ledger.kept(group), target.ledger
    # whatever has published in between, such as a tick, may have replaced documents
    is_same = last.fingerprint == fingerprint and ledger.documents.are_older_than(last.run, last.paths)
    return last.paths if is_same and target.keep(last.paths) else None


def _offer(target: BuildTarget, catalogue: Catalogue, documents: Iterable[Document]) -> Sequence[str]:
    """Offer documents where the site's layout has them; return their paths."""
    paths: list[str] = []

    def placed() -> Iterator[Document]:
        for document in laid_out(documents, catalogue.hosting):
            paths.append(document.path)
            yield document

    target.offer(placed())
    return paths


def adopt_listed(target: BuildTarget) -> None:
    """Know the files of a site whose ledger is gone by its manifest, if it has one."""
    text = target.published(MANIFEST) if target.ledger.run == 1 else None
    if text is not None:
        from statuary.publishing.manifest import listed_files

        target.ledger.adopt(listed_files(text, target.published))


def publish(target: BuildTarget, progress: Progress) -> Plan:
    """Apply the plan of a target unless it is a dry run, and return it."""
    adopt_listed(target)
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
    *,
    verify: bool,
) -> None:
    """Offer the settings-only documents, or keep them if their fingerprint is unchanged.

    `present` are the paths of the timed documents.
    """
    fingerprint = fingerprint_of(*settings_only_inputs(catalogue, contracts, present)).text
    paths: Sequence[str] | None = None if verify else _kept(target, SETTINGS_ONLY, fingerprint)
    if paths is None:
        paths = _offer(target, catalogue, settings_only_documents(catalogue, contracts, present))
    target.ledger.keep(SETTINGS_ONLY, fingerprint, paths=paths)
