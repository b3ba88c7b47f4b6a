"""The script that reads recorded payloads, with some of the documented forms."""

import json

import pytest

from support.alert_payloads import alert, group, pagerduty
from support.recorded_alerts import main

PAYLOADS = {
    "alertmanager/firing.json": group(),
    "alertmanager/mixed.json": group(alert("resolved"), alert(host="b")),
    "grafana/ok.json": {"ruleId": 1, "ruleName": "RPC", "state": "ok"},
    "grafana/template.json": {"text": "RPC is down"},
    "pagerduty/resolved.json": pagerduty("incident.resolved"),
    "pagerduty/delegated.json": pagerduty("incident.delegated"),
    "pagerduty/v2.json": {"messages": [{"event": "incident.trigger"}]},
    "statuspage/component.json": {"page": {"id": "a"}, "component_update": {"new_status": "operational"}},
}


def outcomes(folder, payloads):
    for name, value in payloads.items():
        file = folder / "fixtures" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), "utf-8")
    lines = []
    return main([folder], lines.append), lines


def test_recorded_alert_payloads_have_expected_outcomes(tmp_path):
    code, lines = outcomes(tmp_path, PAYLOADS)
    said = [line.partition("  ")[2].strip().partition("   ")[0] for line in lines[: len(PAYLOADS)]]
    assert code == 0
    assert said == [
        "opens, its end resolves",
        "opens, its end resolves",
        "resolves what its begin opened",
        "rejected",
        "changes nothing",
        "resolves what its begin opened",
        "rejected",
        "each member is in our webhook",
    ]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("alertmanager/a.json", group(groupKey=""), "WITHOUT A REASON"),
        ("statuspage/a.json", {"component_update": {"colour": "red"}}, "lacks .component_update.colour"),
        ("statuspage/a.json", {"component_update": {"new_status": 3}}, "another type than recorded"),
    ],
)
def test_unexpected_alert_payload_outcome_exits_1(tmp_path, name, value, said):
    code, lines = outcomes(tmp_path, {name: value})
    assert code == 1
    assert said in lines[0]


def test_payload_folder_without_files_exits_1(tmp_path):
    assert main([tmp_path]) == 1
