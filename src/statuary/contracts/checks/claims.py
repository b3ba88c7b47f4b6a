"""The six claims of a record, and the evidence for each."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from statuary.base.json_values import as_object
from statuary.base.primitives import shorten
from statuary.base.reasons import Reason, because
from statuary.contracts.checks.anchor_claims import AnchorClaims
from statuary.contracts.checks.record_view import RecordView, SideView
from statuary.contracts.model.compiler import build_version, is_same_build
from statuary.contracts.model.compiler_evidence import AuxdataStyle, SourceHash
from statuary.contracts.model.matching import MatchLevel
from statuary.contracts.model.proof import (
    CheckOutcome,
    CheckResult,
    Claim,
    ClaimName,
    ClaimStatus,
    CompilationEvidence,
    EvidenceValue,
    PinnedBy,
    Recompilation,
    Verdict,
)
from statuary.contracts.model.record import GROUPS
from statuary.contracts.model.vyper_integrity import UnknownModuleError

VYPER_CHECK: Final = "vyper-integrity-mismatch"

MATCH_CHECKS: Final = ("runtime-bytecode-mismatch", "runtime-transformations-mismatch")
"""The checks that the claim of a match rests on."""

HASH_CHECKS: Final = (
    "creation-metadata-hash-mismatch",
    "runtime-metadata-hash-mismatch",
    "metadata-sources-mismatch",
    "metadata-compilation-mismatch",
    "metadata-interface-mismatch",
    VYPER_CHECK,
)
"""The checks that claim B rests on."""

DESCRIBED_BY_METADATA: Final = (
    "metadata",
    "abi",
    "userdoc",
    "devdoc",
    "compilation.language",
    "compilation.compilerVersion",
    "compilation.compilerSettings",
    "compilation.name",
)
"""The members that solc's metadata repeats, in addition to the sources."""

REPEATED: Final = {
    "compilation.compiler": PinnedBy.CONSISTENT,
    "signatures": PinnedBy.CONSISTENT,
    "storageLayout": PinnedBy.CLAIMED,
    "transientStorageLayout": PinnedBy.CLAIMED,
}
MATCHED: Final = {
    side: {
        f"{side}Bytecode.onchainBytecode": PinnedBy.CLAIMED,
        f"{side}Bytecode.recompiledBytecode": PinnedBy.CONSISTENT,
        f"{side}Bytecode.transformations": PinnedBy.CONSISTENT,
        f"{side}Bytecode.sourceMap": PinnedBy.CLAIMED,
    }
    for side in ("creation", "runtime")
}
UNMATCHED: Final = {
    side: {member: pin for member, pin in members.items() if pin is PinnedBy.CLAIMED}
    for side, members in MATCHED.items()
}
CLAIMED: Final = dict.fromkeys(
    (
        "sourceIds",
        "proxyResolution",
        "verifiedAt",
        "deployment.transactionHash",
        "deployment.blockNumber",
        "deployment.transactionIndex",
        "deployment.deployer",
    ),
    PinnedBy.CLAIMED,
)
"""The weakest pins of the other members, in the order of the proof document."""

# read enumeration members once: in Python 3.11, each access takes as long as a small check
_PASSED: Final = CheckOutcome.PASSED
_FAILED: Final = CheckOutcome.FAILED
_SKIPPED: Final = CheckOutcome.SKIPPED
_NOT_KNOWN: Final = CheckOutcome.NOT_KNOWN
_NOT_APPLICABLE: Final = CheckOutcome.NOT_APPLICABLE
_CONTRADICTED: Final = ClaimStatus.CONTRADICTED

_ALL_PASSED: Final = because("all_passed")

COMPILED_MEMBERS: Final = (
    "abi",
    "metadata",
    "userdoc",
    "devdoc",
    "storageLayout",
    "transientStorageLayout",
    "sourceIds",
    *(
        f"{side}Bytecode.{member}"
        for side in ("creation", "runtime")
        for member in (
            "recompiledBytecode",
            "sourceMap",
            "linkReferences",
            "immutableReferences",
            "cborAuxdata",
        )
    ),
)
"""Members that a compiler produces; evidence of a compilation can pin no others."""

MAX_NAMED: Final = 3
"""The most checks that a reason names."""


def claims(
    record: RecordView,
    results: tuple[CheckResult, ...],
    anchored: AnchorClaims,
    compiled: Claim,
) -> tuple[Claim, ...]:
    """Return a proof's six claims (statements about a record) with their status.

    Args:
        record: the record that the claims are about.
        results: the results of the checks.
        anchored: the two claims that the chain's proofs decide.
        compiled: the claim that recompiling the sources decides.
    """
    outcomes = [result.outcome for result in results]
    passed = outcomes.count(_PASSED)
    is_settled = passed + outcomes.count(_NOT_APPLICABLE) == len(results)  # true of nearly all records
    others = [] if is_settled else [result for result in results if result.outcome is not _PASSED]
    return (
        consistent_claim(others, passed),
        matches_claim(record, others),
        hashed_claim(record, results, others),
        compiled,
        *anchored.claims,
    )


def consistent_claim(others: Sequence[CheckResult], passed: int) -> Claim:
    """Return claim A: the record contradicts itself nowhere.

    The results of all checks decide the claim.

    Args:
        others: the results of checks that did not pass.
        passed: the number of checks that passed.
    """
    name = ClaimName.CONSISTENT
    failed, skipped = (_names_with_outcome(others, outcome) for outcome in (_FAILED, _SKIPPED))
    evidence: dict[str, EvidenceValue] = {"passed": passed, "failed": len(failed), "skipped": len(skipped)}
    if failed:
        return Claim(name, _CONTRADICTED, _reason_naming_checks(_FAILED, failed), evidence)
    if skipped:
        return Claim(name, ClaimStatus.NOT_SHOWN, _reason_naming_checks(_SKIPPED, skipped), evidence)
    if unknown := _names_with_outcome(others, _NOT_KNOWN):
        return Claim(
            name, ClaimStatus.NOT_SHOWN, because("not_known", checks=_join_check_names(unknown)), evidence
        )
    return Claim(name, ClaimStatus.VERIFIED, _ALL_PASSED, evidence)


NOT_KNOWN: Final = "not_known"
"""The reason of a claim that cannot be decided, since something is not known here."""


def matches_claim(record: RecordView, others: Sequence[CheckResult]) -> Claim:
    """Return the claim that the sources give the on-chain runtime code.

    Sourcify's matching algorithm decides the claim.

    Args:
        record: the record that the claim is about.
        others: the results of checks that did not pass.
    """
    name, side = ClaimName.MATCHES, record.runtime
    relevant = _results_of(MATCH_CHECKS, others)
    if failed := _names_with_outcome(relevant, _FAILED):
        return Claim(name, _CONTRADICTED, _reason_naming_checks(_FAILED, failed))
    onchain, compiled = side.onchain, side.recompiled
    if onchain is None or compiled is None:
        missing = because("no_onchain_code" if onchain is None else "no_compiled_code")
        return Claim(name, ClaimStatus.NOT_SHOWN, missing)
    if runtime_differs(record):
        differs = because("code_differs", onchain=len(onchain), compiled=len(compiled))
        return Claim(name, ClaimStatus.CONTRADICTED, differs if onchain else because("code_empty"))
    if undecided := _reason_undecided(side, relevant):
        return Claim(name, ClaimStatus.NOT_SHOWN, undecided)
    evidence: dict[str, EvidenceValue] = {"match": str(side.claimed_level)}
    return Claim(name, ClaimStatus.VERIFIED, because("code_matches"), evidence)


def _reason_undecided(side: SideView, relevant: Sequence[CheckResult]) -> Reason | None:
    """Return the reason why no check decided a side's match, if any."""
    if side.claimed_level is None:
        return because("match_unclaimed")
    if skipped := _names_with_outcome(relevant, _SKIPPED):
        return _reason_naming_checks(_SKIPPED, skipped)
    unknown = _names_with_outcome(relevant, _NOT_KNOWN)
    return because("not_known", checks=_join_check_names(unknown)) if unknown else None


def hashed_claim(record: RecordView, results: Sequence[CheckResult], others: Sequence[CheckResult]) -> Claim:
    """Return claim B: a hash in the on-chain code identifies the sources.

    Args:
        record: the record that the claim is about.
        results: the results of all checks.
        others: the results of checks that did not pass.
    """
    name = ClaimName.HASHED
    relevant = _results_of(HASH_CHECKS, others)
    if failed := _names_with_outcome(relevant, _FAILED):
        return Claim(name, _CONTRADICTED, _reason_naming_checks(_FAILED, failed))
    if skipped := _names_with_outcome(relevant, _SKIPPED):
        return Claim(name, ClaimStatus.NOT_SHOWN, _reason_naming_checks(_SKIPPED, skipped))
    is_vyper = record.language == "Vyper"
    integrity = next(iter(_results_of((VYPER_CHECK,), results)), None) if is_vyper else None
    evidence = dict(_onchain_hashes(record, integrity))
    if evidence:
        reason = because("integrity_hash" if is_vyper else "metadata_hash")
        return Claim(name, ClaimStatus.VERIFIED, reason, evidence)
    return Claim(name, ClaimStatus.NOT_SHOWN, _reason_not_hashed(record, integrity))


def _results_of(checks: Sequence[str], results: Sequence[CheckResult]) -> list[CheckResult]:
    """Return the results of some checks, in the order of the checks."""
    return [result for check in checks for result in results if result.check == check]


def _names_with_outcome(results: Iterable[CheckResult], outcome: CheckOutcome) -> list[str]:
    return [result.check for result in results if result.outcome is outcome]


def recompiled_claim(recompilation: Recompilation | None, stated: Claim) -> Claim:
    """Return claim C: compiling the sources gives the recorded code.

    Args:
        recompilation: the result of compiling the sources in this build, or None.
        stated: the claim without that result, based on an earlier compilation.
    """
    if recompilation is None:
        return stated
    if recompilation.is_contradicted:
        return Claim(ClaimName.COMPILED, ClaimStatus.CONTRADICTED, recompilation.reason)
    if recompilation.evidence is not None:
        evidence = _compilation_evidence(recompilation.evidence)
        return Claim(ClaimName.COMPILED, ClaimStatus.VERIFIED, recompilation.reason, evidence)
    is_shown = stated.status is not ClaimStatus.NOT_SHOWN
    return stated if is_shown else Claim(ClaimName.COMPILED, ClaimStatus.NOT_SHOWN, recompilation.reason)


def _compilation_evidence(compilation: CompilationEvidence) -> dict[str, EvidenceValue]:
    return {
        "compilerVersion": build_version(compilation.compiler_version),
        "compilerSha256": compilation.compiler_sha256,
        "inputSha256": compilation.input_sha256,
        "outputSha256": compilation.output_sha256,
        "statuary": compilation.statuary,
    }


def compiled_claim(
    record: RecordView, compilation: CompilationEvidence | None, digest: str, *, is_vouched_for: bool = False
) -> Claim:
    """Return claim C (compiling gives this code), decided by an earlier compilation.

    Args:
        record: the record that the claim is about.
        compilation: the evidence from the earlier compilation, or None.
        digest: the SHA-256 of the record's canonical bytes as hex, which the evidence must name.
        is_vouched_for: whether the site's author vouches for the evidence; otherwise the claim is only
            stated.
    """
    name = ClaimName.COMPILED
    if compilation is None:
        return Claim(name, ClaimStatus.NOT_SHOWN, because("no_compilation"))
    if compilation.record != digest:
        return Claim(name, ClaimStatus.NOT_SHOWN, because("other_compilation"))
    compiler = build_version(compilation.compiler_version)
    if not is_same_build(record.version, compiler):
        compiler_version = shorten(compilation.compiler_version)
        return Claim(
            name,
            ClaimStatus.NOT_SHOWN,
            because("other_compiler", stated=compiler_version, record=record.version),
        )
    evidence = _compilation_evidence(compilation)
    if is_vouched_for:
        evidence["vouchedBy"] = "site.yaml"
        return Claim(name, ClaimStatus.VERIFIED, because("compiled_vouched"), evidence)
    return Claim(name, ClaimStatus.STATED, because("compiled"), evidence)


COMPILATION_PROBLEMS: Final = ("other_compilation", "other_compiler")
"""Reasons why given evidence of a compilation does not apply to the record."""


def compilation_problems(record_claims: Iterable[Claim]) -> Iterator[tuple[Reason, str]]:
    """Yield the reasons why an earlier compilation does not prove a claim.

    Yields:
        The reason, and what to do about it.
    """
    for claim in record_claims:
        if claim.reason.key in COMPILATION_PROBLEMS:
            yield claim.reason, ""


RECOMPILATION_PROBLEMS: Final = ("no_compiler", "recompilation_failed")
"""Why a build that compiles again has no result for a record."""


def recompilation_problems(recompilation: Recompilation | None) -> Iterator[tuple[Reason, str]]:
    """Yield the reason why a record could not be recompiled, if any.

    Yields:
        The reason, and what to do about it.
    """
    if recompilation is not None and recompilation.reason.key in RECOMPILATION_PROBLEMS:
        yield recompilation.reason, recompilation.hint


RUNTIME_DIFFERS: Final = ("verdict_runtime_differs", "verdict_runtime_empty")
"""The sentences of a verdict on a record whose on-chain code is not its compiled code."""


_WEAKEST_LAST: Final = tuple(ClaimStatus)


def verdict(record_claims: tuple[Claim, ...]) -> Verdict:
    """Return what the claims about a record show together.

    Args:
        record_claims: the result for each claim about the record.

    Returns:
        `CONTRADICTED` with the reason, if any claim is contradicted; else the weakest status, with sentences
        for the reader.
    """
    claim = {claim.name: claim for claim in record_claims}
    if contradiction := _contradiction(claim):
        return Verdict(_CONTRADICTED, (contradiction,))
    consistent = claim[ClaimName.CONSISTENT]
    matches = claim[ClaimName.MATCHES]
    if ClaimStatus.NOT_SHOWN in (consistent.status, matches.status):
        reason = _reason_unconfirmed(consistent, matches)
        return Verdict(ClaimStatus.NOT_SHOWN, (reason,))
    compiled = claim[ClaimName.COMPILED]
    on_chain = claim[ClaimName.ON_CHAIN]
    weakest = max(compiled.status, on_chain.status, key=_WEAKEST_LAST.index)
    return Verdict(weakest, (_match_sentence(matches, compiled), _chain_sentence(on_chain)))


def _contradiction(claim: Mapping[ClaimName, Claim]) -> Reason | None:
    """Return the first sentence against a record.

    Returns:
        None if no claim is contradicted.
    """
    contradicted = [name for name, made in claim.items() if made.status is _CONTRADICTED]
    if not contradicted:
        return None
    if ClaimName.CONSISTENT in contradicted:
        return because("verdict_failed", checks=dict(claim[ClaimName.CONSISTENT].reason.values)["checks"])
    if ClaimName.MATCHES in contradicted:
        is_empty = claim[ClaimName.MATCHES].reason.key == "code_empty"
        return because("verdict_runtime_empty" if is_empty else "verdict_runtime_differs")
    if ClaimName.ON_CHAIN in contradicted:
        return _since(claim[ClaimName.ON_CHAIN])
    return because("verdict_compiles_otherwise")


def _reason_unconfirmed(consistent: Claim, matches: Claim) -> Reason:
    if NOT_KNOWN in (consistent.reason.key, matches.reason.key):
        return because("verdict_not_known")
    if consistent.status is ClaimStatus.NOT_SHOWN:
        return because("verdict_skipped")
    return because("verdict_unclaimed" if matches.reason.key == "match_unclaimed" else "verdict_unchecked")


def runtime_differs(record: RecordView) -> bool:
    """Return whether the on-chain runtime code differs from the compiled code.

    This is known only if the record has both codes and claims no match.
    """
    side = record.runtime
    if side.onchain is None or side.recompiled is None or side.claimed_level is not None:
        return False
    return bool(side.onchain or side.recompiled) and side.found_match is None


def _since(on_chain: Claim) -> Reason:
    block, address = (on_chain.evidence.get(name, "") for name in ("blockNumber", "implementation"))
    if on_chain.reason.key == "other_implementation_since":
        return because("verdict_other_implementation", block=block, address=address)
    return because(
        "verdict_no_code" if on_chain.reason.key == "no_code_since" else "verdict_other_code", block=block
    )


def _match_sentence(matches: Claim, compiled: Claim) -> Reason:
    is_exact = matches.evidence["match"] == MatchLevel.EXACT_MATCH
    if compiled.reason.key == "compiled_vouched":
        return because("verdict_exact_match_vouched" if is_exact else "verdict_match_vouched")
    if compiled.status is ClaimStatus.VERIFIED:
        return because("verdict_exact_match_recompiled" if is_exact else "verdict_match_recompiled")
    if compiled.status is ClaimStatus.STATED:
        return because("verdict_exact_match_stated" if is_exact else "verdict_match_stated")
    return because("verdict_exact_match" if is_exact else "verdict_match")


def _chain_sentence(on_chain: Claim) -> Reason:
    if on_chain.status is ClaimStatus.NOT_SHOWN:
        return because("verdict_not_compared")
    is_verified = on_chain.status is ClaimStatus.VERIFIED
    block = on_chain.evidence["blockNumber"]
    return because("verdict_compared" if is_verified else "verdict_compared_stated", block=block)


def _onchain_hashes(record: RecordView, integrity: CheckResult | None) -> Iterator[tuple[str, EvidenceValue]]:
    """Yield the compared hashes in the on-chain bytecode, by side.

    Args:
        record: the record.
        integrity: the result of the check of a Vyper record's hash, if it ran.
    """
    if record.language == "Vyper":
        if integrity is not None and integrity.evidence and keeps_own_auxdata(record.creation):
            yield "creation", integrity.evidence["integrity"]
        return
    for side in record.sides:
        if side.own_fields is None or not keeps_own_auxdata(side):
            continue
        for scheme, digest in side.own_fields.hashes.items():
            if record.metadata_hashes.includes(scheme, digest):
                yield side.name, f"{scheme}:{digest.hex()}"


def keeps_own_auxdata(side: SideView) -> bool:
    """Return whether on-chain code that matches ends with the compiler's auxdata.

    Otherwise a transformation replaces the auxdata, so the hash in it is that of other sources.
    """
    pieces = list(side.auxdata.values())
    piece = side.own_auxdata or (pieces[-1] if side.record.language == "Vyper" and pieces else None)
    if side.claimed_level is None or piece is None or side.found_match is None:
        return False
    return not any(
        step.reason == "cborAuxdata" and abs(step.offset - piece.offset) <= 1
        for step in side.found_match.transformations
    )


def _reason_not_hashed(record: RecordView, integrity: CheckResult | None) -> Reason:
    """Return the reason why no hash commits to the sources."""
    if record.language == "Vyper" and integrity is not None:
        return _reason_without_integrity(record, integrity)
    if not record.is_known:
        return because("not_known", checks="unknown-compiler")
    if record.auxdata_style is not AuxdataStyle.SOLIDITY:
        compiler = str(record.compilation.get("compiler"))
        return because("no_hash_written", compiler=compiler, version=record.version, language=record.language)
    if not any(_has_hash(side) for side in record.sides):
        return because("no_metadata_hash")
    if record.metadata is None:
        return because("no_metadata")
    return because("other_metadata_hash")


def _reason_without_integrity(record: RecordView, integrity: CheckResult) -> Reason:
    """Return the reason why no integrity hash commits to Vyper sources."""
    if record.evidence.source_hash is not SourceHash.INTEGRITY:
        return because("no_integrity_hash", compiler=record.language, version=record.version)
    if integrity.reason and isinstance(unknown := record.vyper_integrity_hashes, UnknownModuleError):
        return because("unknown_module", module=repr(unknown.module), version=record.version)
    return because("other_integrity_hash")


def _has_hash(side: SideView) -> bool:
    return side.claimed_level is not None and side.own_fields is not None and bool(side.own_fields.hashes)


def _join_check_names(checks: list[str]) -> str:
    return ", ".join(checks[:MAX_NAMED])


def _reason_naming_checks(outcome: CheckOutcome, checks: list[str]) -> Reason:
    """Return a reason that names the first checks with an outcome."""
    hidden_count = len(checks) - MAX_NAMED
    names = _join_check_names(checks)
    if hidden_count > 0:
        return because(f"{outcome}_more", checks=names, more=hidden_count)
    return because("failed" if outcome is _FAILED else "skipped", checks=names)


_COMPILED_PINS: Final = {ClaimStatus.STATED: PinnedBy.STATED, ClaimStatus.VERIFIED: PinnedBy.COMPILED}


def pinned_members(
    record: RecordView,
    record_claims: tuple[Claim, ...],
    anchored: AnchorClaims,
    compilation: CompilationEvidence | None,
) -> dict[str, PinnedBy]:
    """Return the strongest evidence for each member of a record.

    Args:
        record: the record whose members are examined.
        record_claims: the claims about the record.
        anchored: the claims that the chain's proofs decide.
        compilation: the evidence from the compilation that decides claim C, or None.

    Returns:
        The evidence by the name of the member; empty if the record contradicts itself.
    """
    status = {claim.name: claim.status for claim in record_claims}
    if status[ClaimName.CONSISTENT] is ClaimStatus.CONTRADICTED:
        return {}
    pinned = dict(
        _pinned_by_record(
            has_hashed_metadata=record.has_hashed_metadata,
            creation=record.creation.claimed_level is not None,
            runtime=record.runtime.claimed_level is not None,
        )
    )
    if (compiled := _COMPILED_PINS.get(status[ClaimName.COMPILED])) is not None:
        pinned |= dict(_pinned_by_compilation(compilation, compiled))
    if status[ClaimName.HASHED] is ClaimStatus.VERIFIED:
        pinned |= _pinned_by_hash(record)
    pinned |= anchored.pinned
    value = record.value
    groups = {"": value, **{group: as_object(value.get(group)) for group in GROUPS}}
    return {
        member: pin
        for (member, pin), (group, part) in zip(pinned.items(), map(_pinned_place, pinned), strict=True)
        if groups[group].get(part) is not None
    }


class _PinnedPlace(NamedTuple):
    group: str  # empty for a member of the record itself
    key: str


@lru_cache(maxsize=1024)
def _pinned_place(member: str) -> _PinnedPlace:
    group, _, part = member.partition("/")[0].partition(".")
    return _PinnedPlace(group, part) if part else _PinnedPlace("", group)


@cache
def _pinned_by_record(*, has_hashed_metadata: bool, creation: bool, runtime: bool) -> Mapping[str, PinnedBy]:
    """Return the weakest pins: members that other members of the record determine.

    Args:
        creation, runtime: whether the side matches.
    """
    described = PinnedBy.CONSISTENT if has_hashed_metadata else PinnedBy.CLAIMED
    pinned = dict.fromkeys(("sources", *DESCRIBED_BY_METADATA), described) | REPEATED
    pinned |= (MATCHED if creation else UNMATCHED)["creation"]
    return pinned | (MATCHED if runtime else UNMATCHED)["runtime"] | CLAIMED


def _pinned_by_compilation(
    compilation: CompilationEvidence | None, pin: PinnedBy
) -> Iterator[tuple[str, PinnedBy]]:
    """Yield the members that a compilation's evidence pins, in fixed order."""
    members = frozenset(compilation.members if compilation else ())
    yield from ((member, pin) for member in COMPILED_MEMBERS if member in members)


_HASHED_BY_VYPER: Final = dict.fromkeys(("sources", "additionalInput"), PinnedBy.HASH)
_HASHED_BY_SOLC: Final = dict.fromkeys(("sources", *DESCRIBED_BY_METADATA, "signatures"), PinnedBy.HASH)
"""The members that the hash in the on-chain bytecode pins."""


def _pinned_by_hash(record: RecordView) -> dict[str, PinnedBy]:
    """Return the members that the on-chain hash covers, and the other sources."""
    hashed: Collection[str]
    if record.language == "Vyper":
        pinned, hashed = _HASHED_BY_VYPER, record.vyper_modules
    else:
        pinned, hashed = _HASHED_BY_SOLC, as_object(as_object(record.metadata).get("sources")).keys()
    unpinned = [f"sources/{path}" for path in record.sources if path not in hashed]
    return pinned | dict.fromkeys(unpinned, PinnedBy.CLAIMED)
