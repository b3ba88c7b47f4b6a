"""The status as metrics for Prometheus, `metrics.txt`.

Names and labels of metrics are those of statuspage-prometheus-exporter 2.6, so that its dashboards and alerts
work; further labels tell components of one name apart. Its placeholders for "no incident" are left out, and
times have the unit in the name, as Prometheus recommends.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, get_args

from typing_extensions import override

from statuary.base.primitives import Instant, format_utc, one_line
from statuary.extensions.prometheus.exposition import MEDIA_TYPE, Gauge, Sample, encode_gauges
from statuary.section import Section
from statuary.site.document import Document
from statuary.site.urls import SHORT_LIVED, PutStep, Url
from statuary.status.api.documents import unresolved_records, upcoming_and_active_windows
from statuary.status.feeds.feed import incident_url
from statuary.status.hooks import FollowsStatus
from statuary.status.model.incident_history import IncidentState
from statuary.status.model.records import Maintenance
from statuary.status.model.timeline import ComponentState, PageState, Timeline, page_states_from
from statuary.status.model.vocabulary import ACTIVE_STATUSES, ComponentStatus, Impact

if TYPE_CHECKING:
    from statuary.engine.extension_settings import ExtensionSource

METRICS = Url(
    "prometheus-metrics",
    "metrics.txt",
    "the status as metrics, in Prometheus's text format",
    MEDIA_TYPE,
    SHORT_LIVED,
    PutStep.STATUS,
)


class PrometheusSection(Section, FollowsStatus):
    """The section that adds the metrics."""

    urls = (METRICS,)
    feeds = (METRICS,)

    @override
    @classmethod
    def settings_model(cls) -> "type[ExtensionSource]":
        """Return the model that validates `prometheus` in site.yaml."""
        from statuary.extensions.prometheus.settings import SitePrometheusSource

        return SitePrometheusSource

    @override
    def documents_at(
        self, timeline: Timeline, start: Instant, pages: object = None
    ) -> Callable[[Instant], Iterable[Document]]:
        """Return a function from a time to the Prometheus metrics."""
        states = page_states_from(timeline, start, ())
        return lambda at: (make_metrics_document(states(at), timeline.until),)


def make_metrics_document(state: PageState, build_due: Instant) -> Document:
    """Return the current status as metrics for Prometheus.

    Args:
        state: the status of the components and incidents.
        build_due: the time by which the site must be built again, which is also a metric.
    """
    page = {"service_name": one_line(state.page.name)}
    times = {"updated": state.updated_at, "build_due": build_due}
    time_gauges = [
        Gauge(f"statuspage_{name}_timestamp_seconds", TIMES[name], (Sample(int(at.timestamp()), page),))
        for name, at in times.items()
    ]
    gauges = (*_iter_component_gauges(state, page), *_iter_record_gauges(state, page), *time_gauges)
    text = encode_gauges(gauges)
    return Document(METRICS.path(), text.encode(), METRICS.media_type, METRICS.cache)


def _iter_component_gauges(state: PageState, page: dict[str, str]) -> Iterator[Gauge]:
    components = [row for row in state.components.values() if not row.component.removed]
    yield Gauge(
        "statuspage_service_status",
        "Whether all components are operational (1) or not (0).",
        (Sample(int(state.overall_now.indicator == "none"), page),),
    )
    yield Gauge(
        "statuspage_component_status",
        "Whether a component is operational (1) or not (0).",
        tuple(
            Sample(int(row.now.status == "operational"), page | _make_component_labels(row, state))
            for row in components
        ),
    )
    yield Gauge(
        "statuspage_component_state",
        "The status of a component: 1 for the one that it has, 0 for the others.",
        tuple(
            Sample(
                int(row.now.status == status), page | _make_component_labels(row, state) | {"status": status}
            )
            for row in components
            for status in get_args(ComponentStatus)
        ),
    )


def _iter_record_gauges(state: PageState, page: dict[str, str]) -> Iterator[Gauge]:
    incidents = unresolved_records(state.incidents)
    windows = upcoming_and_active_windows(state.maintenances)
    yield Gauge(
        "statuspage_unresolved_incidents",
        "The number of unresolved incidents by impact.",
        tuple(
            Sample(sum(record.impact == impact for record in incidents), page | {"impact": impact})
            for impact in get_args(Impact)
        ),
    )
    yield Gauge(
        "statuspage_incident_info",
        "An unresolved incident; the value is 1.",
        tuple(Sample(1, page | _make_incident_labels(record, state)) for record in incidents),
    )
    yield Gauge(
        "statuspage_active_maintenances",
        "The number of maintenance windows in progress.",
        (Sample(sum(record.status in ACTIVE_STATUSES for record in windows), page),),
    )
    yield Gauge(
        "statuspage_maintenance_info",
        "An upcoming or active maintenance window; the value is 1.",
        tuple(Sample(1, page | _make_window_labels(record, state)) for record in windows),
    )


TIMES = {
    "updated": "When anything on the page last changed, in Unix time.",
    "build_due": "By when the site must be built again, in Unix time.",
}
"""The help of each time."""


def _make_component_labels(component_state: ComponentState, state: PageState) -> dict[str, str]:
    group = state.components.get(component_state.component.group_id or "")
    return {
        "component_name": one_line(component_state.component.name),
        "component_id": component_state.component.id,
        "group_name": "" if group is None else one_line(group.component.name),
    }


def _make_record_labels(incident_state: IncidentState, state: PageState) -> dict[str, str]:
    affected = (
        row.component for row in state.components.values() if row.component.id in incident_state.components
    )
    names = (one_line(component.name) for component in affected if not component.removed)
    return {
        "status": incident_state.status,
        "shortlink": incident_url(state.page, incident_state.incident.id),
        "affected_components": ", ".join(names),
    }


def _make_incident_labels(incident_state: IncidentState, state: PageState) -> dict[str, str]:
    incident = incident_state.incident
    return {
        "incident_id": incident.id,
        "incident_name": one_line(incident.name),
        "impact": incident_state.impact,
        "started_at": format_utc(incident.started_at),
        **_make_record_labels(incident_state, state),
    }


def _make_window_labels(window_state: IncidentState, state: PageState) -> dict[str, str]:
    incident = window_state.incident
    if not isinstance(incident, Maintenance):
        raise TypeError("an incident has no start and end, unlike a maintenance")
    return {
        "maintenance_id": incident.id,
        "maintenance_name": one_line(incident.name),
        "scheduled_start": format_utc(incident.scheduled_for),
        "scheduled_end": format_utc(incident.scheduled_until),
        **_make_record_labels(window_state, state),
    }
