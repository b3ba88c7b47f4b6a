"""What a check is: a named rule, and a function that holds one record against it.

A check's name is its function's, in kebab-case; its rule is the first line of the function's docstring. So the
table of checks is their whole catalogue: what `--list` shows, what `--skip` and `--only` take.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from statuary.checks.contracts.record_view import RecordView
from statuary.domain.contracts.proof import CheckResult, Fact, Outcome
from statuary.domain.findings import Finding, Pointer, Severity


class Problem(NamedTuple):
    """A breach of the rule.

    Attributes:
        message: what is wrong, with the value.
        pointer: where in the record.
        remedy: what to do about it.
    """

    message: str
    pointer: Pointer = ()
    remedy: str = ""


class Seen(NamedTuple):
    """What the check looked at, so that "passed" can be told from "there was nothing to look at".

    Attributes:
        facts: by name.
    """

    facts: Mapping[str, Fact]


Observation = Problem | Seen
Observe = Callable[[RecordView], Iterator[Observation]]


class Check(NamedTuple):
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
    observe: Observe

    def run(self, record: RecordView) -> CheckResult:
        """Hold one record against the rule."""
        facts: dict[str, Fact] = {}
        findings: list[Finding] = []
        for observation in self.observe(record):
            if isinstance(observation, Seen):
                facts.update(observation.facts)
            else:
                findings.append(self._finding(observation))
        return CheckResult(self.name, self._outcome(findings, facts), facts, tuple(findings))

    def _finding(self, problem: Problem) -> Finding:
        return Finding(
            rule=self.name,
            message=problem.message,
            remedy=problem.remedy,
            pointer=problem.pointer,
            severity=self.severity,
        )

    def _outcome(self, findings: list[Finding], facts: Mapping[str, Fact]) -> Outcome:
        if findings:
            return Outcome.FAILED if self.severity is Severity.ERROR else Outcome.WARNED
        return Outcome.PASSED if facts else Outcome.NOT_APPLICABLE


def check(observe: Observe, severity: Severity = Severity.ERROR) -> Check:
    """Make a check of a function; its name and docstring say the rest."""
    rule = (observe.__doc__ or "").strip().partition("\n")[0]
    return Check(name=observe.__name__.replace("_", "-"), rule=rule, severity=severity, observe=observe)
