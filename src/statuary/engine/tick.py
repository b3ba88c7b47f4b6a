"""Move a published site to an instant between its build and the horizon, from the files of its epochs."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from statuary.base.files import PublishingError
from statuary.base.findings import Finding
from statuary.base.primitives import Instant, format_utc
from statuary.engine.manifest_step import list_files
from statuary.engine.stages import NO_OPTIONS, Additions, ExtensionOptions, open_published_stages
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.ledger.schema import LedgerEntry
from statuary.site import url_table
from statuary.site.document import Document
from statuary.status.api.epoch_index import StoredDocument, read_epoch_index
from statuary.status.feeds.status_changes import COMPARED_PATHS, changes_document


class TickResult(NamedTuple):
    """What a tick did."""

    changed: list[str]  # the paths of the status that it changed
    line: str  # what stages say in the summary
    findings: list[Finding]  # what went wrong in stages


def tick(
    root: Path, now: Instant, extension_options: ExtensionOptions = NO_OPTIONS, *, dry_run: bool = False
) -> TickResult:
    """Replace the documents of a published site with those of an instant; return the changed paths.

    Args:
        root: the folder.
        now: the instant.
        extension_options: the options of the extensions that the site has.
        dry_run: change nothing, and say nothing of extensions.

    Raises:
        PublishingError: if the site has no epochs, was built for a later instant, or is being built.
    """
    index = read_epoch_index(root)
    if now < index.start:
        raise PublishingError(
            f"the site is as of {format_utc(index.start)} or later, and not of {format_utc(now)}",
            "run `statuary build --now` for that instant",
        )
    with FolderTarget(root) as target:
        target.ledger.keep_unoffered()
        stored = {path: index.document_at(path, now) for path in sorted(index.documents)}
        moved = _moved(target, stored)
        absent = (path for path, document in stored.items() if document is None)
        removed = [path for path in absent if target.ledger.entry(path) is not None]
        changed = _changed_paths(moved, removed)
        if dry_run:
            return TickResult(changed, "", [])
        stages = open_published_stages(extension_options, now, target)
        additions = stages.extend(lambda: _incidents(target, moved, removed), contracts=False)
        _offer(target, moved, removed, additions)
        line, late = stages.complete()
        documents = target.ledger.documents
        if any(documents.changed()) or any(documents.leaving()):
            late += list_files(target, index.latest_by(now))
            target.apply()
            late += stages.applied()
    return TickResult(changed, line, [*additions.findings, *late])


def _changed_paths(moved: list[Document], removed: list[str]) -> list[str]:
    changed = [*(document.path for document in moved), *removed]
    return [*changed, url_table.CHANGES.path()] if changed else []


def _offer(target: FolderTarget, moved: list[Document], removed: list[str], additions: Additions) -> None:
    if moved or removed:
        target.ledger.documents.remove_unless_offered(removed)
        target.offer([*moved, _changes(target, moved, additions)])


def _incidents(target: FolderTarget, moved: list[Document], removed: list[str]) -> list[Document]:
    """Return the documents of all incidents and maintenances after the change."""
    new = {document.path: document.body for document in moved}
    paths = {*target.ledger.documents.below("incidents"), *new} - set(removed)
    bodies = (
        (path, new.get(path) or target.published(path))
        for path in sorted(paths)
        if url_table.incident_of(path)
    )
    return [Document(path=path, body=body) for path, body in bodies if body is not None]


def _moved(target: FolderTarget, documents: Mapping[str, StoredDocument | None]) -> list[Document]:
    """Return the documents whose published bytes differ."""
    moved = []
    for path, stored in documents.items():
        source = None if stored is None else target.ledger.entry(stored.file)
        if stored is None or (stored.patch is None and _is_published(target, path, source)):
            continue
        body = stored.body(target.published)
        if source is None or body is None:
            name = stored.patch or stored.file
            raise PublishingError(f"the stored document {name} is missing or damaged", "run `statuary build`")
        if body != target.published(path):
            moved.append(Document(path=path, body=body, sources=tuple(source.sources.splitlines())))
    return moved


def _is_published(target: FolderTarget, path: str, source: LedgerEntry | None) -> bool:
    plain = target.ledger.entry(path)
    if plain is None or source is None or not source.digest:  # a new ledger has no digests
        return False
    return plain.digest == source.digest


def _changes(target: FolderTarget, moved: list[Document], additions: Additions) -> Document:
    """Return `changes.json` for documents that are about to change, the unchanged ones included."""
    bodies = {path: target.published(path) or b"null" for path in COMPARED_PATHS} | {
        document.path: document.body for document in moved
    }
    return changes_document(
        target.published,
        [Document(path=path, body=bodies[path]) for path in COMPARED_PATHS],
        additions.changes,
    )
