"""The proof on a contract's page: checks, outcomes and evidence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from statuary.base.primitives import parse_instant
from statuary.contracts.model.proof import (
    CHECKPOINT,
    CheckOutcome,
    CheckResult,
    Claim,
    ClaimName,
    ClaimStatus,
    PinnedBy,
    Proof,
)
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.site.pages.page_texts import PageTexts, one_line
from statuary.site.pages.site_context import FormattedTime, Localization

OUTCOME_ORDER = (CheckOutcome.FAILED, CheckOutcome.WARNED, CheckOutcome.NOT_KNOWN, CheckOutcome.PASSED)
"""The order of outcomes; checks that do not apply are listed by name only."""

MAX_FAILURES = 3
"""Failed checks that a page says beside its verdict; the list of checks has the others."""

OUTCOME_ICONS = {
    CheckOutcome.FAILED: "major",
    CheckOutcome.WARNED: "degraded",
    CheckOutcome.NOT_KNOWN: "none",
    CheckOutcome.PASSED: "ok",
}
"""The sign of an outcome: its shape means the same as its colour."""


class CheckRow(NamedTuple):
    """A check with its outcome, evidence and findings."""

    name: str  # the name in `statuary check --list`
    sentence: str  # the sentence of the rule
    sign: str  # the icon of the outcome
    outcome: str
    evidence: tuple[tuple[str, str], ...]  # names and values
    findings: tuple[str, ...]


class ClaimRow(NamedTuple):
    """A statement about the contract with its evidence, on the page."""

    name: str  # the name of the claim, such as `on_chain`
    sentence: str  # the claim
    sign: str  # the sign of the claim's status
    status: str  # the status of the claim in words
    reason: str  # the reason why the claim is proven, contradicted or not proven
    block_number: str  # the number of the block that proves the claim; empty if no block does
    block_hash: str
    block_href: str  # the block's page in the explorer; empty if the site names none
    block_time: FormattedTime | None
    vouched: str  # who vouches for the block, and what to compare its hash with


class ProofView(NamedTuple):
    """A contract's proof, as its page shows it."""

    holds: bool  # whether no check contradicts the record
    summary: str  # how many checks ended how, in words
    rows: tuple[CheckRow, ...]  # checks that applied, the worst first
    failures: tuple[CheckRow, ...]  # the first failed checks, which the page shows before anything else
    not_applicable: tuple[str, ...]  # names of checks that do not apply, in words
    skipped: tuple[str, ...]  # names of checks that this build skipped
    claims: tuple[ClaimRow, ...]  # the status of each claim


def proof_view(
    checked_record: RecordWithProof, localization: Localization, rules: Mapping[str, str], explorer: str
) -> ProofView:
    """Prepare a contract's proof for its page, contradictions first.

    Args:
        localization: the translated texts of pages, and the format of dates.
        rules: the rule of each check as a sentence, by the check's name.
        explorer: the URL of the chain's block explorer; empty if there is none.
    """
    proof, texts = checked_record.proof, localization.texts
    contradicted_first = sorted(proof.claims, key=lambda claim: claim.status is not ClaimStatus.CONTRADICTED)
    by_outcome = {
        outcome: [result for result in proof.results if result.outcome is outcome] for outcome in CheckOutcome
    }
    rows = tuple(
        _check_row(result, texts, rules)._replace(
            sign=icon_for_record(OUTCOME_ICONS[outcome], checked_record)
        )
        for outcome in OUTCOME_ORDER
        for result in by_outcome[outcome]
    )

    return ProofView(
        holds=proof.has_no_errors,
        summary=texts("page.comma").join(_format_outcome_counts(by_outcome, texts)),
        rows=rows,
        failures=rows[: min(MAX_FAILURES, len(by_outcome[CheckOutcome.FAILED]))],
        not_applicable=tuple(
            _check_name_as_words(result.check) for result in by_outcome[CheckOutcome.NOT_APPLICABLE]
        ),
        skipped=tuple(_check_name_as_words(result.check) for result in by_outcome[CheckOutcome.SKIPPED]),
        claims=tuple(
            _claim_row(claim, localization, explorer)._replace(
                sign=icon_for_record(CLAIM_ICONS[claim.status], checked_record)
            )
            for claim in contradicted_first
        ),
    )


def _format_outcome_counts(
    by_outcome: Mapping[CheckOutcome, Sequence[CheckResult]], texts: PageTexts
) -> Iterator[str]:
    for outcome in OUTCOME_ORDER:
        if by_outcome[outcome]:
            yield texts.count(f"proof.{outcome.name.lower()}", len(by_outcome[outcome]))


def _check_row(result: CheckResult, texts: PageTexts, rules: Mapping[str, str]) -> CheckRow:
    return CheckRow(
        name=result.check,
        sentence=rules.get(result.check) or _check_name_as_words(result.check),
        sign=OUTCOME_ICONS[result.outcome],
        outcome=texts(f"outcome.{result.outcome.name.lower()}"),
        evidence=tuple(
            (one_line(name), texts.number(fact) if isinstance(fact, int) else one_line(fact))
            for name, fact in result.evidence.items()
            if fact != ""
        ),
        findings=tuple(one_line(finding.message) for finding in result.findings),
    )


CLAIM_ICONS = {
    ClaimStatus.VERIFIED: "ok",
    ClaimStatus.STATED: "stated",
    ClaimStatus.NOT_SHOWN: "none",
    ClaimStatus.CONTRADICTED: "major",
}
"""The sign of a claim's status."""


CHECKED = "checked"
"""The sign of what a contradicted record passes: the shape of the green one, without its colour."""


def icon_for_record(icon: str, checked_record: RecordWithProof) -> str:
    """Return the icon for a check or claim of a record.

    If the record is contradicted or not published, a passed check gets a neutral icon instead of the green one.

    Args:
        icon: the icon if the check or claim stood alone: `ok`, `stated`, `none` or `major`.
    """
    is_doubted = checked_record.is_contradicted or not checked_record.is_published
    return CHECKED if icon == "ok" and is_doubted else icon


def _claim_row(claim: Claim, localization: Localization, explorer: str) -> ClaimRow:
    texts = localization.texts
    number, block, time, vouched_by = (
        str(claim.evidence.get(name, "")) for name in ("blockNumber", "blockHash", "blockTime", "vouchedBy")
    )
    return ClaimRow(
        name=claim.name.name.lower(),
        sentence=texts(f"claim.{claim.name.name.lower()}"),
        sign=CLAIM_ICONS[claim.status],
        status=texts(f"claim_status.{claim.status.name.lower()}"),
        reason=_shorten_hashes(one_line(texts.reason(claim.reason))),
        block_number=texts.number(int(number)) if number else "",
        block_hash=block,
        block_href=f"{explorer}/block/{block}" if explorer and block else "",
        block_time=localization.dates.moment(parse_instant(time)) if time else None,
        vouched=_vouching_sentence(vouched_by, one_line(str(claim.evidence.get("agreed", ""))), texts),
    )


def _shorten_hashes(sentence: str) -> str:
    return _HASH.sub(lambda found: f"{found[0][:10]}…{found[0][-8:]}", sentence)


_HASH = re.compile("0x[0-9a-f]{64}")

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


class Pin(NamedTuple):
    """The evidence that proves a section of the page."""

    text: str  # a sentence
    sign: str  # the icon: a sheet of paper if only a file or the record itself gives the value


_PROVEN_PARTS = {ClaimName.ON_CHAIN: "code", ClaimName.DEPLOYED: "deployment"}
"""The parts of a page that the chain's proofs show, whatever the record says."""


def evidence_on_page(proof: Proof) -> Mapping[str, PinnedBy]:
    """Return the kind of evidence for each fact on a contract's page.

    If the record fails checks, only the chain counts as evidence. All other facts are shown as claims of the
    author.
    """
    if proof.has_no_errors or not proof.claims:
        return proof.pinned
    verified = [claim.name for claim in proof.claims if claim.status is ClaimStatus.VERIFIED]
    proven = {_PROVEN_PARTS[name] for name in verified if name in _PROVEN_PARTS}
    return {
        member: PinnedBy.CHAIN if part in proven else PinnedBy.CLAIMED
        for part, members in PARTS.items()
        for member in members
    }


PIN_SIGNS = dict.fromkeys((PinnedBy.CHAIN, PinnedBy.HASH, PinnedBy.COMPILED), "ok")


def evidence_sentences(checked_record: RecordWithProof, texts: PageTexts) -> Iterator[tuple[str, Pin]]:
    """Yield the evidence for each section of a contract's page.

    If the facts of a section have different evidence, the weakest is shown. A source file with evidence of
    its own gets its own sentence.

    Yields:
        The section or the path of a source, and its evidence.
    """
    pinned, strength = evidence_on_page(checked_record.proof), list(PinnedBy)
    for part, members in PARTS.items():
        if pins := [pinned[member] for member in members if member in pinned]:
            weakest = max(pins, key=strength.index)
            sentence = texts(f"pinned.{weakest.name.lower()}")
            text = texts(f"pinned.of_{part}", pin=sentence) if part in LABELLED else sentence
            yield part, Pin(text, icon_for_record(PIN_SIGNS.get(weakest, "stated"), checked_record))
    for member, pin in pinned.items():
        if member.startswith("sources/"):
            sign = icon_for_record(PIN_SIGNS.get(pin, "stated"), checked_record)
            yield one_line(member), Pin(texts(f"pinned.{pin.name.lower()}"), sign)


def _vouching_sentence(vouched_by: str, hosts: str, texts: PageTexts) -> str:
    if not vouched_by:
        return ""
    if vouched_by == CHECKPOINT:
        return texts("proof.vouched_checkpoint")
    return texts("proof.vouched_hosts", hosts=hosts) if hosts else texts("proof.vouched_file")


def is_code_at_address(proof: Proof) -> bool:
    """Return whether the chain proves that the code is at the address."""
    claim = proof.find_claim(ClaimName.ON_CHAIN)
    return claim is not None and claim.status is ClaimStatus.VERIFIED


_VERDICTS = {
    ClaimStatus.VERIFIED: "verified",
    ClaimStatus.STATED: "stated",
    ClaimStatus.NOT_SHOWN: "not_shown",
}


def verdict_text_key(checked_record: RecordWithProof) -> str:
    """Return the key of the page text that states a contract's verdict.

    For example, `unchecked` for the text `verdict.unchecked`.
    """
    verdict = checked_record.proof.verdict
    if not checked_record.is_published:
        return "refused"
    if verdict is None:
        return "unchecked"
    key = _VERDICTS.get(verdict.status) or verdict.sentences[0].key.removeprefix("verdict_")
    return (
        "recorded_differs"
        if key == "runtime_differs" and not is_code_at_address(checked_record.proof)
        else key
    )


def verdict_headline(checked_record: RecordWithProof, texts: PageTexts) -> str:
    """Return the verdict at the top of a contract's page, as sentences.

    Args:
        checked_record: the record and the verdict.
    """
    verdict, is_published = checked_record.proof.verdict, checked_record.is_published
    if verdict is None:
        return texts("level.unchecked" if is_published else "level.refused")
    sentences = [one_line(texts.reason(sentence)) for sentence in verdict.sentences]
    return " ".join(sentences if is_published else [f"{texts('level.refused')}.", *sentences])


def claims_sentence(
    proof: Proof, match_level: str, texts: PageTexts, *, creation_differs: bool = False
) -> str:
    """Explain in sentences what is proven about a contract.

    Args:
        match_level: the match level of the runtime code in the record; empty if there is none.
        texts: the translated texts of pages.
        creation_differs: whether the record has on-chain creation code that does not match.
    """
    status = {claim.name: claim.status for claim in proof.claims}
    if short := _simple_case_text_key(proof, status):
        return texts(f"meaning.{short}")
    hashed = "not_hashed"
    if status[ClaimName.HASHED] is ClaimStatus.VERIFIED:
        # Vyper's integrity hash covers the sources, but not the compiler settings. If the settings are not
        # hashed, choose the sentence that mentions only the sources.
        has_settings = proof.pinned.get("compilation.compilerSettings") is PinnedBy.HASH
        hashed = "hashed" if has_settings else "hashed_sources"
    keys = [
        match_level or "none",
        hashed,
        *["extra_sources"] * any(path.startswith("sources/") for path in proof.pinned),
        _compilation_text_key(proof),
        _ON_CHAIN_TEXTS[status[ClaimName.ON_CHAIN]],
        *["creation_differs"] * creation_differs,
    ]
    return " ".join(texts(f"meaning.{key}") for key in keys)


def _simple_case_text_key(proof: Proof, status: Mapping[ClaimName, ClaimStatus]) -> str:
    if proof.verdict is None:
        return "unchecked"
    if status[ClaimName.CONSISTENT] is not ClaimStatus.VERIFIED:
        return "unproved" if proof.has_no_errors else "contradicted"
    if proof.verdict.status is not ClaimStatus.CONTRADICTED:
        return ""
    return next(
        text for name, text in _CONTRADICTED_TEXTS.items() if status[name] is ClaimStatus.CONTRADICTED
    )


_CONTRADICTED_TEXTS = {
    ClaimName.MATCHES: "runtime_differs",
    ClaimName.ON_CHAIN: "contradicted_since",
    ClaimName.COMPILED: "compiles_otherwise",
}
"""The text about a record that is contradicted, by the first claim that is."""

_COMPILED_TEXTS = {ClaimStatus.VERIFIED: "recompiled", ClaimStatus.STATED: "compiled"}


def _compilation_text_key(proof: Proof) -> str:
    claim = proof.find_claim(ClaimName.COMPILED)
    if claim is not None and claim.reason.key == "compiled_vouched":
        return claim.reason.key
    return "not_compiled" if claim is None else _COMPILED_TEXTS.get(claim.status, "not_compiled")


_ON_CHAIN_TEXTS = {
    ClaimStatus.VERIFIED: "on_chain",
    ClaimStatus.STATED: "on_chain_stated",
    ClaimStatus.NOT_SHOWN: "not_on_chain",
}


def _check_name_as_words(check_name: str) -> str:
    return one_line(check_name).replace("-", " ").capitalize()
