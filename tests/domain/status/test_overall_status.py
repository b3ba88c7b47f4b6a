"""The cascade of descriptions, and what incidents and groups make of it."""

import pytest

from statuary.domain.status.overall_status import overall_status, page_status, worst_impact, worst_status

UP, WRENCH, SLOW, PARTIAL, DOWN = (
    "operational",
    "under_maintenance",
    "degraded_performance",
    "partial_outage",
    "major_outage",
)


@pytest.mark.parametrize(
    ("statuses", "indicator", "description"),
    [
        ([DOWN], "critical", "Major System Outage"),
        ([DOWN, DOWN], "critical", "Major System Outage"),
        ([PARTIAL], "major", "Partial System Outage"),
        ([PARTIAL, PARTIAL], "major", "Partial System Outage"),
        ([DOWN, UP], "major", "Partial System Outage"),
        ([DOWN, PARTIAL], "major", "Partial System Outage"),
        ([PARTIAL, UP], "minor", "Minor Service Outage"),
        ([PARTIAL, SLOW], "minor", "Minor Service Outage"),
        ([SLOW, SLOW], "minor", "Degraded System Service"),
        ([SLOW], "minor", "Partially Degraded Service"),
        ([SLOW, UP], "minor", "Partially Degraded Service"),
        ([SLOW, WRENCH], "minor", "Partially Degraded Service"),
        ([WRENCH], "maintenance", "Service Under Maintenance"),
        ([WRENCH, UP], "maintenance", "Service Under Maintenance"),
        ([UP, UP], "none", "All Systems Operational"),
        ([], "none", "All Systems Operational"),
        # as measured on real pages: Asana, Cloudflare, bexio, Twilio, GitHub
        ([UP] * 29 + [DOWN], "major", "Partial System Outage"),
        ([UP] * 421 + [PARTIAL] * 28 + [WRENCH] * 17 + [SLOW], "minor", "Minor Service Outage"),
        ([UP] * 8 + [PARTIAL] * 2, "minor", "Minor Service Outage"),
        ([UP] * 61 + [SLOW] * 4, "minor", "Partially Degraded Service"),
        ([UP] * 8 + [WRENCH], "maintenance", "Service Under Maintenance"),
    ],
)
def test_first_rule_that_fits(statuses, indicator, description):
    whole = overall_status(statuses)

    assert (whole.indicator, whole.description) == (indicator, description)


@pytest.mark.parametrize(
    ("impacts", "indicator", "description"),
    [
        ([], "none", "All Systems Operational"),
        (["none"], "none", "All Systems Operational"),
        (["minor"], "minor", "Minor Service Outage"),
        (["minor", "major"], "major", "Partial System Outage"),
        (["critical", "minor"], "critical", "Major System Outage"),
    ],
)
def test_unresolved_incidents_show_through_operational_components(impacts, indicator, description):
    whole = page_status([UP, UP], impacts)

    assert (whole.indicator, whole.description) == (indicator, description)


def test_components_win_over_incidents():
    # bexio: an unresolved incident of impact major, and two of ten components in partial outage
    assert page_status([UP] * 8 + [PARTIAL] * 2, ["major"]).indicator == "minor"


def test_a_group_is_as_bad_as_its_worst_component():
    assert worst_status([UP, WRENCH]) == WRENCH
    assert worst_status([WRENCH, SLOW, UP]) == SLOW
    assert worst_status([DOWN, PARTIAL]) == DOWN
    assert worst_status([]) == UP


def test_worst_impact():
    assert worst_impact(["none", "maintenance"]) == "maintenance"
    assert worst_impact(["maintenance", "minor"]) == "minor"
    assert worst_impact([]) == "none"
