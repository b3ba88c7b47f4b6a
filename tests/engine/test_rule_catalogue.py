"""The rules that `statuary check --list` shows."""

from statuary.base.findings import Severity
from statuary.engine.rule_catalogue import all_rules
from statuary.status.checks.status_checks import STATUS_CHECKS


def test_every_rule_has_severity():
    assert {type(rule.severity) for rule in all_rules()} == {Severity}


def test_status_rule_severity_matches_its_findings():
    listed = {rule.name: rule.severity for rule in all_rules() if rule.group == "status"}
    assert listed == {check.name: check.severity for check in STATUS_CHECKS}
    assert set(listed.values()) == {*Severity}


def test_only_proof_and_status_rules_are_skippable():
    assert {rule.group for rule in all_rules() if rule.can_skip} == {"proof", "status"}
    assert {rule.group for rule in all_rules() if not rule.can_skip}.isdisjoint({"proof", "status"})
