"""The documents of the status: those that do not change any more, those of an instant, and their epochs."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from statuary.site.pages.try_make import made


def final_documents(
    status: "StatusDocuments", pages: "tuple[StatusPages, Collection[str]] | None", month: str, start: Instant
) -> Iterator[Document]:
    """Yield the documents and pages of a month's records that do not change from an instant on.

    `pages` have no page of the records of some files; None is a site without status pages.
    """
    yield from status.final_documents(month, start)
    if pages is not None:
        status_pages, omitted = pages
        records = status.months[month].final_by(start)
        yield from (
            status_pages.incident_page(record) for record in records if record.incident.source not in omitted
        )


def quarter_documents(pages: "StatusPages", quarter: "Quarter", at: Instant) -> Iterator[Document]:
    """Yield the page of a quarter at an instant."""
    yield pages.quarter_page(quarter, at)


def feed_documents(
    feeds: "FeedDocuments", component_id: str, listed: "tuple[IncidentState, ...]", at: Instant
) -> Iterator[Document]:
    """Yield the feed of a component, given its records at an instant."""
    yield feeds.component_feed(component_id, listed, at)


def timed_documents(
    status: "StatusDocuments", feeds: "FeedDocuments | None", pages: "StatusPages | None", start: Instant
) -> Callable[[Instant], list[Document]]:
    """Return a function that returns the documents that may change, at an instant from `start` on.

    `feeds` and `pages` are None if they are left out. At a later instant without a change (a midnight, an hour of an
    outage) only the documents and pages with uptime are returned.
    """
    status_after = status.later_documents(start)
    feeds_after = (lambda _: []) if feeds is None else feeds.later_documents(start)
    pages_after = (lambda _: []) if pages is None else pages.later_documents(start)
    changes = frozenset((start, *status.timeline.changes))

    def documents_at(at: Instant) -> list[Document]:
        return [*status_after(at), *(feeds_after(at) if at in changes else ()), *pages_after(at)]

    return documents_at


def status_documents(
    present: Sequence[Document],
    epochs: "EpochPlan | None",
    left_out: list[Finding],
    *,
    published: Callable[[str], bytes | None],
    members: Mapping[str, Mapping[str, object]],
) -> Iterator[Document]:
    """Yield the timed documents, their epochs, and what the build changes.

    Args:
        present: the timed documents at the build's instant.
        epochs: None if they are left out.
        left_out: gains why documents cannot be made; the others are yielded all the same.
        published: returns the bytes at a path of the target before this build, or None.
        members: further members of what changes.json says, by incident.
    """
    from statuary.status.api.epochs import epoch_documents
    from statuary.status.feeds.status_changes import changes_document

    yield from present
    if epochs is not None:
        yield from made("the epochs", lambda: epoch_documents(epochs), left_out)
    yield from made("changes.json", lambda: [changes_document(published, present, members)], left_out)
