"""What a check is: a named rule, and a function that holds one record against it.

A check's name is its function's, in kebab-case; its rule is the first line of the function's docstring. So the
table of checks is their whole catalogue: what `--list` shows, what `--skip` and `--only` take.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from statuary.checks.contracts.record_view import RecordView
from statuary.domain.contracts.proof import CheckOutcome, CheckResult, EvidenceValue
from statuary.domain.findings import Finding, Pointer, Severity


class Violation(NamedTuple):
    """A breach of the rule.

    Attributes:
        message: what is wrong, with the value.
        pointer: where in the record.
        remedy: what to do about it.
    """

    message: str
    pointer: Pointer = ()
    hint: str = ""


class Evidence(NamedTuple):
    """What the check looked at, so that "passed" can be told from "there was nothing to look at".

    Attributes:
        facts: by name.
    """

    facts: Mapping[str, EvidenceValue]


Observation = Violation | Evidence
CheckFunction = Callable[[RecordView], Iterator[Observation]]


class ContractCheck(NamedTuple):
    """A rule that records are held against.

    Attributes:
        name: the function's name in kebab-case.
        rule: a sentence.
        severity: an error where a breach makes the record's claim untrue; a warning where real records are known
            to breach it and still be true, or where the rule is convention.
        observe: the function.
    """

    name: str
    rule: str
    severity: Severity
    observe: CheckFunction

    def run(self, record: RecordView) -> CheckResult:
        """Hold one record against the rule."""
        facts: dict[str, EvidenceValue] = {}
        findings: list[Finding] = []
        for observation in self.observe(record):
            if isinstance(observation, Evidence):
                facts.update(observation.facts)
            else:
                findings.append(self._finding(observation))
        return CheckResult(self.name, self._outcome(findings, facts), facts, tuple(findings))

    def _finding(self, problem: Violation) -> Finding:
        return Finding(
            rule=self.name,
            message=problem.message,
            hint=problem.hint,
            pointer=problem.pointer,
            severity=self.severity,
        )

    def _outcome(self, findings: list[Finding], facts: Mapping[str, EvidenceValue]) -> CheckOutcome:
        if findings:
            return CheckOutcome.FAILED if self.severity is Severity.ERROR else CheckOutcome.WARNED
        return CheckOutcome.PASSED if facts else CheckOutcome.NOT_APPLICABLE


def check(observe: CheckFunction, severity: Severity = Severity.ERROR) -> ContractCheck:
    """Make a check of a function; its name and docstring say the rest."""
    rule = (observe.__doc__ or "").strip().partition("\n")[0]
    return ContractCheck(
        name=observe.__name__.replace("_", "-"), rule=rule, severity=severity, observe=observe
    )
