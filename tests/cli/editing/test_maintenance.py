"""`statuary maintenance`: windows, automatic updates, and what is rejected."""

import json
import re

import pytest

from support.content_repository import NOW, make_content_repository, use_interactive_terminal

FILE = "content/maintenances/2026-11-10-new-disks.yaml"
WINDOW = ("--scheduled-for", "2026-11-10T04:00:00Z", "--duration", "1h30m")
SCHEDULE = ("maintenance", "schedule", "--name", "New disks", *WINDOW, "--component", "rpc")
BEFORE, WITHIN, AFTER = "2026-11-09T00:00:00Z", "2026-11-10T04:30:00Z", "2026-11-10T07:00:00Z"

RECURRING = """\
name: Refill
components: [bridge]
scheduled_for: 2026-11-03T07:00:00Z
scheduled_until: 2026-11-03T07:15:00Z
recurrence:
  rule: FREQ=WEEKLY;BYDAY=TU   # when nobody is awake
  time_zone: Etc/UTC
  occurrences:
    "2026-11-17T08:00:00+01:00":   # a holiday
      name: Late refill
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    return make_content_repository(tmp_path, monkeypatch)


@pytest.fixture
def scheduled(repository):
    repository.run(*SCHEDULE)
    return repository


@pytest.fixture
def recurring(repository):
    repository.write("content/maintenances/refill.yaml", RECURRING)
    return repository


def test_maintenance_schedule_writes_file(scheduled):
    assert (
        scheduled.read(FILE)
        == """\
name: New disks
components: [rpc]
created_at: 2026-11-02T10:00:00Z
scheduled_for: 2026-11-10T04:00:00Z
scheduled_until: 2026-11-10T05:30:00Z
body: We will be undergoing scheduled maintenance during this time.
"""
    )


def test_maintenance_schedule_omits_default_values(repository):
    flags = ("--no-remind", "--no-auto-begin", "--no-auto-complete", "--draft", "--id", "disks")
    repository.run(*SCHEDULE, *flags, "--body", "Disks.", "--publish-at", "2026-11-05T00:00:00Z")
    assert repository.read("content/maintenances/disks.yaml").endswith("""\
body: Disks.
publish_at: 2026-11-05T00:00:00Z
draft: true
scheduled_remind_prior: false
scheduled_auto_in_progress: false
scheduled_auto_completed: false
""")


def test_maintenance_schedule_accepts_recurrence_rule(repository):
    repository.run(*SCHEDULE, "--rule", "FREQ=WEEKLY;COUNT=3")
    assert repository.read(FILE).endswith("recurrence:\n  rule: FREQ=WEEKLY;COUNT=3\n")
    assert "created_at" not in repository.read(FILE)
    listed = json.loads(repository.run("maintenance", "list", "--format", "json"))
    assert [one["scheduled_for"][:10] for one in listed] == ["2026-11-10", "2026-11-17", "2026-11-24"]


def test_invalid_recurrence_rule_writes_nothing(repository):
    before = repository.files()
    assert "[invalid-value]" in repository.run(*SCHEDULE, "--rule", "EVERY=DAY", code=1)
    assert repository.files() == before


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("--name", "x"), "Missing option '--scheduled-for'"),
        (("--name", "x", "--scheduled-for", "2026-11-10T04:00:00Z"), "Missing option '--scheduled-until'"),
        (
            ("--name", "x", *WINDOW, "--scheduled-until", "2026-11-10T05:00:00Z"),
            "give either --scheduled-until or --duration, not both",
        ),
        (("--name", "x", "--scheduled-for", "2026-11-10T04:00:00"), "has no offset from UTC"),
        (
            ("--name", "x", "--scheduled-for", "2026-11-10T04:00:00Z", "--duration", "soon"),
            "is not a duration",
        ),
        (
            ("--name", "x", "--scheduled-for", "2026-11-10T04:00:00Z", "--duration", "0m"),
            "is not a duration",
        ),
    ],
)
def test_maintenance_schedule_rejects_invalid_window(repository, arguments, output):
    assert output in repository.run("maintenance", "schedule", *arguments, code=2)


def test_maintenance_ending_before_start_is_rejected(repository):
    window = ("--scheduled-for", "2026-11-10T04:00:00Z", "--scheduled-until", "2026-11-10T03:00:00Z")
    output = repository.run("maintenance", "schedule", "--name", "x", *window, code=1)
    assert "[empty-window]" in output


def test_maintenance_start_rejects_started_maintenance(scheduled):
    before = scheduled.files()
    assert "is already in_progress" in scheduled.run("maintenance", "start", "2026", now=WITHIN, code=3)
    assert scheduled.files() == before


def test_completed_maintenance_cannot_be_changed(scheduled):
    for arguments in (("complete", "2026"), ("cancel", "2026")):
        output = scheduled.run("maintenance", *arguments, now=AFTER, code=3)
        assert "is already completed" in output
    output = scheduled.run("maintenance", "update", "2026", "--status", "verifying", now=AFTER, code=3)
    assert "has been completed since 2026-11-10T05:30:00Z and cannot become verifying" in output
    assert "it is over" in output


def test_maintenance_commands_start_verify_and_complete(scheduled):
    scheduled.run("maintenance", "start", "2026-11-10", now="2026-11-10T03:50:00Z")
    update = ("maintenance", "update", "2026", "--status", "verifying", "--body", "We test: so far so good.")
    scheduled.run(*update, now="2026-11-10T04:20:00Z")
    scheduled.run("maintenance", "complete", "2026", now=WITHIN)
    assert (
        scheduled.read(FILE).partition("updates:\n")[2]
        == """\
  - at: 2026-11-10T03:50:00Z
    status: in_progress
    body: Scheduled maintenance is currently in progress. We will provide updates as necessary.
  - at: 2026-11-10T04:20:00Z
    status: verifying
    body: "We test: so far so good."
  - at: 2026-11-10T04:30:00Z
    status: completed
    body: The scheduled maintenance has been completed.
"""
    )


def test_unstarted_maintenance_cannot_be_completed(scheduled):
    assert "has not started" in scheduled.run("maintenance", "complete", "2026", now=BEFORE, code=3)


def test_maintenance_cancel_writes_cancelled_at(scheduled):
    scheduled.run("maintenance", "cancel", "2026", now=BEFORE)
    assert (
        "scheduled_until: 2026-11-10T05:30:00Z\ncancelled_at: 2026-11-09T00:00:00Z\nbody:"
        in scheduled.read(FILE)
    )
    assert "updates" not in scheduled.read(FILE)
    assert "is already completed" in scheduled.run("maintenance", "cancel", "2026", now=AFTER, code=3)


@pytest.mark.slow
def test_maintenance_cancel_publishes_text_as_update(scheduled):
    scheduled.run("maintenance", "cancel", "2026", "--body", "The disks are late.", "--build", now=BEFORE)
    page = json.loads(scheduled.read("build/incidents/2026-11-10-new-disks.json"))["incident"]
    assert page["status"] == "completed"
    assert page["incident_updates"][0]["body"] == "The disks are late."
    assert page["resolved_at"] == "2026-11-09T01:00:00.000+01:00"


def test_cancel_changes_single_maintenance_occurrence(recurring):
    recurring.run("maintenance", "cancel", "refill-20261110", now=BEFORE)
    added = "    2026-11-10T07:00:00Z:\n      cancelled_at: 2026-11-09T00:00:00Z\n"
    assert recurring.read("content/maintenances/refill.yaml") == RECURRING + added


def test_complete_edits_existing_maintenance_occurrence(recurring):
    at = "2026-11-17T07:05:00Z"
    recurring.run("maintenance", "complete", "refill-20261117", now=at)
    added = """\
      updates:
        - at: 2026-11-17T07:05:00Z
          status: completed
          body: The scheduled maintenance has been completed.
"""
    assert recurring.read("content/maintenances/refill.yaml") == RECURRING + added


def test_recurring_maintenance_id_is_ambiguous(recurring):
    output = recurring.run("maintenance", "cancel", "refill", now=BEFORE, code=3)
    assert "several maintenances have an id that begins with 'refill': " in output
    assert "refill-20261117t0700z" in output


def test_maintenance_list_shows_upcoming_windows(scheduled, recurring):
    lines = scheduled.run("maintenance", "list", now=BEFORE).splitlines()
    assert lines[0].split()[:2] == ["2026-11-10-new-disks", "scheduled"]
    assert lines[1].split()[0] == "refill-20261110t0700z"
    assert not any("refill-20261103" in line for line in lines)
    assert "refill-20261103" in scheduled.run("maintenance", "list", "--all", now=BEFORE)


@pytest.mark.parametrize(
    ("answer", "end"), [("1h30m", "2026-11-10T05:30:00Z"), ("2026-11-10T06:00:00Z", "2026-11-10T06:00:00Z")]
)
def test_maintenance_end_prompt_accepts_duration(repository, monkeypatch, answer, end):
    use_interactive_terminal(monkeypatch)
    start = ("--name", "New disks", "--scheduled-for", "2026-11-10T04:00:00Z", "--component", "rpc")
    output = repository.run("maintenance", "schedule", *start, text=f"soon\n{answer}\n\n")
    assert "'soon' is not a date and time" in output
    assert f"scheduled_until: {end}\n" in repository.read(FILE)


def test_maintenance_schedule_prompts_for_window(repository, monkeypatch):
    use_interactive_terminal(monkeypatch)
    answers = ("New disks", "tomorrow", "2026-11-10T04:00:00Z", "2026-11-10T05:30:00Z", "rpc", "none", "")
    output = repository.run("maintenance", "schedule", text="\n".join(answers) + "\n")
    assert "'tomorrow' is not a date and time" in output
    assert (
        repository.read(FILE)
        == """\
name: New disks
components: [rpc]
created_at: 2026-11-02T10:00:00Z
scheduled_for: 2026-11-10T04:00:00Z
scheduled_until: 2026-11-10T05:30:00Z
body: We will be undergoing scheduled maintenance during this time.
"""
    )


def test_reschedule_moves_window_and_records_time(scheduled):
    scheduled.run("maintenance", "reschedule", "2026", "--scheduled-for", "2026-11-11T04:00:00Z", now=BEFORE)
    assert (
        "scheduled_for: 2026-11-11T04:00:00Z\nscheduled_until: 2026-11-11T05:30:00Z\n"
        "rescheduled_at: 2026-11-09T00:00:00Z\n"
    ) in scheduled.read(FILE)

    scheduled.run("maintenance", "reschedule", "2026", "--duration", "3h", now="2026-11-11T04:30:00Z")
    assert (
        "scheduled_for: 2026-11-11T04:00:00Z\nscheduled_until: 2026-11-11T07:00:00Z\n"
        "rescheduled_at: 2026-11-11T04:30:00Z\n"
    ) in scheduled.read(FILE)


@pytest.mark.slow
def test_rescheduled_maintenance_updates_every_document(scheduled):
    move = ("maintenance", "reschedule", "2026", "--scheduled-for", "2026-11-11T04:00:00Z", "--build")
    scheduled.run(*move, now=BEFORE)
    page = json.loads(scheduled.read("build/incidents/2026-11-10-new-disks.json"))["incident"]
    assert page["updated_at"] == "2026-11-09T01:00:00.000+01:00"
    calendar = scheduled.read("build/maintenances.ics").splitlines()
    assert {"DTSTAMP:20261109T000000Z", "LAST-MODIFIED:20261109T000000Z", "SEQUENCE:568800"} <= set(calendar)
    assert "<updated>2026-11-09T01:00:00+01:00</updated>" in scheduled.read("build/history.atom")


def test_reschedule_rejects_started_maintenance(scheduled):
    start = ("--scheduled-for", "2026-11-11T04:00:00Z")
    output = scheduled.run("maintenance", "reschedule", "2026", *start, now=WITHIN, code=3)
    assert "has already started" in output
    output = scheduled.run("maintenance", "reschedule", "2026", *start, now=AFTER, code=3)
    assert "is already completed" in output


def test_reschedule_moves_single_maintenance_occurrence(recurring):
    move = ("maintenance", "reschedule", "refill-20261110", "--scheduled-for", "2026-11-11T07:00:00Z")
    recurring.run(*move, now=BEFORE)
    added = (
        "    2026-11-10T07:00:00Z:\n      scheduled_for: 2026-11-11T07:00:00Z\n"
        "      scheduled_until: 2026-11-11T07:15:00Z\n      rescheduled_at: 2026-11-09T00:00:00Z\n"
        "      updates:\n        - at: 2026-11-09T00:00:00Z\n          status: scheduled\n          body: >-\n"
        "            The maintenance has been moved to 11 Nov 2026, 08:00 to 08:15 CET. It was planned for 10 Nov 2026,\n"
        "            08:00 to 08:15 CET.\n          moved_from: 2026-11-10T07:00:00Z\n"
    )
    assert recurring.read("content/maintenances/refill.yaml") == RECURRING + added


def test_pages_and_feeds_show_cancelled_maintenance(scheduled):
    scheduled.run("maintenance", "cancel", "2026", "--body", "The disks are late.", "--build", now=BEFORE)
    assert "cancelled" in scheduled.run("maintenance", "list", "--all", now=BEFORE)
    for path in ("history.atom", "history.rss", "feed.json"):
        assert "THIS SCHEDULED EVENT WAS CANCELLED" in scheduled.read(f"build/{path}")
    assert "STATUS:CANCELLED" in scheduled.read("build/maintenances.ics")
    for path in ("index.html", "incidents/2026-11-10-new-disks.html", "history.html"):
        assert "Cancelled" in scheduled.read(f"build/{path}")
        assert "Completed" not in scheduled.read(f"build/{path}")


def test_commit_on_detached_head_warns(scheduled):
    scheduled.git("add", ".")
    scheduled.git("commit", "--quiet", "--message", "All")
    scheduled.git("switch", "--quiet", "--detach")
    output = scheduled.run("maintenance", "cancel", "2026", "--commit", now=BEFORE)
    assert "HEAD is detached, so no branch has this commit" in output


FOURTH = "refill-20261124t0700z"
EARLY, LATE = "2026-11-02T10:00:00Z", "2026-11-25T00:00:00Z"


def windows(repository, now=EARLY):
    listed = json.loads(repository.run("maintenance", "list", "--all", "--format", "json", now=now))
    return {one["id"]: (one["status"], one["scheduled_for"]) for one in listed}


def served(repository, now):
    """Return the maintenances that a build publishes, by id."""
    repository.run("build", now=now)
    document = json.loads(repository.read("build/api/v2/scheduled-maintenances.json"))
    return {one["id"]: one for one in document["scheduled_maintenances"]}


def assert_clean(repository, now):
    rules = re.findall(r"\[([a-z-]+)\]$", repository.run("check", now=now), re.MULTILINE)
    assert set(rules) <= {"recurrence-beyond-horizon"}


def test_cancelled_unannounced_maintenance_is_never_published(recurring):
    output = recurring.run("maintenance", "cancel", FOURTH, "--body", "Not this week.", now=EARLY)
    assert "the maintenance was not announced yet, so readers won't see it" in output
    assert windows(recurring)[FOURTH] == ("cancelled", "2026-11-24T07:00:00Z")
    assert FOURTH not in recurring.run("maintenance", "list", now=EARLY)
    assert "was cancelled before it was announced" in recurring.run(
        "maintenance", "update", FOURTH, "--body", "x", now=LATE, code=3
    )

    assert FOURTH not in served(recurring, LATE)
    for path in ("maintenances.ics", "history.atom", "history.rss", "feed.json", "index.html"):
        assert FOURTH not in recurring.read(f"build/{path}")
    assert_clean(recurring, LATE)


@pytest.mark.slow
def test_update_announces_future_maintenance_occurrence(recurring):
    recurring.run("maintenance", "update", FOURTH, "--body", "This one takes an hour.", now=EARLY)
    assert windows(recurring)[FOURTH][0] == "scheduled"
    window = served(recurring, EARLY)[FOURTH]
    assert window["created_at"] == "2026-11-02T11:00:00.000+01:00"
    assert [update["body"] for update in window["incident_updates"]] == [
        "This one takes an hour.",
        "We will be undergoing scheduled maintenance during this time.",
    ]
    assert served(recurring, LATE)[FOURTH]["status"] == "completed"
    assert_clean(recurring, LATE)


@pytest.mark.slow
def test_unannounced_maintenance_is_rescheduled_silently(recurring):
    recurring.run("maintenance", "reschedule", FOURTH, "--scheduled-for", "2026-11-26T07:00:00Z", now=EARLY)
    assert windows(recurring)[FOURTH] == ("announced later", "2026-11-26T07:00:00Z")
    window = served(recurring, LATE)[FOURTH]
    assert (window["status"], len(window["incident_updates"])) == ("scheduled", 1)
    assert window["created_at"] == "2026-11-17T08:00:00.000+01:00"
    assert_clean(recurring, LATE)


@pytest.mark.slow
def test_maintenance_moved_nearer_is_announced(recurring):
    recurring.run("maintenance", "reschedule", FOURTH, "--scheduled-for", "2026-11-04T07:00:00Z", now=EARLY)
    assert served(recurring, EARLY)[FOURTH]["created_at"] == "2026-11-02T11:00:00.000+01:00"
    assert served(recurring, LATE)[FOURTH]["resolved_at"] == "2026-11-04T08:15:00.000+01:00"


MOVED = "The maintenance has been moved to"


@pytest.mark.slow
def test_every_reschedule_posts_update(scheduled):
    for day, text in (("11", "The disks come on Wednesday."), ("12", None)):
        body = () if text is None else ("--body", text)
        move = ("maintenance", "reschedule", "2026", "--scheduled-for", f"2026-11-{day}T04:00:00Z", *body)
        scheduled.run(*move, now=f"2026-11-0{day[-1]}T10:00:00Z" if day == "12" else EARLY)
    window = served(scheduled, "2026-11-03T00:00:00Z")["2026-11-10-new-disks"]
    told = [update["body"] for update in window["incident_updates"]]
    assert told[:2] == [
        f"{MOVED} 12 Nov 2026, 05:00 to 06:30 CET. It was planned for 11 Nov 2026, 05:00 to 06:30 CET.",
        "The disks come on Wednesday.",
    ]
    for path in ("incidents/2026-11-10-new-disks.html", "history.rss", "maintenances.ics"):
        assert "The disks come on Wednesday." in scheduled.read(f"build/{path}").replace("\r\n ", "")


@pytest.mark.slow
def test_maintenance_reminder_repeats_after_reschedule(scheduled):
    # the reminder of 03:00 is out when the window moves
    move = ("maintenance", "reschedule", "2026", "--scheduled-for", "2026-11-10T06:00:00Z")
    before = served(scheduled, "2026-11-10T03:10:00Z")["2026-11-10-new-disks"]["incident_updates"]
    scheduled.run(*move, "--body", "Two hours later.", now="2026-11-10T03:30:00Z")
    after = served(scheduled, "2026-11-10T05:10:00Z")["2026-11-10-new-disks"]["incident_updates"]
    assert after[-2:] == before
    assert [update["display_at"][11:16] for update in after[:2]] == ["06:00", "04:30"]
    assert len({update["id"] for update in after}) == 4


def test_reschedule_rejects_past_or_unchanged_time(scheduled):
    for options, words in (
        (("--scheduled-for", "2026-11-02T09:00:00Z"), "the new start 2026-11-02T09:00:00Z is before"),
        (("--scheduled-for", "2026-11-10T04:00:00Z"), "already"),
    ):
        assert words in scheduled.run("maintenance", "reschedule", "2026", *options, code=3)
    output = scheduled.run(
        "maintenance",
        "reschedule",
        "2026",
        "--scheduled-until",
        "2026-11-10T04:10:00Z",
        now=WITHIN,
        code=3,
    )
    assert "the new end 2026-11-10T04:10:00Z is before" in output


@pytest.mark.slow
def test_update_before_announcement_announces_maintenance(repository):
    repository.run(*SCHEDULE, "--at", "2026-11-05T00:00:00Z")
    repository.run("maintenance", "update", "2026", "--body", "Bring your own disks.")
    window = served(repository, NOW)["2026-11-10-new-disks"]
    assert {update["display_at"] for update in window["incident_updates"]} == {
        "2026-11-02T11:00:00.000+01:00"
    }
    assert_clean(repository, NOW)


def test_unknown_maintenance_id_suggests_nearest(recurring):
    assert "did you mean refill-20261103t0700z?" in recurring.run(
        "maintenance", "cancel", "refill-2026-11-03", code=3
    )
    assert (
        "did you mean refill-20261103t0700z, refill-20261110t0700z, refill-20261117t0700z?"
        in recurring.run("maintenance", "cancel", "refill-20261104", code=3)
    )


def test_check_reports_invalid_occurrence_updates(recurring):
    text = RECURRING.replace(
        "      name: Late refill\n",
        "      updates:\n        - {at: 2026-11-17T06:00:00Z, status: in_progress, components: {brige: null}}\n"
        "        - {at: 2026-11-16T06:00:00Z, status: completed}\n",
    )
    recurring.write("content/maintenances/refill.yaml", text)
    output = recurring.run("check", code=1)
    assert "[invalid-status-transition]" in output
    assert "component 'brige' is not in components.yaml" in output
