"""A check: a named rule, and the function that checks one record.

`@check` on a function makes a check of it, whose name and rule are the function's (`statuary.base.rules`): `--list`
prints them, `--skip` and `--only` accept them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from types import ModuleType
from typing import Final, NamedTuple

from statuary.base.findings import Finding, Pointer, Severity
from statuary.base.limits import MAX_SHOWN_FINDINGS
from statuary.base.primitives import shorten
from statuary.base.rules import registered_checks
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.proof import CheckOutcome, CheckResult, EvidenceValue

# Read these enumeration members once, because in Python 3.11 each access takes as long as a small check.
_PASSED: Final = CheckOutcome.PASSED
_NOT_APPLICABLE: Final = CheckOutcome.NOT_APPLICABLE


class Violation(NamedTuple):
    """A way in which a contract's record breaks a rule."""

    message: str  # the fault, with the value
    pointer: Pointer = ()
    hint: str = ""  # what to do
    severity: Severity | None = None  # None for the default severity of the check


class Evidence(NamedTuple):
    """The values on which the result of a check is based.

    A check that yields nothing does not apply to the record.
    """

    facts: Mapping[str, EvidenceValue]


class NotApplicable(NamedTuple):
    """The reason why a check does not apply to a contract's record.

    If a match level requires the check, that level is not confirmed.
    """

    reason: str


class NotKnown(NamedTuple):
    """A value that statuary does not know, though it may be valid.

    Such values come from lists that others extend, such as languages and compilers (`open_lists`). A note
    names the value. If a check has no other evidence, the record is not confirmed.
    """

    what: str  # the kind of value, such as `proxy type`
    value: str
    pointer: Pointer = ()

    @property
    def sentence(self) -> str:
        """The sentence that the proof shows for the value.

        Example: `the proxy type "X" is not known here`.
        """
        return f"the {self.what} {shorten(self.value)} is not known here"


Observation = Violation | Evidence | NotApplicable | NotKnown
CheckFunction = Callable[[RecordView], Iterator[Observation]]


class ContractCheck(NamedTuple):
    """A rule for contract records, with the function that checks it.

    `required_for` is the match level that the check is needed for, if any.
    """

    name: str
    rule: str  # a sentence
    severity: Severity
    """ERROR for a rule that every true record satisfies; WARNING for one that some true records break."""
    observe: CheckFunction
    required_for: "Match | None" = None  # the kind of claimed match that requires this check, or None
    is_of_compilation: bool = False  # whether the result depends only on the compilation

    def check_records(self, records: Iterable[RecordView]) -> list[CheckResult]:
        """Check each record for the rule; the results have the same order."""
        name = self.name
        observe = self.observe
        nothing = CheckResult(self.name, _NOT_APPLICABLE)
        results = []
        for record in records:
            observed = [*islice(observe(record), MAX_SHOWN_FINDINGS)]
            only = observed[0] if len(observed) == 1 else None
            if not observed:
                results.append(nothing)
            elif isinstance(only, Evidence):
                results.append(CheckResult(name, _PASSED, only.facts))
            elif isinstance(only, NotApplicable):
                results.append(CheckResult(name, _NOT_APPLICABLE, reason=only.reason))
            else:
                results.append(self._result_from_observations(observed))
        return results

    def _result_from_observations(self, observations: list[Observation]) -> CheckResult:
        facts: dict[str, EvidenceValue] = {}
        findings: list[Finding] = []
        reason = ""
        for observation in observations:
            if isinstance(observation, Evidence):
                facts.update(observation.facts)
            elif isinstance(observation, NotApplicable):
                reason = reason or observation.reason
            elif isinstance(observation, NotKnown):
                reason = observation.sentence
                hint = "a later version of statuary may know it; the record is published"
                note = Violation(observation.sentence, observation.pointer, hint, Severity.NOTE)
                findings.append(self.to_finding(note))
            else:
                findings.append(self.to_finding(observation))
        outcome = _check_outcome(findings, facts)
        is_open = not facts and any(isinstance(one, NotKnown) for one in observations)
        if is_open and outcome is _PASSED:
            outcome = CheckOutcome.NOT_KNOWN
        return CheckResult(self.name, outcome, facts, tuple(findings), reason)

    def to_finding(self, violation: Violation) -> Finding:
        """Convert a broken rule to an error, warning or note."""
        return Finding(
            rule=self.name,
            message=violation.message,
            hint=violation.hint,
            pointer=violation.pointer,
            severity=violation.severity or self.severity,
        )


def _check_outcome(findings: list[Finding], facts: Mapping[str, EvidenceValue]) -> CheckOutcome:
    if not findings:
        return _PASSED if facts else _NOT_APPLICABLE
    severities = {finding.severity for finding in findings}
    if Severity.ERROR in severities:
        return CheckOutcome.FAILED
    if Severity.WARNING in severities:
        return CheckOutcome.WARNED
    return _PASSED


class Match(NamedTuple):
    """A match that contract records can claim, such as exact runtime match.

    `side` is `creation` or `runtime`; empty for both.
    """

    side: str = ""  # `creation` or `runtime`; empty for either
    is_exact: bool = False  # whether the match has to be exact
    language: str = ""  # the record's language; empty for any

    def includes(self, claimed_match: "Match") -> bool:
        """Return whether a match that a record claims is of this kind.

        For example, a kind without a language includes matches in every language.

        Args:
            claimed_match: the match of creation or runtime code, with the language of the record.
        """
        is_exact_enough = claimed_match.is_exact or not self.is_exact
        return (
            is_exact_enough
            and self.side in ("", claimed_match.side)
            and self.language in ("", claimed_match.language)
        )


_REQUIRED_FOR: Final[dict[CheckFunction, Match]] = {}


def required_for(match: Match) -> Callable[[CheckFunction], CheckFunction]:
    """Return a decorator for a check without which a match is not confirmed.

    Example: after `@required_for(Match("creation"))`, a record that claims a creation match fails if the check cannot be
    applied to it.
    """

    def register(observe: CheckFunction) -> CheckFunction:
        _REQUIRED_FOR[observe] = match
        return observe

    return register


_OF_COMPILATION: Final[set[CheckFunction]] = set()


def reads_only_compilation(check_function: CheckFunction) -> CheckFunction:
    """Mark a check whose result is equal for copies of a contract.

    Such a check looks only at sources, settings, compiler output and match levels. Its result is computed
    once, and then reused for the other copies.
    """
    _OF_COMPILATION.add(check_function)
    return check_function


def collect_contract_checks(*modules: ModuleType) -> list[ContractCheck]:
    """Return the functions in modules that are decorated with `@check`, in order."""
    return [
        ContractCheck(*check, _REQUIRED_FOR.get(check.function), check.function in _OF_COMPILATION)
        for check in registered_checks(*modules)
    ]
