"""A proof as a list: which checks ran, how each ended, and what each saw."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from statuary.documents.pages.page_texts import PageTexts
from statuary.documents.pages.visible_text import one_line
from statuary.domain.contracts.proof import CheckOutcome, CheckResult, EvidenceValue, Proof

OUTCOME_ORDER = (CheckOutcome.FAILED, CheckOutcome.WARNED, CheckOutcome.PASSED)
"""The order that outcomes are told in; what does not apply is told by name alone."""

OUTCOME_ICONS = {
    CheckOutcome.FAILED: "major_outage",
    CheckOutcome.WARNED: "degraded_performance",
    CheckOutcome.PASSED: "operational",
}
"""The sign of an outcome: its shape says the same as its colour."""


class CheckRow(NamedTuple):
    """A check that had something to look at.

    Attributes:
        name: its name, as `statuary check --list` has it.
        sentence: what it holds; the name as words where nobody says.
        sign: the sign of its outcome.
        outcome: its outcome in words.
        saw: what it looked at, name and value.
        findings: what it has to say.
    """

    name: str
    sentence: str
    sign: str
    outcome: str
    evidence: tuple[tuple[str, str], ...]
    findings: tuple[str, ...]


class ProofView(NamedTuple):
    """A proof.

    Attributes:
        holds: whether no check contradicts the record.
        summary: how many checks ended how, in words.
        rows: those that had something to look at, the worst first.
        not_applicable: the others, by name as words.
    """

    holds: bool
    summary: str
    rows: tuple[CheckRow, ...]
    not_applicable: tuple[str, ...]


def proof_view(proof: Proof, texts: PageTexts, rules: Mapping[str, str]) -> ProofView:
    """Return a proof as a list; `rules` says by name what a check holds."""
    by_outcome = {
        outcome: [result for result in proof.results if result.outcome is outcome] for outcome in CheckOutcome
    }
    told = [
        texts.count(f"proof.{outcome.name.lower()}", len(by_outcome[outcome]))
        for outcome in OUTCOME_ORDER
        if by_outcome[outcome]
    ]
    return ProofView(
        holds=proof.holds,
        summary=", ".join(told),
        rows=tuple(_row(result, texts, rules) for outcome in OUTCOME_ORDER for result in by_outcome[outcome]),
        not_applicable=tuple(_words(result.check) for result in by_outcome[CheckOutcome.NOT_APPLICABLE]),
    )


def _row(result: CheckResult, texts: PageTexts, rules: Mapping[str, str]) -> CheckRow:
    return CheckRow(
        name=result.check,
        sentence=rules.get(result.check) or _words(result.check),
        sign=OUTCOME_ICONS[result.outcome],
        outcome=texts(f"outcome.{result.outcome.name.lower()}"),
        evidence=tuple(_saw(result, texts)),
        findings=tuple(one_line(finding.message) for finding in result.findings),
    )


def _words(name: str) -> str:
    """Return a check's name as words: its names are sentences without a point."""
    return one_line(name).replace("-", " ").capitalize()


def _saw(result: CheckResult, texts: PageTexts) -> Iterator[tuple[str, str]]:
    for name, fact in result.evidence.items():
        if fact != "":
            yield one_line(name), _told(fact, texts)


def _told(fact: EvidenceValue, texts: PageTexts) -> str:
    return texts.number(fact) if isinstance(fact, int) else one_line(fact)
