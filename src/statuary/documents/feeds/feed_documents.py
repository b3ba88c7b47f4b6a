"""The plain list of the feeds, the calendar and the badges at one instant."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial

from statuary.documents.document import Document
from statuary.documents.feeds.atom_feed import atom_feed
from statuary.documents.feeds.badges import Badge, component_badge, page_badge, shields_endpoint, svg
from statuary.documents.feeds.feed import Feed
from statuary.documents.feeds.feed_entries import FeedEntry, feed_entry, latest_records, newest_first, tag_uri
from statuary.documents.feeds.json_feed import json_feed
from statuary.documents.feeds.maintenance_calendar import maintenance_calendar
from statuary.documents.feeds.rss_feed import rss_feed
from statuary.documents.feeds.update_bodies import one_line
from statuary.documents.url import Url
from statuary.documents.url_table import (
    BADGE,
    BADGE_ENDPOINT,
    CALENDAR,
    COMPONENT_ATOM,
    COMPONENT_BADGE,
    COMPONENT_BADGE_ENDPOINT,
    FEED,
    HISTORY_ATOM,
    HISTORY_RSS,
)
from statuary.domain.primitives import Instant
from statuary.domain.status.components import Component
from statuary.domain.status.incident_history import IncidentState
from statuary.domain.status.page_state import PageState
from statuary.domain.status.status_catalogue import StatusCatalogue
from statuary.domain.status.timeline import Timeline, build_timeline, state_at

FORMATS: tuple[tuple[Url, Callable[[Feed, str], bytes]], ...] = (
    (HISTORY_ATOM, atom_feed),
    (HISTORY_RSS, rss_feed),
    (FEED, json_feed),
)
"""What the history of the page is published as."""

CALENDAR_EVENTS = 50
"""How many maintenances the calendar holds: as many as Statuspage's list; what is not closed stays beyond that."""


def feed_documents(catalogue: StatusCatalogue, at: Instant) -> list[Document]:
    """Return every feed, the calendar and every badge as they read at an instant."""
    return FeedDocuments(build_timeline(catalogue, at)).documents_at(at)


class FeedDocuments:
    """A timeline that can be asked for its feeds and badges at any instant; what stays the same is made once."""

    def __init__(self, timeline: Timeline) -> None:
        """Take a timeline, laid out at least as far as the latest instant that will be asked for."""
        self.timeline = timeline
        self._entries: dict[IncidentState, FeedEntry] = {}
        self._made: dict[str, tuple[Hashable, Document]] = {}

    def documents_at(self, at: Instant) -> list[Document]:
        """Return every feed, the calendar and every badge as they read at an instant."""
        state = state_at(self.timeline, at)
        records = newest_first([*state.incidents, *state.maintenances])
        return [
            *self._history(state, records),
            self._calendar(state),
            *self._badges(page_badge(state.page.name, state.overall_status), BADGE, BADGE_ENDPOINT),
            *self._components(state, records),
        ]

    def _history(self, state: PageState, records: Sequence[IncidentState]) -> Iterator[Document]:
        listed = latest_records(records)
        for url, write in FORMATS:
            feed = partial(self._page_feed, state, listed)
            yield self._document(url, (state.updated_at, listed), partial(_written, write, feed))

    def _page_feed(self, state: PageState, listed: Sequence[IncidentState]) -> Feed:
        page, name = state.page, one_line(state.page.name)
        entries = self._told(state, listed)
        return Feed(
            id=tag_uri(page, "/history"),
            title=f"{_title(name)} - Incident History",
            description=f"Incidents and scheduled maintenances of {name}",
            home=page.url,
            author=name,
            # an import may state a change of the page that is older than its newest incident
            updated=max((state.updated_at, *(told.updated for told in entries))),
            zone=page.time_zone,
            entries=entries,
        )

    def _components(self, state: PageState, records: Sequence[IncidentState]) -> Iterator[Document]:
        of_component = _by_component(records, self.timeline.catalogue.components)
        for component_id, component in state.components.items():
            if component.component.removed:
                continue
            listed = latest_records(of_component[component_id])
            feed = partial(self._component_feed, state, component.component, listed)
            yield self._document(
                COMPONENT_ATOM, listed, partial(_written, atom_feed, feed), component_id=component_id
            )
            badge = component_badge(component)
            yield from self._badges(
                badge, COMPONENT_BADGE, COMPONENT_BADGE_ENDPOINT, component_id=component_id
            )

    def _component_feed(
        self, state: PageState, component: Component, listed: Sequence[IncidentState]
    ) -> Feed:
        page, name = state.page, one_line(component.name)
        entries = self._told(state, listed)
        return Feed(
            id=tag_uri(page, f"/components/{component.id}/history"),
            title=f"{_title(one_line(page.name))} - Incident History of {name}",
            description=f"Incidents and scheduled maintenances of {name}",
            home=page.url,
            author=one_line(page.name),
            # what happens to other components does not concern its readers
            updated=max((told.updated for told in entries), default=component.created_at),
            zone=page.time_zone,
            entries=entries,
        )

    def _calendar(self, state: PageState) -> Document:
        listed = latest_records(state.maintenances, CALENDAR_EVENTS)
        return self._document(CALENDAR, listed, lambda address: maintenance_calendar(state, address, listed))

    def _badges(self, badge: Badge, picture: Url, endpoint: Url, **members: str) -> Iterator[Document]:
        yield self._document(picture, badge, lambda _: svg(badge), **members)
        yield self._document(endpoint, badge, lambda _: shields_endpoint(badge), **members)

    def _told(self, state: PageState, listed: Sequence[IncidentState]) -> tuple[FeedEntry, ...]:
        for record in listed:
            if record not in self._entries:
                self._entries[record] = feed_entry(record, state)
        return tuple(self._entries[record] for record in listed)

    def _document(self, url: Url, key: Hashable, write: Callable[[str], bytes], **members: str) -> Document:
        """Return a document, made anew only if what it is made from (its key) is not what it last was."""
        path = url.path(**members)
        made = self._made.get(path)
        if made is None or made[0] != key:
            body = write(f"{self.timeline.catalogue.page.url}/{path}")
            made = self._made[path] = (key, _of(url, path, body))
        return made[1]


def _of(url: Url, path: str, body: bytes) -> Document:
    return Document(path=path, body=body, media_type=url.media_type, cache=url.cache)


def _written(write: Callable[[Feed, str], bytes], feed: Callable[[], Feed], address: str) -> bytes:
    return write(feed(), address)


def _title(page_name: str) -> str:
    return page_name if page_name.endswith("Status") else f"{page_name} Status"


def _by_component(
    records: Sequence[IncidentState], components: Sequence[Component]
) -> dict[str, list[IncidentState]]:
    """Return for each component and group the records that are about it, in their order."""
    groups = {component.id: component.group_id for component in components}
    found: dict[str, list[IncidentState]] = defaultdict(list)
    for record in records:
        concerned = dict.fromkeys(record.components)
        concerned |= dict.fromkeys(group for group in map(groups.get, record.components) if group is not None)
        for component_id in concerned:
            found[component_id].append(record)
    return found
