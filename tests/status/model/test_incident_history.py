"""An incident at each instant of its life."""

import pytest

from statuary.status.model.timeline import build_timeline
from support.status_site import at, catalogue_of

TROUBLE = """
    name: Trouble
    components: {rpc: partial_outage, explorer: operational}
    updates:
      - {at: 2026-11-02T10:00:00Z, status: investigating}
      - {at: 2026-11-02T11:00:00Z, status: monitoring}
      - {at: 2026-11-02T11:30:00Z, status: investigating, components: {explorer: major_outage}}
      - {at: 2026-11-02T11:45:00Z, status: monitoring}
      - {at: 2026-11-02T12:00:00Z, status: resolved}
"""


def history_of(text, **texts):
    timeline = build_timeline(catalogue_of(incidents={"trouble": text}, **texts), at("12-31 00:00"))
    return timeline.incidents[0]


def test_incident_before_first_update_is_absent():
    assert history_of(TROUBLE).state_at(at("11-02 09:59")) is None


@pytest.mark.parametrize(
    ("instant", "status", "impact", "monitoring_at", "resolved_at", "updates"),
    [
        ("10:00", "investigating", "minor", None, None, 1),
        ("11:00", "monitoring", "minor", "11:00", None, 2),
        # the first monitoring update counts, whatever comes between; the worst impact stays
        ("11:30", "investigating", "major", "11:00", None, 3),
        ("11:45", "monitoring", "major", "11:00", None, 4),
        ("12:00", "resolved", "major", "11:00", "12:00", 5),
    ],
)
def test_each_update_changes_incident_status(instant, status, impact, monitoring_at, resolved_at, updates):  # noqa: PLR0917 - a table
    state = history_of(TROUBLE).state_at(at(f"11-02 {instant}"))

    assert (state.status, state.impact, len(state.published_updates)) == (status, impact, updates)
    assert state.monitoring_at == (monitoring_at and at(f"11-02 {monitoring_at}"))
    assert state.resolved_at == (resolved_at and at(f"11-02 {resolved_at}"))
    assert state.updated_at == at(f"11-02 {instant}")


def test_update_after_resolution_keeps_resolved_at():
    note = "      - {at: 2026-11-02T15:00:00Z, status: resolved, body: More.}\n"
    final = history_of(f"{TROUBLE.rstrip()}\n{note}").final_state
    assert (final.resolved_at, final.updated_at) == (at("11-02 12:00"), at("11-02 15:00"))


def test_reopened_incident_ends_at_second_resolution():
    later = (
        "      - {at: 2026-11-02T13:00:00Z, status: investigating, reopens: true}\n"
        "      - {at: 2026-11-02T14:00:00Z, status: resolved}\n"
    )
    history = history_of(f"{TROUBLE.rstrip()}\n{later}")
    assert history.state_at(at("11-02 13:00")).resolved_at is None
    assert history.final_state.resolved_at == at("11-02 14:00")


def test_incident_updates_are_newest_first():
    displayed = [
        published.update.display_at for published in history_of(TROUBLE).final_state.published_updates
    ]

    assert displayed == sorted(displayed, reverse=True)


def test_simultaneous_incident_updates_keep_order():
    text = TROUBLE.replace("11:45:00Z, status: monitoring", "12:00:00Z, status: monitoring")

    assert [p.update.status for p in history_of(text).final_state.published_updates[:2]] == [
        "resolved",
        "monitoring",
    ]


def test_impact_override_replaces_computed_impact():
    assert history_of(TROUBLE + "    impact_override: none\n").final_state.impact == "none"


def test_major_outage_gives_critical_impact():
    # measured: one of twelve components down, and nothing else in the incident
    text = """
        name: Down
        components: {rpc: major_outage}
        updates: [{at: 2026-11-02T10:00:00Z, status: investigating}]
    """
    assert history_of(text).final_state.impact == "critical"


def test_draft_incident_has_no_history():
    assert history_of(TROUBLE + "    draft: true\n").change_instants == ()


def test_embargoed_incident_is_hidden_until_publication():
    history = history_of(TROUBLE + "    publish_at: 2026-11-02T11:10:00Z\n")

    assert history.state_at(at("11-02 11:09")) is None
    assert history.state_at(at("11-02 11:10")).status == "monitoring"
    assert history.change_instants[0] == at("11-02 11:10")


def test_postmortem_keeps_incident_resolution_time():
    history = history_of(
        TROUBLE + "    postmortem: {published_at: 2026-11-05T09:00:00Z, body: What we learned.}\n"
    )

    assert history.state_at(at("11-05 08:59")).status == "resolved"
    state = history.state_at(at("11-05 09:00"))
    assert state.status == "postmortem"
    assert state.closed
    assert state.resolved_at == at("11-02 12:00")
    assert state.published_updates[0].update.body == "What we learned."
    assert state.published_updates[0].affected_components is None


def test_edited_update_applies_at_its_timestamp():
    text = TROUBLE.replace("status: resolved}", "status: resolved, updated_at: 2026-11-02T15:00:00Z}")
    history = history_of(text)

    assert history.state_at(at("11-02 14:59")).updated_at == at("11-02 12:00")
    assert history.state_at(at("11-02 15:00")).updated_at == at("11-02 15:00")


def test_backdated_update_waits_for_created_at():
    text = TROUBLE.replace(
        "11:00:00Z, status: monitoring", "11:00:00Z, created_at: 2026-11-02T11:20:00Z, status: monitoring"
    )
    history = history_of(text)

    assert history.state_at(at("11-02 11:19")).status == "investigating"
    assert history.state_at(at("11-02 11:20")).monitoring_at == at("11-02 11:00")


def test_imported_incident_timestamps_replace_computed_ones():
    given = (
        "    monitoring_at: 2026-11-02T10:58:00Z\n"
        "    resolved_at: 2026-11-02T11:58:00Z\n"
        "    updated_at: 2026-11-02T12:05:00Z\n"
    )
    history = history_of(TROUBLE + given)

    assert history.state_at(at("11-02 10:57")).monitoring_at is None
    assert history.final_state.monitoring_at == at("11-02 10:58")
    assert history.final_state.resolved_at == at("11-02 11:58")
    assert history.state_at(at("11-02 12:04")).updated_at == at("11-02 12:00")
    assert history.final_state.updated_at == at("11-02 12:05")
