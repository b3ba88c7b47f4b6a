"""Epochs: what changes by itself after a build, written beforehand.

Each transition after the build's instant begins an epoch. Of an epoch only the documents are kept that
differ from the epoch before; the plain documents are the epoch of the build's instant. The index says for
each epoch which file holds which document, the unchanged ones of earlier epochs included:

    {"from": "…", "until": "…", "complete": true,
     "epochs": [{"from": "…", "documents": {"api/v2/summary.json": "api/v2/_epochs/…/api/v2/summary.json"}}]}

A document that an epoch does not name is the plain file at its own path. Nothing here knows what the
documents are about: feeds and badges keep time in the same way.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.url_table import EPOCH_DOCUMENT, EPOCHS
from statuary.domain.findings import Finding, Severity
from statuary.domain.primitives import Instant


class Epoch(NamedTuple):
    """A stretch of time between two transitions.

    Attributes:
        since: the transition that it begins with.
        changed: the documents that differ from the epoch before.
    """

    since: Instant
    changed: tuple[Document, ...]


class EpochPlan(NamedTuple):
    """The epochs that follow a build.

    Attributes:
        start: the build's instant.
        until: the instant up to which the epochs are right; a build is due by then at the latest.
        epochs: in the order of time.
        cut: whether the limit on their number ended them before the horizon.
    """

    start: Instant
    until: Instant
    epochs: tuple[Epoch, ...]
    cut: bool = False


def plan_epochs(
    documents_at: Callable[[Instant], Iterable[Document]],
    transitions: Sequence[Instant],
    start: Instant,
    horizon: Instant,
    limit: int,
) -> EpochPlan:
    """Return the epochs between a build's instant and a horizon.

    Args:
        documents_at: every document that keeps time, as it reads at an instant.
        transitions: the instants in between at which a document may change, in order.
        start: the build's instant.
        horizon: the last instant to plan for.
        limit: how many epochs there may be.
    """
    bodies = {document.path: document.body for document in documents_at(start)}
    epochs: list[Epoch] = []
    for transition in transitions:
        changed = tuple(
            document for document in documents_at(transition) if bodies.get(document.path) != document.body
        )
        if not changed:
            continue
        if len(epochs) == limit:
            return EpochPlan(start=start, until=transition, epochs=tuple(epochs), cut=True)
        bodies |= {document.path: document.body for document in changed}
        epochs.append(Epoch(transition, changed))
    return EpochPlan(start=start, until=horizon, epochs=tuple(epochs))


def epoch_documents(plan: EpochPlan) -> list[Document]:
    """Return what is stored of the epochs: each changed document under its epoch, and the index."""
    stored: dict[tuple[str, bytes], str] = {}
    documents: list[Document] = []
    told: list[dict[str, object]] = []
    current: dict[str, str] = {}
    for epoch in plan.epochs:
        for document in epoch.changed:
            # identical bytes reuse the earlier epoch's file
            place = stored.setdefault((document.path, document.body), _place(epoch, document))
            if place == _place(epoch, document):
                documents.append(_stored(document, place))
            current[document.path] = place
        told.append({"from": _text(epoch.since), "documents": dict(sorted(current.items()))})
    index = {
        "from": _text(plan.start),
        "until": _text(plan.until),
        "complete": not plan.cut,
        "epochs": told,
    }
    documents.append(Document(path=EPOCHS.path(), body=encode_json(index), cache=EPOCHS.cache))
    return documents


def cut_finding(plan: EpochPlan) -> Finding | None:
    """Return the finding that the limit on epochs ended them early, or None."""
    if not plan.cut:
        return None
    return Finding(
        rule="epochs-within-limit",
        severity=Severity.WARNING,
        path="site.yaml",
        message=f"{len(plan.epochs)} epochs are written, and they end at {_text(plan.until)}, before the horizon",
        hint="build again before that instant, or allow more epochs",
    )


def _stored(document: Document, place: str) -> Document:
    return Document(
        path=place,
        body=document.body,
        media_type=document.media_type,
        cache=document.cache,
        sources=document.sources,
    )


def _place(epoch: Epoch, document: Document) -> str:
    return EPOCH_DOCUMENT.path(epoch=_key(epoch.since), path=document.path)


def _key(instant: Instant) -> str:
    """Return an instant as the name of a folder, on every file system."""
    return instant.strftime("%Y%m%dT%H%M%S") + f"{instant.microsecond // 1000:03}Z"


def _text(instant: Instant) -> str:
    return instant.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
