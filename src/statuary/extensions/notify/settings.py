"""The key `notify` of site.yaml: channels, without their secrets."""

from enum import StrEnum
from typing import Annotated, NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator
from typing_extensions import override

from statuary.base.findings import Pointer
from statuary.base.primitives import InvalidValueError
from statuary.engine.extension_settings import ExtensionSource
from statuary.extensions.notify.events import RECORD_EVENTS, EventKind
from statuary.source.source_model import Flag, SourceModel, Text


class ChannelKind(StrEnum):
    """The kind of a channel, such as `slack`."""

    WEBHOOK = "webhook"
    SLACK = "slack"
    TEAMS = "teams"
    APPRISE = "apprise"
    LISTMONK = "listmonk"
    BUTTONDOWN = "buttondown"


MAIL_KINDS = (ChannelKind.LISTMONK, ChannelKind.BUTTONDOWN)
"""The kinds that mail a message to the subscribers of a list."""


class Delivery(StrEnum):
    """Whether an event is sent again or skipped after an interrupted delivery."""

    AT_LEAST_ONCE = "at_least_once"
    AT_MOST_ONCE = "at_most_once"


class Channel(NamedTuple):
    """A channel that gets notifications."""

    name: str
    kind: ChannelKind
    url_variable: str  # the environment variable with the channel's URL
    secret_variable: str = ""  # the environment variable with the key that signs a webhook's requests
    events: tuple[EventKind, ...] = ()
    components: tuple[str, ...] = ()  # the keys or ids of the components whose events are sent; empty for all
    delivery: Delivery = Delivery.AT_LEAST_ONCE


class NotifySettings(NamedTuple):
    """The notification channels of a site, in the order of site.yaml."""

    channels: tuple[Channel, ...] = ()
    messages: bool = False  # whether the site has a document with the message of each update
    sign_up: str = ""  # the address of the sign-up page for e-mail; empty if there is none

    def list_channel_components(self) -> dict[Pointer, str]:
        """Return the components to which site.yaml limits channels.

        A channel that lists components gets only events about them.

        Returns:
            The component's name by its position in site.yaml, such as `("notify", "channels", 0, "components", 1)`.
        """
        return {
            ("notify", "channels", number, "components", place): name
            for number, channel in enumerate(self.channels)
            for place, name in enumerate(channel.components)
        }


def _validate_web_address(text: str) -> str:
    try:
        is_address = urlsplit(text).scheme == "https" and bool(urlsplit(text).hostname)
    except ValueError:
        is_address = False
    if not is_address:
        raise InvalidValueError(
            f"{text!r} is not an https address", "write it like https://lists.example.org/subscription/form"
        )
    return text


VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"


class ChannelSource(SourceModel):
    """A channel: where to send events, and which events."""

    name: Annotated[Text, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    """The name of the channel in statuary's messages and in the file of `--state`, which records what was sent.
    If you change the name, statuary treats the channel as new."""
    kind: ChannelKind
    """The kind of the channel: `webhook` (with Statuspage's payload), `slack`, `teams`, `listmonk` or
    `buttondown` (e-mail to subscribers), or `apprise` for any other service."""
    url_variable: Annotated[Text, Field(pattern=VARIABLE)]
    """The environment variable that holds the URL of the channel, which is a secret."""
    secret_variable: Annotated[Text, Field(pattern=VARIABLE)] | None = None
    """For webhooks: the environment variable that holds the key with which statuary signs its requests
    (`whsec_…`, as in Standard Webhooks)."""
    events: tuple[EventKind, ...] = ()
    """The kinds of events to send to the channel. Default: all kinds for a webhook, and all except
    `component` for other channels."""
    components: tuple[Text, ...] = ()
    """The components whose events the channel gets, by key or id. Default: all components."""
    delivery: Delivery = Delivery.AT_LEAST_ONCE
    """What happens if `statuary notify` is killed while it sends: with `at_least_once`, a message may arrive
    twice; with `at_most_once`, a message may be lost."""

    @model_validator(mode="after")
    def _check_channel(self) -> Self:
        if self.secret_variable and self.kind is not ChannelKind.WEBHOOK:
            raise InvalidValueError(
                f"the channel {self.name!r} is not a webhook: its requests are not signed",
                "remove secret_variable",
            )
        return self

    def to_channel(self) -> Channel:
        """Convert a notification channel in site.yaml to its settings."""
        default = tuple(EventKind) if self.kind is ChannelKind.WEBHOOK else RECORD_EVENTS
        return Channel(
            name=self.name,
            kind=self.kind,
            url_variable=self.url_variable,
            secret_variable=self.secret_variable or "",
            events=self.events or default,
            components=self.components,
            delivery=self.delivery,
        )


class NotifySource(SourceModel):
    """Where `statuary notify` sends incidents and maintenance, and where readers sign up for e-mail."""

    channels: Annotated[tuple[ChannelSource, ...], Field(max_length=100)] = ()
    """The channels to which `statuary notify` sends events."""
    messages: Flag = False
    """Whether the site has a ready-made message for each update, in `notifications/<id>.json`. Use it if your
    own program sends e-mail."""

    sign_up: Annotated[Text, AfterValidator(_validate_web_address)] | None = None
    """The URL of the page on which readers sign up for e-mail. The panel *Subscribe* links to this page."""

    @model_validator(mode="after")
    def _check_channels(self) -> Self:
        if not self.channels and not self.messages and self.sign_up is None:
            raise InvalidValueError(
                "`notify` has no effect: nothing is sent or published",
                "list `channels`, or write `messages: true` or `sign_up`",
            )
        names = [channel.name for channel in self.channels]
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            raise InvalidValueError(f"two channels are named {repeated!r}", "give each a name of its own")
        return self


class SiteNotifySource(ExtensionSource):
    """The key `notify` of site.yaml."""

    notify: NotifySource | None = None
    """The notification channels, such as Slack, to which `statuary notify` sends events."""

    @override
    def to_settings(self) -> NotifySettings | None:
        """Return the settings, or None if site.yaml has no `notify`."""
        if self.notify is None:
            return None
        channels = tuple(channel.to_channel() for channel in self.notify.channels)
        return NotifySettings(channels, messages=self.notify.messages, sign_up=self.notify.sign_up or "")
