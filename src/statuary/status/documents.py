"""List the documents of the status: final ones, current ones, and epochs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from statuary.base.findings import Finding
from statuary.base.primitives import Instant
from statuary.site.document import Document

if TYPE_CHECKING:
    from statuary.status.api.documents import StatusDocuments
    from statuary.status.api.epochs import EpochPlan
    from statuary.status.feeds.feed_documents import FeedDocuments
    from statuary.status.model.incident_history import IncidentState
    from statuary.status.pages.pages import StatusPages
    from statuary.status.pages.status_page import Quarter
from statuary.site.pages.try_make import try_make


def final_documents(
    status: "StatusDocuments", pages: "StatusPages | None", record: "IncidentState"
) -> Iterator[Document]:
    """Yield the document and the page of a record that no longer changes.

    Args:
        pages: the pages; None to omit the record's.
        record: the final state of an incident or maintenance.
    """
    yield status.closed_document(record)
    if pages is not None:
        yield pages.incident_page(record)


def quarter_documents(pages: "StatusPages", quarter: "Quarter", at: Instant) -> Iterator[Document]:
    """Yield the history page of a quarter."""
    yield pages.quarter_page(quarter, at)


def feed_documents(
    feeds: "FeedDocuments", component_id: str, records: "tuple[IncidentState, ...]", at: Instant
) -> Iterator[Document]:
    """Yield the feed of a component, which lists the given records."""
    yield feeds.component_feed(component_id, records, at)


def timed_documents(
    status: "StatusDocuments", feeds: "FeedDocuments | None", pages: "StatusPages | None", start: Instant
) -> Callable[[Instant], list[Document]]:
    """Return a function that makes documents and pages for a time.

    It skips those that can no longer change after `start`, the earliest time. At a time when no status
    changes (a midnight, or each hour of an outage), it makes only those that show uptime.
    """
    status_after = status.documents_from(start)
    feeds_after = (lambda _: []) if feeds is None else feeds.documents_from(start)
    pages_after = (lambda _: []) if pages is None else pages.documents_from(start)
    changes = frozenset((start, *status.timeline.changes))

    def documents_at(at: Instant) -> list[Document]:
        return [*status_after(at), *(feeds_after(at) if at in changes else ()), *pages_after(at)]

    return documents_at


def status_documents(
    current_documents: Sequence[Document],
    epochs: "EpochPlan | None",
    skipped: list[Finding],
    *,
    read_published: Callable[[str], bytes | None],
    members: Mapping[str, Mapping[str, object]],
) -> Iterator[Document]:
    """Yield the current documents, their later versions, and `changes.json`.

    Args:
        epochs: the later versions to publish; None to omit them.
        skipped: receives a finding for each document that cannot be made; the others are still yielded.
        read_published: returns the bytes at a path of the target before this build, or None.
        members: additional members of incidents in changes.json.
    """
    from statuary.status.api.epochs import epoch_documents
    from statuary.status.feeds.status_changes import changes_document

    yield from current_documents
    if epochs is not None:
        yield from try_make("the epochs", lambda: epoch_documents(epochs), skipped)
    yield from try_make(
        "changes.json", lambda: [changes_document(read_published, current_documents, members)], skipped
    )
