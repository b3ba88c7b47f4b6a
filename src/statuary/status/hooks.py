"""What the status asks of other sections, and its answers."""

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
"""Returns the documents of an instant."""


class FollowsStatus:
    """A section whose documents change with the status."""

    feeds: "ClassVar[tuple[Url, ...]]" = ()  # those that openapi.json lists with the feeds
    settings: object

    def documents_at(self, timeline: "Timeline", start: Instant, pages: "StatusPages | None") -> DocumentsAt:
        """Return a function that makes the section's documents, by time.

        Args:
            timeline: the status over time.
            start: the earliest time that the function is called with.
            pages: the status pages; None for a site without them.
        """
        raise NotImplementedError


class PublishesIncidents:
    """A section with documents of all incidents and windows."""

    def incident_documents(self) -> Sequence[Document]:
        """Return the documents of all incidents and maintenance windows.

        Documents that the run is about to change are included.
        """
        raise NotImplementedError


class FormerVersions(NamedTuple):
    """What an earlier section knows of the history of incidents."""

    # the earlier published versions of updates, by the update's id
    previous_versions: "Mapping[str, tuple[PreviousVersion, ...]]" = MappingProxyType({})
    # the additional members in `changes.json`, by the incident's id
    changes: Mapping[str, Mapping[str, object]] = MappingProxyType({})
