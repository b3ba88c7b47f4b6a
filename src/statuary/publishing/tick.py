"""Move a published site to an instant between its build and the horizon, from the files of its epochs."""

from collections.abc import Mapping
from pathlib import Path

from statuary.documents import url_table
from statuary.documents.document import Document
from statuary.documents.feeds.status_changes import COMPARED_PATHS, changes_document
from statuary.domain.primitives import Instant
from statuary.publishing.epoch_index import read_epoch_index
from statuary.publishing.errors import PublishingError
from statuary.publishing.folder.folder_target import FolderTarget
from statuary.publishing.snapshot_paths import FOLDER, is_snapshot_path


def tick(root: Path, now: Instant) -> list[str]:
    """Replace the documents of a published site with those of an instant; return the changed paths.

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
        moved = _moved(target, index.files_at(now))
        removed = [path for path in sorted(index.absent_at(now)) if target.ledger.entry(path) is not None]
        if moved or removed:
            target.ledger.documents.remove_unless_offered(removed)
            target.offer([*moved, _changes(target, moved)])
            # the site is not the snapshot any more that it was published from
            own = filter(is_snapshot_path, target.ledger.documents.made_from("", FOLDER))
            target.ledger.documents.remove_unless_offered(own)
            target.apply()
    changed = [*(document.path for document in moved), *removed]
    return [*changed, url_table.CHANGES.path()] if changed else []


def _moved(target: FolderTarget, documents: Mapping[str, str]) -> list[Document]:
    """Return the documents whose published bytes differ."""
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
