"""Parse the payloads of monitoring systems.

Alertmanager's webhook of version 4
(https://prometheus.io/docs/alerting/latest/configuration/#webhook_config), which Grafana's unified
alerting extends; Grafana's own form before version 8; PagerDuty's webhooks v3; and a plain form of ours.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import orjson

from statuary.base.errors import StatuaryError
from statuary.base.json_values import Json, JsonObject, shorten_value
from statuary.base.primitives import Instant, InvalidValueError, parse_instant, shorten
from statuary.status.model.records import derived_id

LONGEST_PAYLOAD = 1 << 20
"""Bytes of the longest payload."""

MOST_LABELS = 1_000_000
"""Limit for the labels and annotations of a payload; those of a group count once for each of its alerts."""

LONGEST_TEXT = 200
"""Characters that are kept of a label, a name or another string; the rest is cut off."""

PLAIN_FORM = '{"key": "rpc-down", "status": "firing", "name": "RPC down", "component": "rpc"}'


class PayloadError(StatuaryError):
    """Raised if a payload has an unknown format, or lacks required data."""


class Alert(NamedTuple):
    """An alert of a monitoring system: firing, or ended."""

    key: str  # an id of the alert or of its group, which stays the same until the alert ends
    name: str
    labels: Mapping[str, str]
    is_firing: bool
    since: Instant | None = None
    is_of_group: bool = False  # whether other alerts of the group have the same key
    has_unseen_firing: bool = False  # whether the group is firing and has alerts that the payload omits


def read_alerts(payload: bytes) -> list[Alert]:
    """Parse the alerts in a webhook request of a monitoring system.

    Args:
        payload: the JSON of Alertmanager, Grafana, PagerDuty or statuary's own format.

    Raises:
        PayloadError: if the payload is too long, not JSON, or in an unknown format.
    """
    if len(payload) > LONGEST_PAYLOAD:
        raise PayloadError(f"the alert has {len(payload):,} bytes; the limit is {LONGEST_PAYLOAD:,}")
    try:
        value: Json = orjson.loads(payload)
    except orjson.JSONDecodeError as error:
        raise PayloadError(
            f"the alert is not JSON (line {error.lineno}, column {error.colno})",
            "pass the body of the webhook on standard input, or in a file",
        ) from None
    if isinstance(value, Mapping):
        for applies, read_form in FORMS:
            if applies(value):
                return list(read_form(value))
    found = f"members {shorten(', '.join(value))}" if isinstance(value, Mapping) else shorten_value(value)
    raise PayloadError(
        f"the alert has an unknown format ({found}); known are Alertmanager, Grafana, PagerDuty v3 and the plain form",
        f"the plain form is {PLAIN_FORM}",
    )


def _require_string(value: Json, value_name: str) -> str:
    if isinstance(value, str) and value.strip():
        return " ".join(value.split())[:LONGEST_TEXT]
    raise PayloadError(f"the alert has no {value_name}: found {shorten(str(value))}")


def _string_or_default(value: Json, fallback: str) -> str:
    return _require_string(value, "") if isinstance(value, str) and value.strip() else fallback


def _require_object(value: Json) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _parse_labels(value: Json) -> dict[str, str]:
    return {
        name[:LONGEST_TEXT]: text[:LONGEST_TEXT]
        for name, text in _require_object(value).items()
        if isinstance(text, str)
    }


def _parse_instant(value: Json) -> Instant | None:
    """Parse a time, and cut it to milliseconds.

    Returns:
        The time; None for Go's zero time, and for a value that is not a time.
    """
    if not isinstance(value, str) or value.startswith("0001-"):
        return None
    seconds, dot, fraction = value.partition(".")
    if dot:
        digits = len(fraction) - len(fraction.lstrip("0123456789"))
        value = f"{seconds}.{fraction[: min(digits, 3)]}{fraction[digits:]}" if digits else value
    try:
        return parse_instant(value)
    except InvalidValueError:
        return None


def _parse_alert_group(payload: JsonObject) -> Iterator[Alert]:
    """Yield the alerts in a webhook request of Alertmanager or Grafana.

    A request always lists all alerts of a group. So they get the same key, made from the group, and with it one incident.

    Raises:
        PayloadError: if it has no alerts or too many labels, or an alert is invalid.
    """
    alerts = _require_list(payload.get("alerts"))
    if not alerts:
        raise PayloadError("the alert has no list `alerts`, which Alertmanager and Grafana send")
    group = payload.get("groupKey", payload.get("receiver"))
    _require_string(group, "groupKey")
    common_labels = _parse_labels(payload.get("commonLabels"))
    common_notes = _parse_labels(payload.get("commonAnnotations"))
    count = len(alerts) * (len(common_labels) + len(common_notes))
    if count > MOST_LABELS:
        raise PayloadError(
            f"the alert has {count:,} labels in total, because its {len(alerts):,} alerts each repeat the labels of the group;"
            f" the limit is {MOST_LABELS:,}",
            "group by fewer labels, or set max_alerts of the receiver",
        )
    truncated = payload.get("truncatedAlerts")
    has_unseen_firing = payload.get("status") == "firing" and isinstance(truncated, int) and truncated > 0
    for members in alerts:
        if not isinstance(members, Mapping):
            raise PayloadError(
                f"the alert has {shorten(str(members))} in its list `alerts`, where an object is expected"
            )
        labels = common_labels | _parse_labels(members.get("labels"))
        notes = common_notes | _parse_labels(members.get("annotations"))
        name = (
            notes.get("summary")
            or labels.get("alertname")
            or _string_or_default(payload.get("title"), "Alert")
        )
        status = _require_string(members.get("status", payload.get("status")), "status")
        if status not in ("firing", "resolved"):
            raise PayloadError(f"the alert has the status {shorten(status)}; expected firing or resolved")
        yield Alert(
            derived_id("alertmanager", str(group)),
            _require_string(name, "name"),
            labels,
            status == "firing",
            _parse_instant(members.get("startsAt")),
            is_of_group=True,
            has_unseen_firing=has_unseen_firing,
        )


GRAFANA_STATES = {
    "alerting": True,
    "no_data": True,
    "ok": False,
    "paused": None,
    "pending": None,
    "unknown": None,
}
"""Whether an alert fires, by its state in Grafana before version 8; a state with None is ignored."""


def _parse_old_grafana_alert(payload: JsonObject) -> Iterator[Alert]:
    state = _require_string(payload.get("state"), "state")
    if state not in GRAFANA_STATES:
        raise PayloadError(f"the alert has the state {shorten(state)}, which is not a state of Grafana")
    name = _require_string(payload.get("ruleName"), "ruleName")
    fires = GRAFANA_STATES[state]
    if fires is not None:
        labels = _parse_labels(payload.get("tags")) | {"alertname": name}
        yield Alert(derived_id("grafana", str(payload.get("ruleId")), name), name, labels, fires)


PAGERDUTY_ENDS = {"incident.resolved": False, "incident.triggered": True, "incident.reopened": True}
"""Whether an alert fires, by the event of PagerDuty; other events change nothing."""


def _parse_pagerduty_event(payload: JsonObject) -> Iterator[Alert]:
    event = _require_object(payload["event"])
    fires = PAGERDUTY_ENDS.get(_require_string(event.get("event_type"), "event_type"))
    data = _require_object(event.get("data"))
    if fires is None:
        return
    service = _require_object(data.get("service"))
    labels = {
        "service": _string_or_default(service.get("summary"), ""),
        "urgency": _string_or_default(data.get("urgency"), ""),
        "priority": _string_or_default(_require_object(data.get("priority")).get("summary"), ""),
    }
    key = derived_id("pagerduty", _require_string(data.get("id"), "id"))
    yield Alert(
        key,
        _require_string(data.get("title"), "title"),
        labels,
        fires,
        _parse_instant(event.get("occurred_at")),
    )


def _parse_plain_alert(payload: JsonObject) -> Iterator[Alert]:
    status = _require_string(payload.get("status"), "status")
    if status not in ("firing", "resolved"):
        raise PayloadError(f"the alert has the status {shorten(status)}", "write firing or resolved")
    labels = _parse_labels(payload.get("labels"))
    if "component" in payload:
        labels["component"] = _require_string(payload["component"], "component")
    key = derived_id("plain", str(payload["key"]))
    _require_string(payload["key"], "key")
    yield Alert(
        key,
        _require_string(payload.get("name"), "name"),
        labels,
        status == "firing",
        _parse_instant(payload.get("started_at")),
    )


def _reject_retired_format(payload: JsonObject) -> Iterator[Alert]:
    messages = [_require_object(message) for message in _require_list(payload["messages"])]
    events = ", ".join(sorted({str(members.get("event", members.get("type", ""))) for members in messages}))
    raise PayloadError(
        f"the alert ({shorten(events)}) has the format of PagerDuty's webhooks v1 or v2, which PagerDuty ended in 2023",
        "add a webhook subscription v3 in PagerDuty",
    )


def _require_list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


FORMS: tuple[tuple[Callable[[JsonObject], bool], Callable[[JsonObject], Iterator[Alert]]], ...] = (
    (lambda value: "alerts" in value and ("groupKey" in value or "receiver" in value), _parse_alert_group),
    (lambda value: "ruleName" in value and "state" in value, _parse_old_grafana_alert),
    (lambda value: isinstance(value.get("event"), Mapping), _parse_pagerduty_event),
    (lambda value: isinstance(value.get("messages"), list), _reject_retired_format),
    (lambda value: "key" in value and "status" in value, _parse_plain_alert),
)
"""A test for each form of payload, and its reader."""
