"""`statuary notify`: send the page's events to channels."""

import os
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from contextlib import AbstractContextManager, closing
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import click
import orjson

from statuary.base.findings import Finding, Severity, did_you_mean, has_errors, sorted_findings
from statuary.base.primitives import Instant, count_text, format_utc
from statuary.cli.escape import escape_control_chars, json_text, print_error
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import text_report
from statuary.cli.options import INSTANT, build_instant, content_option, now_option
from statuary.engine.faulty_settings import SettingsFallback
from statuary.engine.read_content import read_content
from statuary.extensions.notify.announce import (
    find_due_events,
    make_event_sender,
    make_initial_state,
    send_due_events,
)
from statuary.extensions.notify.channels import (
    ChannelError,
    DeliveryError,
    make_channel_body,
    read_channel_address,
)
from statuary.extensions.notify.events import ComponentChange, EventKind, StatusEvent
from statuary.extensions.notify.messages import describe_event
from statuary.extensions.notify.sent_events import DeliveryState, open_file_state
from statuary.extensions.notify.settings import MAIL_KINDS, Channel, ChannelKind, NotifySettings
from statuary.extensions.notify.store_state import open_store_state
from statuary.extensions.notify.test_commands import send_test_messages
from statuary.publish.locations import open_location, url_scheme
from statuary.registry import STORES
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import site_context
from statuary.site.site_content import SiteContent
from statuary.source.file_kinds import CONTRACTS
from statuary.source.locate import locate_findings
from statuary.source.source_files import walk_folder
from statuary.status.broken_records import exclude_faulty_content
from statuary.status.checks.named_components import unknown_component_findings
from statuary.status.checks.status_checks import status_findings
from statuary.status.feeds.feed_words import Words, feed_words
from statuary.status.model.records import StatusContent
from statuary.status.model.schedule import build_timeline_to_horizon
from statuary.status.model.timeline import Timeline
from statuary.status.urls import INCIDENT


@click.command()
@content_option
@click.option(
    "--state",
    metavar="FILE|URL",
    help="Save what was sent in this file, or in an object store (s3://BUCKET/PREFIX). Name the same one in each run, so that nothing is sent twice. Only --test works without it.",
)
@click.option(
    "--site",
    metavar="FOLDER|URL",
    help="Send only updates that this published site already shows. Default: send all updates in the content.",
)
@click.option(
    "--since",
    type=INSTANT,
    help="Also send new channels the updates since this time, such as 2026-11-02T10:00:00Z. Default: a new channel gets only later updates.",
)
@click.option("--dry-run", is_flag=True, help="Print the messages for each channel, and send nothing.")
@click.option(
    "--test",
    is_flag=False,
    flag_value="",
    metavar="[CHANNEL]",
    help="Send a test message to this channel, or to all channels if you name none, and nothing else.",
)
@click.option(
    "--allow-clock-rollback",
    is_flag=True,
    help="Continue even if --state has times in the future, because the clock of an earlier run was wrong. Default: fail.",
)
@now_option
def notify_command(
    content: Path,
    state: str | None,
    site: str | None,
    since: Instant | None,
    dry_run: bool,
    test: str | None,
    allow_clock_rollback: bool,
    now: Instant | None,
) -> ExitCode:
    """Send new events of your page to channels, such as Slack.

    List the channels, such as a Slack channel, under `notify` in site.yaml. Each one names the environment variable
    that holds its URL. Run the command after each build or tick, with the same --state, so that it sends each event
    once.

    The command skips components, incidents, maintenance and keys of site.yaml with errors, and sends changes of
    component statuses only after you fix these errors. It sends nothing if `notify`, `page.name` or `page.url` has an
    error.

    Exit codes: 0 all due events were sent; 1 an event was not sent, or the content has errors; 3 --state cannot be used.
    """
    instant = build_instant(now)
    status = read_status(content, instant)
    read_site = status.site
    if read_site is None or has_errors(status.other_findings):
        click.echo(text_report(status.findings, str(content)), err=True)
        click.echo("nothing was sent: fix the errors in the content first", err=True)
        return ExitCode.FINDINGS
    if status.unreadable_findings:
        click.echo(text_report(status.unreadable_findings, str(content)), err=True)
        click.echo("changes of components are not sent until you fix the errors in these files", err=True)
    settings = read_site.settings_of(NotifySettings)
    if settings is None or not settings.channels:
        click.echo(
            f"nothing was sent: {read_site.source} has no channels; list them under `notify`, `channels`",
            err=True,
        )
        return status.exit_code
    if test is not None:
        channels = _select_channels_to_test(settings.channels, test, read_site.source)
        return send_test_messages(
            channels, read_site.content_of(StatusContent).catalogue.page, os.environ, instant
        )
    if state is None:
        raise click.UsageError(
            "Missing option '--state'. Name a file or an object store where statuary can keep its delivery state between runs."
        )
    timeline = build_timeline_to_horizon(
        read_site.content_of(StatusContent).catalogue, instant, read_site.content_of(StatusContent).settings
    )
    words = feed_words(renderer_of(site_context(read_site)).localization.texts)
    with open_delivery_state(state) as opened:
        if dry_run:
            return _print_due_messages(
                settings.channels, timeline, instant, opened, since, words, status.postponed_kinds
            )
        code = _send_to_channels(
            settings.channels,
            timeline,
            instant,
            opened,
            since,
            site,
            words,
            status.postponed_kinds,
            allow_clock_rollback=allow_clock_rollback,
        )
        return max(code, status.exit_code)


class ReadStatus(NamedTuple):
    """The status of a site, read without its contracts."""

    site: SiteContent | None
    unreadable_findings: Sequence[Finding]  # those about what cannot be used, without which the rest is sent
    other_findings: Sequence[Finding]

    @property
    def findings(self) -> list[Finding]:
        """All errors and warnings in the content, in the order of printing."""
        return sorted_findings([*self.unreadable_findings, *self.other_findings])

    @property
    def postponed_kinds(self) -> tuple[EventKind, ...]:
        """The kinds of events that must wait until errors are fixed.

        If a file or a setting has an error, changes of components wait, because a component might only seem to have
        recovered: its incident could be in the file with the error.
        """
        return (EventKind.COMPONENT,) if self.unreadable_findings else ()

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the command, given the errors in the content."""
        return ExitCode.FINDINGS if self.unreadable_findings else ExitCode.OK


def read_status(content: Path, now: Instant) -> ReadStatus:
    """Read a site's components and incidents, and check them for errors.

    Args:
        content: the content folder.
        now: the time of this run.
    """
    files = walk_folder(content, (CONTRACTS,)) if content.is_dir() else None
    site, findings = read_content(content, files, fallback=SettingsFallback.of_command())
    if site is not None:
        site, found = exclude_faulty_content(site, partial(_find_status_findings, now=now))
        findings = [*findings, *found]
    tolerated = [finding for finding in findings if site is not None and _is_tolerated(finding, site)]
    others = [finding for finding in findings if finding not in tolerated]
    located = (sorted_findings(locate_findings(content, found)) for found in (tolerated, others))
    return ReadStatus(site, *located)


def _is_tolerated(finding: Finding, site: SiteContent) -> bool:
    """Return whether notifications can be sent despite an error in the content.

    They cannot if the error is in the settings of the channels.
    """
    is_of_channels = finding.path == site.source and finding.pointer[:1] == ("notify",)
    is_fault = finding in {fault.finding for fault in site.faults}
    return finding.path in site.unread or (is_fault and not is_of_channels)


def _find_status_findings(site: SiteContent, now: Instant) -> list[Finding]:
    status = site.content_of(StatusContent)
    timeline = build_timeline_to_horizon(status.catalogue, now, status.settings)
    settings = site.settings_of(NotifySettings) or NotifySettings()
    names = settings.list_channel_components()
    unknown = unknown_component_findings(timeline.catalogue, names, site.source, Severity.ERROR)
    return [*status_findings(timeline, now), *unknown]


def open_delivery_state(location: str) -> AbstractContextManager[DeliveryState]:
    """Open the file or object store that says which events were sent.

    Args:
        location: the name of the file, or the URL of the store.

    Raises:
        click.UsageError: if the name is a URL of another kind.
    """
    if url_scheme(location) in STORES:
        return open_store_state(location)
    if url_scheme(location):
        raise click.UsageError(
            f"--state {escape_control_chars(location)}: name a file, or a store by s3://, gs:// or az://"
        )
    return open_file_state(Path(location))


def _send_to_channels(
    channels: tuple[Channel, ...],
    timeline: Timeline,
    now: Instant,
    state: DeliveryState,
    since: Instant | None,
    site: str | None,
    words: Words,
    postponed_kinds: Collection[EventKind],
    *,
    allow_clock_rollback: bool,
) -> ExitCode:
    previous_channels = frozenset(state.read() or {})
    sent = failed = 0
    send = make_event_sender(os.environ, words)
    unusable = _find_unusable_channels(channels)
    for announcement in send_due_events(
        channels,
        timeline,
        now,
        state,
        send,
        since=since,
        is_published=make_publication_test(site),
        postponed_kinds=postponed_kinds,
        allow_clock_rollback=allow_clock_rollback,
    ):
        if isinstance(announcement.error, ChannelError):
            continue  # among the unusable channels
        if announcement.error is None:
            sent += 1
            event = announcement.event
            subject = "" if event is None else describe_event(event, timeline, words).subject
            click.echo(escape_control_chars(f"{announcement.channel}: {subject}"))
        else:
            failed += 1
            print_error(announcement.error)
    for error in unusable:
        failed += 1
        print_error(error)
    if since is None:
        _print_new_channels(channels, previous_channels, now)
    click.echo(f"{count_text(sent, 'message')} sent, {failed} not sent, as of {format_utc(now)}")
    return ExitCode.FINDINGS if failed else ExitCode.OK


def _print_new_channels(channels: Iterable[Channel], previous_names: Container[str], now: Instant) -> None:
    for channel in channels:
        if channel.name not in previous_names:
            click.echo(f"the channel {channel.name!r} is new: it receives events after {format_utc(now)}")


def _find_unusable_channels(notified_channels: Iterable[Channel]) -> list[ChannelError]:
    errors = []
    for channel in notified_channels:
        try:
            read_channel_address(channel, os.environ)
        except ChannelError as error:
            errors.append(error)
    return errors


def make_publication_test(site: str | None) -> Callable[[StatusEvent], bool]:
    """Make a function that tells whether readers can already see an event.

    They can if the published site contains the event. Changes of components always count as visible.

    Args:
        site: the folder or URL of the published site; None if every event counts as visible.
    """
    if site is None:
        return lambda _: True

    @lru_cache
    def update_ids(incident_id: str) -> frozenset[str]:
        with closing(open_location(site)) as place:
            body = place.read(INCIDENT.path(incident_id=incident_id))
        if body is None:
            return frozenset()
        try:
            return frozenset(update["id"] for update in orjson.loads(body)["incident"]["incident_updates"])
        except (ValueError, KeyError, TypeError):
            raise DeliveryError(
                f"the published site does not return its incident {incident_id}",
                "check --site; the next run sends the event",
                is_certain=True,
            ) from None

    def is_published(event: StatusEvent) -> bool:
        change = event.change
        return isinstance(change, ComponentChange) or event.id in update_ids(change.record.incident.id)

    return is_published


def _select_channels_to_test(
    channels: tuple[Channel, ...], channel_name: str, settings_file: str
) -> tuple[Channel, ...]:
    """Find the channel to test by its name, or select all.

    Args:
        channels: the channels in site.yaml.
        channel_name: the name on the command line; empty for all channels.
        settings_file: the name of site.yaml, for error messages.

    Raises:
        click.UsageError: if no channel has the name.
    """
    named_channels = tuple(channel for channel in channels if channel_name in ("", channel.name))
    if not named_channels:
        names = [channel.name for channel in channels]
        suggestion = did_you_mean(channel_name, names)
        message = f"{settings_file} has no channel {channel_name!r}; it has {', '.join(names)}"
        raise click.UsageError(f"{message}; {suggestion}" if suggestion else message)
    return named_channels


def _print_due_messages(
    channels: tuple[Channel, ...],
    timeline: Timeline,
    now: Instant,
    state: DeliveryState,
    since: Instant | None,
    words: Words,
    postponed_kinds: Collection[EventKind],
) -> ExitCode:
    """Print the messages of a dry run instead of sending them."""
    sent = state.read() or {}
    for channel in channels:
        previous_state = sent.get(channel.name) or make_initial_state(timeline, since or now)
        due_events, _ = find_due_events(channel, timeline, now, previous_state, postponed_kinds)
        click.echo(f"{channel.name} ({channel.kind}): {count_text(len(due_events), 'message')}")
        for event in due_events:
            message = describe_event(event, timeline, words)
            click.echo()
            for line in (f"{format_utc(event.at)} {message.subject}", *message.text.split("\n"), message.url):
                click.echo(escape_control_chars(line))
            if channel.kind not in (ChannelKind.APPRISE, *MAIL_KINDS):
                click.echo(json_text(make_channel_body(channel.kind, event, timeline, words)))
    return ExitCode.OK
