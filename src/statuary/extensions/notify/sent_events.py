"""The record of sent events, kept between runs.

An event is due if it is later than the instant up to which the channel's state is complete; or a little
earlier, since a person may commit an update minutes after its time. An older one is a correction or an
import, and is not sent.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple, Protocol, Self, cast

import orjson
from typing_extensions import override

from statuary.base.errors import StatuaryError
from statuary.base.json_values import Json
from statuary.base.primitives import Instant, InvalidValueError, format_utc_shortest, parse_instant
from statuary.extensions.notify.events import ComponentChange, StatusEvent
from statuary.source.edit_files import content_lock
from statuary.status.model.records import derived_id
from statuary.system.files import read_file
from statuary.system.writing import atomic_file

MAX_DELAY = timedelta(hours=2)
"""The longest delay of an update's commit after which it is still sent."""


MAX_AHEAD = timedelta(days=1)
"""The farthest that the delivery state may be ahead of the clock."""


class SentEvent(NamedTuple):
    """An event that was sent, or is being sent."""

    at: Instant
    text: str  # the fingerprint of what it says: an update whose time is corrected gets another id, and is not sent again
    arrived: bool = True  # False: the run ended while it was sent once, so that it may not have arrived


class SentEvents(NamedTuple):
    """The events that were sent to a channel."""

    until: Instant  # all events up to this time were sent or are not sent at all
    events: Mapping[str, SentEvent] = {}  # sent events by id, kept while later than `until` less `MAX_DELAY`

    def is_due(self, event: StatusEvent) -> bool:
        """Return whether an event must still be sent to the channel.

        It need not be if it was sent, or another event with the same content was.
        """
        fingerprint = make_event_fingerprint(event)
        return event.id not in self.events and all(fingerprint != sent.text for sent in self.events.values())

    def with_sent_event(self, event: StatusEvent, *, arrived: bool) -> Self:
        """Return a copy in which this event is marked as sent.

        Args:
            event: the event that was sent.
            arrived: whether it is certain that the event arrived.
        """
        sent = SentEvent(event.at, make_event_fingerprint(event), arrived)
        return self._replace(events={**self.events, event.id: sent})

    def without_event(self, event: StatusEvent) -> Self:
        """Return a copy without an event, so that it is sent again."""
        return self._replace(events={name: sent for name, sent in self.events.items() if name != event.id})

    def mark_sent_until(self, end_time: Instant) -> Self:
        """Return a copy that marks all events until a time as sent.

        If the state is already complete until a later time, the later time stays.

        Args:
            end_time: the time until which no event is sent any more.
        """
        latest = max(end_time, self.until)
        recent = {name: sent for name, sent in self.events.items() if sent.at > latest - MAX_DELAY}
        return self._replace(until=latest, events=recent)


def make_event_fingerprint(event: StatusEvent) -> str:
    """Return a string by which a later run recognizes the same event.

    For an update, it is a digest of the incident, number, status and text, but not of the time. For the
    change of a component, it is the id of the event.
    """
    change = event.change
    if isinstance(change, ComponentChange):
        return event.id
    update = change.update.update
    place = len(change.record.published_updates)
    return derived_id(change.record.incident.id, update.status, str(place), update.body)


Channels = dict[str, SentEvents]
"""The delivery state of each channel, by its name."""


class DeliveryStateError(StatuaryError):
    """Raised if the file or store of sent events cannot be read.

    Without it, events might be sent twice.
    """


def encode_delivery_state(channels: Mapping[str, SentEvents]) -> bytes:
    """Encode as JSON which events were sent to each channel.

    Args:
        channels: the events that were sent, by the name of the channel.
    """
    members = {
        name: {
            "until": format_utc_shortest(sent.until),
            "events": {
                event_id: {"at": format_utc_shortest(event.at), "text": event.text, "arrived": event.arrived}
                for event_id, event in sorted(sent.events.items())
            },
        }
        for name, sent in sorted(channels.items())
    }
    return orjson.dumps(
        {"format": 1, "channels": members}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    )


def parse_delivery_state(state_json: bytes, state_location: str) -> Channels:
    """Parse which events were sent to each channel.

    Args:
        state_json: the JSON.
        state_location: the name of the file or store, for error messages.

    Raises:
        DeliveryStateError: if the JSON is damaged, or of a later format.
    """
    try:
        record = cast("dict[str, Json]", orjson.loads(state_json))
        if record["format"] != 1:
            raise DeliveryStateError(
                f"{state_location} has the format {record['format']}, which this version of statuary does not know",
                "install a newer version of statuary",
            )
        channels = cast("dict[str, dict[str, Json]]", record["channels"])
        return {channel: _parse_sent_events(members) for channel, members in channels.items()}
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, InvalidValueError):
        raise DeliveryStateError(
            f"{state_location} is damaged, so the sent events are unknown",
            "restore it, or delete it to send only events from now on",
        ) from None


def _parse_sent_events(members: Mapping[str, Json]) -> SentEvents:
    events = cast("dict[str, dict[str, Json]]", members["events"])
    return SentEvents(
        parse_instant(str(members["until"])),
        {
            event_id: SentEvent(parse_instant(str(event["at"])), str(event["text"]), bool(event["arrived"]))
            for event_id, event in events.items()
        },
    )


def refuse_future_state(channels: Channels, now: Instant) -> None:
    """Raise an error if events were sent long after `now`.

    Otherwise nothing would be sent until that time. An earlier run may have had a wrong clock.

    Args:
        channels: the events that were sent, by the name of the channel.
        now: the time of this run.

    Raises:
        DeliveryStateError: if a channel is more than a day ahead of `now`.
    """
    for name, sent in channels.items():
        if sent.until > now + MAX_AHEAD:
            raise DeliveryStateError(
                f"the delivery state of the channel {name!r} is dated {format_utc_shortest(sent.until)}, but it is {format_utc_shortest(now)} now:"
                " a run had a wrong clock",
                "set the clock if it is wrong; otherwise run the command once with --allow-clock-rollback",
            )


def roll_back_clock(channels: Channels, now: Instant) -> Channels:
    """Replace times after `now` in the channels' states with `now`.

    Such times come from a run with a wrong clock.
    """
    return {name: sent._replace(until=min(sent.until, now)) for name, sent in channels.items()}


class DeliveryState(Protocol):
    """The file or store that says which events were sent.

    Only one run can have it open at a time.
    """

    def read(self) -> Channels | None:
        """Read which events were sent to each channel.

        Returns:
            The events by the name of the channel, or None before the first run.
        """

    def write(self, channels: Mapping[str, SentEvents]) -> None:
        """Store which events were sent to each channel, for the next run.

        Args:
            channels: the events that were sent, by the name of the channel.
        """


class FileState(DeliveryState):
    """The delivery state in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @override
    def read(self) -> Channels | None:
        try:
            return parse_delivery_state(read_file(self.file), str(self.file))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DeliveryStateError(f"{self.file} cannot be read: {error.strerror or error}") from None

    @override
    def write(self, channels: Mapping[str, SentEvents]) -> None:
        with atomic_file(self.file) as stream:
            stream.write(encode_delivery_state(channels))


@contextmanager
def open_file_state(state_path: Path) -> Iterator[FileState]:
    """Open and lock the file that records which events were sent.

    Other runs must wait until it is closed.

    Raises:
        DeliveryStateError: if the folder of the file cannot be created.
        EditError: if the folder cannot be locked.
    """
    try:
        state_path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DeliveryStateError(
            f"the delivery state cannot be kept in {state_path.parent}: {error.strerror}",
            "name another file with --state",
        ) from None
    with content_lock(state_path.parent):
        yield FileState(state_path)
