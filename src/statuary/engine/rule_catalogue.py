"""The catalogue of all rules: every check's name, severity and sentence."""

from collections.abc import Callable, Iterator

from statuary.base.findings import Rule, Severity
from statuary.base.rules import rule_of
from statuary.contracts.checks.proof_rule_list import proof_rules, rule_of_check
from statuary.contracts.checks.prove import IDENTITY_CHECKS
from statuary.contracts.incremental.record_location import LOCATION_RULES
from statuary.registry import all_sections
from statuary.status.checks.status_checks import STATUS_CHECKS

RECORD = "record"
"""The group of rules about a record's place in the site."""

STATUS = "status"
"""The group of rules about components, incidents and maintenances; each can be skipped."""


def all_rules() -> Iterator[Rule]:
    """Yield every rule, those about files first, those of extensions last."""
    yield from (rule_of_check(check, RECORD) for check in IDENTITY_CHECKS)
    yield from (rule_of_function(rule, RECORD) for rule in LOCATION_RULES)
    yield from proof_rules()
    for check in STATUS_CHECKS:
        yield Rule(check.name, "", STATUS, check.rule)
    for section in all_sections():
        yield from section.rules()


def rule_of_function(rule: Callable[..., object], group: str) -> Rule:
    """Return the rule that a function checks, in a group."""
    name, sentence = rule_of(rule)
    return Rule(name, Severity.ERROR, group, sentence)
