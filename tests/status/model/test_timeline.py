"""The page at each instant, and the instants at which it changes."""

from datetime import timedelta
from itertools import pairwise

from statuary.status.model.timeline import build_timeline, page_state_at, transitions_between
from support.status_site import COMPONENTS, PAGE, at, catalogue_of

TROUBLE = """
    name: Trouble
    components: {north: partial_outage}
    updates:
      - {at: 2026-11-02T10:00:00Z, status: investigating}
      - {at: 2026-11-02T12:00:00Z, status: resolved}
"""

UPGRADE = """
    name: Upgrade
    components: [explorer]
    created_at: 2026-11-01T09:00:00Z
    scheduled_for: 2026-11-03T10:00:00Z
    scheduled_until: 2026-11-03T12:00:00Z
"""


def timeline_of(**texts):
    return build_timeline(catalogue_of(**texts), at("12-31 00:00"))


def test_page_updated_at_follows_status_changes():
    timeline = timeline_of(incidents={"trouble": TROUBLE}, maintenances={"upgrade": UPGRADE})

    def stamped(instant):
        return page_state_at(timeline, at(instant)).updated_at

    assert stamped("10-30 00:00") == timeline.catalogue.page.created_at
    assert stamped("11-01 09:00") == at("11-01 09:00")
    assert stamped("11-02 11:00") == at("11-02 10:00")
    assert stamped("11-03 09:30") == at("11-03 09:00")  # the reminder
    assert stamped("11-30 00:00") == at("11-03 12:00")


def test_imported_updated_at_holds_until_change():
    timeline = timeline_of(
        incidents={"trouble": TROUBLE}, page=PAGE + "    updated_at: 2026-11-02T11:00:00Z\n"
    )

    assert page_state_at(timeline, at("11-02 10:30")).updated_at == at("11-02 10:00")
    assert page_state_at(timeline, at("11-02 11:30")).updated_at == at("11-02 11:00")
    assert page_state_at(timeline, at("11-02 13:00")).updated_at == at("11-02 12:00")


def test_imported_page_updated_at_keeps_milliseconds():
    timeline = timeline_of(
        incidents={"trouble": TROUBLE}, page=PAGE + "    updated_at: 2026-11-02T11:59:59.940Z\n"
    )

    stated = page_state_at(timeline, at("11-02 13:00")).updated_at
    assert at("11-02 12:00") - stated == timedelta(milliseconds=60)


def test_indicator_and_description_follow_timeline():
    timeline = timeline_of(incidents={"trouble": TROUBLE}, maintenances={"upgrade": UPGRADE})

    def status_at(instant):
        overall_status = page_state_at(timeline, at(instant)).overall_status
        return overall_status.indicator, overall_status.description

    assert status_at("11-02 09:00") == ("none", "All Systems Operational")
    assert status_at("11-02 10:00") == ("minor", "Minor Service Outage")
    assert status_at("11-02 12:00") == ("none", "All Systems Operational")
    assert status_at("11-03 10:00") == ("maintenance", "Service Under Maintenance")
    assert status_at("11-03 12:00") == ("none", "All Systems Operational")


def test_page_settings_override_overall_status():
    timeline = timeline_of(page=PAGE + "    description: Read only until Monday\n    indicator: minor\n")

    overall_status = page_state_at(timeline, at("11-02 10:00")).overall_status
    assert (overall_status.indicator, overall_status.description) == ("minor", "Read only until Monday")


def test_group_takes_worst_component_status():
    state = page_state_at(timeline_of(incidents={"trouble": TROUBLE}), at("11-02 10:00"))

    assert state.components["bridges"].status == "partial_outage"
    assert state.components["bridges"].updated_at == at("01-01 00:00").replace(year=2020)
    assert state.components["north"].updated_at == at("11-02 10:00")
    assert state.components["south"].status == "operational"


def test_components_sort_by_position_then_creation():
    components = """
        components:
          young: {name: Young, created_at: 2024-01-01T00:00:00Z}
          group:
            name: Group
            created_at: 2023-01-01T00:00:00Z
            components:
              old: {name: Old, created_at: 2021-01-01T00:00:00Z}
              other: {name: Other, created_at: 2022-01-01T00:00:00Z}
    """
    state = page_state_at(timeline_of(components=components), at("11-02 10:00"))

    # position 1: old, young; position 2: other, group
    assert list(state.components) == ["old", "young", "other", "group"]


def test_undated_components_keep_content_order():
    components = """
        components:
          late: {name: Late, start_date: 2026-01-01}
          group: {name: Group, components: {early: {name: Early, start_date: 2021-01-01}, other: {name: Other}}}
    """
    state = page_state_at(timeline_of(components=components), at("11-02 10:00"))

    assert list(state.components) == ["late", "early", "group", "other"]


def test_removed_component_does_not_affect_status():
    components = COMPONENTS.replace("{name: RPC}", "{name: RPC, status: major_outage, removed: true}")

    assert (
        page_state_at(timeline_of(components=components), at("11-02 10:00")).overall_status.indicator
        == "none"
    )


def test_timeline_sorts_incidents_newest_first():
    later = TROUBLE.replace("11-02T1", "11-04T1")
    one = timeline_of(incidents={"a": TROUBLE, "b": later})
    other = timeline_of(incidents={"b": later, "a": TROUBLE})

    assert [history.incident.id for history in one.incidents] == ["b", "a"]
    assert [history.incident.id for history in other.incidents] == ["b", "a"]


def test_transitions_list_future_status_changes():
    timeline = timeline_of(incidents={"trouble": TROUBLE}, maintenances={"upgrade": UPGRADE})

    assert transitions_between(timeline, at("11-02 10:00"), at("11-30 00:00")) == [
        at("11-02 12:00"),
        at("11-03 09:00"),
        at("11-03 10:00"),
        at("11-03 12:00"),
    ]
    assert transitions_between(timeline, at("11-02 10:00"), at("11-03 10:00"))[-1] == at("11-03 10:00")


def test_day_option_adds_midnights_to_transitions():
    timeline = timeline_of(page=PAGE + "    time_zone: Europe/Zurich\n")

    # clocks go back on 25 October
    assert transitions_between(timeline, at("10-23 22:00"), at("10-26 23:00"), days=True) == [
        at("10-24 22:00"),
        at("10-25 23:00"),
        at("10-26 23:00"),
    ]


def test_status_is_constant_between_transitions():
    timeline = timeline_of(incidents={"trouble": TROUBLE}, maintenances={"upgrade": UPGRADE})
    start, end = at("10-31 00:00"), at("11-04 00:00")
    changes = [start, *transitions_between(timeline, start, end), end]
    assert len(changes) > 2

    for before, after in pairwise(changes):
        first, last = (
            page_state_at(timeline, before),
            page_state_at(timeline, after - timedelta(milliseconds=1)),
        )
        assert first.updated_at == last.updated_at
        assert first.components == last.components
        assert first.incidents == last.incidents
        assert first.maintenances == last.maintenances
