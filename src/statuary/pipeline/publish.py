"""Documents about the whole site, and applying the plan."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

import orjson

from statuary.documents.all_documents import (
    contract_list_documents,
    settings_only_documents,
    settings_only_inputs,
    status_documents,
)
from statuary.documents.document import Document
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.record import ContractCounts
from statuary.domain.primitives import parse_instant
from statuary.pipeline.contracts import BuiltContracts, listed_contracts
from statuary.pipeline.fingerprint import fingerprint_of
from statuary.pipeline.progress import Progress, stage
from statuary.pipeline.stages import Additions
from statuary.pipeline.status import SiteStatus
from statuary.publishing.host_layout import laid_out
from statuary.publishing.plan import Plan
from statuary.publishing.target import BuildTarget


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
        fingerprint = fingerprint_of(status.inputs, catalogue.hosting).text
        kept = None if verify else _keep_status(target, status, catalogue, fingerprint)
        present = [document.path for document in status.present] if kept is None else kept
        offer_settings_only(target, catalogue, counts, present, verify=verify)
        entries = listed_contracts(target, contracts)
        if entries is not None:
            target.offer(laid_out(contract_list_documents(catalogue, counts, entries), catalogue.hosting))
        if kept is None:
            _offer_status(target, status, catalogue, fingerprint, additions)


STATUS = "status"
"""The note of a build, JSON, from which the next one knows whether the documents of its status are the same."""


def _keep_status(
    target: BuildTarget, status: SiteStatus, catalogue: Catalogue, fingerprint: str
) -> list[str] | None:
    """Keep what the last build made of the same status; return the paths of the timed documents, else None.

    Only what shows the time of the build differs.
    """
    last = orjson.loads(target.ledger.note(STATUS) or "{}")
    # whatever has published in between, such as a tick, may have replaced documents
    if not last or (last["fingerprint"], last["run"]) != (fingerprint, target.ledger.run - 1):
        return None
    files = _intact(target, last["timed"])
    documents = None if files is None else status.built_now(files, parse_instant(last["built_at"]))
    if documents is None or not target.keep(last["kept"]):
        return None
    target.offer(laid_out(documents, catalogue.hosting))
    _note_status(target, last | {"built_at": status.now.isoformat()})
    present: list[str] = last["present"]
    return present


def _intact(target: BuildTarget, paths: Iterable[str]) -> dict[str, bytes] | None:
    """Return the files at these paths; None if one is missing or not what the ledger says."""
    found: dict[str, bytes] = {}
    for path in paths:
        body, entry = target.published(path), target.ledger.entry(path)
        if body is None or entry is None or not entry.settled or entry.digest != sha256(body).digest():
            return None
        found[path] = body
    return found


def _offer_status(
    target: BuildTarget,
    status: SiteStatus,
    catalogue: Catalogue,
    fingerprint: str,
    additions: Additions,
) -> None:
    documents = [
        *status_documents(
            status.present, status.epochs, published=target.published, members=additions.changes
        )
    ]
    timed, kept = status.paths_with_time, list[str]()

    def noted() -> Iterator[Document]:
        for document in laid_out((one for one in documents if one.path not in timed), catalogue.hosting):
            kept.append(document.path)
            yield document

    target.offer(noted())
    target.offer(laid_out((one for one in documents if one.path in timed), catalogue.hosting))
    note = {"fingerprint": fingerprint, "built_at": status.now.isoformat(), "timed": timed, "kept": kept}
    _note_status(target, note | {"present": [one.path for one in status.present]})


def _note_status(target: BuildTarget, note: Mapping[str, object]) -> None:
    target.ledger.add_notes({STATUS: orjson.dumps({**note, "run": target.ledger.run}).decode()})


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
        documents = settings_only_documents(catalogue, contracts, present)
        placed = list(laid_out(documents, catalogue.hosting))
        target.offer(placed)
        paths = [document.path for document in placed]
    target.ledger.add_notes({NOTE: "\n".join((fingerprint, *paths))})
