"""Mail updates to subscribers through listmonk or Buttondown.

Both expand templates in messages, so double braces are written as entities or with a space. listmonk:
https://listmonk.app/docs/apis/campaigns/ ; Buttondown: https://docs.buttondown.com/api-emails-create
"""

from base64 import b64encode
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, NamedTuple
from urllib.parse import parse_qs, urlsplit, urlunsplit

import orjson

from statuary.base.json_values import Json, as_object
from statuary.extensions.notify.channels import (
    LONGEST_RESPONSE,
    TIMEOUTS,
    Address,
    ChannelError,
    DeliveryError,
)
from statuary.extensions.notify.messages import Message
from statuary.extensions.notify.settings import Channel, ChannelKind
from statuary.system.network.client import HttpResponse, UnreachableError, send

SENDING: Final = ("running", "scheduled", "finished")
"""The states of a campaign that has begun."""


class MailService(NamedTuple):
    """A mailing service with its credentials, which are secret."""

    url: str  # the URL without credentials
    user: str
    password: str
    lists: tuple[int, ...] = ()  # the ids of listmonk's mailing lists


def parse_mail_service(channel: Channel, address: Address) -> MailService:
    """Parse the URL of a mailing service, which contains a secret key.

    Raises:
        ChannelError: if the URL has no key, or no mailing lists; the message does not contain the URL.
    """
    parts = urlsplit(address.url)
    lists = _parse_mailing_list_ids(channel, parts.query) if channel.kind is ChannelKind.LISTMONK else ()
    if not parts.password:
        raise _incomplete_url_error(channel, "has no key")
    place = parts.netloc.rpartition("@")[2]
    url = urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))
    return MailService(url, parts.username or "", parts.password, lists)


def _parse_mailing_list_ids(channel: Channel, query_string: str) -> tuple[int, ...]:
    """Parse the ids of mailing lists in a query, such as `lists=3,4`."""
    numbers = [number for text in parse_qs(query_string).get("lists", []) for number in text.split(",")]
    if not numbers or not all(number.isdecimal() for number in numbers):
        raise _incomplete_url_error(channel, "names no mailing lists")
    return tuple(map(int, numbers))


FORMS: Final = {
    ChannelKind.LISTMONK: "https://USER:TOKEN@lists.example.org/?lists=1",
    ChannelKind.BUTTONDOWN: "https://:KEY@api.buttondown.com/v1/emails",
}


def _incomplete_url_error(channel: Channel, missing_part: str) -> ChannelError:
    message = f"the channel {channel.name!r}: {channel.url_variable} {missing_part}"
    return ChannelError(message, f"write the URL like {FORMS[channel.kind]}")


def send_mail(
    channel: Channel, address: Address, message_id: str, message: Message, *, is_draft: bool = False
) -> None:
    """Send a message to the subscribers of a mailing service.

    Args:
        channel: the channel for the mailing service.
        address: the URL of the mailing service.
        message_id: an id that is the same for each attempt, so that the service can recognize it.
        message: the subject and text to send.
        is_draft: whether to create a draft without sending it.

    Raises:
        ChannelError: if the URL has no key, or no mailing lists.
        DeliveryError: if the message was not accepted, or may not have been accepted.
    """
    service = parse_mail_service(channel, address)
    if channel.kind is ChannelKind.LISTMONK:
        _send_campaign(channel, service, message_id, message, is_draft=is_draft)
    else:
        _send_email(channel, service, message_id, message, is_draft=is_draft)


def _send_campaign(
    channel: Channel, service: MailService, message_id: str, message: Message, *, is_draft: bool
) -> None:
    """Create and start a campaign in listmonk.

    If an earlier attempt was interrupted, its campaign stays a draft.
    """
    campaign = {
        "name": f"{_escape_template_syntax(message.subject)} ({message_id})",
        "subject": _escape_template_syntax(message.subject),
        "lists": service.lists,
        "type": "regular",
        "content_type": "html",
        "body": _render_html_body(message),
        "altbody": _escape_template_syntax(f"{message.text}\n\n{message.time}\n{message.url}"),
        "messenger": "email",
    }
    headers = {"Authorization": f"Basic {b64encode(f'{service.user}:{service.password}'.encode()).decode()}"}
    campaigns = f"{service.url}/api/campaigns"
    created = _send_accepted_request(channel, "POST", campaigns, headers, campaign)
    number = as_object(_parse_response_object(created).get("data")).get("id")
    if not isinstance(number, int):
        raise DeliveryError(
            f"the server of the channel {channel.name!r} responded without a campaign, as if it were not listmonk"
        )
    if is_draft:
        return
    started = _send_request(channel, "PUT", f"{campaigns}/{number}/status", headers, {"status": "running"})
    if started.status != HTTPStatus.OK:
        now = _parse_response_object(_send_accepted_request(channel, "GET", f"{campaigns}/{number}", headers))
        if as_object(now.get("data")).get("status") not in SENDING:
            raise _make_refusal_error(channel, started)


def _send_email(
    channel: Channel, service: MailService, message_id: str, message: Message, *, is_draft: bool
) -> None:
    """Create an e-mail in Buttondown, which sends it at once.

    A second attempt has the same slug, by which Buttondown recognizes it.
    """
    email = {
        "subject": _escape_template_syntax(message.subject),
        "body": _render_html_body(message),
        "slug": message_id,
        "status": "draft" if is_draft else "about_to_send",
    }
    headers = {
        "Authorization": f"Token {service.password}",
        "X-API-Version": "2026-04-01",
        "X-Buttondown-Live-Dangerously": "true",  # required once for each key
    }
    response = _send_request(channel, "POST", service.url, headers, email)
    is_known = _parse_response_object(response).get("code") in ("email_duplicate", "slug_invalid")
    if not _is_success(response) and not is_known:
        raise _make_refusal_error(channel, response)


def _render_html_body(mail_message: Message) -> str:
    body = f'{mail_message.html}\n<p>{mail_message.time}<br><a href="{mail_message.url}">{mail_message.url}</a></p>'
    return body.replace("{{", "&#123;&#123;").replace("{%", "&#123;%")


def _escape_template_syntax(html_text: str) -> str:
    """Break up `{{` and `{%`, which a mail service evaluates as templates."""
    return html_text.replace("{{", "{ {").replace("{%", "{ %")


def _send_accepted_request(
    channel: Channel, http_method: str, url: str, headers: Mapping[str, str], json_value: object = None
) -> HttpResponse:
    response = _send_request(channel, http_method, url, headers, json_value)
    if not _is_success(response):
        raise _make_refusal_error(channel, response)
    return response


def _send_request(
    channel: Channel, http_method: str, url: str, headers: Mapping[str, str], json_value: object = None
) -> HttpResponse:
    body = None if json_value is None else orjson.dumps(json_value)
    try:
        return send(
            url,
            http_method,
            body=body,
            headers={**headers, "Content-Type": "application/json"},
            limit=LONGEST_RESPONSE,
            timeouts=TIMEOUTS,
            redirects=False,
        )
    except UnreachableError as error:
        raise DeliveryError(
            f"the service of the channel {channel.name!r} {error.reason.replace(url, '…')}"
        ) from None


def _is_success(response: HttpResponse) -> bool:
    return HTTPStatus.OK <= response.status < HTTPStatus.MULTIPLE_CHOICES


def _make_refusal_error(channel: Channel, response: HttpResponse) -> DeliveryError:
    hint = "it is sent by the next run"
    if response.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
        hint = f"check the value of {channel.url_variable}"
    return DeliveryError(f"the service of the channel {channel.name!r} responds with {response.status}", hint)


def _parse_response_object(response: HttpResponse) -> Mapping[str, Json]:
    try:
        return as_object(orjson.loads(response.body))
    except ValueError:
        return {}
