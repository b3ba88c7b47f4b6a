"""Deliver messages over HTTP or by Apprise."""

import hmac
import time
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from hashlib import sha256
from http import HTTPStatus
from typing import NamedTuple

import orjson

from statuary.base.errors import StatuaryError
from statuary.base.optional import import_optional
from statuary.extensions.notify.events import StatusEvent
from statuary.extensions.notify.messages import (
    Message,
    describe_event,
    make_slack_body,
    make_teams_body,
    make_webhook_body,
)
from statuary.extensions.notify.settings import Channel, ChannelKind, Delivery
from statuary.status.feeds.feed_words import ENGLISH, Words
from statuary.status.model.timeline import Timeline
from statuary.system.network.client import HttpResponse, UnreachableError, is_url, send
from statuary.system.network.connections import Timeouts

TIMEOUTS = Timeouts(seconds=20.0, timeout=10.0)
"""The time limits of a request to a receiver."""

LONGEST_RESPONSE = 1 << 20
"""Bytes of a response that are read."""

LONGEST_PAUSE = 30.0
"""Seconds of pause that a receiver may request; after a longer one, the next run sends."""

TRIES = 3

SECRET_PREFIX = "whsec_"  # noqa: S105 - the prefix of a key of Standard Webhooks, which is not one


class DeliveryError(StatuaryError):
    """Raised if an event did not, or may not have, reached a channel."""

    def __init__(self, message: str, hint: str = "", *, is_certain: bool = False) -> None:
        super().__init__(message, hint)
        self.is_certain = is_certain  # whether the receiver cannot have taken the event


class ChannelError(StatuaryError):
    """Raised if the variable with a channel's URL is missing or invalid."""


class Address(NamedTuple):
    """The URL and key of a channel, which are secret."""

    url: str
    key: bytes = b""  # signs the requests of a webhook


def read_channel_address(channel: Channel, environment: Mapping[str, str]) -> Address:
    """Read a channel's secret URL and key from environment variables.

    Raises:
        ChannelError: if a variable is missing or invalid; the message does not contain its value.
    """
    url = environment.get(channel.url_variable, "").strip()
    if not url:
        raise ChannelError(
            f"the channel {channel.name!r} has no URL: the variable {channel.url_variable} is not set",
            "set it where the command runs, such as in the secrets of the workflow",
        )
    if channel.kind is not ChannelKind.APPRISE and not is_url(url):
        raise ChannelError(
            f"the channel {channel.name!r}: {channel.url_variable} is not a web address",
            "set it to a URL that begins with https://",
        )
    return Address(url, _read_signing_key(channel, environment) if channel.secret_variable else b"")


def _read_signing_key(channel: Channel, environment: Mapping[str, str]) -> bytes:
    text = environment.get(channel.secret_variable, "").strip()
    try:
        key = b64decode(text.removeprefix(SECRET_PREFIX), validate=True)
    except (Base64Error, ValueError):
        key = b""
    if not key:
        raise ChannelError(
            f"the channel {channel.name!r}: {channel.secret_variable} is not set, or is not a key of Standard Webhooks",
            "write whsec_ and at least 24 random bytes in base64",
        )
    return key


def send_event(
    channel: Channel,
    address: Address,
    event: StatusEvent,
    timeline: Timeline,
    *,
    words: Words = ENGLISH,
    clock: Callable[[], float] = time.time,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Send an event, such as a new incident, to a channel.

    Whether a failed request is retried depends on the channel's `delivery`.

    Args:
        channel: the channel that gets the event.
        address: the URL and the key of the channel.
        event: the event to send.
        timeline: the status history.
        words: the language of messages for Slack, Teams and Apprise; webhooks have the words of Statuspage.
        clock: a function that returns the seconds since 1970, for the signature of a webhook.
        wait: a function that pauses for a number of seconds between attempts.

    Raises:
        ChannelError: if Apprise does not support the URL of the channel.
        DeliveryError: if the event did not arrive, or may not have arrived.
        MissingExtraError: if Apprise is required and not installed.
    """
    if channel.kind is ChannelKind.APPRISE:
        send_through_apprise(channel, address, describe_event(event, timeline, words))
        return
    body = make_channel_body(channel.kind, event, timeline, words)
    send_body(channel, address, event.id, body, clock=clock, wait=wait)


def send_body(
    channel: Channel,
    address: Address,
    message_id: str,
    json_value: object,
    *,
    clock: Callable[[], float] = time.time,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Send JSON to a channel's URL.

    If the channel's `delivery` is at most once, a failed request is not retried.

    Args:
        channel: the channel that gets the body.
        address: the URL and the key of the channel.
        message_id: an id that is the same for each attempt, so that the receiver can recognize it.
        json_value: the JSON value to send.
        clock: a function that returns the seconds since 1970, for the signature of a webhook.
        wait: a function that pauses for a number of seconds between attempts.

    Raises:
        DeliveryError: if the body did not arrive, or may not have arrived.
    """
    body = orjson.dumps(json_value)
    tries = TRIES if channel.delivery is Delivery.AT_LEAST_ONCE else 1
    pause = 1.0
    for tries_left in reversed(range(tries)):
        headers = _make_request_headers(channel, address, message_id, body, int(clock()))
        error, requested = _post_event_once(channel, address.url, body, headers)
        if error is None:
            return
        pause_seconds = pause if requested is None else requested
        if (error.is_certain and requested is None) or not tries_left or pause_seconds > LONGEST_PAUSE:
            raise error
        wait(pause_seconds)
        pause *= 2


def make_channel_body(
    channel_kind: ChannelKind, event: StatusEvent, timeline: Timeline, words: Words = ENGLISH
) -> object:
    """Describe an event in the JSON of Slack, Teams or a webhook.

    Args:
        channel_kind: the service that gets the JSON.
        event: the event to describe.
        timeline: the status history.
        words: the language of the message.
    """
    if channel_kind is ChannelKind.WEBHOOK:
        return make_webhook_body(event, timeline)
    message = describe_event(event, timeline, words)
    return (
        make_slack_body(message, words)
        if channel_kind is ChannelKind.SLACK
        else make_teams_body(message, words)
    )


def _make_request_headers(
    channel: Channel, address: Address, message_id: str, request_body: bytes, timestamp: int
) -> dict[str, str]:
    headers = {"Content-Type": "application/json"}
    if channel.kind is not ChannelKind.WEBHOOK:
        return headers
    headers |= {"webhook-id": message_id, "webhook-timestamp": str(timestamp)}
    if address.key:
        signed = b"%b.%d.%b" % (message_id.encode(), timestamp, request_body)
        signature = b64encode(hmac.new(address.key, signed, sha256).digest()).decode()
        headers["webhook-signature"] = f"v1,{signature}"
    return headers


class _Outcome(NamedTuple):
    """The result of a request."""

    error: DeliveryError | None = None  # the error, if the request did not arrive
    pause: float | None = None  # the seconds that the receiver requests


def _post_event_once(channel: Channel, url: str, request_body: bytes, headers: Mapping[str, str]) -> _Outcome:
    try:
        response = send(
            url,
            "POST",
            body=request_body,
            headers=headers,
            limit=LONGEST_RESPONSE,
            timeouts=TIMEOUTS,
            redirects=False,
        )
    except UnreachableError as error:
        return _Outcome(DeliveryError(f"the receiver of the channel {channel.name!r} {error.reason}"))
    return _classify_refusal(channel, response)


def _classify_refusal(channel: Channel, response: HttpResponse) -> _Outcome:
    status = response.status
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return _Outcome()
    hint = "check the value of " + channel.url_variable if status < HTTPStatus.INTERNAL_SERVER_ERROR else ""
    is_certain = status < HTTPStatus.INTERNAL_SERVER_ERROR
    retry_after = response.headers.get("retry-after", "").strip()
    requested = float(retry_after) if retry_after.isdecimal() and len(retry_after) < 9 else None
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        requested = requested if requested is not None else 5.0
        hint = "it is sent by the next run"
    error = DeliveryError(
        f"the receiver of the channel {channel.name!r} responds with {status}", hint, is_certain=is_certain
    )
    return _Outcome(error, requested)


def send_through_apprise(channel: Channel, address: Address, message: Message) -> None:
    """Send a message with Apprise, a library for many chat services.

    Raises:
        ChannelError: if Apprise does not support the URL of the channel.
        DeliveryError: if the message did not arrive.
        MissingExtraError: if Apprise is not installed.
    """
    apprise = import_optional("apprise", extra="notify", purpose=f"the channel {channel.name!r}")
    sender = apprise.Apprise()
    if not sender.add(address.url):
        raise ChannelError(
            f"the channel {channel.name!r}: {channel.url_variable} is not a URL that Apprise knows",
            "see https://github.com/caronc/apprise/wiki for the URL of each service",
        )
    body = "\n\n".join(filter(None, (message.text, f"{message.time}\n{message.url}")))
    if not sender.notify(title=message.subject, body=body, body_format=apprise.NotifyFormat.TEXT):
        raise DeliveryError(f"Apprise could not send the message to the channel {channel.name!r}")
