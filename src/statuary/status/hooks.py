"""Classes that other sections inherit to take part in the status."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from statuary.base.primitives import Instant
from statuary.site.document import Document

if TYPE_CHECKING:
    from statuary.site.pages.page_parts import PreviousVersion
    from statuary.site.urls import Url
    from statuary.status.model.timeline import Timeline
    from statuary.status.pages.pages import StatusPages

DocumentsAt = Callable[[Instant], Iterable[Document]]
"""A function from an instant to the documents at that instant."""


class FollowsStatus:
    """A section with documents that change when the status does."""

    feeds: "ClassVar[tuple[Url, ...]]" = ()  # the section's URLs that openapi.json lists with the feeds
    settings: object

    def documents_at(self, timeline: "Timeline", start: Instant, pages: "StatusPages | None") -> DocumentsAt:
        """Return a function from an instant to the section's documents then.

        Args:
            timeline: the status over time.
            start: the earliest instant that the function is called with.
            pages: the status pages; None for a site without them.
        """
        raise NotImplementedError


class PublishesIncidents:
    """A section that can list the documents of all incidents."""

    def incident_documents(self) -> Sequence[Document]:
        """Return the documents of all incidents and maintenance windows.

        Each is as of this run, whether the run rewrites the document or not.
        """
        raise NotImplementedError


class FormerVersions(NamedTuple):
    """Earlier versions of updates, for incident pages and `changes.json`."""

    # the earlier published versions of updates, by the update's id
    previous_versions: "Mapping[str, tuple[PreviousVersion, ...]]" = MappingProxyType({})
    # the additional members in `changes.json`, by the incident's id
    changes: Mapping[str, Mapping[str, object]] = MappingProxyType({})
