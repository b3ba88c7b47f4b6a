"""Convert events to messages and request bodies.

The webhook's payload is Statuspage's
(https://support.atlassian.com/statuspage/docs/enable-webhook-notifications/); Slack's is that of
incoming webhooks with Block Kit; that of Teams is an adaptive card 1.4 in the envelope of Workflows, which
accept no later version.
"""

from collections.abc import Iterator
from typing import NamedTuple

from statuary.extensions.notify.events import ComponentChange, EventKind, RecordUpdate, StatusEvent
from statuary.site.pages.page_texts import page_texts
from statuary.site.pages.site_context import DateFormatter
from statuary.status.api.members import (
    TimestampFormatter,
    component_json,
    incident_json,
    page_json,
    status_json,
)
from statuary.status.feeds.feed import body_html, body_plain_text, incident_url, one_line, status_label
from statuary.status.feeds.feed_words import ENGLISH, Words
from statuary.status.feeds.status_changes import Members, component_payload, incident_payload
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.records import Automation, Maintenance
from statuary.status.model.timeline import ComponentState, Timeline, component_state_at, page_state_at
from statuary.status.model.vocabulary import COMPONENT_SEVERITY, ComponentStatus

LONGEST_TEXT = 2_500
"""Characters of a message's text: Slack takes 3,000 in a section, Teams 28 kB in a card."""

LONGEST_SUBJECT = 150
"""Characters of a subject: as many as Slack's header has."""


class Message(NamedTuple):
    """An event in words, for any channel."""

    subject: str  # plain text in one line
    text: str  # plain text: the update, and the affected components
    html: str
    url: str  # the address of the update, or of the component, on the page
    time: str  # the time of the event, in the page's time zone
    worst: ComponentStatus  # the worst status of the affected components


def describe_event(event: StatusEvent, timeline: Timeline, words: Words = ENGLISH) -> Message:
    """Write the message about an event, such as a resolved incident.

    Args:
        event: the event to describe.
        timeline: the status history.
        words: the language of the message.
    """
    page = timeline.catalogue.page
    change = event.change
    if isinstance(change, ComponentChange):
        subject, text, html = _describe_component_change(change, words)
        url = f"{page.url}/#component-{change.component.id}"
        worst = change.new_status
    else:
        affected = list(_iter_affected_components(change, timeline))
        subject, text, html = _describe_record_update(event, change, affected, words)
        url = f"{incident_url(page, change.record.incident.id)}#update-{change.update.update.id}"
        worst = max(
            (state.now.status for state in affected),
            key=COMPONENT_SEVERITY.__getitem__,
            default="operational",
        )
    time = DateFormatter(page.time_zone, page_texts(words.language)).moment(event.at).text
    return Message(
        shorten_with_ellipsis(subject, LONGEST_SUBJECT),
        shorten_with_ellipsis(text, LONGEST_TEXT),
        html,
        url,
        time,
        worst,
    )


def shorten_with_ellipsis(text: str, limit: int) -> str:
    """Cut a text at a limit, and end it with an ellipsis.

    A text within the limit is returned unchanged.
    """
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


class _MessageWords(NamedTuple):
    subject: str
    text: str
    html: str


def _describe_component_change(change: ComponentChange, words: Words) -> _MessageWords:
    name = one_line(change.component.name)
    status = get_status_words(change.new_status, words)
    previous = get_status_words(change.old_status, words)
    text = words("changed", name=name, status=status, previous=previous)
    return _MessageWords(f"{name}: {status}", text, body_html(text))


def _describe_record_update(
    event: StatusEvent, record_update: RecordUpdate, affected_components: list[ComponentState], words: Words
) -> _MessageWords:
    record, update = record_update
    is_reminder = event.kind is EventKind.REMINDER
    position = record.published_updates.index(update)
    label = words("reminder") if is_reminder else status_label(record, position, words)
    component_names = ", ".join(
        f"{one_line(state.component.name)} ({get_status_words(state.now.status, words)})"
        for state in affected_components
    )
    components = words("affects", names=component_names) if component_names else ""
    body = words.translate_body(update.update.body)
    text = "\n\n".join(filter(None, (body_plain_text(body), components)))
    html = "".join(f"<p>{part}</p>" for part in filter(None, (body_html(body), body_html(components))))
    return _MessageWords(f"{label}: {one_line(record.incident.name)}", text, html)


def get_status_words(status: ComponentStatus, words: Words = ENGLISH) -> str:
    """Return a component's status in words, such as `partial outage`.

    Args:
        status: the status of the component.
        words: the texts of the language in which to write.
    """
    return status.replace("_", " ") if words is ENGLISH else words(f"status.{status}")


def _iter_affected_components(record_update: RecordUpdate, timeline: Timeline) -> Iterator[ComponentState]:
    components = {
        component.id: component for component in timeline.catalogue.components if not component.removed
    }
    for component_id in record_update.record.components:
        component = components.get(component_id)
        if component is not None and not component.group:
            yield component_state_at(timeline, component, record_update.update.published_at)


def make_webhook_body(event: StatusEvent, timeline: Timeline) -> Members:
    """Describe an event in the JSON of Statuspage's webhooks.

    Args:
        event: the change of an incident or component.
        timeline: the status history.
    """
    page = timeline.catalogue.page
    timestamps = TimestampFormatter(page.time_zone)
    state = page_state_at(timeline, event.at)
    members = page_json(page, state.updated_at, timestamps), status_json(state.overall_status)
    change = event.change
    if isinstance(change, ComponentChange):
        component = component_json(component_state_at(timeline, change.component, event.at), page, timestamps)
        return component_payload(component, change.old_status, *members)
    components = [
        component_json(affected, page, timestamps) for affected in _iter_affected_components(change, timeline)
    ]
    record = incident_json(change.record, components, page, timestamps)
    return incident_payload(_add_webhook_members(record, change.record, timestamps), *members)


def _add_webhook_members(
    webhook_members: Members, incident_state: IncidentState, timestamps: TimestampFormatter
) -> Members:
    incident, updates = incident_state.incident, incident_state.published_updates
    automation = incident.automation if isinstance(incident, Maintenance) else NO_AUTOMATION
    reminders = [entry for entry in updates if entry.update.automatic and entry.update.status == "scheduled"]
    postmortems = [entry.update for entry in updates if entry.update.status == "postmortem"]
    return {
        **webhook_members,
        "incident_updates": [{**update, **NO_TWEET} for update in webhook_members["incident_updates"]],
        "backfilled": incident.backfilled,
        "impact_override": incident.impact_override,
        "scheduled_remind_prior": automation.scheduled_remind_prior,
        "scheduled_auto_in_progress": automation.scheduled_auto_in_progress,
        "scheduled_auto_completed": automation.scheduled_auto_completed,
        "scheduled_reminded_at": timestamps(reminders[-1].published_at) if reminders else None,
        "postmortem_ignored": False,
        "postmortem_notified_subscribers": any(update.deliver_notifications for update in postmortems),
        "postmortem_notified_twitter": False,
    }


NO_TWEET: Members = {"wants_twitter_update": False, "twitter_updated_at": None}
"""The members of an update that is not sent to Twitter."""


NO_AUTOMATION = Automation(
    scheduled_remind_prior=False, scheduled_auto_in_progress=False, scheduled_auto_completed=False
)
"""The automatic steps of an incident: none."""


def make_slack_body(message: Message, words: Words = ENGLISH) -> Members:
    """Convert a message to the JSON that a Slack webhook accepts.

    Args:
        message: the subject, text, time and link.
        words: the texts of the language for the label of the link.
    """
    context = f"{_escape_for_slack(message.time)} · <{message.url}|{_escape_for_slack(words('open_page'))}>"
    sections = (
        [{"type": "section", "text": {"type": "mrkdwn", "text": _escape_for_slack(message.text)}}]
        if message.text
        else []
    )
    return {
        "text": _escape_for_slack(message.subject),
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": message.subject, "emoji": False}},
            *sections,
            {"type": "context", "elements": [{"type": "mrkdwn", "text": context}]},
        ],
    }


def _escape_for_slack(plain_text: str) -> str:
    """Escape a text for Slack.

    See https://docs.slack.dev/messaging/formatting-message-text.
    """
    return plain_text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


TEAMS_COLOURS: dict[ComponentStatus, str] = {
    "operational": "Good",
    "under_maintenance": "Accent",
    "degraded_performance": "Warning",
    "partial_outage": "Warning",
    "major_outage": "Attention",
}
"""The colours of adaptive cards."""


def make_teams_body(message: Message, words: Words = ENGLISH) -> Members:
    """Convert a message to the JSON that a Microsoft Teams webhook accepts.

    Args:
        message: the subject, text, time and link.
        words: the texts of the language for the label of the link.
    """
    heading = {"size": "Medium", "weight": "Bolder", "color": TEAMS_COLOURS[message.worst]}
    blocks = [_make_text_block(message.subject, **heading)]
    if message.text:
        blocks.append(_make_text_block(message.text))
    blocks.append(_make_text_block(message.time, isSubtle=True, size="Small"))
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": blocks,
        "actions": [{"type": "Action.OpenUrl", "title": words("open_page"), "url": message.url}],
    }
    attachment = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": card,
    }
    return {"type": "message", "attachments": [attachment]}


def _make_text_block(plain_text: str, **block_members: object) -> Members:
    # Adaptive Cards render a subset of Markdown. Escape the characters that would be markup, and write each
    # line break twice, because a single one is ignored.
    escaped = "".join(f"\\{letter}" if letter in "\\*_[]()#" else letter for letter in plain_text)
    return {"type": "TextBlock", "text": escaped.replace("\n", "\n\n"), "wrap": True, **block_members}
