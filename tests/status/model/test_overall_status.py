"""The cascade of descriptions, and the status of groups."""

import pytest

from statuary.status.model.vocabulary import overall_status, worst_impact, worst_status

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
        ([SLOW, SLOW], "minor", "Partially Degraded Service"),
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
def test_overall_status_uses_first_matching_rule(statuses, indicator, description):
    whole = overall_status(statuses)

    assert (whole.indicator, whole.description) == (indicator, description)


def test_worst_status_returns_most_severe_status():
    assert worst_status([UP, WRENCH]) == WRENCH
    assert worst_status([WRENCH, SLOW, UP]) == SLOW
    assert worst_status([DOWN, PARTIAL]) == DOWN
    assert worst_status([]) == UP


def test_worst_impact_returns_most_severe_impact():
    assert worst_impact(["none", "maintenance"]) == "maintenance"
    assert worst_impact(["maintenance", "minor"]) == "minor"
    assert worst_impact([]) == "none"
