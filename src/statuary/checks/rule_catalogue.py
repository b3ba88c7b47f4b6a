"""The catalogue of all rules: every check's name, severity and sentence."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from statuary.checks.contracts.check import ContractCheck
from statuary.checks.contracts.prove import CONTRACT_CHECKS, IDENTITY_CHECKS
from statuary.checks.record_location import LOCATION_RULES
from statuary.checks.rules import rule_of
from statuary.checks.status.status_checks import STATUS_CHECKS
from statuary.domain.findings import Rule, Severity
from statuary.extension_table import EXTENSIONS, MissingExtensionError, load

PROOF = "proof"
"""The group of checks that prove a record's claim; they can be skipped, one or all."""

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
    for row in EXTENSIONS:
        with suppress(MissingExtensionError):
            yield from load(row.rules, "check --list") if row.rules else ()


def proof_rules() -> Iterator[Rule]:
    """Yield the rules that prove a record, in the order in which a proof lists them."""
    yield from (rule_of_check(check, PROOF) for check in CONTRACT_CHECKS)


def rule_of_function(rule: Callable[..., object], group: str) -> Rule:
    """Return the rule that a function checks, in a group."""
    name, sentence = rule_of(rule)
    return Rule(name, Severity.ERROR, group, sentence)


def rule_of_check(check: ContractCheck, group: str) -> Rule:
    """Return a check of records as a rule of a group."""
    return Rule(check.name, check.severity, group, check.rule)
