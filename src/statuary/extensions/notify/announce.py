"""Send due events to each channel, and record what was sent."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple, Protocol

from statuary.base.errors import StatuaryError
from statuary.base.primitives import Instant
from statuary.extensions.notify.channels import DeliveryError, read_channel_address, send_event
from statuary.extensions.notify.events import EventKind, StatusEvent, list_events_between
from statuary.extensions.notify.mail_services import send_mail
from statuary.extensions.notify.messages import describe_event
from statuary.extensions.notify.sent_events import (
    MAX_DELAY,
    Channels,
    DeliveryState,
    SentEvents,
    refuse_future_state,
    roll_back_clock,
)
from statuary.extensions.notify.settings import MAIL_KINDS, Channel, Delivery
from statuary.status.feeds.feed_words import ENGLISH, Words
from statuary.status.model.records import StatusCatalogue
from statuary.status.model.timeline import Timeline


class Send(Protocol):
    """A function that sends an event to a channel."""

    def __call__(self, channel: Channel, event: StatusEvent, timeline: Timeline) -> None:
        """Send the event."""


class Announcement(NamedTuple):
    """The result of sending an event to a channel."""

    channel: str
    event: StatusEvent | None  # None for an event of an earlier run that was interrupted
    error: StatuaryError | None = None


IsPublished = Callable[[StatusEvent], bool]
"""A function that returns whether the published site shows an event."""


def send_due_events(
    channels: tuple[Channel, ...],
    timeline: Timeline,
    now: Instant,
    state: DeliveryState,
    send: Send,
    *,
    since: Instant | None = None,
    is_published: IsPublished = lambda _: True,
    postponed_kinds: Collection[EventKind] = (),
    allow_clock_rollback: bool = False,
) -> Iterator[Announcement]:
    """Send new events, such as a new incident, to each channel.

    If an event cannot be sent, later events of the channel wait for the next run; other channels are not
    affected. If a channel has at-most-once delivery, an event that may have arrived is not sent again.

    Args:
        channels: the channels that get the events.
        timeline: the status history, which must extend at least to `now`.
        now: the time of this run.
        state: which events were sent. It is saved before or after each event, depending on the channel's
            `delivery`.
        send: a function that sends an event to a channel.
        since: the time from which a new channel gets events; None to send nothing before `now`.
        is_published: a function that returns whether readers can already see an event. If they cannot, this
            and later events of the channel wait.
        postponed_kinds: the kinds of events that must wait for a later run.
        allow_clock_rollback: whether to continue if a saved time is after `now`.

    Yields:
        The result of each event.

    Raises:
        DeliveryStateError: if the state cannot be read, or is ahead of `now`.
        PublishingError: if the state cannot be written.
    """
    sent = state.read() or {}
    if allow_clock_rollback:
        sent = roll_back_clock(sent, now)
        state.write(sent)
    refuse_future_state(sent, now)
    for channel in channels:
        yield from _ChannelRun(channel, timeline, now, state, sent, postponed_kinds).send_events(
            send, since, is_published
        )


class DueEvents(NamedTuple):
    """A channel's events: some to send, others that it does not want."""

    due: list[StatusEvent]
    others: list[StatusEvent]


def find_due_events(
    channel: Channel,
    timeline: Timeline,
    now: Instant,
    sent: SentEvents,
    postponed_kinds: Collection[EventKind] = (),
) -> DueEvents:
    """Return the events that have not been sent to a channel yet.

    Some events wait for a later run: events of held kinds, and events that may be about a component whose
    settings have an error.

    Args:
        channel: the channel to which the events are sent.
        timeline: the status history.
        now: the time of this run.
        sent: which events were sent to the channel.
        postponed_kinds: the kinds of events that must wait for a later run.
    """
    wants = _make_component_filter(channel, timeline.catalogue)
    due_events: list[StatusEvent] = []
    other_events: list[StatusEvent] = []
    for event in list_events_between(timeline, Instant(sent.until - MAX_DELAY), now):
        is_wanted = wants(event)
        if event.kind in postponed_kinds or is_wanted is None:
            continue
        if event.kind not in channel.events or not is_wanted:
            other_events.append(event)
        elif sent.is_due(event):
            due_events.append(event)
    return DueEvents(due_events, other_events)


def _make_component_filter(
    channel: Channel, status_catalogue: StatusCatalogue
) -> Callable[[StatusEvent], bool | None]:
    """Make a function that tells whether a channel wants an event.

    site.yaml can limit a channel to components. If one of them has an error, the function may return None:
    only a later run knows whether the event is about it.
    """
    by_name = status_catalogue.components_by_name
    component_ids = frozenset(by_name[name].id for name in channel.components if name in by_name)
    has_faulty = any(
        status_catalogue.may_be_faulty_component(name) for name in channel.components if name not in by_name
    )

    def is_wanted(event: StatusEvent) -> bool | None:
        is_for = not channel.components or not component_ids.isdisjoint(event.components)
        return None if has_faulty and not is_for else is_for

    return is_wanted


def make_initial_state(timeline: Timeline, start_time: Instant) -> SentEvents:
    """Return the delivery state for a channel that is new in site.yaml.

    Events up to `start_time` are marked as sent, so that the channel only gets later ones.

    Args:
        timeline: the status history.
        start_time: the time from which the channel gets events.
    """
    sent = SentEvents(start_time)
    for event in list_events_between(timeline, Instant(start_time - MAX_DELAY), start_time):
        sent = sent.with_sent_event(event, arrived=True)
    return sent


class _ChannelRun:
    """Sends the events of one channel."""

    def __init__(
        self,
        channel: Channel,
        timeline: Timeline,
        now: Instant,
        state: DeliveryState,
        channels: Channels,
        postponed_kinds: Collection[EventKind],
    ) -> None:
        self.channel = channel
        self.timeline = timeline
        self.now = now
        self.state = state
        self.channels = channels
        self.postponed_kinds = postponed_kinds

    def send_events(
        self, send: Send, since: Instant | None, is_published: IsPublished
    ) -> Iterator[Announcement]:
        """Send the channel's due events, and yield the outcome of each.

        After an error, the later events wait for the next run.
        """
        name = self.channel.name
        recorded = self.channels.get(name)
        previous_state = (
            make_initial_state(self.timeline, since or self.now) if recorded is None else recorded
        )
        yield from self._iter_uncertain_deliveries(previous_state)
        due_events, other_events = find_due_events(
            self.channel, self.timeline, self.now, self.channels[name], self.postponed_kinds
        )
        for event in due_events:
            announcement = self._send_event_if_published(event, send, is_published)
            yield announcement
            error = announcement.error
            may_have_arrived = isinstance(error, DeliveryError) and not error.is_certain
            # With at-most-once delivery, an event that may have arrived is never sent again. So the events
            # after such an event need not wait.
            may_continue = may_have_arrived and self.channel.delivery is Delivery.AT_MOST_ONCE
            if error is not None and not may_continue:
                break
        else:
            self._mark_as_handled(other_events)
        if self.channels[name] != recorded:
            self.state.write(self.channels)

    def _send_event_if_published(
        self, event: StatusEvent, send: Send, is_published: IsPublished
    ) -> Announcement:
        try:
            is_on_site = is_published(event)
        except StatuaryError as error:  # the site cannot be read
            return Announcement(self.channel.name, event, error)
        if is_on_site:
            return self._send_event(event, send)
        message = f"{event.id} is not on the published site yet"
        not_yet = DeliveryError(message, "publish the site; the next run sends it", is_certain=True)
        return Announcement(self.channel.name, event, not_yet)

    def _iter_uncertain_deliveries(self, previous_state: SentEvents) -> Iterator[Announcement]:
        """Yield an error for each event that an interrupted run left uncertain.

        Such an event may have been sent. It is then marked as sent, so that the next run ignores it.
        """
        events = {event_id: sent._replace(arrived=True) for event_id, sent in previous_state.events.items()}
        self.channels[self.channel.name] = previous_state._replace(events=events)
        for event_id, sent in previous_state.events.items():
            if not sent.arrived:
                yield Announcement(
                    self.channel.name, None, _uncertain_delivery_error(self.channel.name, event_id)
                )

    def _mark_as_handled(self, unwanted_events: list[StatusEvent]) -> None:
        """Mark events that the channel does not want as sent.

        So they are not sent if you include them in the channel's settings later.
        """
        sent = self.channels[self.channel.name]
        for event in unwanted_events:
            sent = sent.with_sent_event(event, arrived=True)
        self.channels[self.channel.name] = sent.mark_sent_until(self.now)

    def _send_event(self, event: StatusEvent, send: Send) -> Announcement:
        name = self.channel.name
        at_most_once = self.channel.delivery is Delivery.AT_MOST_ONCE
        if at_most_once:
            self._store_sent_events(self.channels[name].with_sent_event(event, arrived=False))
        try:
            send(self.channel, event, self.timeline)
        except StatuaryError as error:
            if at_most_once and (not isinstance(error, DeliveryError) or error.is_certain):
                self._store_sent_events(self.channels[name].without_event(event))
            elif at_most_once:
                self._store_sent_events(self.channels[name].with_sent_event(event, arrived=True))
            return Announcement(name, event, error)
        self._store_sent_events(self.channels[name].with_sent_event(event, arrived=True))
        return Announcement(name, event)

    def _store_sent_events(self, sent_events: SentEvents) -> None:
        self.channels[self.channel.name] = sent_events
        self.state.write(self.channels)


def _uncertain_delivery_error(channel_name: str, event_id: str) -> StatuaryError:
    return DeliveryError(
        f"an earlier run ended while it sent {event_id} to the channel {channel_name!r}: it may not have arrived",
        "statuary does not send the message again, because the channel's delivery is at_most_once",
    )


def make_event_sender(environment: Mapping[str, str], words: Words = ENGLISH) -> Send:
    """Make the function that sends an event to its channel.

    Args:
        environment: the environment variables, which contain the secret URLs of channels.
        words: the language of the messages.
    """

    def send(channel: Channel, event: StatusEvent, timeline: Timeline) -> None:
        address = read_channel_address(channel, environment)
        if channel.kind in MAIL_KINDS:
            send_mail(channel, address, event.id, describe_event(event, timeline, words))
        else:
            send_event(channel, address, event, timeline, words=words)

    return send
