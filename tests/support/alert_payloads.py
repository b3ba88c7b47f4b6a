"""Payloads of monitoring systems by their documented forms, and some that are broken or hostile."""

import json

from statuary.extensions.alerts.payloads import LONGEST_PAYLOAD


def group(*alerts, **members):
    return {
        "version": "4",
        "groupKey": '{}:{alertname="RpcDown"}',
        "receiver": "status",
        "status": "firing",
        "groupLabels": {"alertname": "RpcDown"},
        "commonLabels": {"alertname": "RpcDown", "severity": "critical"},
        "commonAnnotations": {"summary": "The RPC does not answer"},
        "externalURL": "http://alerts.internal",
        "alerts": list(alerts) or [alert()],
        **members,
    }


def alert(status="firing", **labels):
    return {
        "status": status,
        "labels": {"service": "rpc", **labels},
        "annotations": {"description": "No answer for 5 minutes"},
        "startsAt": "2026-11-02T09:58:12.432911368Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://metrics.internal/graph",
        "fingerprint": "a1bc48475b20e73d",
    }


def pagerduty(event_type, **data):
    members = {
        "id": "PFQZPSY",
        "title": "RPC down",
        "service": {"summary": "rpc"},
        "urgency": "high",
        "priority": None,
    }
    return {
        "event": {
            "event_type": event_type,
            "occurred_at": "2026-11-02T09:58:00Z",
            "data": {**members, **data},
        }
    }


HOSTILE = [
    b"",
    b"{",
    b"\xff\xfe",
    b"null",
    b"[]",
    b"3",
    b'"firing"',
    b"{}",
    b"[" * 100_000,
    b'{"a":' * 20_000,
    b" " * (LONGEST_PAYLOAD + 1),
    *(
        json.dumps(value).encode()
        for value in (
            {"alerts": []},
            group(alerts=[]),
            group(alerts={}),
            group(alerts="firing"),
            group(alerts=[3]),
            group(alerts=[None]),
            group({"labels": {}}, status=None),
            group({"status": "resolving"}),
            group({"status": ["firing"]}),
            group(groupKey=""),
            group(groupKey=None),
            group(groupKey={"a": 1}),
            {"ruleName": "RPC", "state": "burning"},
            {"ruleName": "", "state": "ok"},
            {"ruleName": 3, "state": "ok"},
            {"ruleName": "RPC", "state": None},
            pagerduty(None),
            pagerduty(""),
            pagerduty("incident.triggered", id=None),
            pagerduty("incident.triggered", title=""),
            {"event": {}},
            {"event": {"event_type": "incident.triggered"}},
            {"event": {"event_type": "incident.triggered", "data": []}},
            {"messages": [{"event": "incident.trigger"}]},
            {"messages": [3, None]},
            {"messages": []},
            {"key": "a", "status": "open", "name": "A"},
            {"key": "", "status": "firing", "name": "A"},
            {"key": "a", "status": "firing"},
            {"key": "a", "status": "firing", "name": "A", "component": 3},
            {"key": None, "status": "firing", "name": "A"},
            {"status": "firing"},
        )
    ),
]
"""Payloads that are broken or hostile."""
