"""Payloads of monitoring systems, by their documented forms, as alerts; and what is no payload."""

import json

import pytest

from statuary.base.primitives import parse_instant
from statuary.extensions.alerts.payloads import PayloadError, read_alerts
from support.alert_payloads import HOSTILE, alert, group, pagerduty


def read(value):
    return read_alerts(json.dumps(value).encode())


def test_alertmanager_payload_is_read():
    (one,) = read(group())
    assert (one.name, one.is_firing) == ("The RPC does not answer", True)
    assert one.labels == {"alertname": "RpcDown", "severity": "critical", "service": "rpc"}
    assert one.since == parse_instant("2026-11-02T09:58:12.432Z")


def test_alert_key_follows_group_key():
    first, again = read(group()), read(group(alert("resolved", host="b"), status="resolved"))
    assert first[0].key == again[0].key
    assert read(group(groupKey="{}:{other}"))[0].key != first[0].key


def test_alert_without_labels_uses_group_title():
    group_of_none = {
        "receiver": "",
        "groupKey": "{}",
        "status": "firing",
        "title": "[FIRING:1]",
        "alerts": [{"status": "firing"}],
    }
    (one,) = read(group_of_none)
    assert (one.name, one.labels) == ("[FIRING:1]", {})


def test_alert_without_status_uses_group_status():
    """Grafana's custom payloads may leave it out."""
    value = group({"labels": {"service": "rpc"}})
    assert [one.is_firing for one in read(value)] == [True]
    assert [one.is_firing for one in read(value | {"status": "resolved"})] == [False]


def test_mixed_alert_group_keeps_statuses():
    found = read(
        group(
            alert("resolved", host="a"),
            alert("resolved", host="b"),
            alert("firing", host="c"),
            status="firing",
        )
    )
    assert [one.is_firing for one in found] == [False, False, True]
    assert len({one.key for one in found}) == 1


def test_grafana_without_group_key_is_read():
    value = group()
    del value["groupKey"]
    assert read(value)[0].is_firing
    assert read(value)[0].key == read({**value, "status": "resolved"})[0].key


@pytest.mark.parametrize(
    ("state", "firing"),
    [("alerting", [True]), ("no_data", [True]), ("ok", [False]), ("pending", []), ("paused", [])],
)
def test_legacy_grafana_states_are_read(state, firing):
    value = {
        "ruleId": 7,
        "ruleName": "RPC",
        "state": state,
        "tags": {"component": "rpc"},
        "title": "[Alerting] RPC",
    }
    alerts = read(value)
    assert [one.is_firing for one in alerts] == firing
    assert all(one.labels["component"] == "rpc" for one in alerts)


@pytest.mark.parametrize(
    ("event", "firing"),
    [
        ("incident.triggered", [True]),
        ("incident.reopened", [True]),
        ("incident.resolved", [False]),
        ("incident.acknowledged", []),
        ("incident.delegated", []),
        ("service.updated", []),
    ],
)
def test_pagerduty_events_are_read(event, firing):
    alerts = read(pagerduty(event))
    assert [one.is_firing for one in alerts] == firing
    assert all(one.labels["service"] == "rpc" and one.name == "RPC down" for one in alerts)


def test_minimal_alert_payload_is_read():
    (one,) = read({"key": "rpc-down", "status": "firing", "name": "RPC down", "component": "rpc"})
    assert one.labels == {"component": "rpc"}
    assert one.since is None


@pytest.mark.parametrize("member", ["type", "event"])
def test_legacy_pagerduty_event_is_rejected(member):
    with pytest.raises(PayloadError, match=r"'incident\.trigger'.* of PagerDuty's webhooks v1 or v2"):
        read({"messages": [{member: "incident.trigger"}, {member: "incident.trigger"}]})


@pytest.mark.parametrize("payload", HOSTILE, ids=range(len(HOSTILE)))
def test_invalid_alert_payload_error_is_short(payload):
    with pytest.raises(PayloadError) as error:
        read_alerts(payload)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    "since", ["0001-01-01T00:00:00Z", "yesterday", 3, None, "2026-11-02T09:58:12.x", "9999"]
)
def test_invalid_alert_start_is_ignored(since):
    value = alert()
    value["startsAt"] = since
    assert read(group(value))[0].since is None


def test_alert_labels_are_shortened_or_dropped():
    value = alert(long="x" * 10_000, number=3, none=None)
    labels = read(group(value))[0].labels
    assert len(labels["long"]) == 200
    assert "number" not in labels
    assert "none" not in labels
