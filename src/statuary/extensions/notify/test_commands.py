"""Test messages: send one to each channel, before the first incident."""

from collections.abc import Mapping
from uuid import uuid4

import click

from statuary.base.errors import StatuaryError
from statuary.base.primitives import Instant
from statuary.cli.escape import escape_control_chars, print_error
from statuary.cli.exit_codes import ExitCode
from statuary.extensions.notify.channels import read_channel_address, send_body, send_through_apprise
from statuary.extensions.notify.mail_services import send_mail
from statuary.extensions.notify.messages import Message, make_slack_body, make_teams_body
from statuary.extensions.notify.settings import MAIL_KINDS, Channel, ChannelKind
from statuary.site.pages.page_texts import page_texts
from statuary.site.pages.site_context import DateFormatter
from statuary.status.feeds.feed import body_html
from statuary.status.model.records import Page

TEST = "This is a test. Nothing has happened: incidents and maintenance will appear here."


def send_test_messages(
    channels: tuple[Channel, ...], page: Page, environment: Mapping[str, str], now: Instant
) -> ExitCode:
    """Send a test message to each channel, and print the results.

    Returns:
        The exit code: 1 if a message was not sent, otherwise 0.
    """
    failed = 0
    for channel in channels:
        try:
            _send_test_message(channel, page, environment, now)
        except StatuaryError as error:
            failed += 1
            print_error(error)
        else:
            outcome = "the test message arrived"
            if channel.kind in MAIL_KINDS:
                outcome = "the test message is a draft there; nobody is sent it"
            click.echo(f"{escape_control_chars(channel.name)}: {outcome}")
    return ExitCode.FINDINGS if failed else ExitCode.OK


def _send_test_message(channel: Channel, page: Page, environment: Mapping[str, str], now: Instant) -> None:
    address = read_channel_address(channel, environment)
    message = make_test_message(page, now)
    if channel.kind is ChannelKind.APPRISE:
        send_through_apprise(channel, address, message)
        return
    message_id = f"test-{uuid4()}"
    if channel.kind in MAIL_KINDS:
        send_mail(channel, address, message_id, message, is_draft=True)
        return
    body: object = {"meta": {"test": True}, "page": {"id": page.id}}
    if channel.kind is not ChannelKind.WEBHOOK:
        body = make_slack_body(message) if channel.kind is ChannelKind.SLACK else make_teams_body(message)
    send_body(channel, address, message_id, body)


def make_test_message(page: Page, now: Instant) -> Message:
    """Write the message that tests a channel.

    Args:
        page: the status page, whose name and URL are in the message.
        now: the time in the message.
    """
    time = DateFormatter(page.time_zone, page_texts("en")).moment(now).text
    return Message(f"Test message of {page.name}", TEST, body_html(TEST), page.url, time, "operational")
