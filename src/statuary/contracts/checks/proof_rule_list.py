"""The rules that prove a record, as values that `check --list` shows."""

from collections.abc import Iterator

from statuary.base.findings import Rule
from statuary.contracts.checks.check import ContractCheck
from statuary.contracts.checks.prove import CONTRACT_CHECKS

PROOF = "proof"
"""The group of checks that prove a record's claim; they can be skipped, one or all."""


def proof_rules() -> Iterator[Rule]:
    """Yield the rules for contract records, in the published order."""
    yield from (rule_of_check(check, PROOF)._replace(can_skip=True) for check in CONTRACT_CHECKS)


def rule_of_check(check: ContractCheck, group: str) -> Rule:
    """Convert a check to a rule for the output of `check --list`.

    Args:
        group: the heading under which the rule is listed.
    """
    return Rule(check.name, check.severity, group, check.rule)
