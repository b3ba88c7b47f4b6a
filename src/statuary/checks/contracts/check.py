"""A check: a named rule, and the function that holds one record to it.

A check's name is its function's in kebab-case, its rule the first line of the function's docstring: `--list` shows
them, `--skip` and `--only` take them.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from statuary.checks.contracts.record_view import RecordView
from statuary.domain.contracts.proof import CheckOutcome, CheckResult, EvidenceValue
from statuary.domain.findings import Finding, Pointer, Severity
from statuary.domain.limits import MAX_SHOWN_FINDINGS


class Violation(NamedTuple):
    """A breach of the rule.

    Attributes:
        message: what is wrong, with the value.
        pointer: where in the record.
        hint: what to do about it.
        severity: how much this breach matters, where it differs from others of the same rule.
    """

    message: str
    pointer: Pointer = ()
    hint: str = ""
    severity: Severity | None = None


class Evidence(NamedTuple):
    """What the check looked at: a check without evidence does not apply to the record."""

    facts: Mapping[str, EvidenceValue]


class NotApplicable(NamedTuple):
    """Why there is nothing to look at, as a clause; a claim that needs the check is then not believed."""

    reason: str


Observation = Violation | Evidence | NotApplicable
CheckFunction = Callable[[RecordView], Iterator[Observation]]


class ContractCheck(NamedTuple):
    """A rule that records are held to.

    Attributes:
        rule: a sentence.
        severity: an error where a breach makes the record's claim untrue; a warning where real records are known
            to breach it and still be true, or where the rule is convention.
    """

    name: str
    rule: str
    severity: Severity
    observe: CheckFunction

    def run(self, record: RecordView) -> CheckResult:
        """Hold one record to the rule."""
        facts: dict[str, EvidenceValue] = {}
        findings: list[Finding] = []
        reason = ""
        for observation in islice(self.observe(record), MAX_SHOWN_FINDINGS):
            match observation:
                case Evidence(seen):
                    facts.update(seen)
                case NotApplicable(text):
                    reason = reason or text
                case Violation():
                    findings.append(self.finding(observation))
        return CheckResult(self.name, _outcome(findings, facts), facts, tuple(findings), reason)

    def finding(self, violation: Violation) -> Finding:
        """Return a violation as a finding of this check."""
        return Finding(
            rule=self.name,
            message=violation.message,
            hint=violation.hint,
            pointer=violation.pointer,
            severity=violation.severity or self.severity,
        )


def _outcome(findings: list[Finding], facts: Mapping[str, EvidenceValue]) -> CheckOutcome:
    severities = {finding.severity for finding in findings}
    if Severity.ERROR in severities:
        return CheckOutcome.FAILED
    if Severity.WARNING in severities:
        return CheckOutcome.WARNED
    return CheckOutcome.PASSED if facts or findings else CheckOutcome.NOT_APPLICABLE


def contract_check(observe: CheckFunction, severity: Severity = Severity.ERROR) -> ContractCheck:
    """Make a check of a function."""
    rule = (observe.__doc__ or "").strip().partition("\n")[0]
    return ContractCheck(observe.__name__.replace("_", "-"), rule, severity, observe)
