"""Move a published site's status to a later instant."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from typing_extensions import override

from statuary.base.files import PublishingError
from statuary.base.primitives import Instant
from statuary.publish.ledger.schema import LedgerEntry
from statuary.publish.target import BuildTarget
from statuary.section import ContentSection, Run, SectionResult
from statuary.site.document import Document
from statuary.status import urls as status_urls
from statuary.status.api.epoch_index import EpochIndex, StoredDocument
from statuary.status.feeds.status_changes import COMPARED_PATHS, changes_document
from statuary.status.hooks import PreviousVersions, PublishesIncidents


class MovedStatus(ContentSection, PublishesIncidents):
    """The status section during `statuary tick`.

    The section publishes versions that the last build precomputed, and does not read the content.
    """

    def __init__(self, target: BuildTarget, index: EpochIndex, now: Instant) -> None:
        """Look up the document versions that are valid at a time.

        Args:
            target: the published site.
            index: the versions that the last build wrote ahead.
            now: the time to show.
        """
        super().__init__()
        self._target = target
        self._stored: Mapping[str, StoredDocument | None] = {
            path: index.document_at(path, now) for path in sorted(index.documents)
        }

    @property
    def changed_paths(self) -> list[str]:
        """The paths of documents that were changed or removed.

        The last one is the path of `changes.json`, which lists the changes. If nothing has changed, there are
        no paths.
        """
        paths = [*(document.path for document in self._moved_documents), *self._removed_paths]
        return [*paths, status_urls.CHANGES.path()] if paths else []

    @override
    def incident_documents(self) -> Sequence[Document]:
        new = {document.path: document.body for document in self._moved_documents}
        paths = {*self._target.ledger.documents.paths_under("incidents"), *new} - set(self._removed_paths)
        bodies = (
            (path, new.get(path) or self._target.read_published(path))
            for path in sorted(paths)
            if status_urls.incident_id_of_path(path)
        )
        return [Document(path=path, body=body) for path, body in bodies if body is not None]

    @override
    def build(self, run: Run) -> SectionResult | None:
        if self._moved_documents or self._removed_paths:
            former = run.result_of(PreviousVersions) or PreviousVersions()
            self._target.ledger.documents.remove_unless_added(self._removed_paths)
            self._target.add([*self._moved_documents, self._changes_document(former)])
        return None

    @cached_property
    def _removed_paths(self) -> list[str]:
        absent = (path for path, document in self._stored.items() if document is None)
        return [path for path in absent if self._target.ledger.find_entry(path) is not None]

    @cached_property
    def _moved_documents(self) -> list[Document]:
        return list(self._changed_documents())

    def _changed_documents(self) -> Iterator[Document]:
        """Yield the new versions of the documents that change.

        Raises:
            PublishingError: if a stored document is missing or damaged.
        """
        for path, stored in self._stored.items():
            source = None if stored is None else self._target.ledger.find_entry(stored.file)
            if stored is None or (stored.patch is None and self._is_published(path, source)):
                continue
            body = stored.body(self._target.read_published)
            if source is None or body is None:
                name = stored.patch or stored.file
                raise PublishingError(
                    f"the stored document {name} is missing or damaged", "run `statuary build`"
                )
            if body != self._target.read_published(path):
                yield Document(path=path, body=body, sources=tuple(source.sources.splitlines()))

    def _is_published(self, path: str, source: LedgerEntry | None) -> bool:
        plain = self._target.ledger.find_entry(path)
        if plain is None or source is None or not source.digest:  # a new ledger has no digests
            return False
        return plain.digest == source.digest

    def _changes_document(self, former: PreviousVersions) -> Document:
        bodies = {path: self._target.read_published(path) or b"null" for path in COMPARED_PATHS} | {
            document.path: document.body for document in self._moved_documents
        }
        return changes_document(
            self._target.read_published,
            [Document(path=path, body=bodies[path]) for path in COMPARED_PATHS],
            former.changes,
        )
