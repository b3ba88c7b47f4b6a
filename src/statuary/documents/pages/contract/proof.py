"""A proof as a list: the checks, their outcomes and their evidence."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from statuary.documents.pages.page_texts import PageTexts, one_line
from statuary.domain.contracts.proof import (
    CheckOutcome,
    CheckResult,
    Claim,
    ClaimName,
    ClaimStatus,
    EvidenceValue,
    PinnedBy,
    Proof,
)

OUTCOME_ORDER = (CheckOutcome.FAILED, CheckOutcome.WARNED, CheckOutcome.PASSED)
"""The order of outcomes; checks that do not apply are listed by name only."""

OUTCOME_ICONS = {
    CheckOutcome.FAILED: "major_outage",
    CheckOutcome.WARNED: "degraded_performance",
    CheckOutcome.PASSED: "operational",
}
"""The sign of an outcome: its shape means the same as its colour."""


class CheckRow(NamedTuple):
    """A check with evidence or findings."""

    name: str  # as in `statuary check --list`
    sentence: str  # its rule
    sign: str  # the icon of the outcome
    outcome: str
    evidence: tuple[tuple[str, str], ...]  # names and values
    findings: tuple[str, ...]


class ClaimRow(NamedTuple):
    """The status of one claim."""

    sentence: str  # the claim
    sign: str  # the sign of its status
    status: str  # its status in words
    reason: str  # what shows or contradicts it, or why it is not shown
    block_number: str  # the block under whose hash it is shown; empty if there is none
    block_hash: str
    block_href: str  # that block in the explorer; empty if the site names none


class ProofView(NamedTuple):
    """A proof."""

    holds: bool  # whether no check contradicts the record
    summary: str  # how many checks ended how, in words
    rows: tuple[CheckRow, ...]  # those that had something to look at, the worst first
    not_applicable: tuple[str, ...]  # those that do not apply, by name as words
    skipped: tuple[str, ...]  # those that this build skipped
    claims: tuple[ClaimRow, ...]  # what is known of each claim


def proof_view(proof: Proof, texts: PageTexts, rules: Mapping[str, str], explorer: str) -> ProofView:
    """Return a proof as a list.

    Args:
        explorer: the URL of the chain's block explorer; empty if there is none.
    """
    by_outcome = {
        outcome: [result for result in proof.results if result.outcome is outcome] for outcome in CheckOutcome
    }
    return ProofView(
        holds=proof.holds,
        summary=", ".join(_counts(by_outcome, texts)),
        rows=tuple(_row(result, texts, rules) for outcome in OUTCOME_ORDER for result in by_outcome[outcome]),
        not_applicable=tuple(_words(result.check) for result in by_outcome[CheckOutcome.NOT_APPLICABLE]),
        skipped=tuple(_words(result.check) for result in by_outcome[CheckOutcome.SKIPPED]),
        claims=tuple(_claim_row(claim, texts, explorer) for claim in proof.claims),
    )


def _counts(by_outcome: Mapping[CheckOutcome, Sequence[CheckResult]], texts: PageTexts) -> Iterator[str]:
    for outcome in OUTCOME_ORDER:
        if by_outcome[outcome]:
            yield texts.count(f"proof.{outcome.name.lower()}", len(by_outcome[outcome]))


def _row(result: CheckResult, texts: PageTexts, rules: Mapping[str, str]) -> CheckRow:
    return CheckRow(
        name=result.check,
        sentence=rules.get(result.check) or _words(result.check),
        sign=OUTCOME_ICONS[result.outcome],
        outcome=texts(f"outcome.{result.outcome.name.lower()}"),
        evidence=tuple(_saw(result, texts)),
        findings=tuple(one_line(finding.message) for finding in result.findings),
    )


CLAIM_ICONS = {
    ClaimStatus.SHOWN: "operational",
    ClaimStatus.NOT_SHOWN: "unknown",
    ClaimStatus.CONTRADICTED: "major_outage",
}
"""The sign of a claim's status."""


def _claim_row(claim: Claim, texts: PageTexts, explorer: str) -> ClaimRow:
    number, block = (str(claim.evidence.get(name, "")) for name in ("blockNumber", "blockHash"))
    return ClaimRow(
        sentence=texts(f"claim.{claim.name.name.lower()}"),
        sign=CLAIM_ICONS[claim.status],
        status=texts(f"claim_status.{claim.status.name.lower()}"),
        reason=one_line(texts.reason(claim.reason)),
        block_number=number,
        block_hash=block,
        block_href=f"{explorer}/block/{block}" if explorer and block else "",
    )


PARTS: Mapping[str, tuple[str, ...]] = {
    "sources": ("sources",),
    "interface": ("abi",),
    "descriptions": ("userdoc", "devdoc"),
    "storage": ("storageLayout",),
    "transient": ("transientStorageLayout",),
    "code": ("runtimeBytecode.onchainBytecode",),
    "lines": ("runtimeBytecode.sourceMap",),
    "settings": ("compilation.compilerSettings",),
    "deployment": tuple(f"deployment.{member}" for member in ("transactionHash", "blockNumber", "deployer")),
}
"""The parts of a page, with the members of the record that they show."""

LABELLED = ("descriptions", "lines")
"""Parts without a heading of their own."""


def pin_sentences(proof: Proof, texts: PageTexts) -> Iterator[tuple[str, str]]:
    """Yield by part of the page, and by path for a source unlike the others, what fixes its content: the weakest pin."""
    strength = list(PinnedBy)
    for part, members in PARTS.items():
        if pins := [proof.pinned[member] for member in members if member in proof.pinned]:
            sentence = texts(f"pinned.{max(pins, key=strength.index).name.lower()}")
            yield part, texts(f"pinned.of_{part}", pin=sentence) if part in LABELLED else sentence
    for member, pin in proof.pinned.items():
        if member.startswith("sources/"):
            yield one_line(member), texts(f"pinned.{pin.name.lower()}")


def meaning(proof: Proof, levels: Mapping[str, str], texts: PageTexts) -> str:
    """Return the sentence about what is shown of a published record, and what is not: never more than its claims.

    Args:
        levels: the match that the record claims of each side, `creation` and `runtime`; empty if it claims none.
    """
    consistent, hashed = proof.claim(ClaimName.CONSISTENT), proof.claim(ClaimName.HASHED)
    if consistent is None or hashed is None:
        return texts("meaning.unchecked")
    if consistent.status is not ClaimStatus.SHOWN:
        return texts(f"meaning.{'unproved' if proof.holds else 'contradicted'}")
    compiled = proof.claim(ClaimName.COMPILED)
    keys = (
        _level_text(levels),
        _commitment(proof) if _is_shown(hashed) else "not_hashed",
        *_extra_sources(proof),
        "compiled" if _is_shown(compiled) else "not_compiled",
        "on_chain" if _is_shown(proof.claim(ClaimName.ON_CHAIN)) else "not_on_chain",
    )
    return " ".join(texts(f"meaning.{key}") for key in keys)


def _level_text(levels: Mapping[str, str]) -> str:
    """Return the text about how far the sides match; sides with different levels have their own texts."""
    claimed = {level for level in levels.values() if level}
    if len(claimed) > 1:
        return next(f"exact_{side}" for side, level in levels.items() if level == "exact_match")
    return next(iter(claimed), "none")


def _commitment(proof: Proof) -> str:
    """Return which text explains what a hash commits to: Vyper's covers the sources alone."""
    is_whole = proof.pinned.get("compilation.compilerSettings") is PinnedBy.HASH
    return "hashed" if is_whole else "hashed_sources"


def _extra_sources(proof: Proof) -> tuple[str, ...]:
    return ("extra_sources",) if any(path.startswith("sources/") for path in proof.pinned) else ()


def _is_shown(claim: Claim | None) -> bool:
    return claim is not None and claim.status is ClaimStatus.SHOWN


def _words(name: str) -> str:
    return one_line(name).replace("-", " ").capitalize()


def _saw(result: CheckResult, texts: PageTexts) -> Iterator[tuple[str, str]]:
    for name, fact in result.evidence.items():
        if fact != "":
            yield one_line(name), _fact_text(fact, texts)


def _fact_text(fact: EvidenceValue, texts: PageTexts) -> str:
    return texts.number(fact) if isinstance(fact, int) else one_line(fact)
