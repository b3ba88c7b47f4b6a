"""Make feeds, the calendar and badges at an instant."""

from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from statuary.base.primitives import Instant
from statuary.site.document import Document
from statuary.site.urls import Url
from statuary.status.feeds.badges import Badge, badge_svg, component_badge, encode_shields_badge, page_badge
from statuary.status.feeds.feed import (
    Feed,
    FeedEntry,
    atom_feed,
    feed_entry,
    json_feed,
    latest_records,
    newest_published_first,
    one_line,
    rss_feed,
    tag_uri,
)
from statuary.status.feeds.feed_words import ENGLISH, Words
from statuary.status.feeds.maintenance_calendar import maintenance_calendar
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.records import Component
from statuary.status.model.timeline import PageState, Timeline, page_state_at, page_states_from
from statuary.status.urls import (
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

FORMATS: tuple[tuple[Url, Callable[[Feed, str], bytes]], ...] = (
    (HISTORY_ATOM, atom_feed),
    (HISTORY_RSS, rss_feed),
    (FEED, json_feed),
)
"""The formats of the page's history."""

CALENDAR_EVENTS = 50
"""The number of maintenance windows in the calendar, as in Statuspage's list, in addition to open ones."""


class FeedLists(NamedTuple):
    """The incidents and maintenance windows that feeds and the calendar list."""

    history: tuple[IncidentState, ...]
    calendar: tuple[IncidentState, ...]
    components: dict[str, tuple[IncidentState, ...]]  # the incidents of each component or group, by its id


class FeedDocuments:
    """Makes the feeds, the calendar and the badges; reuses unchanged ones."""

    def __init__(self, timeline: Timeline, words: Words = ENGLISH) -> None:
        """Prepare the feeds of a timeline.

        Args:
            timeline: the status over time; it must extend to each instant that is asked for.
            words: the words in the language of the feeds.
        """
        self.timeline, self._words = timeline, words
        self._entries: dict[IncidentState, FeedEntry] = {}
        self._cache: dict[str, tuple[Hashable, Document]] = {}

    def documents_at(self, at: Instant) -> list[Document]:
        """Make all feeds, badges and the calendar as of a given time."""
        return self._documents_of_state(page_state_at(self.timeline, at))

    def documents_from(self, earliest_time: Instant) -> Callable[[Instant], list[Document]]:
        """Return a function that makes feeds, calendar and badges for a time.

        The function leaves out the feed of a component if no incident changes it any more.

        Args:
            earliest_time: the earliest time that the function is called with.
        """
        states = page_states_from(
            self.timeline, earliest_time, self.records_in_changing_documents(earliest_time)
        )
        final = self.final_feeds(earliest_time)
        return lambda at: self._documents_of_state(states(at), final)

    def final_feeds(self, start: Instant) -> dict[str, tuple[IncidentState, ...]]:
        """Return the feeds of components that can no longer change.

        A feed is final if no incident or maintenance window of its component changes after `start`.

        Returns:
            The incidents and windows in each feed, by component id.
        """
        groups = {component.id: component.group_id for component in self.timeline.catalogue.components}
        opened = {
            name
            for history in self.timeline.histories
            if not history.is_unchanging_after(start)
            for component in history.components
            for name in (component, groups.get(component))
        }
        state = page_state_at(self.timeline, start)
        component_ids = (
            name for name, component in state.components.items() if not component.component.removed
        )
        lists = self._feed_lists(state).components
        return {name: lists[name] for name in component_ids if name not in opened}

    def component_feed(self, component_id: str, records: tuple[IncidentState, ...], at: Instant) -> Document:
        """Return the Atom feed of a component.

        Args:
            component_id: the component's id.
            records: the incidents and maintenances that the feed lists.
            at: the time at which the feed shows the component.
        """
        state = page_state_at(self.timeline, at)
        feed = partial(self._component_feed, state, state.components[component_id].component, records)
        return self._cached_document(
            COMPONENT_ATOM, records, partial(_encode_feed, atom_feed, feed), component_id=component_id
        )

    def records_in_changing_documents(self, at: Instant) -> list[IncidentState]:
        """Return the incidents and windows in the feeds and the calendar.

        Feeds of components that can no longer change are left out.

        Args:
            at: the time of the feeds.
        """
        lists = self._feed_lists(page_state_at(self.timeline, at))
        final = self.final_feeds(at)
        changing = (records for component, records in lists.components.items() if component not in final)
        return [*lists.history, *lists.calendar, *(record for records in changing for record in records)]

    def _documents_of_state(
        self, state: PageState, final_component_ids: Container[str] = ()
    ) -> list[Document]:
        lists = self._feed_lists(state)
        return [
            *self._history_feeds(state, lists.history),
            self._cached_document(
                CALENDAR,
                lists.calendar,
                partial(maintenance_calendar, state, maintenances=lists.calendar, words=self._words),
            ),
            *self._badge_documents(page_badge(state, self._words), BADGE, BADGE_ENDPOINT),
            *self._component_feeds_and_badges(state, lists.components, final_component_ids),
        ]

    def _feed_lists(self, state: PageState) -> "FeedLists":
        records = newest_published_first([*state.incidents, *state.maintenances])
        by_component = _group_by_component(records, self.timeline.catalogue.components)
        return FeedLists(
            history=latest_records(records),
            calendar=latest_records(state.maintenances, CALENDAR_EVENTS),
            components={component: latest_records(by_component[component]) for component in state.components},
        )

    def _history_feeds(self, state: PageState, records: Sequence[IncidentState]) -> Iterator[Document]:
        for url, write in FORMATS:
            feed = partial(self._page_feed, state, records)
            yield self._cached_document(url, (state.updated_at, records), partial(_encode_feed, write, feed))

    def _page_feed(self, state: PageState, records: Sequence[IncidentState]) -> Feed:
        page, name = state.page, one_line(state.page.name)
        entries = self._feed_entries(state, records)
        return Feed(
            id=tag_uri(page, "/history"),
            title=self._words("history", page=_feed_title(name)),
            description=self._words("about", name=name),
            home=page.url,
            author=name,
            # The update time of an imported page may be older than its newest incident, so take the latest of
            # all times.
            updated=max((state.updated_at, *(entry.updated for entry in entries))),
            zone=page.time_zone,
            entries=entries,
            language=self._words.language,
        )

    def _component_feeds_and_badges(
        self,
        state: PageState,
        lists: Mapping[str, tuple[IncidentState, ...]],
        final_component_ids: Container[str],
    ) -> Iterator[Document]:
        for component_id, component in state.components.items():
            if component.component.removed:
                continue
            if component_id not in final_component_ids:
                records = lists[component_id]
                feed = partial(self._component_feed, state, component.component, records)
                yield self._cached_document(
                    COMPONENT_ATOM, records, partial(_encode_feed, atom_feed, feed), component_id=component_id
                )
            badge = component_badge(component, self._words)
            yield from self._badge_documents(
                badge, COMPONENT_BADGE, COMPONENT_BADGE_ENDPOINT, component_id=component_id
            )

    def _component_feed(
        self, state: PageState, component: Component, records: Sequence[IncidentState]
    ) -> Feed:
        page, name = state.page, one_line(component.name)
        entries = self._feed_entries(state, records)
        return Feed(
            id=tag_uri(page, f"/components/{component.id}/history"),
            title=self._words("component_history", page=_feed_title(one_line(page.name)), name=name),
            description=self._words("about", name=name),
            home=page.url,
            author=one_line(page.name),
            updated=max((entry.updated for entry in entries), default=component.created_at),
            zone=page.time_zone,
            entries=entries,
            language=self._words.language,
        )

    def _badge_documents(
        self, badge: Badge, image_url: Url, endpoint_url: Url, **members: str
    ) -> Iterator[Document]:
        yield self._cached_document(image_url, badge, lambda _: badge_svg(badge), **members)
        yield self._cached_document(endpoint_url, badge, lambda _: encode_shields_badge(badge), **members)

    def _feed_entries(self, state: PageState, records: Sequence[IncidentState]) -> tuple[FeedEntry, ...]:
        for record in records:
            if record not in self._entries:
                self._entries[record] = feed_entry(record, state, self._words)
        return tuple(self._entries[record] for record in records)

    def _cached_document(
        self, url: Url, cache_key: Hashable, encode: Callable[[str], bytes], **members: str
    ) -> Document:
        """Return a document; encode it only if the last one had another cache key.

        Args:
            url: the row of the URL table for the document.
            cache_key: everything that the document depends on.
            encode: makes the body, given the document's URL.
            members: the values of the parameters in the document's path.
        """
        path = url.path(**members)
        cached = self._cache.get(path)
        if cached is None or cached[0] != cache_key:
            body = encode(f"{self.timeline.catalogue.page.url}/{path}")
            document = Document(path=path, body=body, media_type=url.media_type, cache=url.cache)
            cached = self._cache[path] = (cache_key, document)
        return cached[1]


def _encode_feed(encode: Callable[[Feed, str], bytes], make_feed: Callable[[], Feed], own_url: str) -> bytes:
    return encode(make_feed(), own_url)


def _feed_title(page_name: str) -> str:
    return page_name if page_name.endswith("Status") else f"{page_name} Status"


def _group_by_component(
    records: Sequence[IncidentState], components: Sequence[Component]
) -> dict[str, list[IncidentState]]:
    groups = {component.id: component.group_id for component in components}
    states: dict[str, list[IncidentState]] = defaultdict(list)
    for record in records:
        parents = (groups.get(component) for component in record.components)
        for component_id in dict.fromkeys([*record.components, *(group for group in parents if group)]):
            states[component_id].append(record)
    return states
