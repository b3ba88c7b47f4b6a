"""Decide which incidents an alert opens or resolves."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from statuary.base.findings import did_you_mean
from statuary.base.primitives import Instant
from statuary.extensions.alerts.payloads import Alert
from statuary.extensions.alerts.settings import AlertRule
from statuary.status.editing.updates import incident_status_at
from statuary.status.model.records import Component, Incident, StatusCatalogue, derived_id
from statuary.status.model.vocabulary import CLOSED_STATUSES


class Opening(NamedTuple):
    """The decision to open an incident for an alert."""

    key: str
    rule: AlertRule
    component: Component
    name: str
    since: Instant | None


class Resolution(NamedTuple):
    """The decision to resolve an incident, because its alert has ended."""

    incident: Incident


class NoChange(NamedTuple):
    """The decision to change no incident, with the reason."""

    reason: str


Decision = Opening | Resolution | NoChange


def decide_on_alerts(
    alerts: Sequence[Alert], rules: Sequence[AlertRule], catalogue: StatusCatalogue, at: Instant
) -> Iterator[Decision]:
    """Decide for each alert whether to open or resolve an incident.

    Alerts of one group that affect the same component share one incident. The incident is resolved when all
    of them have ended.

    Args:
        alerts: the alerts that the monitoring system sent together.
        rules: the alert rules of the site, in order.
        catalogue: the components and incidents in the content.
        at: the time of the decision.
    """
    groups: dict[str, tuple[AlertRule, Component, list[Alert]]] = {}
    for alert in alerts:
        rule, component = find_matching_rule(alert, rules, catalogue)
        over = _find_incident_of_alert(alert, catalogue)
        if over is not None:
            yield _decide_on_ended_alert(over, at)
        elif rule is None or component is None:
            labels = ", ".join(f"{name}={text}" for name, text in sorted(alert.labels.items()))
            yield NoChange(
                f"no rule fits the alert {alert.name!r}: {labels or 'it has no labels'}"
                + _unknown_component_reason(alert, catalogue)
            )
        else:
            key = derived_id(alert.key, component.id)
            groups.setdefault(key, (rule, component, []))[2].append(alert)
    for key, (rule, component, members) in groups.items():
        opened = (incident for incident in catalogue.incidents if incident.alert == key)
        yield _decide_on_alert_group(key, rule, component, members, [*opened], at)


def _find_incident_of_alert(alert: Alert, catalogue: StatusCatalogue) -> Incident | None:
    if alert.is_firing or alert.is_of_group:
        return None
    keys = {derived_id(alert.key, component.id) for component in catalogue.components}
    opened = (incident for incident in catalogue.incidents if incident.alert in keys)
    return next(filter(_is_unresolved, opened), None)


class MatchingRule(NamedTuple):
    """The rule that matches an alert, and the component that it names."""

    rule: AlertRule | None
    component: Component | None  # None without a rule, or if the rule names no existing component


def _unknown_component_reason(alert: Alert, catalogue: StatusCatalogue) -> str:
    name = alert.labels.get("component", "")
    if not name or name in catalogue.components_by_name:
        return ""
    hint = did_you_mean(name, catalogue.components_by_name)
    return f"; {catalogue.components_source} has no component {name!r}" + (f"; {hint}" if hint else "")


def find_matching_rule(alert: Alert, rules: Iterable[AlertRule], catalogue: StatusCatalogue) -> MatchingRule:
    """Return the first rule that matches an alert, and the affected component.

    If no rule matches, the label `component` of the alert may name the component.

    Args:
        alert: the alert, with its labels.
        rules: the alert rules of the site, in order.
        catalogue: the components and incidents in the content.
    """
    by_name = catalogue.components_by_name
    rule = next((rule for rule in rules if rule.matches(alert.labels)), None)
    if rule is None and alert.labels.get("component") in by_name:
        rule = AlertRule(alert.labels["component"])
    component = None if rule is None else by_name.get(rule.component)
    return MatchingRule(rule, component if component is not None and not component.group else None)


def _decide_on_alert_group(
    group_key: str,
    rule: AlertRule,
    component: Component,
    alerts: Sequence[Alert],
    open_incidents: Sequence[Incident],
    at: Instant,
) -> Decision:
    firing = [alert for alert in alerts if alert.is_firing]
    # The last update of an incident may be dated in the future. So look at the status that each incident has
    # now.
    still_open = [
        incident for incident in open_incidents if incident_status_at(incident, at) not in CLOSED_STATUSES
    ]
    if firing and still_open:
        return NoChange(f"{still_open[-1].id} is open already")
    if firing:
        since = min(filter(None, (alert.since for alert in firing)), default=None)
        return Opening(group_key, rule, component, rule.name or firing[0].name, since)
    return _decide_on_ended_group(alerts, [*filter(_is_unresolved, open_incidents)], at)


def _decide_on_ended_group(alerts: Iterable[Alert], unresolved: Sequence[Incident], at: Instant) -> Decision:
    if not unresolved:
        return NoChange("the alert has ended, and it has no open incident")
    if any(alert.has_unseen_firing for alert in alerts):
        return NoChange(
            f"the payload has only some of the alerts, and the group still fires: {unresolved[-1].id} stays open"
        )
    return _decide_on_ended_alert(unresolved[-1], at)


def _decide_on_ended_alert(incident: Incident, at: Instant) -> Decision:
    # Resolve the incident, unless it has had an update since it was opened.
    if len(incident.updates) == 1:
        return Resolution(incident)
    status = incident_status_at(incident, at)
    return NoChange(f"a person has updated {incident.id}, so resolve it yourself (it is {status})")


def _is_unresolved(incident: Incident) -> bool:
    return incident.updates[-1].status not in CLOSED_STATUSES
