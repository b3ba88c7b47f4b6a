"""What is true of a component: the newest layer, and what shows when it ends."""

from statuary.status.model.component_now import LayerKind
from statuary.status.model.records import StatusChange
from statuary.status.model.timeline import build_timeline, page_state_at
from support.status_site import COMPONENTS, at, catalogue_of

END = at("12-31 00:00")

OURS = """
    name: Ours
    components: {rpc: degraded_performance}
    updates:
      - {at: 2026-11-02T10:10:00Z, status: investigating}
      - {at: 2026-11-02T10:40:00Z, status: resolved}
"""
OUTAGE = """
    name: Outage
    components: {rpc: major_outage}
    updates:
      - {at: 2026-11-02T10:00:00Z, status: investigating}
"""
WINDOW = """
    name: Window
    components: [rpc]
    created_at: 2026-11-01T09:00:00Z
    scheduled_for: 2026-11-02T11:00:00Z
    scheduled_until: 2026-11-02T12:00:00Z
"""


def with_rpc_history(*changes):
    rows = ", ".join(f"{{at: 2026-11-02T{time}:00Z, status: {status}}}" for time, status in changes)
    return COMPONENTS.replace("{name: RPC}", f"{{name: RPC, history: [{rows}]}}")


def timeline_of(upstream=(), **texts):
    catalogue = catalogue_of(**texts)
    if upstream:
        changes = tuple(
            StatusChange(at(f"11-02 {time}"), status, is_upstream=True) for time, status in upstream
        )
        components = (
            component._replace(history=changes) if component.key == "rpc" else component
            for component in catalogue.components
        )
        object.__setattr__(catalogue, "components", tuple(components))
    return build_timeline(catalogue, END)


def rpc(timeline, time):
    """Return RPC as pages show it at a time of 2 November."""
    return page_state_at(timeline, at(f"11-02 {time}")).components["rpc"].now


def api_status(timeline, time):
    return page_state_at(timeline, at(f"11-02 {time}")).components["rpc"].status


def test_upstream_outage_remains_after_own_incident():
    timeline = timeline_of(upstream=[("10:00", "major_outage")], incidents={"ours": OURS})

    assert rpc(timeline, "10:20").status == "degraded_performance"
    after = rpc(timeline, "10:40")
    assert after.status == api_status(timeline, "10:40") == "major_outage"
    assert after.since == at("11-02 10:40")
    assert after.cause.kind is LayerKind.UPSTREAM
    assert after.cause.since == at("11-02 10:00")


def test_upstream_recovery_keeps_own_incident_status():
    changes = [("10:00", "major_outage"), ("10:20", "operational")]
    timeline = timeline_of(upstream=changes, incidents={"ours": OURS})

    assert rpc(timeline, "10:20").status == "degraded_performance"
    assert rpc(timeline, "10:20").cause.record_id == "ours"
    assert rpc(timeline, "10:40").status == "operational"


def test_upstream_outage_remains_after_maintenance():
    timeline = timeline_of(upstream=[("10:00", "partial_outage")], maintenances={"window": WINDOW})

    assert api_status(timeline, "11:00") == "under_maintenance"
    assert api_status(timeline, "12:00") == "partial_outage"


def test_manual_status_returns_after_incident():
    components = with_rpc_history(("09:00", "partial_outage"))
    timeline = timeline_of(components=components, incidents={"ours": OURS}, maintenances={"window": WINDOW})

    assert [api_status(timeline, time) for time in ("09:00", "10:10", "10:40", "11:00", "12:00")] == [
        "partial_outage",
        "degraded_performance",
        "partial_outage",
        "under_maintenance",
        "partial_outage",
    ]
    assert rpc(timeline, "12:00").cause == (LayerKind.STATED, "partial_outage", at("11-02 09:00"), None)


def test_operational_incident_update_ends_manual_status():
    resolved = "status: resolved, components: {rpc: operational}}"
    timeline = timeline_of(
        components=with_rpc_history(("09:00", "partial_outage")),
        incidents={"ours": OURS.replace("status: resolved}", resolved)},
    )

    assert api_status(timeline, "10:40") == "operational"


def test_operational_status_keeps_other_incident():
    resolved = "status: resolved, components: {rpc: operational}}"
    timeline = timeline_of(incidents={"outage": OUTAGE, "ours": OURS.replace("status: resolved}", resolved)})

    assert api_status(timeline, "10:40") == "major_outage"
    assert rpc(timeline, "10:40").cause.record_id == "outage"


def test_maintenance_does_not_hide_outage():
    timeline = timeline_of(incidents={"outage": OUTAGE}, maintenances={"window": WINDOW})

    state = page_state_at(timeline, at("11-02 11:00"))
    assert state.components["rpc"].status == "under_maintenance"
    assert state.components["rpc"].now.status == state.worst_now == "major_outage"
    assert state.components["rpc"].now.since == at("11-02 10:00")
    assert state.components["rpc"].now.cause.kind is LayerKind.INCIDENT
    assert state.overall_status.indicator == "maintenance"
    assert state.overall_now.indicator == "major"


def test_maintenance_status_replaces_operational_status():
    timeline = timeline_of(maintenances={"window": WINDOW, "second": WINDOW})

    assert rpc(timeline, "11:00").status == "under_maintenance"
    assert rpc(timeline, "11:00").since == at("11-02 11:00")


def test_upstream_recovery_during_maintenance_updates_page():
    changes = [("10:00", "partial_outage"), ("11:30", "operational")]
    timeline = timeline_of(upstream=changes, maintenances={"window": WINDOW})

    assert rpc(timeline, "11:29").status == "partial_outage"
    assert rpc(timeline, "11:30").status == "under_maintenance"
    assert at("11-02 11:30") in timeline.change_times


def test_incident_can_resolve_with_degraded_component():
    resolved = "status: resolved, components: {rpc: degraded_performance}}"
    timeline = timeline_of(
        incidents={"ours": OURS.replace("status: resolved}", resolved)}, maintenances={"window": WINDOW}
    )

    assert rpc(timeline, "10:40").cause.kind is LayerKind.STATED
    assert rpc(timeline, "12:00").status == "degraded_performance"


def test_imported_incident_affects_components_until_resolved():
    imported = """
        name: Imported
        updates:
          - at: 2026-11-02T10:00:00Z
            status: investigating
            affected_components:
              - {code: rpc, name: RPC, old_status: operational, new_status: partial_outage}
          - {at: 2026-11-02T11:00:00Z, status: resolved}
    """
    timeline = timeline_of(incidents={"imported": imported})

    assert [api_status(timeline, time) for time in ("10:00", "11:00")] == ["partial_outage", "operational"]


def test_group_status_is_worst_component_status():
    down = OUTAGE.replace("rpc", "north")
    window = WINDOW.replace("[rpc]", "[north, south]")
    timeline = timeline_of(incidents={"outage": down}, maintenances={"window": window})

    group = page_state_at(timeline, at("11-02 11:00")).components["bridges"]
    assert group.status == "under_maintenance"
    assert group.now.status == "major_outage"
