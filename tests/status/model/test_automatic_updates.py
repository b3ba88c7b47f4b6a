"""The updates that the clock writes into a maintenance."""

from datetime import timedelta

import pytest

from statuary.status.model.recurrence import begins_at, with_automatic_updates
from support.status_site import at, maintenance_of

PLAIN = """
    name: Upgrade
    components: [rpc]
    created_at: 2026-11-01T09:00:00Z
    scheduled_for: 2026-11-02T10:00:00Z
    scheduled_until: 2026-11-02T12:00:00Z
"""


def updates_of(text):
    maintenance = maintenance_of(text)
    return [
        (update.display_at, update.status, update.body)
        for update in sorted(with_automatic_updates(maintenance), key=lambda update: update.display_at)
    ]


def test_a_maintenance_runs_by_the_clock():
    assert updates_of(PLAIN) == [
        (at("11-01 09:00"), "scheduled", "We will be undergoing scheduled maintenance during this time."),
        (at("11-02 09:00"), "scheduled", "Maintenance will begin as scheduled in 60 minutes."),
        (
            at("11-02 10:00"),
            "in_progress",
            "Scheduled maintenance is currently in progress. We will provide updates as necessary.",
        ),
        (at("11-02 12:00"), "completed", "The scheduled maintenance has been completed."),
    ]


@pytest.mark.parametrize(
    ("flags", "left"),
    [
        ("scheduled_remind_prior: false", ["scheduled", "in_progress", "completed"]),
        ("scheduled_auto_completed: false", ["scheduled", "scheduled", "in_progress"]),
        # what has not begun is not completed
        ("scheduled_auto_in_progress: false", ["scheduled", "scheduled"]),
    ],
)
def test_flags_turn_single_updates_off(flags, left):
    assert [status for _, status, _ in updates_of(PLAIN + f"    {flags}\n")] == left


def with_update(status, instant):
    return (
        PLAIN
        + f"""    updates:
      - at: {instant}
        status: {status}
        body: By hand.
"""
    )


def test_a_manual_start_replaces_the_automatic_one():
    assert [
        (when, status) for when, status, _ in updates_of(with_update("in_progress", "2026-11-02T09:53:00Z"))
    ] == [
        (at("11-01 09:00"), "scheduled"),
        (at("11-02 09:00"), "scheduled"),
        (at("11-02 09:53"), "in_progress"),
        (at("11-02 12:00"), "completed"),
    ]


def test_an_update_of_a_started_maintenance_does_not_start_it_again():
    assert [
        (when, status) for when, status, _ in updates_of(with_update("in_progress", "2026-11-02T10:07:00Z"))
    ] == [
        (at("11-01 09:00"), "scheduled"),
        (at("11-02 09:00"), "scheduled"),
        (at("11-02 10:00"), "in_progress"),
        (at("11-02 10:07"), "in_progress"),
        (at("11-02 12:00"), "completed"),
    ]


def test_an_early_beginning_needs_no_reminder():
    statuses = [status for _, status, _ in updates_of(with_update("in_progress", "2026-11-02T08:30:00Z"))]

    assert statuses == ["scheduled", "in_progress", "completed"]


def test_a_manual_completion_ends_the_maintenance():
    updates = updates_of(with_update("completed", "2026-11-02T11:00:00Z"))

    assert [status for _, status, _ in updates] == ["scheduled", "scheduled", "in_progress", "completed"]
    assert updates[-1] == (at("11-02 11:00"), "completed", "By hand.")


def test_a_maintenance_completed_before_its_start_never_starts():
    statuses = [status for _, status, _ in updates_of(with_update("completed", "2026-11-02T09:30:00Z"))]

    assert statuses == ["scheduled", "scheduled", "completed"]


def test_a_maintenance_started_after_its_window_ends_at_once():
    late = updates_of(
        with_update("in_progress", "2026-11-02T13:00:00Z") + "    scheduled_auto_in_progress: false\n"
    )

    assert late[-1][:2] == (at("11-02 13:00"), "completed")


def test_cancelled_before_its_window():
    assert updates_of(PLAIN + "    cancelled_at: 2026-11-01T18:00:00Z\n") == [
        (at("11-01 09:00"), "scheduled", "We will be undergoing scheduled maintenance during this time."),
        (at("11-01 18:00"), "completed", "The scheduled maintenance has been cancelled."),
    ]


def test_cancelled_while_it_runs():
    cancelled = updates_of(PLAIN + "    cancelled_at: 2026-11-02T11:00:00Z\n")

    assert [status for _, status, _ in cancelled] == ["scheduled", "scheduled", "in_progress", "completed"]
    assert cancelled[-1] == (at("11-02 11:00"), "completed", "The scheduled maintenance has been cancelled.")


def test_announced_within_the_hour_there_is_no_reminder():
    statuses = [status for _, status, _ in updates_of(PLAIN.replace("11-01T09:00", "11-02T09:20"))]

    assert statuses == ["scheduled", "in_progress", "completed"]


def test_announced_inside_the_window_it_begins_at_once():
    maintenance = maintenance_of(PLAIN.replace("11-01T09:00", "11-02T10:20"))

    assert begins_at(maintenance) == at("11-02 10:20")


def test_ids_survive_a_moved_window():
    before = with_automatic_updates(maintenance_of(PLAIN))
    after = with_automatic_updates(maintenance_of(PLAIN.replace("11-02T", "11-05T")))

    assert [update.id for update in before] == [update.id for update in after]
    assert len({update.id for update in before}) == len(before)
    assert {after[i].display_at - before[i].display_at for i in range(1, 4)} == {timedelta(days=3)}


def test_notifications_follow_their_flags():
    silent = PLAIN + (
        "    auto_transition_deliver_notifications_at_start: false\n"
        "    auto_transition_deliver_notifications_at_end: false\n"
    )

    loud = {u.status: u.deliver_notifications for u in with_automatic_updates(maintenance_of(PLAIN))}
    quiet = {u.status: u.deliver_notifications for u in with_automatic_updates(maintenance_of(silent))}

    assert loud == {"scheduled": True, "in_progress": True, "completed": True}
    assert quiet == {"scheduled": True, "in_progress": False, "completed": False}
