"""Epochs: documents of future instants, written in advance.

Each instant after the build at which a document changes begins an epoch. Only the documents that differ from the
previous epoch are stored. The index maps, for each epoch, every document that differs from the build's to the
file with its bytes; its own `documents` maps those documents to copies of what the build published, so that a
site can return to the build's instant:

    {"from": "…", "until": "…", "complete": true,
     "documents": {"api/v2/summary.json": "api/v2/_epochs/…/api/v2/summary.json"},
     "epochs": [{"from": "…", "documents": {"api/v2/summary.json": "api/v2/_epochs/…/api/v2/summary.json"}}]}

Nothing here depends on what the documents are: feeds, badges and pages have epochs in the same way.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.url_table import EPOCH_DOCUMENT, EPOCHS
from statuary.domain.findings import Finding, Severity
from statuary.domain.primitives import Instant

DocumentsAt = Callable[[Instant], Iterable[Document]]


class Epoch(NamedTuple):
    """A period that begins with a change, and the documents that differ from the previous epoch."""

    since: Instant
    changed: tuple[Document, ...]


class EpochPlan(NamedTuple):
    """The epochs that follow a build.

    Attributes:
        start: the build's instant.
        until: the instant up to which the epochs are right; the next build is due by then.
        initial: the build's documents that change in an epoch.
        epochs: in the order of time.
        cut: whether the limit on their number ended them before the horizon.
    """

    start: Instant
    until: Instant
    initial: tuple[Document, ...]
    epochs: tuple[Epoch, ...]
    cut: bool = False


class EpochLimits(NamedTuple):
    """The last instant to plan for, and the largest number of epochs."""

    horizon: Instant
    max_epochs: int


def plan_epochs(
    documents_at: DocumentsAt,
    transitions: Sequence[Instant],
    start: Instant,
    limits: EpochLimits,
    documents_after: DocumentsAt = lambda _: (),
) -> EpochPlan:
    """Return the epochs between a build's instant and a horizon.

    Args:
        documents_at: the documents that may change, at an instant.
        transitions: the instants in between at which a document may change, in order.
        start: the build's instant.
        limits: where to stop.
        documents_after: documents that differ once the epochs have ended, at their end.
    """
    initial = {document.path: document for document in documents_at(start)}
    current = {path: document.body for path, document in initial.items()}
    epochs: list[Epoch] = []
    until, cut = limits.horizon, False

    def differing(documents: Iterable[Document]) -> tuple[Document, ...]:
        return tuple(document for document in documents if current.get(document.path) != document.body)

    def add(since: Instant, changed: tuple[Document, ...]) -> None:
        current.update({document.path: document.body for document in changed})
        if epochs and epochs[-1].since == since:
            changed = tuple({one.path: one for one in (*epochs.pop().changed, *changed)}.values())
        if changed:
            epochs.append(Epoch(since, changed))

    for transition in transitions:
        changed = differing(documents_at(transition))
        if changed and len(epochs) == limits.max_epochs:
            until, cut = transition, True
            break
        add(transition, changed)
    add(until, differing(documents_after(until)))
    changing = {document.path for epoch in epochs for document in epoch.changed}
    return EpochPlan(
        start=start,
        until=until,
        initial=tuple(document for path, document in initial.items() if path in changing),
        epochs=tuple(epochs),
        cut=cut,
    )


def epoch_documents(plan: EpochPlan) -> list[Document]:
    """Return the files of the epochs: each changed document under its epoch, and the index."""
    files = _EpochFiles()
    initial = dict(files.add(Epoch(plan.start, plan.initial)))
    current: dict[str, str] = {}
    epochs: list[dict[str, object]] = []
    for epoch in plan.epochs:
        current.update(files.add(epoch))
        epochs.append({"from": _timestamp(epoch.since), "documents": dict(sorted(current.items()))})
    index = {
        "from": _timestamp(plan.start),
        "until": _timestamp(plan.until),
        "complete": not plan.cut,
        "documents": dict(sorted(initial.items())),
        "epochs": epochs,
    }
    return [*files.documents, Document(path=EPOCHS.path(), body=encode_json(index), cache=EPOCHS.cache)]


class _EpochFiles:
    """The files of all epochs; documents with the same path and bytes share one."""

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self._paths: dict[tuple[str, bytes], str] = {}

    def add(self, epoch: Epoch) -> Iterable[tuple[str, str]]:
        """Yield for each document of an epoch its path and the path of its file."""
        for document in epoch.changed:
            path = EPOCH_DOCUMENT.path(epoch=_folder_name(epoch.since), path=document.path)
            stored = self._paths.setdefault((document.path, document.body), path)
            if stored is path:
                self.documents.append(document._replace(path=path, aliases=(), persistent=False))
            yield document.path, stored


def cut_finding(plan: EpochPlan) -> Finding | None:
    """Return the finding that the limit on epochs ended them early, or None."""
    if not plan.cut:
        return None
    return Finding(
        rule="epochs-within-limit",
        severity=Severity.WARNING,
        path="site.yaml",
        message=f"the limit of {len(plan.epochs)} epochs is reached at {_timestamp(plan.until)}, before the horizon",
        hint="build again before that time, or raise status.max_epochs",
    )


def _folder_name(instant: Instant) -> str:
    return instant.strftime("%Y%m%dT%H%M%S") + f"{instant.microsecond // 1000:03}Z"


def _timestamp(instant: Instant) -> str:
    return instant.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
