"""Moving a published site to the present, from the epochs that its build wrote beforehand.

Needs neither content nor a build: the documents of every instant up to the horizon lie in the site already.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.documents import url_table
from statuary.documents.document import Document
from statuary.documents.feeds.status_changes import COMPARED_PATHS, changes_document
from statuary.domain.primitives import Instant, InvalidValueError, parse_instant
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.folder_target import FolderTarget


class EpochIndex(NamedTuple):
    """What a site knows of its own future.

    Attributes:
        start: the instant that it was built for.
        until: up to when the epochs are right.
        epochs: the instants at which documents change, in order, each with where those documents lie.
    """

    start: Instant
    until: Instant
    epochs: tuple[tuple[Instant, Mapping[str, str]], ...]

    def documents_at(self, now: Instant) -> Mapping[str, str]:
        """Return where the documents lie that differ, at an instant, from those the build published."""
        begun = [documents for since, documents in self.epochs if since <= now]
        return begun[-1] if begun else {}

    def next_after(self, now: Instant) -> Instant | None:
        """Return the first instant after `now` at which a document changes; None if no such is known."""
        return next((since for since, _ in self.epochs if since > now), None)


def read_epoch_index(folder: Path) -> EpochIndex:
    """Return the epoch index of a published site.

    Raises:
        PublishingRefused: if there is none, or it cannot be read.
    """
    file = folder / url_table.EPOCHS.path()
    try:
        index = orjson.loads(file.read_bytes())
        return EpochIndex(
            start=parse_instant(index["from"]),
            until=parse_instant(index["until"]),
            epochs=tuple((parse_instant(epoch["from"]), epoch["documents"]) for epoch in index["epochs"]),
        )
    except OSError as error:
        raise PublishingError(f"{file} cannot be read: {error.strerror}", "run `statuary build`") from None
    except (orjson.JSONDecodeError, KeyError, TypeError, InvalidValueError):
        raise PublishingError(f"{file} is no epoch index", "run `statuary build`") from None


def tick(root: Path, now: Instant) -> list[str]:
    """Make the documents of a published site those of an instant; return the paths that changed.

    Raises:
        PublishingError: if the site has no epochs, was built for a later instant, or is being built.
    """
    index = read_epoch_index(root)
    if now < index.start:
        raise PublishingError(
            f"the site was built for {index.start.isoformat()}, which is later than {now.isoformat()}",
            "run `statuary build --now` for that instant",
        )
    with FolderTarget(root) as target:
        target.ledger.keep_unoffered()
        moved = _moved(target, index.documents_at(now))
        if moved:
            target.offer([*moved, _changes(target, moved)])
            target.apply()
    return [*(document.path for document in moved), *([url_table.CHANGES.path()] if moved else [])]


def _moved(target: FolderTarget, documents: Mapping[str, str]) -> list[Document]:
    """Return the documents that are not in place yet."""
    moved, ledger = [], target.ledger
    for path, stored in sorted(documents.items()):
        plain, source = ledger.entry(path), ledger.entry(stored)
        body = target.published(stored)
        if source is None or body is None:
            raise PublishingError(f"the stored document {stored} is missing", "run `statuary build`")
        if plain is None or plain.digest != source.digest:
            moved.append(Document(path=path, body=body, sources=tuple(source.sources.splitlines())))
    return moved


def _changes(target: FolderTarget, moved: list[Document]) -> Document:
    """Return `changes.json` for documents that are about to change, the unchanged ones included."""
    bodies = {path: target.published(path) or b"null" for path in COMPARED_PATHS} | {
        one.path: one.body for one in moved
    }
    return changes_document(
        target.published, [Document(path=path, body=bodies[path]) for path in COMPARED_PATHS]
    )
