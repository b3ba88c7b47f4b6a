"""Prove one record: run the checks, and derive the claims.

A proof is a pure function of one record, so records can be proved anywhere, in any order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from statuary.checks.contracts import (
    bytecode_checks,
    identity_checks,
    metadata_checks,
    proxy_checks,
    public_fact_checks,
    source_checks,
    transformation_checks,
)
from statuary.checks.contracts.anchor_claims import anchor_claims
from statuary.checks.contracts.check import ContractCheck, Match, contract_checks
from statuary.checks.contracts.claims import (
    RUNTIME_DIFFERS,
    claims,
    compilation_problems,
    pinned_members,
    verdict,
)
from statuary.checks.contracts.record_view import RecordView, SideView
from statuary.domain.chain.anchor import NO_CHECKPOINTS, Anchor, Checkpoints
from statuary.domain.contracts.proof import CheckOutcome, CheckResult, CompilationEvidence, Proof
from statuary.domain.contracts.record import RecordValue
from statuary.domain.findings import Finding, Severity
from statuary.domain.json_values import Json, as_text

IDENTITY_CHECKS: Final = tuple(contract_checks(identity_checks))
"""The rules about a record's place in the site; one that breaks them is never published."""

CONTRACT_CHECKS: Final = tuple(
    sorted(
        contract_checks(
            *(bytecode_checks, transformation_checks, metadata_checks, source_checks),
            *(public_fact_checks, proxy_checks),
        ),
        key=lambda check: list(Severity).index(check.severity),
    )
)
"""Every rule for records, those about bytecode first; at the end, those that true records were found to break."""


@cache
def required_by(match: Match) -> frozenset[str]:
    """Return the names of the checks that must confirm a claimed match."""
    return frozenset(
        [check.name for check in CONTRACT_CHECKS if check.confirms and check.confirms.covers(match)]
    )


def run_checks(record: Mapping[str, Json], checks: Iterable[ContractCheck]) -> tuple[CheckResult, ...]:
    """Run checks on a record whose shape is validated."""
    view = RecordView(record)
    return tuple([result for check in checks for result in check.results([view])])


class Provable(NamedTuple):
    """A record and the evidence beside it."""

    record: RecordValue  # its shape validated
    # evidence that the record's sources were compiled again, if any
    compilation: CompilationEvidence | None = None
    anchor: Anchor | None = None  # what the chain's own proofs show of it, if there are any
    digest: str = ""  # SHA-256 of the record's canonical bytes as hex, which evidence and anchor must name
    checkpoints: Checkpoints = NO_CHECKPOINTS  # the blocks of its chain that the site's author vouches for


def prove(
    record: RecordValue,
    checks: Sequence[ContractCheck] = CONTRACT_CHECKS,
    *,
    compilation: CompilationEvidence | None = None,
    anchor: Anchor | None = None,
    digest: str = "",
    checkpoints: Checkpoints = NO_CHECKPOINTS,
) -> Proof:
    """Return the proof of one record, as `prove_together` does."""
    (proof,) = prove_together([Provable(record, compilation, anchor, digest, checkpoints)], checks)
    return proof


def prove_together(
    provables: Sequence[Provable], checks: Sequence[ContractCheck] = CONTRACT_CHECKS
) -> list[Proof]:
    """Run checks on records, and return the proof of each: the results and the claims.

    A check runs on all records before the next one does: so its code stays in the processor's cache, and proving 16
    records takes a fifth less time than one by one.

    Args:
        provables: the records.
        checks: the results also name those that are skipped.
    """
    views = [RecordView(provable.record) for provable in provables]
    results = zip(*_columns(views, checks), strict=True)
    proofs = [
        _proof(view, row, provable) for view, row, provable in zip(views, results, provables, strict=True)
    ]
    for view in views:
        view.forget()
    return proofs


def _columns(views: Sequence[RecordView], checks: Sequence[ContractCheck]) -> Iterator[list[CheckResult]]:
    """Yield the results of each check, and of those of the catalogue that are not among them."""
    others = (
        [check for check in checks if check not in CONTRACT_CHECKS] if checks is not CONTRACT_CHECKS else []
    )
    for check in (*others, *CONTRACT_CHECKS):
        if checks is CONTRACT_CHECKS or check in checks:
            yield check.results(views)
        else:
            yield [CheckResult(check.name, CheckOutcome.SKIPPED)] * len(views)


def _proof(view: RecordView, row: tuple[CheckResult, ...], provable: Provable) -> Proof:
    results = _with_requirements(view, row)
    anchored = anchor_claims(view, provable.anchor, provable.digest, provable.checkpoints)
    record_claims = claims(view, results, anchored, provable.compilation, provable.digest)
    return Proof(
        results=results,
        claims=record_claims,
        verdict=verdict(view, record_claims),
        pinned=pinned_members(view, record_claims, anchored, provable.compilation),
        anchor=provable.anchor,
        evidence_problems=(*anchored.problems, *compilation_problems(record_claims)),
    )


RUNTIME_RULE: Final = "runtime-code-is-the-compiled-code"


def runtime_finding(record: RecordValue, proof: Proof, severity: Severity) -> tuple[Finding, ...]:
    """Return the finding that the code on the chain is not the compiled code, if it is not.

    It is an error while a record is being made; a finished one is published with that headline, as real servers do.
    """
    if not (proof.verdict and proof.verdict.sentences[0].key == RUNTIME_DIFFERS):
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


def _with_requirements(record: RecordView, results: tuple[CheckResult, ...]) -> tuple[CheckResult, ...]:
    """Return results in which required checks that do not apply have failed."""
    missing = CheckOutcome.NOT_APPLICABLE
    absent = {result.check for result in results if result.outcome is missing}
    language = "Solidity" if record.language == "Solidity" else "another"
    for side in record.sides:
        if side.claimed is None:
            continue
        if unmet := required_by(Match(side.name, side.is_exact, language)) & absent:
            results = tuple(
                [_failed(result, side) if result.check in unmet else result for result in results]
            )
            absent -= unmet
    return results


def _failed(result: CheckResult, side: SideView) -> CheckResult:
    member = f"{side.name}Match"
    finding = Finding(
        rule=result.check,
        message=f"{member} is {str(side.claimed)!r}, which this check must confirm:"
        f" {result.reason or 'there is nothing to check'}",
        pointer=(member,),
    )
    return result._replace(outcome=CheckOutcome.FAILED, findings=(*result.findings, finding))
