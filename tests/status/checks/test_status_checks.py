"""Each check of the status side: content that breaks its rule, and the finding."""

from datetime import timedelta

import pytest

from statuary.base.findings import Severity
from statuary.base.primitives import Instant
from statuary.status.checks import maintenance_checks as recurrence_checks
from statuary.status.checks.status_checks import STATUS_CHECKS, status_findings
from statuary.status.model import recurrence
from statuary.status.model.timeline import build_timeline
from support.status_breaches import (
    BREACHES,
    TROUBLE,
    UPGRADE,
    WEEKLY,
)
from support.status_site import at, catalogue_of

NOW = at("11-10 12:00")

WINDOWS = 200
"""The limit in these tests, since 20,000 windows take seconds."""


@pytest.fixture(autouse=True)
def few_windows(monkeypatch):
    for module in (recurrence, recurrence_checks):
        monkeypatch.setattr(module, "MAX_WINDOWS", WINDOWS)


def findings_of(skip=(), **texts):
    catalogue = catalogue_of(**texts)
    return list(status_findings(build_timeline(catalogue, Instant(NOW + timedelta(days=35))), NOW, skip))


def only_finding(**texts):
    (finding,) = findings_of(**texts)
    return finding


def summary_of(finding):
    return finding.rule, finding.path, finding.pointer, finding.message, finding.hint


@pytest.mark.parametrize("name", BREACHES)
def test_each_status_rule_reports_one_finding(name):
    content, expected = BREACHES[name]

    assert summary_of(only_finding(**content)) == expected


def test_examples_violate_every_status_rule():
    assert {expected[0] for _, expected in BREACHES.values()} == {check.name for check in STATUS_CHECKS}


@pytest.mark.parametrize("name", BREACHES)
def test_skipped_status_rule_gives_no_finding(name):
    content, expected = BREACHES[name]

    assert findings_of(skip={expected[0]}, **content) == []


@pytest.mark.parametrize("check", STATUS_CHECKS, ids=lambda check: check.name)
def test_status_rule_text_is_full_sentence(check):
    assert check.rule.endswith((".", ")."))
    assert check.rule[0].isupper()


def test_valid_content_has_no_findings():
    moved = """      occurrences:
        2026-11-10T10:00:00Z: {scheduled_for: 2026-11-11T10:00:00Z, rescheduled_at: 2026-11-09T00:00:00Z}
"""
    postmortem = "    postmortem: {published_at: 2026-11-05T00:00:00Z, body: Why.}\n"
    assert (
        findings_of(
            incidents={"trouble": TROUBLE + postmortem, "open": TROUBLE.replace("resolved", "monitoring")},
            maintenances={"upgrade": UPGRADE, "weekly": WEEKLY + moved},
        )
        == []
    )


def test_overlapping_incident_may_keep_component_down():
    """The first to be resolved does not leave the component down: the second one holds it."""
    longer = TROUBLE.replace("02T12:00", "03T12:00")

    assert findings_of(incidents={"trouble": TROUBLE, "longer": longer}) == []


def test_cancelled_maintenance_overlaps_no_other():
    cancelled = UPGRADE + "    cancelled_at: 2026-11-05T00:00:00Z\n"

    assert findings_of(maintenances={"disks": cancelled, "upgrade": UPGRADE}) == []


def test_long_maintenance_overlaps_windows_inside_it():
    whole_day = UPGRADE.replace("20T10:00", "20T00:00").replace("20T12:00", "20T23:00")
    noon, evening = UPGRADE, UPGRADE.replace("20T10:00", "20T18:00").replace("20T12:00", "20T19:00")

    found = findings_of(maintenances={"day": whole_day, "noon": noon, "evening": evening})

    assert [(finding.path, finding.rule) for finding in found] == [
        ("maintenances/noon.yaml", "overlapping-windows"),
        ("maintenances/evening.yaml", "overlapping-windows"),
    ]


def test_only_listed_status_rules_are_warnings():
    severities = {expected[0]: only_finding(**content).severity for content, expected in BREACHES.values()}

    assert {rule for rule, severity in severities.items() if severity is not Severity.ERROR} == {
        "undated-page",
        "stale-page-updated-at",
        "demo-published",
        "name-looks-like-flag",
        "update-in-future",
        "draft-unpublished",
        "component-not-restored",
        "overlapping-windows",
        "crowded-component",
        "late-announcement",
        "overdue-maintenance",
        "completed-without-start",
        "window-beyond-horizon",
        "undated-move",
        "too-many-windows",
        "recurrence-beyond-horizon",
    }
