"""Publish each update as a message, for your own notification service."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from typing_extensions import override

from statuary.base.findings import Finding
from statuary.base.primitives import Instant, format_utc_shortest
from statuary.extensions.notify.events import ComponentChange, StatusEvent, iter_incident_events
from statuary.extensions.notify.messages import describe_event
from statuary.extensions.notify.pages import PARTS
from statuary.extensions.notify.settings import NotifySettings
from statuary.section import Run, Section
from statuary.site.document import Document, encode_json
from statuary.site.urls import SHORT_LIVED, PutStep, Url
from statuary.status.checks.named_components import unknown_component_findings
from statuary.status.feeds.feed import latest_records, newest_published_first
from statuary.status.feeds.feed_words import ENGLISH, Words
from statuary.status.hooks import FollowsStatus
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.records import StatusContent
from statuary.status.model.timeline import Timeline, page_state_at, page_states_from

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource
    from statuary.status.pages.pages import StatusPages

NOTIFICATION = Url(
    "notification",
    "notifications/{update_id}.json",
    "an update of the latest incidents and maintenances as a message: subject, text and HTML",
    cache=SHORT_LIVED,
    put=PutStep.BODY,
)
URLS = (NOTIFICATION,)


class NotifySection(Section, FollowsStatus):
    """The section that publishes updates as documents for mailing services."""

    urls = URLS
    feeds = URLS
    parts = PARTS

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        """Return the model that validates `notify` in site.yaml."""
        from statuary.extensions.notify.settings import SiteNotifySource

        return SiteNotifySource

    @override
    def findings(self, run: Run) -> Iterator[Finding]:
        """Report channels in site.yaml that name an unknown component."""
        if run.site is not None and isinstance(self.settings, NotifySettings):
            catalogue = run.site.content_of(StatusContent).catalogue
            yield from unknown_component_findings(
                catalogue, self.settings.list_channel_components(), run.site.source
            )

    @override
    def documents_at(
        self, timeline: Timeline, start: Instant, pages: "StatusPages | None"
    ) -> Callable[[Instant], Iterable[Document]]:
        """Return a function from a time to the messages about incidents."""
        if not isinstance(self.settings, NotifySettings) or not self.settings.messages:
            return lambda _: ()
        words = _get_feed_words(pages)
        states = page_states_from(timeline, start, list_feed_incidents(timeline, start))
        by_id = {history.incident.id: history for history in timeline.histories}
        documents_by_id: dict[str, Document] = {}

        def documents_at(at: Instant) -> Iterator[Document]:
            state = states(at)
            for record in latest_records(newest_published_first([*state.incidents, *state.maintenances])):
                for event in iter_incident_events(by_id[record.incident.id], at):
                    if event.id not in documents_by_id:
                        documents_by_id[event.id] = make_notification_document(event, timeline, words)
                    yield documents_by_id[event.id]

        return documents_at


def _get_feed_words(pages: "StatusPages | None") -> Words:
    from statuary.site.pages.rendering import renderer_of
    from statuary.status.feeds.feed_words import feed_words

    return ENGLISH if pages is None else feed_words(renderer_of(pages.site).localization.texts)


def list_feed_incidents(timeline: Timeline, at: Instant) -> tuple[IncidentState, ...]:
    """Return the incidents and maintenance windows for feeds, newest first.

    Feeds contain only the latest ones.

    Args:
        timeline: the status of the site over time.
        at: the time for which the feeds are made.
    """
    state = page_state_at(timeline, at)
    return latest_records(newest_published_first([*state.incidents, *state.maintenances]))


def make_notification_document(event: StatusEvent, timeline: Timeline, words: Words = ENGLISH) -> Document:
    """Make the JSON file with a ready-made message about an incident update.

    Your own mailing program can fetch the file and send the message.

    Args:
        event: the update of an incident or maintenance window.
        timeline: the status history.
        words: the language of the message.

    Raises:
        TypeError: if the event is the change of a component.
    """
    message = describe_event(event, timeline, words)
    change = event.change
    if isinstance(change, ComponentChange):
        raise TypeError("a change of a component's status is not an update of an incident")
    members = {
        "id": event.id,
        "event": event.kind.value,
        "published_at": format_utc_shortest(event.at),
        "incident_id": change.record.incident.id,
        "components": list(event.components),
        "url": message.url,
        "subject": message.subject,
        "text": message.text,
        "html": message.html,
    }
    path = NOTIFICATION.path(update_id=event.id)
    source = (change.record.incident.source,)
    return Document(path=path, body=encode_json(members), cache=NOTIFICATION.cache, sources=source)
