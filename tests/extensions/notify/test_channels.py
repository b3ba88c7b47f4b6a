"""What receivers get: real requests to a receiver on loopback."""

import hmac
from base64 import b64encode
from hashlib import sha256

import pytest

from statuary.base.primitives import parse_instant
from statuary.extensions.notify.channels import (
    ChannelError,
    DeliveryError,
    make_channel_body,
    read_channel_address,
    send_event,
)
from statuary.extensions.notify.events import EventKind, list_events_between
from statuary.extensions.notify.messages import LONGEST_SUBJECT, LONGEST_TEXT, describe_event
from statuary.extensions.notify.settings import Channel, ChannelKind, Delivery
from statuary.site.pages.page_texts import page_texts
from statuary.status.feeds.feed_words import feed_words
from statuary.status.model.timeline import build_timeline
from support.receivers import CUT, SLOW, receiver
from support.requirements import require_module
from support.status_site import catalogue_of

START = parse_instant("2026-11-01T00:00:00Z")
END = parse_instant("2026-12-01T00:00:00Z")

INCIDENT = """
    name: Slow <answers> & *more*
    components: {rpc: degraded_performance}
    updates:
      - {at: 2026-11-02T10:00:00Z, status: investigating, body: "See [the log](https://logs.example.org) <!channel>"}
      - {at: 2026-11-02T11:00:00Z, status: resolved, body: Done.}
"""


@pytest.fixture(scope="module")
def timeline():
    return build_timeline(catalogue_of(incidents={"trouble": INCIDENT}), END)


def event_of(timeline, kind):
    return next(event for event in list_events_between(timeline, START, END) if event.kind is kind)


def channel(kind=ChannelKind.WEBHOOK, delivery=Delivery.AT_LEAST_ONCE, secret=""):
    return Channel("ops", kind, "OPS_URL", secret, tuple(EventKind), (), delivery)


def sent(served, timeline, one=None, kind=EventKind.OPENED, **environment):
    chosen = one or channel()
    address = read_channel_address(chosen, {"OPS_URL": f"{served.url}/hook", **environment})
    pauses = []
    try:
        send_event(
            chosen,
            address,
            event_of(timeline, kind),
            timeline,
            clock=lambda: 1_793_600_000.5,
            wait=pauses.append,
        )
    finally:
        sent.pauses = pauses


INCIDENT_MEMBERS = {
    "backfilled", "components", "created_at", "id", "impact", "impact_override", "incident_updates", "monitoring_at", "name",
    "page_id", "postmortem_body", "postmortem_body_last_updated_at", "postmortem_ignored", "postmortem_notified_subscribers",
    "postmortem_notified_twitter", "postmortem_published_at", "resolved_at", "scheduled_auto_completed",
    "scheduled_auto_in_progress", "scheduled_for", "scheduled_remind_prior", "scheduled_reminded_at", "scheduled_until",
    "shortlink", "status", "updated_at",
}  # fmt: skip
"""The members of a recorded payload."""

UPDATE_MEMBERS = {
    "affected_components", "body", "created_at", "custom_tweet", "deliver_notifications", "display_at", "id", "incident_id",
    "status", "twitter_updated_at", "updated_at", "wants_twitter_update",
}  # fmt: skip


@pytest.mark.parametrize("notifies", [True, False])
def test_postmortem_webhook_states_subscriber_notification(notifies):
    flag = str(notifies).lower()
    why = f"postmortem: {{published_at: 2026-11-03T10:00:00Z, body: Why., deliver_notifications: {flag}}}"
    timeline = build_timeline(catalogue_of(incidents={"trouble": f"{INCIDENT}    {why}\n"}), END)
    events = [e for e in list_events_between(timeline, START, END) if e.kind is not EventKind.COMPONENT]
    assert events[-1].kind is (EventKind.POSTMORTEM if notifies else EventKind.RESOLVED)
    incident = make_channel_body(ChannelKind.WEBHOOK, events[-1], timeline)["incident"]
    assert incident["postmortem_notified_subscribers"] is notifies
    assert incident["postmortem_body"] == ("Why." if notifies else None)


def test_maintenance_payload_states_reminder_time():
    upgrade = """
        name: Upgrade
        created_at: 2026-11-05T10:00:00Z
        scheduled_for: 2026-11-06T10:00:00Z
        scheduled_until: 2026-11-06T11:00:00Z
    """
    timeline = build_timeline(catalogue_of(maintenances={"upgrade": upgrade}), END)
    reminded = [
        make_channel_body(ChannelKind.WEBHOOK, event, timeline)["incident"]["scheduled_reminded_at"]
        for event in list_events_between(timeline, START, END)
    ]
    assert reminded == [None, *["2026-11-06T09:00:00.000Z"] * 3]


def test_incident_payload_matches_statuspage(timeline):
    with receiver() as served:
        sent(served, timeline)
    (request,) = served.requests
    assert request.path == "/hook"
    assert request.headers["content-type"] == "application/json"
    assert list(request.value) == ["meta", "page", "incident"]
    assert set(request.value["page"]) == {"id", "status_indicator", "status_description"}
    assert request.value["page"]["status_indicator"] == "minor"
    incident = request.value["incident"]
    assert set(incident) >= INCIDENT_MEMBERS
    assert set(incident["incident_updates"][0]) >= UPDATE_MEMBERS
    assert [update["status"] for update in incident["incident_updates"]] == ["investigating"]
    assert [component["status"] for component in incident["components"]] == ["degraded_performance"]


def test_component_payload_matches_statuspage(timeline):
    with receiver() as served:
        sent(served, timeline, kind=EventKind.COMPONENT)
    value = served.requests[0].value
    assert list(value) == ["meta", "page", "component", "component_update"]
    assert set(value["component_update"]) == {
        "old_status", "new_status", "created_at", "component_type", "id", "component_id",
    }  # fmt: skip
    assert value["component"]["status"] == value["component_update"]["new_status"] == "degraded_performance"
    assert served.requests[0].headers["webhook-id"] == value["component_update"]["id"]


def test_webhook_has_signature_and_event_id(timeline):
    key = b"0123456789abcdef0123456789abcdef"
    secret = "whsec_" + b64encode(key).decode()
    with receiver() as served:
        sent(served, timeline, channel(secret="OPS_KEY"), OPS_KEY=secret)
        sent(served, timeline, channel(secret="OPS_KEY"), OPS_KEY=secret)
    first, again = served.requests
    assert (
        first.headers["webhook-id"] == again.headers["webhook-id"] == event_of(timeline, EventKind.OPENED).id
    )
    signed = f"{first.headers['webhook-id']}.1793600000.".encode() + first.body
    expected = b64encode(hmac.new(key, signed, sha256).digest()).decode()
    assert first.headers["webhook-signature"] == f"v1,{expected}"


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_%%%", "short of base64!"])
def test_invalid_webhook_signing_key_is_rejected(timeline, secret):
    with pytest.raises(ChannelError, match="OPS_KEY is not set, or is not a key"):
        read_channel_address(channel(secret="OPS_KEY"), {"OPS_URL": "https://example.org", "OPS_KEY": secret})


@pytest.mark.parametrize(
    ("url", "message"), [("", "is not set"), ("  ", "is not set"), ("ftp://x/secret", "web address")]
)
def test_invalid_channel_url_is_rejected(url, message):
    with pytest.raises(ChannelError, match=message) as error:
        read_channel_address(channel(), {"OPS_URL": url})
    assert "secret" not in str(error.value)


def test_slack_escapes_mentions_and_markup(timeline):
    with receiver() as served:
        sent(served, timeline, channel(ChannelKind.SLACK))
    value = served.requests[0].value
    assert value["text"] == "Investigating: Slow &lt;answers&gt; &amp; *more*"
    header, section, context = value["blocks"]
    assert header["text"]["text"] == "Investigating: Slow <answers> & *more*"
    assert "<!channel>" not in section["text"]["text"]
    assert "the log (https://logs.example.org)" in section["text"]["text"]
    assert "Affects: RPC (degraded performance)" in section["text"]["text"]
    assert "2 Nov 2026, 10:00 UTC" in context["elements"][0]["text"]
    assert "/incidents/trouble#update-" in context["elements"][0]["text"]


def test_teams_payload_is_adaptive_card(timeline):
    with receiver() as served:
        sent(served, timeline, channel(ChannelKind.TEAMS))
    value = served.requests[0].value
    (attachment,) = value["attachments"]
    assert value["type"] == "message"
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    assert card["body"][0]["text"] == r"Investigating: Slow <answers> & \*more\*"
    assert card["body"][0]["color"] == "Warning"
    assert card["actions"][0]["url"].startswith("https://status.example.org/incidents/trouble#update-")


def test_message_url_points_to_incident_update(timeline):
    event = event_of(timeline, EventKind.RESOLVED)
    assert describe_event(event, timeline).url.endswith(f"#update-{event.id}")


def test_component_message_is_translated(timeline):
    message = describe_event(event_of(timeline, EventKind.COMPONENT), timeline, feed_words(page_texts("de")))
    assert message.subject.endswith(": Beeinträchtigt")
    assert message.text.endswith(": jetzt Beeinträchtigt, vorher In Betrieb.")


def test_long_message_text_is_truncated():
    long = INCIDENT.replace("Slow", "Slow " * 38).replace("Done.", "word " * 1_900)
    timeline = build_timeline(catalogue_of(incidents={"trouble": long}), END)
    message = describe_event(event_of(timeline, EventKind.RESOLVED), timeline)
    assert len(message.subject) <= LONGEST_SUBJECT
    assert len(message.text) == LONGEST_TEXT or message.text.endswith("…")


@pytest.mark.parametrize("answers", [[500, 200], [503, CUT, 200], [(429, {"Retry-After": "2"}), 200]])
def test_temporary_delivery_failure_is_retried(timeline, answers):
    with receiver() as served:
        served.answers.extend(answers)
        sent(served, timeline)
    assert len(served.requests) == len(answers)
    assert len(served.taken) == 1
    assert len({request.body for request in served.requests}) == 1


@pytest.mark.parametrize(
    ("answers", "message", "requests"),
    [
        ([301], "responds with 301", 1),
        ([307], "responds with 307", 1),
        ([404], "responds with 404", 1),
        ([410], "responds with 410", 1),
        ([500, 500, 500], "responds with 500", 3),
        ([(429, {"Retry-After": "3600"})], "responds with 429", 1),
        ([(503, {"Retry-After": "99999999999"})] * 3, "responds with 503", 3),
        ([CUT, CUT, CUT], "cannot be read", 3),
    ],
)
def test_permanent_delivery_failure_raises_error(timeline, answers, message, requests):
    with receiver() as served:
        served.answers.extend(answers)
        with pytest.raises(DeliveryError, match=message) as error:
            sent(served, timeline)
        assert served.url not in str(error.value)
    assert len(served.requests) == requests
    assert sum(sent.pauses) < 60


@pytest.mark.parametrize(
    ("answer", "is_certain"), [(404, True), (429, True), (301, True), (500, False), (CUT, False)]
)
def test_at_most_once_channel_never_retries(timeline, answer, is_certain):
    with receiver() as served:
        served.answers.append(answer)
        with pytest.raises(DeliveryError) as error:
            sent(served, timeline, channel(delivery=Delivery.AT_MOST_ONCE))
    assert len(served.requests) == 1
    assert error.value.is_certain is is_certain


def test_receiver_timeout_counts_as_uncertain_delivery(timeline, monkeypatch):
    from statuary.extensions.notify import channels
    from statuary.system.network.connections import Timeouts

    monkeypatch.setattr(channels, "TIMEOUTS", Timeouts(seconds=0.3, timeout=0.3))
    with receiver() as served:
        served.seconds = 1.0
        served.answers.append(SLOW)
        with pytest.raises(DeliveryError) as error:
            sent(served, timeline, channel(delivery=Delivery.AT_MOST_ONCE))
    assert not error.value.is_certain


def test_unreachable_receiver_raises_delivery_error(timeline):
    with receiver() as served:
        pass
    with pytest.raises(DeliveryError, match="cannot be read"):
        sent(served, timeline)


# Apprise imports what Python 3.13 leaves out, where it is still there
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
def test_apprise_sends_message(timeline):
    require_module("apprise", install='pip install "statuary[notify]"')
    with receiver() as served:
        url = served.url.replace("http://", "json://")
        send_event(
            channel(ChannelKind.APPRISE),
            read_channel_address(channel(ChannelKind.APPRISE), {"OPS_URL": f"{url}/hook"}),
            event_of(timeline, EventKind.OPENED),
            timeline,
        )
    value = served.requests[0].value
    assert value["title"] == "Investigating: Slow <answers> & *more*"
    assert "/incidents/trouble#update-" in value["message"]


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
def test_apprise_failure_is_reported(timeline):
    require_module("apprise", install='pip install "statuary[notify]"')
    one = channel(ChannelKind.APPRISE)
    with receiver() as served:
        served.answers.append(500)
        address = read_channel_address(one, {"OPS_URL": served.url.replace("http://", "json://")})
        with pytest.raises(DeliveryError, match="Apprise could not send"):
            send_event(one, address, event_of(timeline, EventKind.OPENED), timeline)
    with pytest.raises(ChannelError, match="is not a URL that Apprise knows"):
        send_event(
            one,
            read_channel_address(one, {"OPS_URL": "nothing://x"}),
            event_of(timeline, EventKind.OPENED),
            timeline,
        )


@pytest.mark.parametrize("kind", [ChannelKind.WEBHOOK, ChannelKind.SLACK, ChannelKind.TEAMS])
def test_identical_event_gives_identical_channel_payload(timeline, kind):
    again = build_timeline(catalogue_of(incidents={"trouble": INCIDENT}), END)
    for event, same in zip(
        list_events_between(timeline, START, END), list_events_between(again, START, END), strict=True
    ):
        assert make_channel_body(kind, event, timeline) == make_channel_body(kind, same, again)
