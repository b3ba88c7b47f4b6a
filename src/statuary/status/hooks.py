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
    """A section whose documents change with the status.

    For example, a language has its own status pages.
    """

    urls: "ClassVar[tuple[Url, ...]]"  # the paths that the section publishes
    feeds: "ClassVar[tuple[Url, ...]]" = ()  # the section's URLs that openapi.json lists with the feeds
    settings: object

    def documents_at(self, timeline: "Timeline", start: Instant, pages: "StatusPages | None") -> DocumentsAt:
        """Return a function that makes this section's documents for a time.

        Args:
            timeline: the status over time.
            start: the earliest time that the function is called with.
            pages: the status pages; None if the site has none.
        """
        raise NotImplementedError


class PublishesIncidents:
    """A section that can return the documents of all incidents."""

    def incident_documents(self) -> Sequence[Document]:
        """Return the API documents of all incidents and maintenance windows.

        All documents are returned, even those that this build does not rewrite.
        """
        raise NotImplementedError


class PreviousVersions(NamedTuple):
    """Earlier versions of edited updates, for incident pages and `changes.json`.

    Attributes:
        previous_versions: the earlier published versions of updates, by the update's id.
        changes: the additional members in `changes.json`, by the incident's id.
    """

    previous_versions: "Mapping[str, tuple[PreviousVersion, ...]]" = MappingProxyType({})
    changes: Mapping[str, Mapping[str, object]] = MappingProxyType({})
