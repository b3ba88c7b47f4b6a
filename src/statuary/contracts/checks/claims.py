"""The six claims of a record, and the evidence for each."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from statuary.base.json_values import as_object
from statuary.base.primitives import shorten
from statuary.base.reasons import Reason, make_reason
from statuary.contracts.checks.anchor_claims import AnchorClaims
from statuary.contracts.checks.record_view import RecordView, SideView
from statuary.contracts.model.compiler import find_build_version, is_same_build
from statuary.contracts.model.compiler_evidence import AuxdataStyle, SourceHash
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

# Read these enumeration members once, because in Python 3.11 each access takes as long as a small check.
_PASSED: Final = CheckOutcome.PASSED
_FAILED: Final = CheckOutcome.FAILED
_SKIPPED: Final = CheckOutcome.SKIPPED
_NOT_KNOWN: Final = CheckOutcome.NOT_KNOWN
_NOT_APPLICABLE: Final = CheckOutcome.NOT_APPLICABLE
_CONTRADICTED: Final = ClaimStatus.CONTRADICTED

_ALL_PASSED: Final = make_reason("all_passed")

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


def decide_claims(
    record: RecordView,
    check_results: tuple[CheckResult, ...],
    anchor_claims: AnchorClaims,
    compilation_claim: Claim,
) -> tuple[Claim, ...]:
    """Decide the six statements (claims) that a proof makes about a contract.

    For example: the sources compile to the code in the record.

    Args:
        record: the record that the claims are about.
        anchor_claims: the two claims that Merkle proofs from the chain decide.
        compilation_claim: the claim that recompiling the sources decides.
    """
    outcomes = [result.outcome for result in check_results]
    passed_count = outcomes.count(_PASSED)
    is_settled = passed_count + outcomes.count(_NOT_APPLICABLE) == len(
        check_results
    )  # true of nearly all records
    unpassed_results = (
        [] if is_settled else [result for result in check_results if result.outcome is not _PASSED]
    )
    return (
        decide_consistency_claim(unpassed_results, passed_count),
        decide_match_claim(record, unpassed_results),
        decide_hash_claim(record, check_results, unpassed_results),
        compilation_claim,
        *anchor_claims.claims,
    )


def decide_consistency_claim(unpassed_results: Sequence[CheckResult], passed_count: int) -> Claim:
    """Decide whether the members of a contract's record agree with each other.

    Args:
        unpassed_results: the results of checks that did not pass.
        passed_count: the number of checks that passed.
    """
    name = ClaimName.CONSISTENT
    failed, skipped = (
        _check_names_with_outcome(unpassed_results, outcome) for outcome in (_FAILED, _SKIPPED)
    )
    evidence: dict[str, EvidenceValue] = {
        "passed": passed_count,
        "failed": len(failed),
        "skipped": len(skipped),
    }
    if failed:
        return Claim(name, _CONTRADICTED, _check_names_reason(_FAILED, failed), evidence)
    if skipped:
        return Claim(name, ClaimStatus.NOT_SHOWN, _check_names_reason(_SKIPPED, skipped), evidence)
    if unknown := _check_names_with_outcome(unpassed_results, _NOT_KNOWN):
        return Claim(
            name, ClaimStatus.NOT_SHOWN, make_reason("not_known", checks=_join_check_names(unknown)), evidence
        )
    return Claim(name, ClaimStatus.VERIFIED, _ALL_PASSED, evidence)


NOT_KNOWN: Final = "not_known"
"""The reason of a claim that cannot be decided, since something is not known here."""


def decide_match_claim(record: RecordView, unpassed_results: Sequence[CheckResult]) -> Claim:
    """Decide whether a record's compiled runtime code is the on-chain code.

    The decision follows Sourcify's matching algorithm.

    Args:
        unpassed_results: the results of checks that did not pass.
    """
    name, side = ClaimName.MATCHES, record.runtime
    relevant = _select_results(MATCH_CHECKS, unpassed_results)
    if failed := _check_names_with_outcome(relevant, _FAILED):
        return Claim(name, _CONTRADICTED, _check_names_reason(_FAILED, failed))
    onchain, compiled = side.onchain_code, side.recompiled_code
    if onchain is None or compiled is None:
        missing = make_reason("no_onchain_code" if onchain is None else "no_compiled_code")
        return Claim(name, ClaimStatus.NOT_SHOWN, missing)
    if has_different_runtime_code(record):
        differs = make_reason("code_differs", onchain=len(onchain), compiled=len(compiled))
        return Claim(name, ClaimStatus.CONTRADICTED, differs if onchain else make_reason("code_empty"))
    if undecided := _undecided_match_reason(side, relevant):
        return Claim(name, ClaimStatus.NOT_SHOWN, undecided)
    evidence: dict[str, EvidenceValue] = {"match": str(side.claimed_level)}
    return Claim(name, ClaimStatus.VERIFIED, make_reason("code_matches"), evidence)


def _undecided_match_reason(side: SideView, match_results: Sequence[CheckResult]) -> Reason | None:
    if side.claimed_level is None:
        return make_reason("match_unclaimed")
    if skipped := _check_names_with_outcome(match_results, _SKIPPED):
        return _check_names_reason(_SKIPPED, skipped)
    unknown = _check_names_with_outcome(match_results, _NOT_KNOWN)
    return make_reason("not_known", checks=_join_check_names(unknown)) if unknown else None


def decide_hash_claim(
    record: RecordView, check_results: Sequence[CheckResult], unpassed_results: Sequence[CheckResult]
) -> Claim:
    """Decide whether a hash in the on-chain code identifies the sources.

    Args:
        record: the record that the claim is about.
        check_results: the results of all checks.
        unpassed_results: the results of checks that did not pass.
    """
    name = ClaimName.HASHED
    relevant = _select_results(HASH_CHECKS, unpassed_results)
    if failed := _check_names_with_outcome(relevant, _FAILED):
        return Claim(name, _CONTRADICTED, _check_names_reason(_FAILED, failed))
    if skipped := _check_names_with_outcome(relevant, _SKIPPED):
        return Claim(name, ClaimStatus.NOT_SHOWN, _check_names_reason(_SKIPPED, skipped))
    is_vyper = record.language == "Vyper"
    integrity = next(iter(_select_results((VYPER_CHECK,), check_results)), None) if is_vyper else None
    evidence = dict(_verified_onchain_hashes(record, integrity))
    if evidence:
        reason = make_reason("integrity_hash" if is_vyper else "metadata_hash")
        return Claim(name, ClaimStatus.VERIFIED, reason, evidence)
    return Claim(name, ClaimStatus.NOT_SHOWN, _missing_hash_reason(record, integrity))


def _select_results(check_names: Sequence[str], results: Sequence[CheckResult]) -> list[CheckResult]:
    return [result for check in check_names for result in results if result.check == check]


def _check_names_with_outcome(check_results: Iterable[CheckResult], outcome: CheckOutcome) -> list[str]:
    return [result.check for result in check_results if result.outcome is outcome]


def apply_recompilation(recompilation: Recompilation | None, earlier_claim: Claim) -> Claim:
    """Update the claim that the sources compile to the recorded code.

    Args:
        recompilation: the result of compiling the sources in this build; None if they were not compiled.
        earlier_claim: the claim from an earlier compilation, which stays if there is no newer result.
    """
    if recompilation is None:
        return earlier_claim
    if recompilation.is_contradicted:
        return Claim(ClaimName.COMPILED, ClaimStatus.CONTRADICTED, recompilation.reason)
    if recompilation.evidence is not None:
        evidence = _compilation_evidence(recompilation.evidence)
        return Claim(ClaimName.COMPILED, ClaimStatus.VERIFIED, recompilation.reason, evidence)
    is_shown = earlier_claim.status is not ClaimStatus.NOT_SHOWN
    return (
        earlier_claim if is_shown else Claim(ClaimName.COMPILED, ClaimStatus.NOT_SHOWN, recompilation.reason)
    )


def _compilation_evidence(compilation: CompilationEvidence) -> dict[str, EvidenceValue]:
    return {
        "compilerVersion": find_build_version(compilation.compiler_version),
        "compilerSha256": compilation.compiler_sha256,
        "inputSha256": compilation.input_sha256,
        "outputSha256": compilation.output_sha256,
        "statuary": compilation.statuary,
    }


def decide_compilation_claim(
    record: RecordView,
    compilation: CompilationEvidence | None,
    record_digest: str,
    *,
    is_vouched_for: bool = False,
) -> Claim:
    """Decide from an earlier compilation whether the sources give the code.

    Args:
        compilation: the stored result of an earlier compilation, or None.
        record_digest: the SHA-256 of the record as canonical JSON, in hex. A result for another version of
            the record does not count.
        is_vouched_for: whether site.yaml lists the result as trusted. If not, the claim is only stated, not
            verified.
    """
    name = ClaimName.COMPILED
    if compilation is None:
        return Claim(name, ClaimStatus.NOT_SHOWN, make_reason("no_compilation"))
    if compilation.record != record_digest:
        return Claim(name, ClaimStatus.NOT_SHOWN, make_reason("other_compilation"))
    compiler = find_build_version(compilation.compiler_version)
    if not is_same_build(record.version, compiler):
        compiler_version = shorten(compilation.compiler_version)
        return Claim(
            name,
            ClaimStatus.NOT_SHOWN,
            make_reason("other_compiler", stated=compiler_version, record=record.version),
        )
    evidence = _compilation_evidence(compilation)
    if is_vouched_for:
        evidence["vouchedBy"] = "site.yaml"
        return Claim(name, ClaimStatus.VERIFIED, make_reason("compiled_vouched"), evidence)
    return Claim(name, ClaimStatus.STATED, make_reason("compiled"), evidence)


COMPILATION_PROBLEMS: Final = ("other_compilation", "other_compiler")
"""Reasons why given evidence of a compilation does not apply to the record."""


def compilation_problems(record_claims: Iterable[Claim]) -> Iterator[tuple[Reason, str]]:
    """Yield the reasons why an earlier compilation is not evidence.

    The content stores its result in `compilation.json`.

    Args:
        record_claims: the decided claims about the record.

    Yields:
        The reason, and an empty hint: the caller lists other problems too, which have a hint for the user.
    """
    for claim in record_claims:
        if claim.reason.key in COMPILATION_PROBLEMS:
            yield claim.reason, ""


RECOMPILATION_PROBLEMS: Final = ("no_compiler", "recompilation_failed")
"""Why a build that compiles again has no result for a record."""


def recompilation_problems(recompilation: Recompilation | None) -> Iterator[tuple[Reason, str]]:
    """Yield the reason if a contract could not be compiled again.

    Yields:
        The reason, and what the user can do about it.
    """
    if recompilation is not None and recompilation.reason.key in RECOMPILATION_PROBLEMS:
        yield recompilation.reason, recompilation.hint


def has_different_runtime_code(record: RecordView) -> bool:
    """Return whether the code on the chain is not the compiled code.

    The result is False if one of the codes is missing, or the record claims that they match.
    """
    side = record.runtime
    if side.onchain_code is None or side.recompiled_code is None or side.claimed_level is not None:
        return False
    return bool(side.onchain_code or side.recompiled_code) and side.recomputed_match is None


def _verified_onchain_hashes(
    record: RecordView, integrity_result: CheckResult | None
) -> Iterator[tuple[str, EvidenceValue]]:
    if record.language == "Vyper":
        if (
            integrity_result is not None
            and integrity_result.evidence
            and has_compiled_metadata_hash(record.creation)
        ):
            yield "creation", integrity_result.evidence["integrity"]
        return
    for side in record.sides:
        if side.trailing_auxdata_fields is None or not has_compiled_metadata_hash(side):
            continue
        for scheme, digest in side.trailing_auxdata_fields.hashes.items():
            if record.metadata_hashes.includes_digest(scheme, digest):
                yield side.name, f"{scheme}:{digest.hex()}"


def has_compiled_metadata_hash(side: SideView) -> bool:
    """Return whether on-chain code has the same metadata hash as compiled code.

    The compiler writes a hash of its metadata, and so of the sources, at the end of the code (auxdata). If only
    this hash differs, the contract was compiled from other sources, such as with another comment.

    Args:
        side: the creation code or the runtime code.
    """
    pieces = list(side.auxdata.values())
    piece = side.trailing_auxdata or (pieces[-1] if side.record.language == "Vyper" and pieces else None)
    if side.claimed_level is None or piece is None or side.recomputed_match is None:
        return False
    return not any(
        step.reason == "cborAuxdata" and abs(step.offset - piece.offset) <= 1
        for step in side.recomputed_match.transformations
    )


def _missing_hash_reason(record: RecordView, integrity_result: CheckResult | None) -> Reason:
    if record.language == "Vyper" and integrity_result is not None:
        return _missing_integrity_reason(record, integrity_result)
    if not record.is_known:
        return make_reason("not_known", checks="unknown-compiler")
    if record.auxdata_style is not AuxdataStyle.SOLIDITY:
        compiler = str(record.compilation.get("compiler"))
        return make_reason(
            "no_hash_written", compiler=compiler, version=record.version, language=record.language
        )
    if not any(_has_metadata_hash(side) for side in record.sides):
        return make_reason("no_metadata_hash")
    if record.metadata is None:
        return make_reason("no_metadata")
    return make_reason("other_metadata_hash")


def _missing_integrity_reason(record: RecordView, integrity_result: CheckResult) -> Reason:
    if record.evidence.source_hash is not SourceHash.INTEGRITY:
        return make_reason("no_integrity_hash", compiler=record.language, version=record.version)
    if integrity_result.reason and isinstance(unknown := record.vyper_integrity_hashes, UnknownModuleError):
        return make_reason("unknown_module", module=repr(unknown.module), version=record.version)
    return make_reason("other_integrity_hash")


def _has_metadata_hash(side: SideView) -> bool:
    return (
        side.claimed_level is not None
        and side.trailing_auxdata_fields is not None
        and bool(side.trailing_auxdata_fields.hashes)
    )


def _join_check_names(check_names: list[str]) -> str:
    return ", ".join(check_names[:MAX_NAMED])


def _check_names_reason(outcome: CheckOutcome, check_names: list[str]) -> Reason:
    hidden_count = len(check_names) - MAX_NAMED
    names = _join_check_names(check_names)
    if hidden_count > 0:
        return make_reason(f"{outcome}_more", checks=names, more=hidden_count)
    return make_reason("failed" if outcome is _FAILED else "skipped", checks=names)


_COMPILED_PINS: Final = {ClaimStatus.STATED: PinnedBy.STATED, ClaimStatus.VERIFIED: PinnedBy.COMPILED}


def evidence_by_record_member(
    record: RecordView,
    record_claims: tuple[Claim, ...],
    anchor_claims: AnchorClaims,
    compilation: CompilationEvidence | None,
) -> dict[str, PinnedBy]:
    """Return the strongest evidence for each member of a contract's record.

    For example, the chain may prove the runtime code, while a hash in the code proves the sources.

    Args:
        record: the record whose members are examined.
        record_claims: what the proof says about the record.
        anchor_claims: what Merkle proofs from the chain decide.
        compilation: the compilation of the sources, or None.

    Returns:
        The kind of evidence by the name of the member; empty if the record contradicts itself.
    """
    status = {claim.name: claim.status for claim in record_claims}
    if status[ClaimName.CONSISTENT] is ClaimStatus.CONTRADICTED:
        return {}
    pinned = dict(
        _evidence_from_record(
            has_hashed_metadata=record.has_hashed_metadata,
            creation_matches=record.creation.claimed_level is not None,
            runtime_matches=record.runtime.claimed_level is not None,
        )
    )
    if (compiled := _COMPILED_PINS.get(status[ClaimName.COMPILED])) is not None:
        pinned |= dict(_evidence_from_compilation(compilation, compiled))
    if status[ClaimName.HASHED] is ClaimStatus.VERIFIED:
        pinned |= _evidence_from_hash(record)
    pinned |= anchor_claims.pinned
    value = record.value
    groups = {"": value, **{group: as_object(value.get(group)) for group in GROUPS}}
    return {
        member: pin
        for (member, pin), (group, part) in zip(pinned.items(), map(_split_member_name, pinned), strict=True)
        if groups[group].get(part) is not None
    }


class _MemberLocation(NamedTuple):
    group: str  # empty for a member of the record itself
    key: str


@lru_cache(maxsize=1024)
def _split_member_name(member_name: str) -> _MemberLocation:
    group, _, part = member_name.partition("/")[0].partition(".")
    return _MemberLocation(group, part) if part else _MemberLocation("", group)


@cache
def _evidence_from_record(
    *, has_hashed_metadata: bool, creation_matches: bool, runtime_matches: bool
) -> Mapping[str, PinnedBy]:
    described = PinnedBy.CONSISTENT if has_hashed_metadata else PinnedBy.CLAIMED
    pinned = dict.fromkeys(("sources", *DESCRIBED_BY_METADATA), described) | REPEATED
    pinned |= (MATCHED if creation_matches else UNMATCHED)["creation"]
    return pinned | (MATCHED if runtime_matches else UNMATCHED)["runtime"] | CLAIMED


def _evidence_from_compilation(
    compilation: CompilationEvidence | None, pin: PinnedBy
) -> Iterator[tuple[str, PinnedBy]]:
    members = frozenset(compilation.members if compilation else ())
    yield from ((member, pin) for member in COMPILED_MEMBERS if member in members)


_HASHED_BY_VYPER: Final = dict.fromkeys(("sources", "additionalInput"), PinnedBy.HASH)
_HASHED_BY_SOLC: Final = dict.fromkeys(("sources", *DESCRIBED_BY_METADATA, "signatures"), PinnedBy.HASH)
"""The members that the hash in the on-chain bytecode pins."""


def _evidence_from_hash(record: RecordView) -> dict[str, PinnedBy]:
    hashed: Collection[str]
    if record.language == "Vyper":
        pinned, hashed = _HASHED_BY_VYPER, record.vyper_hashed_paths
    else:
        pinned, hashed = _HASHED_BY_SOLC, as_object(as_object(record.metadata).get("sources")).keys()
    unpinned = [f"sources/{path}" for path in record.sources if path not in hashed]
    return pinned | dict.fromkeys(unpinned, PinnedBy.CLAIMED)
