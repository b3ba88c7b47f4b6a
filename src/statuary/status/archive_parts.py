"""The documents of a status that can no longer change, in parts that later builds reuse."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from statuary.base.primitives import Instant
from statuary.publish.fingerprint import digest_of
from statuary.site.document import Document
from statuary.status.model.incident_history import IncidentState

if TYPE_CHECKING:
    from statuary.status.api.documents import StatusDocuments
    from statuary.status.feeds.feed_documents import FeedDocuments
    from statuary.status.pages.pages import StatusPages
    from statuary.status.pages.status_page import Quarter


class FinalRecord(NamedTuple):
    """An incident or maintenance window that can no longer change."""

    digest: str  # the digest of the record's inputs, except the program and `SiteStatus.shared_inputs`
    documents: Callable[[], Iterable[Document]]


class ArchivePart(NamedTuple):
    """A set of documents that can no longer change.

    Later builds reuse them together. For example, the documents of one month, the feed of one component, or the
    page of one quarter.
    """

    name: str
    digest: str  # the digest of the part's inputs, except the program and `SiteStatus.shared_inputs`
    own_documents: Callable[[], Iterable[Document]]  # the documents that belong to no single record
    records: tuple[FinalRecord, ...] = ()

    def documents(self) -> Iterator[Document]:
        """Make all documents of this set: those of its incidents, and its own."""
        for record in self.records:
            yield from record.documents()
        yield from self.own_documents()


@dataclass(frozen=True)
class StatusArchive:
    """The ended incidents and maintenance windows, and the makers of their documents.

    Attributes:
        feeds: the feeds; None if the site has none.
        pages: the pages; None if the site has none.
        digests: the digest of each final state and its effect on components.
        record_documents: makes the API document and the page of a final state.
    """

    now: Instant
    api: "StatusDocuments"
    feeds: "FeedDocuments | None"
    pages: "StatusPages | None"
    digests: Mapping[IncidentState, str]
    record_documents: Callable[[IncidentState], Iterator[Document]]

    def parts(self) -> list[ArchivePart]:
        """Divide the documents that can no longer change into sets.

        There is one set for each month, feed of a component, and quarter. A later build reuses a set whose inputs are
        the same.
        """
        return [*self._months(), *self._feeds(), *self._quarters()]

    def _months(self) -> Iterator[ArchivePart]:
        for month, records in self.api.archived_months.items():
            final = tuple(map(self._final_record, records.unchanging_states_after(self.now)))
            if final:
                digest = digest_of([record.digest for record in final], records.is_unchanging_after(self.now))
                archive = partial(self.api.final_archive, month, self.now)
                yield ArchivePart(f"month {month}", digest, archive, final)

    def _final_record(self, record: IncidentState) -> FinalRecord:
        digest = digest_of(self.digests[record], self.api.closed_document_inputs(record))
        return FinalRecord(digest, partial(self.record_documents, record))

    def _feeds(self) -> Iterator[ArchivePart]:
        feeds = self.feeds
        if feeds is None:
            return

        def documents(component_id: str, records: tuple[IncidentState, ...]) -> Iterator[Document]:
            yield feeds.component_feed(component_id, records, self.now)

        for component_id, records in feeds.final_feeds(self.now).items():
            digest = digest_of([self.digests[record] for record in records])
            yield ArchivePart(f"feed {component_id}", digest, partial(documents, component_id, records))

    def _quarters(self) -> Iterator[ArchivePart]:
        pages = self.pages
        if pages is None:
            return

        def documents(quarter: "Quarter") -> Iterator[Document]:
            yield pages.quarter_page(quarter, self.now)

        quarters = pages.started_quarters(self.now)
        for quarter in quarters.final:
            digest = digest_of(
                [self.digests[record] for record in quarters.records[quarter]], list(quarters.records)
            )
            yield ArchivePart(f"quarter {quarter}", digest, partial(documents, quarter))
