"""Prove one record: run the checks, and derive the claims.

A proof is a pure function of one record, so records can be proved anywhere, in any order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from statuary.base.budget import consume_steps, remaining_steps
from statuary.base.findings import Finding, Severity
from statuary.base.json_values import Json, as_text
from statuary.contracts.chain.anchor import NO_CHECKPOINTS, Anchor, Checkpoints
from statuary.contracts.checks import (
    bytecode_checks,
    identity_checks,
    language_checks,
    metadata_checks,
    proxy_checks,
    public_fact_checks,
    source_checks,
    transformation_checks,
)
from statuary.contracts.checks.anchor_claims import decide_chain_claims
from statuary.contracts.checks.check import ContractCheck, Match, collect_contract_checks
from statuary.contracts.checks.claims import (
    apply_recompilation,
    compilation_problems,
    decide_claims,
    decide_compilation_claim,
    evidence_by_record_member,
    recompilation_problems,
)
from statuary.contracts.checks.record_view import Computed, RecordView, SideView
from statuary.contracts.checks.verdict import RUNTIME_DIFFERS, decide_verdict
from statuary.contracts.model.compiled_part import CompiledPart
from statuary.contracts.model.proof import (
    CheckOutcome,
    CheckResult,
    CompilationEvidence,
    Proof,
    Recompilation,
)
from statuary.contracts.model.record import RecordValue

IDENTITY_CHECKS: Final = tuple(collect_contract_checks(identity_checks))
"""The rules about a record's place in the site; one that breaks them is never published."""

CONTRACT_CHECKS: Final = tuple(
    sorted(
        collect_contract_checks(
            bytecode_checks,
            language_checks,
            transformation_checks,
            metadata_checks,
            source_checks,
            public_fact_checks,
            proxy_checks,
        ),
        key=lambda check: list(Severity).index(check.severity),
    )
)
"""Every rule for records: first those about bytecode, last those that true records were found to break."""


def unskipped_checks(skipped_names: frozenset[str]) -> tuple[ContractCheck, ...]:
    """Return all checks of contract records except the skipped ones.

    Args:
        skipped_names: the names of the checks to skip.
    """
    return tuple(check for check in CONTRACT_CHECKS if check.name not in skipped_names)


OF_COMPILATION = tuple(check for check in CONTRACT_CHECKS if check.is_of_compilation)
OF_DEPLOYMENT = tuple(check for check in CONTRACT_CHECKS if not check.is_of_compilation)

_WHOLE: Final = CONTRACT_CHECKS
_POSITIONS: Final = tuple((*OF_DEPLOYMENT, *OF_COMPILATION).index(check) for check in CONTRACT_CHECKS)
"""The place of each check's result among those of the deployment, followed by those of the compilation."""


@cache
def required_checks(match: Match) -> frozenset[str]:
    """Return the names of the checks that a claimed match depends on.

    A record that claims the match fails if one of them cannot be applied to it.

    Args:
        match: the language of the record, and a match of its creation or runtime code.
    """
    return frozenset(
        [check.name for check in CONTRACT_CHECKS if check.required_for and check.required_for.includes(match)]
    )


def run_checks(record: Mapping[str, Json], checks: Iterable[ContractCheck]) -> tuple[CheckResult, ...]:
    """Run checks on a contract's record, and return their results.

    Args:
        record: the record, already validated against the record format.
    """
    view = RecordView(record)
    return tuple([result for check in checks for result in check.check_records([view])])


class ProofInput(NamedTuple):
    """A contract's record to prove, with the evidence stored beside it."""

    record: RecordValue  # validated against the record's types
    compilation: CompilationEvidence | None = None
    """The stored result of an earlier compilation of the sources; None if there is none."""
    anchor: Anchor | None = None  # Merkle proofs from the chain about the contract, or None
    digest: str = ""  # SHA-256 of the record's canonical bytes as hex, which evidence and anchor must name
    checkpoints: Checkpoints = NO_CHECKPOINTS  # the blocks of its chain that the site's author vouches for
    recompilation: Recompilation | None = None  # the result of this build's compiler, if it ran
    part: CompiledPart | None = None  # the part shared with records of the same compilation, or None
    is_vouched_for: bool = False  # whether the site's author vouches for the compilation


def prove(
    record: RecordValue,
    checks: Sequence[ContractCheck] = CONTRACT_CHECKS,
    *,
    compilation: CompilationEvidence | None = None,
    anchor: Anchor | None = None,
    record_digest: str = "",
    checkpoints: Checkpoints = NO_CHECKPOINTS,
) -> Proof:
    """Check a contract's record, and decide what is proven about it.

    `prove_batch` is faster for several records.

    Args:
        record: the record, already validated against the record format.
        compilation: the stored result of an earlier compilation, or None.
        anchor: Merkle proofs from the chain, or None.
        record_digest: the SHA-256 of the record as canonical JSON. Evidence for another version of the record
            does not count.
        checkpoints: the blocks of the chain that site.yaml lists as trusted.
    """
    (proof,) = prove_batch([ProofInput(record, compilation, anchor, record_digest, checkpoints)], checks)
    return proof


def prove_batch(
    records: Sequence[ProofInput], checks: Sequence[ContractCheck] = CONTRACT_CHECKS
) -> list[Proof]:
    """Check several contract records, and return the proof of each.

    Each check runs on all records before the next check starts, so that its code stays in the processor's
    cache. This takes a fifth less time than checking 16 records one by one.

    Args:
        records: the records with their evidence.
        checks: the checks to run; the proofs list all others as skipped.
    """
    views = [RecordView(provable.record) for provable in records]
    parts = [provable.part if checks is _WHOLE else None for provable in records]
    proofs = [
        _make_proof(view, row, provable)
        for view, row, provable in zip(views, _results_by_record(views, parts, checks), records, strict=True)
    ]
    for view in views:
        view.discard_computed_values()
    return proofs


class _ProvedPart(NamedTuple):
    results: tuple[CheckResult, ...]  # the results of the checks in `OF_COMPILATION`
    computed: tuple[Computed, Computed, Computed]
    steps: int  # the steps of work that the checks took


def _results_by_record(
    views: Sequence[RecordView],
    shared_compilations: Sequence[CompiledPart | None],
    checks: Sequence[ContractCheck],
) -> Iterator[tuple[CheckResult, ...]]:
    # If a copy of the contract was checked before, run only the checks of the deployment.
    proved = [
        None if part is None else _prove_compilation(part, view)
        for view, part in zip(views, shared_compilations, strict=True)
    ]
    unproved_views = [view for view, part in zip(views, proved, strict=True) if part is None]
    shared = [view for view, part in zip(views, proved, strict=True) if part is not None]
    of_alone = zip(*_results_by_check(unproved_views, checks), strict=True)
    of_shared = zip(*[check.check_records(shared) for check in OF_DEPLOYMENT], strict=True)
    for part in proved:
        yield next(of_alone) if part is None else _sort_by_check((*next(of_shared), *part.results))


def _sort_by_check(results: tuple[CheckResult, ...]) -> tuple[CheckResult, ...]:
    return tuple([results[position] for position in _POSITIONS])


def _prove_compilation(shared_compilation: CompiledPart, view: RecordView) -> _ProvedPart:
    levels = view.creation.claimed_level, view.runtime.claimed_level
    proved: _ProvedPart | None = shared_compilation.proof_results.get(levels)
    if proved is None:
        steps_before = remaining_steps()
        record = {"creationMatch": levels[0], "runtimeMatch": levels[1], **shared_compilation.shared_members}
        of_part = RecordView(record)
        results = tuple(result for check in OF_COMPILATION for result in check.check_records([of_part]))
        proved = _ProvedPart(results, of_part.reusable_computed_values(), steps_before - remaining_steps())
        shared_compilation.proof_results[levels] = proved
        of_part.discard_computed_values()
    else:
        consume_steps(proved.steps)
    view.adopt_computed_values(proved.computed)
    return proved


def _results_by_check(
    views: Sequence[RecordView], checks: Sequence[ContractCheck]
) -> Iterator[list[CheckResult]]:
    other_checks = (
        [check for check in checks if check not in CONTRACT_CHECKS] if checks is not CONTRACT_CHECKS else []
    )
    for check in (*other_checks, *CONTRACT_CHECKS):
        if checks is CONTRACT_CHECKS or check in checks:
            yield check.check_records(views)
        else:
            yield [CheckResult(check.name, CheckOutcome.SKIPPED)] * len(views)


def _make_proof(view: RecordView, check_results: tuple[CheckResult, ...], proof_input: ProofInput) -> Proof:
    results = _fail_unmet_requirements(view, check_results)
    anchored = decide_chain_claims(view, proof_input.anchor, proof_input.digest, proof_input.checkpoints)
    run = None if proof_input.recompilation is None else proof_input.recompilation.evidence
    stated = decide_compilation_claim(
        view, proof_input.compilation, proof_input.digest, is_vouched_for=proof_input.is_vouched_for
    )
    record_claims = decide_claims(
        view, results, anchored, apply_recompilation(proof_input.recompilation, stated)
    )
    return Proof(
        results=results,
        claims=record_claims,
        verdict=decide_verdict(record_claims),
        pinned=evidence_by_record_member(view, record_claims, anchored, run or proof_input.compilation),
        anchor=proof_input.anchor,
        evidence_problems=(
            *anchored.problems,
            *compilation_problems(record_claims),
            *recompilation_problems(proof_input.recompilation),
        ),
    )


RUNTIME_RULE: Final = "runtime-code-mismatch"


def runtime_mismatch_findings(record: RecordValue, proof: Proof, severity: Severity) -> tuple[Finding, ...]:
    """Report a contract whose on-chain code is not the compiled code.

    Args:
        severity: an error while the user makes the record. A note for a finished record: it is published,
            with the verdict that the codes differ.

    Returns:
        One finding, or none if the codes are the same.
    """
    if not (proof.verdict and proof.verdict.sentences[0].key in RUNTIME_DIFFERS):
        return ()
    sides = (
        as_text(record["runtimeBytecode"].get(name)) for name in ("onchainBytecode", "recompiledBytecode")
    )
    chain, compiled = (len(code) // 2 - 1 for code in sides)
    message = (
        f"contradicted: the code on the chain ({chain:,} bytes) is not the compiled code ({compiled:,} bytes)"
    )
    hint = "correct the code on the chain, the sources or the settings"
    return (
        Finding(rule=RUNTIME_RULE, message=message, hint=hint, pointer=("runtimeMatch",), severity=severity),
    )


def _fail_unmet_requirements(
    record: RecordView, check_results: tuple[CheckResult, ...]
) -> tuple[CheckResult, ...]:
    # A check that a claimed match requires must be applicable.
    not_applicable = CheckOutcome.NOT_APPLICABLE
    absent = {check for check, outcome, _, _, _ in check_results if outcome is not_applicable}
    language = "Solidity" if record.language == "Solidity" and record.is_known else "another"
    for side in record.sides:
        if side.claimed_level is None:
            continue
        if unmet := required_checks(Match(side.name, side.is_exact, language)) & absent:
            check_results = tuple(
                [
                    _failed_result(result, side) if result.check in unmet else result
                    for result in check_results
                ]
            )
            absent -= unmet
    return check_results


def _failed_result(result: CheckResult, side: SideView) -> CheckResult:
    member = f"{side.name}Match"
    finding = Finding(
        rule=result.check,
        message=f"{member} is {str(side.claimed_level)!r}, but this check cannot confirm that:"
        f" {result.reason or 'there is nothing to check'}",
        pointer=(member,),
    )
    return result._replace(outcome=CheckOutcome.FAILED, findings=(*result.findings, finding))
