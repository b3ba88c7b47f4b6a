"""What updates make of components, in the order they are posted."""

from statuary.status.model.timeline import build_timeline
from support.status_site import COMPONENTS, at, catalogue_of

END = at("12-31 00:00")


def timeline_of(**texts):
    return build_timeline(catalogue_of(**texts), END)


def statuses(timeline, component, *instants):
    return [timeline.status_histories[component].at(at(instant))[0] for instant in instants]


def affected(timeline, record):
    history = next(
        history for history in (*timeline.incidents, *timeline.maintenances) if history.incident.id == record
    )
    return [
        None
        if published.affected_components is None
        else [(one.code, one.name, one.old_status, one.new_status) for one in published.affected_components]
        for published in reversed(history.final_state.published_updates)
    ]


TROUBLE = """
    name: Trouble
    components: {rpc: partial_outage, north: degraded_performance}
    updates:
      - {at: 2026-11-02T10:00:00Z, status: investigating}
      - {at: 2026-11-02T11:00:00Z, status: identified, components: {rpc: major_outage}}
      - {at: 2026-11-02T12:00:00Z, status: resolved}
"""


def test_incident_changes_and_restores_components():
    timeline = timeline_of(incidents={"trouble": TROUBLE})

    times = ("11-02 09:59", "11-02 10:00", "11-02 11:00", "11-02 12:00")
    assert statuses(timeline, "rpc", *times) == [
        "operational",
        "partial_outage",
        "major_outage",
        "operational",
    ]
    assert statuses(timeline, "north", *times) == [
        "operational",
        "degraded_performance",
        "degraded_performance",
        "operational",
    ]


def test_incident_resolved_at_once_changes_nothing():
    resolved = "{at: 2026-11-02T10:00:00Z, status: resolved}"
    told = f"\nname: Told afterwards\ncomponents: {{rpc: partial_outage}}\nupdates: [{resolved}]\n"
    assert statuses(timeline_of(incidents={"told": told}), "rpc", "11-02 10:00", "11-03 00:00") == [
        "operational",
        "operational",
    ]


def test_updates_list_components_with_group_name():
    north = ("north", "Bridges - North")
    assert affected(timeline_of(incidents={"trouble": TROUBLE}), "trouble") == [
        [("rpc", "RPC", "operational", "partial_outage"), (*north, "operational", "degraded_performance")],
        [
            ("rpc", "RPC", "partial_outage", "major_outage"),
            (*north, "degraded_performance", "degraded_performance"),
        ],
        [("rpc", "RPC", "major_outage", "operational"), (*north, "degraded_performance", "operational")],
    ]


def test_overlapping_incident_keeps_component_down():
    other = """
        name: More trouble
        components: {rpc: degraded_performance}
        updates:
          - {at: 2026-11-02T11:30:00Z, status: investigating}
          - {at: 2026-11-02T13:00:00Z, status: resolved}
    """
    timeline = timeline_of(incidents={"trouble": TROUBLE, "other": other})

    assert statuses(timeline, "rpc", "11-02 11:30", "11-02 12:00", "11-02 13:00") == [
        "degraded_performance",  # the newest word
        "degraded_performance",
        "operational",
    ]


def test_resolved_incident_restores_overlapping_status():
    other = """
        name: More trouble
        components: {rpc: major_outage}
        updates:
          - {at: 2026-11-02T09:00:00Z, status: investigating}
    """
    timeline = timeline_of(
        incidents={"trouble": TROUBLE.replace("components: {rpc: major_outage}", ""), "other": other}
    )

    assert statuses(timeline, "rpc", "11-02 09:00", "11-02 10:00", "11-02 12:00") == [
        "major_outage",
        "partial_outage",
        "major_outage",
    ]


def test_resolving_update_can_keep_component_degraded():
    text = TROUBLE.replace("status: resolved}", "status: resolved, components: {rpc: degraded_performance}}")
    timeline = timeline_of(incidents={"trouble": text})

    assert statuses(timeline, "rpc", "11-02 12:00") == ["degraded_performance"]
    assert statuses(timeline, "north", "11-02 12:00") == ["operational"]


def test_manual_status_shows_again_after_incident():
    components = COMPONENTS.replace(
        "{name: RPC}", "{name: RPC, history: [{at: 2026-11-02T10:30:00Z, status: degraded_performance}]}"
    )
    timeline = timeline_of(components=components, incidents={"trouble": TROUBLE})

    assert statuses(timeline, "rpc", "11-02 10:29", "11-02 10:30", "11-02 11:00", "11-02 12:00") == [
        "partial_outage",
        "degraded_performance",
        "major_outage",
        "degraded_performance",
    ]


def test_incident_resolution_keeps_later_manual_status():
    components = COMPONENTS.replace(
        "{name: RPC}", "{name: RPC, history: [{at: 2026-11-02T11:30:00Z, status: partial_outage}]}"
    )
    timeline = timeline_of(components=components, incidents={"trouble": TROUBLE})

    assert statuses(timeline, "rpc", "11-02 11:30", "11-02 12:00") == ["partial_outage", "partial_outage"]


RECORDED = """
    name: Imported
    updates:
      - at: 2026-11-02T10:00:00Z
        status: investigating
        affected_components:
          - {code: rpc, name: Old name, old_status: operational, new_status: partial_outage}
          - {code: south, name: Bridges - South, old_status: operational, new_status: operational}
      - {at: 2026-11-02T11:00:00Z, status: monitoring, affected_components: null}
      - {at: 2026-11-02T12:00:00Z, status: resolved, affected_components: null}
"""


def test_imported_affected_components_stay_unchanged():
    timeline = timeline_of(incidents={"imported": RECORDED})

    assert affected(timeline, "imported") == [
        [
            ("rpc", "Old name", "operational", "partial_outage"),
            ("south", "Bridges - South", "operational", "operational"),
        ],
        None,
        None,
    ]
    # its resolution says nothing of components, so nothing is made up
    assert statuses(timeline, "rpc", "11-02 10:00", "11-02 12:00") == ["partial_outage", "partial_outage"]


def test_imported_unchanged_status_is_ignored():
    components = COMPONENTS.replace(
        "{name: South}", "{name: South, history: [{at: 2026-11-02T09:00:00Z, status: major_outage}]}"
    )
    timeline = timeline_of(components=components, incidents={"imported": RECORDED})

    assert statuses(timeline, "south", "11-02 10:00") == ["major_outage"]


def test_backfilled_and_draft_incidents_are_ignored():
    timeline = timeline_of(
        incidents={"late": TROUBLE + "    backfilled: true\n", "draft": TROUBLE + "    draft: true\n"}
    )

    assert timeline.status_histories["rpc"].instants == []
    assert affected(timeline, "late") == [None, None, None]


UPGRADE = """
    name: Upgrade
    components: [explorer]
    created_at: 2026-11-01T09:00:00Z
    scheduled_for: 2026-11-02T10:00:00Z
    scheduled_until: 2026-11-02T12:00:00Z
"""


def test_maintenance_changes_components_at_scheduled_times():
    timeline = timeline_of(maintenances={"upgrade": UPGRADE})

    assert statuses(timeline, "explorer", "11-02 09:59", "11-02 10:00", "11-02 12:00") == [
        "operational",
        "under_maintenance",
        "operational",
    ]
    name = ("explorer", "Explorer")
    assert affected(timeline, "upgrade") == [
        [(*name, "operational", "operational")],
        None,  # the reminder
        [(*name, "operational", "under_maintenance")],
        [(*name, "under_maintenance", "operational")],
    ]


def test_maintenance_flags_keep_component_status():
    flags = (
        "    auto_transition_to_maintenance_state: false\n    auto_transition_to_operational_state: false\n"
    )
    timeline = timeline_of(maintenances={"upgrade": UPGRADE + flags})

    assert timeline.status_histories["explorer"].instants == []
    assert affected(timeline, "upgrade")[1:] == [None, None, None]


def test_adjacent_maintenances_leave_no_status_gap():
    second = UPGRADE.replace("T12:00", "T14:00").replace("T10:00", "T12:00")
    timeline = timeline_of(maintenances={"first": UPGRADE, "second": second})

    assert timeline.status_histories["explorer"].instants == [at("11-02 10:00"), at("11-02 14:00")]


def test_embargoed_incident_is_ignored_until_publication():
    timeline = timeline_of(incidents={"trouble": TROUBLE + "    publish_at: 2026-11-02T11:15:00Z\n"})

    assert statuses(timeline, "rpc", "11-02 11:14", "11-02 11:15") == ["operational", "major_outage"]
