"""Content of the status that breaks each rule once, and the finding."""

from support.status_site import COMPONENTS, PAGE

TROUBLE = """
    name: Trouble
    components: {rpc: partial_outage}
    updates:
      - {at: 2026-11-02T10:00:00Z, status: investigating}
      - {at: 2026-11-02T12:00:00Z, status: resolved}
"""

UPGRADE = """
    name: Upgrade
    components: [explorer]
    created_at: 2026-11-01T09:00:00Z
    scheduled_for: 2026-11-20T10:00:00Z
    scheduled_until: 2026-11-20T12:00:00Z
"""

WEEKLY = """
    name: Restart
    components: [rpc]
    scheduled_for: 2026-11-03T10:00:00Z
    scheduled_until: 2026-11-03T11:00:00Z
    recurrence:
      rule: FREQ=WEEKLY;UNTIL=20261201T000000Z
"""


def incident(text):
    return {"incidents": {"trouble": text}}


def maintenance(text):
    return {"maintenances": {"upgrade": text}}


def components(old, new):
    assert old in COMPONENTS
    return {"components": COMPONENTS.replace(old, new)}


IN_INCIDENT = "incidents/trouble.yaml"
IN_MAINTENANCE = "maintenances/upgrade.yaml"
IN_COMPONENTS = "components.yaml"

BREACHES = {
    "a key that is another's id": (
        components("explorer: {name: Explorer}", "explorer: {name: Explorer, id: rpc}"),
        (
            "duplicate-component",
            IN_COMPONENTS,
            ("components", "explorer"),
            "'rpc' is already the key or id of component 'RPC'",
            "change the key or id of one of the two components",
        ),
    ),
    "an empty group": (
        {"components": "components: {bridges: {name: Bridges, components: {}}}"},
        (
            "empty-group",
            IN_COMPONENTS,
            ("components", "bridges", "components"),
            "group 'Bridges' has no components",
            "add one, or remove `components` to make it a component",
        ),
    ),
    "a history out of order": (
        components(
            "{name: North}",
            "{name: North, history: [{at: 2026-11-02T10:00:00Z, status: major_outage},"
            " {at: 2026-11-02T10:00:00Z, status: operational}]}",
        ),
        (
            "history-out-of-order",
            IN_COMPONENTS,
            ("components", "bridges", "components", "north", "history", 1, "at"),
            "2026-11-02T10:00:00Z is not after the previous change, 2026-11-02T10:00:00Z",
            "list changes oldest first",
        ),
    ),
    "a demo that is published": (
        {"page": PAGE + "    demo: true\n"},
        (
            "demo-published",
            "site.yaml",
            ("page", "demo"),
            "the content of this site is invented, but it is published at https://status.example.org",
            "replace the examples with content of your own, and remove `demo`",
        ),
    ),
    "a name that is a setting": (
        {"page": PAGE.replace("name: Demo", "name: yes")},
        (
            "name-looks-like-flag",
            "site.yaml",
            ("page", "name"),
            "the name is 'yes', which looks like a setting",
            "write the name that readers see",
        ),
    ),
    "a page without any date": (
        {"page": "name: Demo\nurl: https://status.example.org\n"},
        (
            "undated-page",
            "site.yaml",
            ("page",),
            "the content has no dates, so the API and the feeds say that the page was updated on 1970-01-01",
            "add created_at: 2026-11-10T12:00:00Z",
        ),
    ),
    "a page that denies a change": (
        {"page": PAGE + "    updated_at: 2026-11-02T11:00:00Z\n"} | incident(TROUBLE),
        (
            "stale-page-updated-at",
            "site.yaml",
            ("page", "updated_at"),
            "updated_at is 2026-11-02T11:00:00Z, but the page changed later, at 2026-11-02T12:00:00Z",
            "remove updated_at; it follows from the content",
        ),
    ),
    "an incident on an unknown component": (
        incident(TROUBLE.replace("{rpc:", "{rcp:")),
        (
            "unknown-component",
            IN_INCIDENT,
            ("components", "rcp"),
            "component 'rcp' is not in components.yaml",
            "did you mean 'rpc'?",
        ),
    ),
    "an update on an unknown component": (
        incident(TROUBLE.replace("status: resolved", "status: resolved, components: {warp: operational}")),
        (
            "unknown-component",
            IN_INCIDENT,
            ("updates", 1, "components", "warp"),
            "component 'warp' is not in components.yaml",
            "add it there, with `removed: true` if it no longer exists",
        ),
    ),
    "an imported update on an unknown component": (
        incident(
            TROUBLE.replace(
                "status: investigating",
                "status: investigating, affected_components:"
                " [{code: norht, name: N, old_status: operational, new_status: operational}]",
            ).replace("components: {rpc: partial_outage}\n", "\n", 1)
        ),
        (
            "unknown-component",
            IN_INCIDENT,
            ("updates", 0, "affected_components", 0, "code"),
            "component 'norht' is not in components.yaml",
            "did you mean 'north'?",
        ),
    ),
    "a maintenance on an unknown component": (
        maintenance(UPGRADE.replace("[explorer]", "[explorer, Explorer2]")),
        (
            "unknown-component",
            IN_MAINTENANCE,
            ("components", 1),
            "component 'Explorer2' is not in components.yaml",
            "did you mean 'explorer'?",
        ),
    ),
    "an update of a maintenance on an unknown component": (
        maintenance(
            UPGRADE
            + "    updates: [{at: 2026-11-01T09:00:00Z, status: scheduled, components: {warp: operational}}]\n"
        ),
        (
            "unknown-component",
            IN_MAINTENANCE,
            ("updates", 0, "components", "warp"),
            "component 'warp' is not in components.yaml",
            "add it there, with `removed: true` if it no longer exists",
        ),
    ),
    "an incident on a group": (
        incident(TROUBLE.replace("{rpc:", "{bridges:")),
        (
            "affected-group",
            IN_INCIDENT,
            ("components", "bridges"),
            "'bridges' is a group, whose status follows from its components",
            "name its components: north, south",
        ),
    ),
    "a component key that is no id": (
        components("explorer: {", "block explorer: {"),
        (
            "invalid-id",
            IN_COMPONENTS,
            ("components", "block explorer"),
            "component id 'block explorer' has characters that a URL cannot contain",
            "use letters, digits, - and _, or set an `id`",
        ),
    ),
    "a file name that is no id": (
        {"incidents": {"Störung am Montag": TROUBLE}},
        (
            "invalid-id",
            "incidents/Störung am Montag.yaml",
            ("id",),
            "id 'Störung am Montag' has characters that a URL cannot contain",
            "rename the file with letters, digits, - and _, or set an `id`",
        ),
    ),
    "two records with one id": (
        incident(TROUBLE) | maintenance(UPGRADE + "    id: trouble\n"),
        (
            "duplicate-record-id",
            IN_MAINTENANCE,
            ("id",),
            "id 'trouble' is already used by incidents/trouble.yaml",
            "rename the file, or set another `id`",
        ),
    ),
    "two updates with one id": (
        incident(TROUBLE.replace("status: ", "id: abc, status: ")),
        (
            "duplicate-update-id",
            IN_INCIDENT,
            ("updates", 1, "id"),
            "update id 'abc' is already used in incidents/trouble.yaml",
            "set another `id`, or remove it",
        ),
    ),
    "a move back from resolved": (
        incident(TROUBLE + "      - {at: 2026-11-02T13:00:00Z, status: investigating}\n"),
        (
            "invalid-status-transition",
            IN_INCIDENT,
            ("updates", 2, "status"),
            "investigating cannot follow resolved of 2026-11-02T12:00:00Z",
            "use one of postmortem, resolved after resolved, or add `reopens: true`",
        ),
    ),
    "a postmortem of nothing": (
        incident("name: Trouble\nupdates: [{at: 2026-11-02T10:00:00Z, status: postmortem, body: Why.}]"),
        (
            "invalid-status-transition",
            IN_INCIDENT,
            ("updates", 0, "status"),
            "a postmortem is the first update",
            "add the updates before it",
        ),
    ),
    "an announcement after the clock has begun": (
        maintenance(
            UPGRADE.replace("11-20T", "11-08T")
            + "    updates:\n"
            + "      - {at: 2026-11-01T09:00:00Z, status: scheduled}\n"
            + "      - {at: 2026-11-08T10:30:00Z, status: scheduled}\n"
        ),
        (
            "invalid-status-transition",
            IN_MAINTENANCE,
            ("updates", 1, "status"),
            "scheduled cannot follow the automatic in_progress of 2026-11-08T10:00:00Z",
            "use one of completed, in_progress, verifying after in_progress",
        ),
    ),
    "imported updates newest first": (
        incident(
            "name: Trouble\nupdates:\n"
            "- {at: 2026-11-02T12:00:00Z, status: identified, affected_components: null}\n"
            "- {at: 2026-11-02T10:00:00Z, status: investigating, affected_components: null}\n"
        ),
        (
            "updates-out-of-order",
            IN_INCIDENT,
            ("updates", 1, "at"),
            "2026-11-02T10:00:00Z is before the previous update, 2026-11-02T12:00:00Z",
            "list updates oldest first, or correct the time",
        ),
    ),
    "a postmortem before the resolution": (
        incident(TROUBLE + "    postmortem: {published_at: 2026-11-02T11:59:00Z, body: Why.}\n"),
        (
            "updates-out-of-order",
            IN_INCIDENT,
            ("postmortem", "published_at"),
            "2026-11-02T11:59:00Z is before the previous update, 2026-11-02T12:00:00Z",
            "list updates oldest first, or correct the time",
        ),
    ),
    "an update of tomorrow": (
        incident(TROUBLE.replace("11-02T12", "11-11T12")),
        (
            "update-in-future",
            IN_INCIDENT,
            ("updates", 1, "at"),
            "the update is dated 2026-11-11T12:00:00Z, which is in the future, and is published only then",
            "correct the time, unless the update is meant for later",
        ),
    ),
    "a draft": (
        incident(TROUBLE + "    draft: true\n"),
        (
            "draft-unpublished",
            IN_INCIDENT,
            ("draft",),
            "the record is a draft, so it is not published",
            "to publish it, remove `draft` or set `publish_at`",
        ),
    ),
    "an embargo": (
        incident(TROUBLE + "    publish_at: 2026-12-01T00:00:00Z\n"),
        (
            "draft-unpublished",
            IN_INCIDENT,
            ("publish_at",),
            "the record is not published before 2026-12-01T00:00:00Z",
            "",
        ),
    ),
    "a backfilled incident that would move components": (
        incident(TROUBLE + "    backfilled: true\n"),
        (
            "backfilled-status-change",
            IN_INCIDENT,
            ("backfilled",),
            "a backfilled incident sets the status of 'rpc', which has no effect",
            "name the components without a status, and record the changes in their `history`",
        ),
    ),
    "a component left down": (
        incident(TROUBLE.replace("status: resolved", "status: resolved, components: {rpc: major_outage}")),
        (
            "component-not-restored",
            IN_INCIDENT,
            ("updates", 1),
            "component 'rpc' is still major_outage when the record is resolved",
            "set its status in that update, or leave the incident open",
        ),
    ),
    "a window without length": (
        maintenance(UPGRADE.replace("20T12:00", "20T10:00")),
        (
            "empty-window",
            IN_MAINTENANCE,
            ("scheduled_until",),
            "the window ends at 2026-11-20T10:00:00Z but starts at 2026-11-20T10:00:00Z",
            "set scheduled_until to a time after scheduled_for",
        ),
    ),
    "a single window that ends before it begins": (
        maintenance(
            WEEKLY
            + "      occurrences:\n        2026-11-10T10:00:00Z: {scheduled_until: 2026-11-10T09:00:00Z}\n"
        ),
        (
            "empty-window",
            IN_MAINTENANCE,
            ("recurrence", "occurrences", "2026-11-10T10:00:00Z", "scheduled_until"),
            "the window ends at 2026-11-10T09:00:00Z but starts at 2026-11-10T10:00:00Z",
            "set scheduled_until to a time after scheduled_for",
        ),
    ),
    "two windows at once": (
        {"maintenances": {"upgrade": UPGRADE.replace("T10:00", "T11:59"), "disks": UPGRADE}},
        (
            "overlapping-windows",
            IN_MAINTENANCE,
            ("scheduled_for",),
            (
                "the window at 2026-11-20T11:59:00Z overlaps the window of 'disks',"
                " which affects 'explorer' until 2026-11-20T12:00:00Z"
            ),
            "move one of them, or combine them into one maintenance",
        ),
    ),
    "more open incidents than a day names": (
        {
            "incidents": {
                f"outage-{number}": TROUBLE.replace(
                    "      - {at: 2026-11-02T12:00:00Z, status: resolved}\n", ""
                )
                for number in range(21)
            }
        },
        (
            "crowded-component",
            IN_COMPONENTS,
            ("components", "rpc"),
            "'RPC' has 21 open incidents and windows; days of its uptime name 20",
            "resolve those that are over, or combine them",
        ),
    ),
    "announced too late": (
        maintenance(UPGRADE.replace("11-01T09:00", "11-20T10:00")),
        (
            "late-announcement",
            IN_MAINTENANCE,
            ("created_at",),
            "the maintenance window is announced at 2026-11-20T10:00:00Z but starts at 2026-11-20T10:00:00Z",
            "announce it earlier, or write an incident instead",
        ),
    ),
    "a window that is over": (
        maintenance(UPGRADE.replace("11-20T", "11-08T") + "    scheduled_auto_completed: false\n"),
        (
            "overdue-maintenance",
            IN_MAINTENANCE,
            ("scheduled_until",),
            "the window ended at 2026-11-08T12:00:00Z but the maintenance is still in_progress",
            "add an update that completes it, or extend scheduled_until",
        ),
    ),
    "a window that nobody has begun": (
        maintenance(
            UPGRADE.replace("for: 2026-11-20T", "for: 2026-11-08T")
            + "    scheduled_auto_in_progress: false\n"
        ),
        (
            "completed-without-start",
            IN_MAINTENANCE,
            ("scheduled_auto_in_progress",),
            "the window has started but the maintenance has not, so it does not complete automatically",
            "add an update with status in_progress, or cancel the maintenance",
        ),
    ),
    "cancelled after it was over": (
        maintenance(UPGRADE.replace("11-20T", "11-08T") + "    cancelled_at: 2026-11-09T00:00:00Z\n"),
        (
            "cancelled-after-completion",
            IN_MAINTENANCE,
            ("cancelled_at",),
            "the maintenance is cancelled at 2026-11-09T00:00:00Z but completed earlier, at 2026-11-08T12:00:00Z",
            "remove cancelled_at, or correct its time",
        ),
    ),
    "an exception for no window": (
        maintenance(
            WEEKLY
            + "      occurrences:\n        2026-11-11T10:00:00Z: {cancelled_at: 2026-11-05T00:00:00Z}\n"
        ),
        (
            "unknown-occurrence",
            IN_MAINTENANCE,
            ("recurrence", "occurrences", "2026-11-11T10:00:00Z"),
            "the recurrence rule does not produce a window at 2026-11-11T10:00:00Z",
            "did you mean 2026-11-10T10:00:00Z?",
        ),
    ),
    "a start that the rule does not give": (
        maintenance(WEEKLY.replace("FREQ=WEEKLY", "FREQ=WEEKLY;BYDAY=WE")),
        (
            "recurrence-start-mismatch",
            IN_MAINTENANCE,
            ("scheduled_for",),
            "the recurrence rule does not produce a window at 2026-11-03T10:00:00Z; the first one starts at 2026-11-04T10:00:00Z",
            "set scheduled_for to 2026-11-04T10:00:00Z, or correct the rule",
        ),
    ),
    "a rule without a window": (
        maintenance(WEEKLY.replace("FREQ=WEEKLY", "FREQ=WEEKLY;BYMONTH=2;BYMONTHDAY=30")),
        (
            "recurrence-start-mismatch",
            IN_MAINTENANCE,
            ("recurrence", "rule"),
            "the recurrence rule never produces a maintenance window",
            "correct the rule, or remove `recurrence`",
        ),
    ),
    "a moved window without a date": (
        maintenance(
            WEEKLY
            + "      occurrences:\n        2026-11-17T10:00:00Z: {scheduled_for: 2026-11-18T10:00:00Z}\n"
        ),
        (
            "undated-move",
            IN_MAINTENANCE,
            ("recurrence", "occurrences", "2026-11-17T10:00:00Z"),
            "the window is moved without rescheduled_at, so calendars and feeds may keep the old time",
            "add rescheduled_at, or use `statuary maintenance reschedule`",
        ),
    ),
    "a window beyond the horizon": (
        maintenance(UPGRADE.replace("until: 2026-11-20", "until: 2026-12-20")),
        (
            "window-beyond-horizon",
            IN_MAINTENANCE,
            ("scheduled_until",),
            "the window ends at 2026-12-20T12:00:00Z, after the horizon 2026-12-15T12:00:00Z",
            "build again before the horizon, or raise status.horizon_days in site.yaml",
        ),
    ),
    "a rule that goes on": (
        maintenance(WEEKLY.replace(";UNTIL=20261201T000000Z", "")),
        (
            "recurrence-beyond-horizon",
            IN_MAINTENANCE,
            ("recurrence", "rule"),
            "the documents of windows after the horizon 2026-12-15T12:00:00Z are not written yet",
            "build again before the horizon",
        ),
    ),
    "a rule with too many windows": (
        maintenance(
            WEEKLY.replace("WEEKLY;UNTIL=20261201", "DAILY;UNTIL=20200101").replace(
                "2026-11-03", "1960-11-03"
            )
        ),
        (
            "too-many-windows",
            IN_MAINTENANCE,
            ("recurrence", "rule"),
            "the recurrence rule produces more than 200 maintenance windows; the later ones are omitted",
            "set a later scheduled_for, or end the rule with UNTIL or COUNT",
        ),
    ),
}
