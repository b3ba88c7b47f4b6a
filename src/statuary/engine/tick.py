"""Move a published site to a later instant, using the files of its epochs."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from statuary.base.files import PublishingError
from statuary.base.findings import Finding
from statuary.base.primitives import Instant, format_utc
from statuary.engine.manifest_step import write_manifest
from statuary.engine.report import BuildReport
from statuary.engine.section import Run, SectionResult
from statuary.engine.sections import NO_OPTIONS, ExtensionOptions, Sections, published_sections
from statuary.publish.folder.folder_target import FolderTarget
from statuary.publish.ledger.schema import LedgerEntry
from statuary.site import url_table
from statuary.site.document import Document
from statuary.status.api.epoch_index import StoredDocument, read_epoch_index
from statuary.status.feeds.status_changes import COMPARED_PATHS, changes_document


class TickResult(NamedTuple):
    """The result of a tick."""

    changed_paths: list[str]  # the paths of the status that it changed
    line: str  # what sections say in the summary
    findings: list[Finding]  # what went wrong in sections


def tick(
    root: Path, now: Instant, extension_options: ExtensionOptions = NO_OPTIONS, *, dry_run: bool = False
) -> TickResult:
    """Replace a published site's documents with those of an instant.

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
        target.ledger.set_partial()
        stored = {path: index.document_at(path, now) for path in sorted(index.documents)}
        moved = _changed_documents(target, stored)
        absent = (path for path, document in stored.items() if document is None)
        removed = [path for path in absent if target.ledger.entry(path) is not None]
        changed_paths = _changed_paths(moved, removed)
        if dry_run:
            return TickResult(changed_paths, "", [])
        report = BuildReport()
        run = Run(now, target, extension_options.to, incidents=lambda: _incidents(target, moved, removed))
        sections = Sections(published_sections(extension_options, target), run, report)
        _add_documents(target, moved, removed, sections.build())
        sections.finalize()
        documents = target.ledger.documents
        if any(documents.changed()) or any(documents.paths_to_remove()):
            report.skipped += write_manifest(target, index.latest_by(now))
            target.apply()
            sections.on_published()
    return TickResult(changed_paths, "\n".join(report.lines), report.skipped)


def _changed_paths(changed_documents: list[Document], removed: list[str]) -> list[str]:
    paths = [*(document.path for document in changed_documents), *removed]
    return [*paths, url_table.CHANGES.path()] if paths else []


def _add_documents(
    target: FolderTarget, changed_documents: list[Document], removed: list[str], result: SectionResult
) -> None:
    if changed_documents or removed:
        target.ledger.documents.remove_unless_added(removed)
        target.add([*changed_documents, _changes(target, changed_documents, result)])


def _incidents(target: FolderTarget, changed_documents: list[Document], removed: list[str]) -> list[Document]:
    """Return the documents of all incidents and maintenances after the change."""
    new = {document.path: document.body for document in changed_documents}
    paths = {*target.ledger.documents.paths_under("incidents"), *new} - set(removed)
    bodies = (
        (path, new.get(path) or target.published(path))
        for path in sorted(paths)
        if url_table.incident_of(path)
    )
    return [Document(path=path, body=body) for path, body in bodies if body is not None]


def _changed_documents(
    target: FolderTarget, documents: Mapping[str, StoredDocument | None]
) -> list[Document]:
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


def _changes(target: FolderTarget, changed_documents: list[Document], result: SectionResult) -> Document:
    """Return `changes.json` for documents that are about to change, the unchanged ones included."""
    bodies = {path: target.published(path) or b"null" for path in COMPARED_PATHS} | {
        document.path: document.body for document in changed_documents
    }
    return changes_document(
        target.published,
        [Document(path=path, body=bodies[path]) for path in COMPARED_PATHS],
        result.changes,
    )
