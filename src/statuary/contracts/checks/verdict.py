"""The verdict of a proof: what the claims about a record show together."""

from collections.abc import Mapping
from typing import Final

from statuary.base.reasons import Reason, make_reason
from statuary.contracts.checks.claims import NOT_KNOWN
from statuary.contracts.model.matching import MatchLevel
from statuary.contracts.model.proof import Claim, ClaimName, ClaimStatus, Verdict

RUNTIME_DIFFERS: Final = ("verdict_runtime_differs", "verdict_runtime_empty")
"""The sentences of a verdict on a record whose on-chain code is not its compiled code."""


_WEAKEST_LAST: Final = tuple(ClaimStatus)


def decide_verdict(record_claims: tuple[Claim, ...]) -> Verdict:
    """Combine the six statements about a contract's record into one verdict.

    Args:
        record_claims: the statements (claims), with the strength of their evidence.

    Returns:
        If any claim is contradicted, a contradiction with the reason. Otherwise the weakest status, with
        sentences for the reader.
    """
    claim = {claim.name: claim for claim in record_claims}
    if contradiction := _contradiction_sentence(claim):
        return Verdict(ClaimStatus.CONTRADICTED, (contradiction,))
    consistent = claim[ClaimName.CONSISTENT]
    matches = claim[ClaimName.MATCHES]
    if ClaimStatus.NOT_SHOWN in (consistent.status, matches.status):
        reason = _unconfirmed_sentence(consistent, matches)
        return Verdict(ClaimStatus.NOT_SHOWN, (reason,))
    compiled = claim[ClaimName.COMPILED]
    on_chain = claim[ClaimName.ON_CHAIN]
    weakest = max(compiled.status, on_chain.status, key=_WEAKEST_LAST.index)
    return Verdict(weakest, (_match_sentence(matches, compiled), _chain_sentence(on_chain)))


def _contradiction_sentence(claims_by_name: Mapping[ClaimName, Claim]) -> Reason | None:
    contradicted = [name for name, made in claims_by_name.items() if made.status is ClaimStatus.CONTRADICTED]
    if not contradicted:
        return None
    if ClaimName.CONSISTENT in contradicted:
        return make_reason(
            "verdict_failed", checks=dict(claims_by_name[ClaimName.CONSISTENT].reason.values)["checks"]
        )
    if ClaimName.MATCHES in contradicted:
        is_empty = claims_by_name[ClaimName.MATCHES].reason.key == "code_empty"
        return make_reason("verdict_runtime_empty" if is_empty else "verdict_runtime_differs")
    if ClaimName.ON_CHAIN in contradicted:
        return _code_change_sentence(claims_by_name[ClaimName.ON_CHAIN])
    return make_reason("verdict_compiles_otherwise")


def _unconfirmed_sentence(consistent_claim: Claim, match_claim: Claim) -> Reason:
    if NOT_KNOWN in (consistent_claim.reason.key, match_claim.reason.key):
        return make_reason("verdict_not_known")
    if consistent_claim.status is ClaimStatus.NOT_SHOWN:
        return make_reason("verdict_skipped")
    return make_reason(
        "verdict_unclaimed" if match_claim.reason.key == "match_unclaimed" else "verdict_unchecked"
    )


def _code_change_sentence(on_chain_claim: Claim) -> Reason:
    block, address = (on_chain_claim.evidence.get(name, "") for name in ("blockNumber", "implementation"))
    if on_chain_claim.reason.key == "other_implementation_since":
        return make_reason("verdict_other_implementation", block=block, address=address)
    return make_reason(
        "verdict_no_code" if on_chain_claim.reason.key == "no_code_since" else "verdict_other_code",
        block=block,
    )


def _match_sentence(match_claim: Claim, compiled_claim: Claim) -> Reason:
    is_exact = match_claim.evidence["match"] == MatchLevel.EXACT_MATCH
    if compiled_claim.reason.key == "compiled_vouched":
        return make_reason("verdict_exact_match_vouched" if is_exact else "verdict_match_vouched")
    if compiled_claim.status is ClaimStatus.VERIFIED:
        return make_reason("verdict_exact_match_recompiled" if is_exact else "verdict_match_recompiled")
    if compiled_claim.status is ClaimStatus.STATED:
        return make_reason("verdict_exact_match_stated" if is_exact else "verdict_match_stated")
    return make_reason("verdict_exact_match" if is_exact else "verdict_match")


def _chain_sentence(on_chain_claim: Claim) -> Reason:
    if on_chain_claim.status is ClaimStatus.NOT_SHOWN:
        return make_reason("verdict_not_compared")
    is_verified = on_chain_claim.status is ClaimStatus.VERIFIED
    block = on_chain_claim.evidence["blockNumber"]
    return make_reason("verdict_compared" if is_verified else "verdict_compared_stated", block=block)
