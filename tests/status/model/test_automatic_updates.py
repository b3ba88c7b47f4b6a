"""The updates that the clock writes into a maintenance."""

from datetime import timedelta

import pytest

from statuary.status.model.recurrence import actual_window_start, with_automatic_updates
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


def test_scheduled_maintenance_gets_reminder_start_completion():
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
def test_flags_disable_single_automatic_updates(flags, left):
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


def test_manual_maintenance_start_replaces_automatic_start():
    assert [
        (when, status) for when, status, _ in updates_of(with_update("in_progress", "2026-11-02T09:53:00Z"))
    ] == [
        (at("11-01 09:00"), "scheduled"),
        (at("11-02 09:00"), "scheduled"),
        (at("11-02 09:53"), "in_progress"),
        (at("11-02 12:00"), "completed"),
    ]


def test_in_progress_update_keeps_automatic_start():
    assert [
        (when, status) for when, status, _ in updates_of(with_update("in_progress", "2026-11-02T10:07:00Z"))
    ] == [
        (at("11-01 09:00"), "scheduled"),
        (at("11-02 09:00"), "scheduled"),
        (at("11-02 10:00"), "in_progress"),
        (at("11-02 10:07"), "in_progress"),
        (at("11-02 12:00"), "completed"),
    ]


def test_early_maintenance_start_skips_reminder():
    statuses = [status for _, status, _ in updates_of(with_update("in_progress", "2026-11-02T08:30:00Z"))]

    assert statuses == ["scheduled", "in_progress", "completed"]


def test_manual_completion_ends_maintenance():
    updates = updates_of(with_update("completed", "2026-11-02T11:00:00Z"))

    assert [status for _, status, _ in updates] == ["scheduled", "scheduled", "in_progress", "completed"]
    assert updates[-1] == (at("11-02 11:00"), "completed", "By hand.")


def test_maintenance_completed_early_never_starts():
    statuses = [status for _, status, _ in updates_of(with_update("completed", "2026-11-02T09:30:00Z"))]

    assert statuses == ["scheduled", "scheduled", "completed"]


def test_maintenance_started_after_window_completes_immediately():
    late = updates_of(
        with_update("in_progress", "2026-11-02T13:00:00Z") + "    scheduled_auto_in_progress: false\n"
    )

    assert late[-1][:2] == (at("11-02 13:00"), "completed")


def test_maintenance_cancelled_early_never_starts():
    assert updates_of(PLAIN + "    cancelled_at: 2026-11-01T18:00:00Z\n") == [
        (at("11-01 09:00"), "scheduled", "We will be undergoing scheduled maintenance during this time."),
        (at("11-01 18:00"), "completed", "The scheduled maintenance has been cancelled."),
    ]


def test_cancellation_during_window_completes_maintenance():
    cancelled = updates_of(PLAIN + "    cancelled_at: 2026-11-02T11:00:00Z\n")

    assert [status for _, status, _ in cancelled] == ["scheduled", "scheduled", "in_progress", "completed"]
    assert cancelled[-1] == (at("11-02 11:00"), "completed", "The scheduled maintenance has been cancelled.")


def test_maintenance_announced_within_hour_skips_reminder():
    statuses = [status for _, status, _ in updates_of(PLAIN.replace("11-01T09:00", "11-02T09:20"))]

    assert statuses == ["scheduled", "in_progress", "completed"]


def test_maintenance_announced_inside_window_starts_immediately():
    maintenance = maintenance_of(PLAIN.replace("11-01T09:00", "11-02T10:20"))

    assert actual_window_start(maintenance) == at("11-02 10:20")


def test_rescheduled_maintenance_keeps_update_ids():
    before = with_automatic_updates(maintenance_of(PLAIN))
    after = with_automatic_updates(maintenance_of(PLAIN.replace("11-02T", "11-05T")))

    assert [update.id for update in before] == [update.id for update in after]
    assert len({update.id for update in before}) == len(before)
    assert {after[i].display_at - before[i].display_at for i in range(1, 4)} == {timedelta(days=3)}


def test_maintenance_flags_disable_notifications():
    silent = PLAIN + (
        "    auto_transition_deliver_notifications_at_start: false\n"
        "    auto_transition_deliver_notifications_at_end: false\n"
    )

    loud = {u.status: u.deliver_notifications for u in with_automatic_updates(maintenance_of(PLAIN))}
    quiet = {u.status: u.deliver_notifications for u in with_automatic_updates(maintenance_of(silent))}

    assert loud == {"scheduled": True, "in_progress": True, "completed": True}
    assert quiet == {"scheduled": True, "in_progress": False, "completed": False}
