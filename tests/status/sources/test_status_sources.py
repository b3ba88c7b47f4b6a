"""What an author writes of the status side, and what it means."""

from datetime import UTC, date, datetime, timedelta

import pytest
from pydantic import ValidationError

from statuary.status.model.records import AffectedComponent, Automation, StatusChange
from support.status_site import COMPONENTS, PAGE, at, catalogue_of, incident_of, maintenance_of, page_of

SMALLEST = """
    name: Trouble
    updates: [{at: 2026-11-02T10:00:00+01:00, status: investigating}]
"""


def refused(make, text):
    """Return what is wrong with a text: each place, and what is said of it."""
    with pytest.raises(ValidationError) as error:
        make(text)
    return [
        (".".join(map(str, one["loc"])), one["msg"].removeprefix("Value error, "))
        for one in error.value.errors()
    ]


def test_minimal_incident_gets_defaults():
    incident = incident_of(SMALLEST, "2026-11-02-trouble")

    assert incident.id == "2026-11-02-trouble"
    assert incident.source == "incidents/2026-11-02-trouble.yaml"
    assert incident.created_at == incident.started_at == at("11-02 09:00")
    assert incident.components == ()
    (update,) = incident.updates
    assert update.body == "We are currently investigating this issue."
    assert update.display_at == update.created_at == update.updated_at == at("11-02 09:00")
    assert (update.deliver_notifications, update.custom_tweet, update.tweet_id) == (True, None, None)
    assert update.pointer == ("updates", 0)
    assert not update.recorded


@pytest.mark.parametrize(
    ("status", "body"),
    [
        ("identified", "The issue has been identified and a fix is being implemented."),
        ("monitoring", "A fix has been implemented and we are monitoring the results."),
        ("resolved", "This incident has been resolved."),
    ],
)
def test_update_without_body_gets_default(status, body):
    assert incident_of(SMALLEST.replace("investigating", status)).updates[0].body == body


def test_maintenance_updates_times_components_are_limited():
    components = ", ".join(f"c{number}" for number in range(1_000))
    updates = ", ".join(["{at: 2026-11-02T10:00:00Z, status: scheduled}"] * 101)
    text = f"name: A\ncreated_at: 2026-11-01T00:00:00Z\nscheduled_for: 2026-11-21T22:00:00Z\nscheduled_until: 2026-11-21T23:00:00Z\ncomponents: [{components}]\nupdates: [{updates}]"
    ((_, message),) = refused(maintenance_of, text)
    assert message.startswith(
        "101 updates with 1,000 components each are 101,000 entries; the limit is 100,000"
    )


def test_empty_update_body_is_kept():
    assert incident_of(SMALLEST.replace("investigating", "resolved, body: ''")).updates[0].body == ""


def test_incident_update_ids_survive_edits():
    first = "{at: 2026-11-02T10:00:00Z, status: investigating}"
    twin = "{at: 2026-11-02T10:00:00Z, status: monitoring}"
    last = "{at: 2026-11-02T11:00:00Z, status: resolved}"

    def ids(*updates):
        return [one.id for one in incident_of(f"name: Trouble\nupdates: [{', '.join(updates)}]").updates]

    whole = ids(first, twin, last)
    assert len(set(whole)) == 3
    assert ids(first.replace("investigating", "investigating, body: More."), twin, last) == whole
    assert ids(first, last) == [whole[0], whole[2]]
    assert ids(first.replace("investigating", "investigating, id: mine"), last)[0] == "mine"


def test_imported_incident_fields_are_preserved():
    incident = incident_of("""
    id: 6tcfpztf6j9m
    name: Imported
    created_at: 2020-05-22T16:41:53.142Z
    started_at: 2020-05-22T16:41:53.133Z
    updated_at: 2020-05-22T20:50:13.761Z
    monitoring_at: 2020-05-22T19:00:00.000Z
    resolved_at: 2020-05-22T20:50:13.759Z
    impact_override: minor
    shortlink: http://stspg.io/g1l6nqnlv29b
    reminder_intervals: "[3, 6, 12]"
    updates:
      - at: 2020-05-22T20:50:13.759Z
        created_at: 2020-05-22T20:50:14.000Z
        updated_at: 2020-05-23T08:00:00.000Z
        status: resolved
        body: "Done.\\r\\nSee <a href='https://example.org'>more</a>."
        id: 2hdg5g90ysg5
        affected_components:
          - {code: 0l2p9nhqnxpd, name: API - Reads, old_status: partial_outage, new_status: operational}
        deliver_notifications: false
        custom_tweet: All is well
        tweet_id: 1196315196593041408
    """)

    assert incident.id == "6tcfpztf6j9m"
    assert incident.started_at.microsecond == 133_000
    assert incident.impact_override == "minor"
    assert incident.reminder_intervals == "[3, 6, 12]"
    (update,) = incident.updates
    assert update.body == "Done.\r\nSee <a href='https://example.org'>more</a>."
    assert update.recorded
    assert update.affected_components == (
        AffectedComponent("0l2p9nhqnxpd", "API - Reads", "partial_outage", "operational"),
    )
    assert update.tweet_id == 1196315196593041408
    assert incident.components == ("0l2p9nhqnxpd",)


def test_null_affected_components_differ_from_absent():
    null, absent = (
        incident_of(SMALLEST.replace("investigating", f"investigating{output}")).updates[0]
        for output in (", affected_components: null", "")
    )

    assert (null.recorded, null.affected_components) == (True, None)
    assert (absent.recorded, absent.affected_components) == (False, None)


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (SMALLEST.replace("name: Trouble", "name: ''"), "name", "the name is empty"),
        (SMALLEST.replace("Trouble", "T" * 256), "name", "the name has 256 characters, more than 255"),
        ("name: Trouble\nupdates: []", "updates", "the incident has no update"),
        (SMALLEST.replace("+01:00", ""), "updates.0.at", "'2026-11-02T10:00:00' has no offset from UTC"),
        (
            SMALLEST.replace("status: inv", "status: Inv"),
            "updates.0.status",
            "Input should be 'investigating', ",
        ),
        (
            SMALLEST.replace("investigating", "completed"),
            "updates.0.status",
            "Input should be 'investigating', ",
        ),
        (SMALLEST + "    components: {rpc: down}\n", "components.rpc", "Input should be 'operational', "),
        (SMALLEST + "    draft: yes\n", "draft", "expected true or false, found 'yes'"),
        (SMALLEST + "    id: a/b\n", "id", "id 'a/b' has characters that a URL cannot contain"),
        (SMALLEST + "    id: AUX\n", "id", "id AUX is the name of a device on Windows"),
        (SMALLEST + "    severity: high\n", "severity", "Extra inputs are not permitted"),
        (
            SMALLEST.replace("investigating", "resolved, tweet_id: 9223372036854775808"),
            "updates.0.tweet_id",
            "'9223372036854775808' is not a post number",
        ),
        (
            SMALLEST.replace(
                "investigating",
                "investigating, components: {rpc: operational}, affected_components:"
                " [{code: rpc, name: RPC, old_status: operational, new_status: operational}]",
            ),
            "updates.0",
            "an update has both components and affected_components",
        ),
    ],
)
def test_invalid_incident_field_is_reported(text, place, said):
    ((where, message),) = refused(incident_of, text)

    assert where == place
    assert message.startswith(said)


PLANNED = """
    name: Upgrade
    scheduled_for: 2026-11-20T10:00:00Z
    scheduled_until: 2026-11-20T12:00:00Z
"""


def test_maintenance_announcement_uses_created_at():
    by_stamp = maintenance_of(PLANNED + "    created_at: 2026-11-01T09:00:00Z\n    body: Soon.\n")
    by_update = maintenance_of(
        PLANNED + "    updates: [{at: 2026-11-01T09:00:00Z, status: scheduled, body: Soon.}]\n"
    )

    for maintenance in (by_stamp, by_update):
        assert maintenance.created_at == at("11-01 09:00")
        assert [(one.status, one.body) for one in maintenance.updates] == [("scheduled", "Soon.")]
    assert by_stamp.automation == Automation()


def test_maintenance_announcement_precedes_later_updates():
    maintenance = maintenance_of(
        PLANNED
        + "    created_at: 2026-11-01T09:00:00Z\n"
        + "    updates: [{at: 2026-11-20T11:00:00Z, status: completed}]\n"
    )

    assert [one.status for one in maintenance.updates] == ["scheduled", "completed"]
    # the written update keeps its place in the file
    assert maintenance.updates[1].pointer == ("updates", 0)


def test_maintenance_flags_use_statuspage_names():
    maintenance = maintenance_of(
        PLANNED
        + "    created_at: 2026-11-01T09:00:00Z\n"
        + "    scheduled_remind_prior: false\n"
        + "    auto_transition_to_operational_state: false\n"
    )

    assert maintenance.automation == Automation(
        scheduled_remind_prior=False, auto_transition_to_operational_state=False
    )


def test_recurrence_uses_page_timezone_by_default():
    text = PLANNED + "    recurrence: {rule: FREQ=WEEKLY}\n"
    page = page_of(PAGE + "    time_zone: Asia/Kolkata\n")

    assert maintenance_of(text, page=page).recurrence.time_zone.key == "Asia/Kolkata"
    assert maintenance_of(text, page=page).recurrence.announce == timedelta(days=7)
    other = text.replace("WEEKLY}", "WEEKLY, time_zone: Europe/Zurich, announce_days: 0}")
    assert maintenance_of(other, page=page).recurrence.time_zone.key == "Europe/Zurich"
    assert maintenance_of(other, page=page).recurrence.announce == timedelta()


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (PLANNED, "", "the maintenance has no announcement time"),
        (
            PLANNED + "    recurrence: {rule: FREQ=WEEKLY}\n    cancelled_at: 2026-11-02T10:00:00Z\n",
            "",
            "`cancelled_at` is a key of a single window, but this maintenance is recurring",
        ),
        (
            PLANNED + "    recurrence: {rule: FREQ=MINUTELY}\n",
            "recurrence.rule",
            "recurrence rule 'FREQ=MINUTELY' has no FREQ of DAILY",
        ),
        (
            PLANNED + "    recurrence: {rule: FREQ=WEEKLY, announce_days: 400}\n",
            "recurrence.announce_days",
            "400 is not between 0 and 366 days",
        ),
        (
            PLANNED + "    recurrence: {rule: FREQ=WEEKLY, occurrences: {2026-11-20: {name: Moved}}}\n",
            "recurrence.occurrences.2026-11-20.[key]",
            "'2026-11-20' is not a date and time",
        ),
    ],
)
def test_invalid_maintenance_field_is_reported(text, place, said):
    ((where, message),) = refused(maintenance_of, text)

    assert where == place
    assert message.startswith(said)


def test_components_keep_order_of_file():
    components = catalogue_of().components

    assert [(one.key, one.group, one.group_id, one.position) for one in components] == [
        ("rpc", False, None, 1),
        ("explorer", False, None, 2),
        ("bridges", True, None, 3),
        ("north", False, "bridges", 1),
        ("south", False, "bridges", 2),
    ]
    bridges, north = components[2:4]
    assert bridges.children == ("north", "south")
    assert (bridges.showcase, north.showcase) == (False, True)
    assert north.pointer == ("components", "bridges", "components", "north")


def test_component_ids_and_positions_are_configurable():
    components = catalogue_of(
        COMPONENTS.replace("{name: North}", "{name: North, id: nrth, position: 7}")
    ).components

    assert components[2].children == ("south", "nrth")
    assert components[3].id == "nrth"


def test_component_creation_date_is_derived():
    components = catalogue_of(
        """
    components:
      given: {name: Given, created_at: 2021-05-01T00:00:00Z, start_date: 2022-01-01}
      dated: {name: Dated, start_date: 2022-01-01}
      plain: {name: Plain}
    """,
        page=PAGE + "    time_zone: Europe/Zurich\n",
    ).components

    assert [one.created_at for one in components] == [
        datetime(2021, 5, 1, tzinfo=UTC),
        datetime(2021, 12, 31, 23, tzinfo=UTC),
        datetime(2020, 1, 1, tzinfo=UTC),
    ]
    assert components[1].start_date == date(2022, 1, 1)


def test_component_status_history_is_read():
    text = COMPONENTS.replace(
        "{name: RPC}", "{name: RPC, history: [{at: 2026-11-02T10:00:00Z, status: major_outage}]}"
    )

    assert catalogue_of(text).components[0].history == (StatusChange(at("11-02 10:00"), "major_outage"),)


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("{name: RPC}", "{}", "components.rpc.name", "Field required"),
        ("{name: RPC}", "{name: RPC, start_date: soon}", "components.rpc.start_date", "'soon' is not a date"),
        (
            "name: Bridges\n",
            "name: Bridges\n        status: operational\n",
            "components.bridges",
            "`status` and `history` cannot be set on a component group",
        ),
        (
            "{name: North}",
            "{name: North, components: {}}",
            "components.bridges.components.north",
            "a component group contains another group",
        ),
    ],
)
def test_invalid_component_field_is_reported(old, new, place, said):
    ((where, message),) = refused(catalogue_of, COMPONENTS.replace(old, new))

    assert where == place
    assert message.startswith(said)


def test_minimal_page_gets_defaults():
    page = page_of("name: Demo\nurl: https://status.example.org")

    assert page.id == "52kx74743llw"
    assert page.time_zone.key == "Etc/UTC"
    assert page.created_at == datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        (
            "https://status.example.org",
            "status.example.org",
            "url",
            "page URL 'status.example.org' is not an absolute",
        ),
        (
            "name: Demo",
            "name: Demo\n    time_zone: Mars/Olympus",
            "time_zone",
            "unknown time zone 'Mars/Olympus'",
        ),
        *(
            ("name: Demo", f"name: Demo\n    time_zone: {name}", "time_zone", f"unknown time zone '{name}'")
            for name in ("localtime", "Factory", "posixrules", "posix/UTC", "right/UTC")
        ),
        (
            "name: Demo",
            "name: Demo\n    indicator: bad",
            "indicator",
            "Input should be 'none', 'maintenance'",
        ),
    ],
)
def test_invalid_page_setting_is_reported(old, new, place, said):
    ((where, message),) = refused(page_of, PAGE.replace(old, new))

    assert where == place
    assert message.startswith(said)
