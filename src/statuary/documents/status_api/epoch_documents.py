"""Epochs: documents of future instants, written in advance.

Each instant after the build at which a document changes begins an epoch. For each document that changes then,
an epoch has a file, whole or as a patch of the last whole one before it; a document that returns to an earlier
state has none. The index has the instants, first the last change of the published documents, and for each document
the numbers of those at which it changes:

    {"until": "…", "complete": true, "instants": ["2026-12-01T00:00:00.000Z", "2026-12-01T22:00:00.000Z", …],
     "documents": {"api/v2/summary.json": {"whole": [0, 7], "patched": [1, 2, 9], "again": {"3": 1}}}}

The files are below the instant's folder: `api/v2/_epochs/20261201T220000000Z/api/v2/summary.json.patch.json`. Number
0 is a copy of the build's document, which patches refer to and a site can return to.

Feeds, badges and pages have epochs too: nothing here depends on the kind of document.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.media_types import JSON
from statuary.documents.status_api.epoch_patches import PatchBase
from statuary.documents.url_table import EPOCH_DOCUMENT, EPOCH_PATCH, EPOCHS
from statuary.domain.findings import Finding, Severity
from statuary.domain.primitives import Instant

DocumentsAt = Callable[[Instant], Iterable[Document]]

SMALLEST_PATCHED = 2_048
"""Bytes of a document below which a patch is not worth its cost."""

LARGEST_PART = 4
"""A patch is at most this part of its document; a larger one makes the document the base of those that follow."""


class EpochPlan(NamedTuple):
    """The epochs that follow a build.

    Attributes:
        instants: the last change of the published documents, and those at which one changes.
        until: the instant up to which the epochs are valid; the next build is due by then.
        versions: the documents that change, by path.
        cut: whether the limit on their number ended them before the horizon.
    """

    instants: tuple[Instant, ...]
    until: Instant
    versions: dict[str, "DocumentVersions"]
    cut: bool = False


class EpochLimits(NamedTuple):
    """The last instant to plan for, and the largest number of epochs."""

    horizon: Instant
    max_epochs: int


class DocumentVersions:
    """A document over time, by the numbers of the instants at which it changes.

    Attributes:
        present: the document as of the last of them.
        files: what is stored, by number: the document, or its patch.
        whole: the numbers of whole documents.
        again: the number of the earlier instant whose document it equals.
    """

    def __init__(self, number: int, document: Document) -> None:
        self.present = document
        self.files = {number: document}
        self.whole = [number]
        self.again: dict[int, int] = {}
        self._base: PatchBase | None = None
        self._patches: dict[bytes, int] = {}

    def add(self, number: int, document: Document) -> None:
        """Add the document from an instant on."""
        self.present = document
        same = (one for one in self.whole if self.files[one].body == document.body)
        earlier = next(same, None)
        patch = b"" if earlier is not None else self._patch(document)
        if patch:
            earlier = self._patches.setdefault(patch, number)
        if earlier is not None and earlier != number:
            self.again[number] = earlier
        elif patch:
            self.files[number] = document._replace(body=patch)
        else:
            self.files[number] = document
            self.whole.append(number)
            self._base = None

    def _patch(self, document: Document) -> bytes:
        """Return the patch of the last whole file; nothing if it is not small enough."""
        if len(document.body) < SMALLEST_PATCHED:
            return b""
        if self._base is None:
            self._base = PatchBase(self.files[self.whole[-1]])
        patch = self._base.patch(document)
        return patch if len(patch) * LARGEST_PART <= len(document.body) else b""

    def members(self) -> dict[str, object]:
        """Return the member of the index."""
        patched = [number for number in self.files if number not in self.whole]
        again = {str(number): earlier for number, earlier in self.again.items()}
        found = {"whole": self.whole, "patched": patched, "again": again}
        return {name: value for name, value in found.items() if value}


def plan_epochs(
    documents_at: DocumentsAt,
    transitions: Sequence[Instant],
    start: Instant,
    limits: EpochLimits,
    documents_after: DocumentsAt = lambda _: (),
) -> EpochPlan:
    """Return the epochs from a build to a horizon.

    Args:
        documents_at: the documents that may change, at an instant.
        transitions: the instants in between at which a document may change, in order.
        start: the instant since which the documents are as the build publishes them.
        limits: where to stop.
        documents_after: documents that differ once the epochs have ended, at their end.
    """
    versions = {document.path: DocumentVersions(0, document) for document in documents_at(start)}
    instants = [start]
    until, cut = limits.horizon, False

    def differing(documents: Iterable[Document]) -> dict[str, Document]:
        return {
            document.path: document
            for document in documents
            if document.path not in versions or versions[document.path].present.body != document.body
        }

    def begin(since: Instant, changed: dict[str, Document]) -> None:
        if not changed:
            return
        for path, document in changed.items():
            if path in versions:
                versions[path].add(len(instants), document)
            else:
                versions[path] = DocumentVersions(len(instants), document)
        instants.append(since)

    last: dict[str, Document] = {}
    for transition in transitions:
        changed = differing(documents_at(transition))
        if changed and len(instants) > limits.max_epochs:
            until, cut = transition, True
            break
        if transition == until:
            last = changed
        else:
            begin(transition, changed)
    begin(until, differing({**last, **{one.path: one for one in documents_after(until)}}.values()))
    changing = {path: one for path, one in versions.items() if one.files.keys() | one.again.keys() != {0}}
    return EpochPlan(tuple(instants), until, changing, cut)


def epoch_documents(plan: EpochPlan) -> list[Document]:
    """Return the files of the epochs, and the index."""
    index = {
        "until": _timestamp(plan.until),
        "complete": not plan.cut,
        "instants": [_timestamp(instant) for instant in plan.instants],
        "documents": {path: plan.versions[path].members() for path in sorted(plan.versions)},
    }
    files = [file for path in plan.versions for file in epoch_files(plan, path)]
    return [*files, Document(path=EPOCHS.path(), body=encode_json(index), cache=EPOCHS.cache)]


def epoch_files(plan: EpochPlan, path: str) -> list[Document]:
    """Return the files of one document's epochs; none if it does not change."""
    return list(_files(plan.versions[path], plan.instants)) if path in plan.versions else []


def _files(versions: DocumentVersions, instants: Sequence[Instant]) -> Iterator[Document]:
    for number, document in versions.files.items():
        yield _file(document, _folder_name(instants[number]), whole=number in versions.whole)


def _file(document: Document, folder: str, *, whole: bool) -> Document:
    url, media_type = (EPOCH_DOCUMENT, document.media_type) if whole else (EPOCH_PATCH, JSON)
    path = url.path(epoch=folder, path=document.path)
    return document._replace(path=path, media_type=media_type, aliases=(), persistent=False)


def cut_finding(plan: EpochPlan) -> Finding | None:
    """Return the finding that the limit on epochs ended them early, or None."""
    if not plan.cut:
        return None
    limit = len(plan.instants) - 1
    return Finding(
        rule="epochs-within-limit",
        severity=Severity.WARNING,
        path="site.yaml",
        message=f"the limit of {limit} epochs is reached at {_timestamp(plan.until)}, before the horizon",
        hint="build again before that time, or raise status.max_epochs",
    )


def _folder_name(instant: Instant) -> str:
    return instant.strftime("%Y%m%dT%H%M%S") + f"{instant.microsecond // 1000:03}Z"


def _timestamp(instant: Instant) -> str:
    return instant.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
