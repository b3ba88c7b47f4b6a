"""The proof of a record: check results and claims."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from statuary.base.findings import Finding, has_errors
from statuary.base.primitives import unlocked_cached_property
from statuary.base.reasons import Reason
from statuary.contracts.chain.anchor import Anchor

EvidenceValue = str | int
"""A number, a digest or a name that a check looked at."""

NO_EVIDENCE: Mapping[str, EvidenceValue] = MappingProxyType({})


class CheckOutcome(StrEnum):
    """The outcome of a check, such as passed or failed."""

    PASSED = "passed"
    FAILED = "failed"
    WARNED = "warned"
    NOT_KNOWN = "not known"
    """The check has no answer: upstream may have added a value that is not known here."""
    NOT_APPLICABLE = "not applicable"
    """The rule applies to nothing in the record, and its claims do not need it to."""
    SKIPPED = "skipped"
    """The build skipped the check because of `--skip` or `--only`."""


class CheckResult(NamedTuple):
    """The result of checking a contract's record: outcome, evidence and findings."""

    check: str
    outcome: CheckOutcome
    evidence: Mapping[str, EvidenceValue] = NO_EVIDENCE  # values that the check used, by name
    findings: tuple[Finding, ...] = ()  # violations of the rule, and notes
    reason: str = ""  # why the rule does not apply, or what is not known


class ClaimName(StrEnum):
    """The six statements (claims) that a proof makes about a contract.

    For example, `matches`: the compiled runtime code is the code on the chain.
    """

    CONSISTENT = "consistent"
    """A: the record agrees with itself."""
    MATCHES = "matches"
    """The record's on-chain runtime code comes from its compiled code."""
    HASHED = "hashed"
    """B: sources, settings, target and interface are those whose hash the compiler wrote into the bytecode."""
    COMPILED = "compiled"
    """C: the sources compile to `recompiledBytecode`."""
    ON_CHAIN = "onChain"
    """D: `onchainBytecode` is the code at the address."""
    DEPLOYED = "deployed"
    """E: the deployment: transaction, block, index and deployer."""


class ClaimStatus(StrEnum):
    """The strength of the evidence for a statement about a contract."""

    VERIFIED = "verified_here"
    """This build did the check, and anyone with the same files can repeat it."""
    STATED = "stated_by_a_file"
    """A file beside the record states it; the build does not know its author."""
    NOT_SHOWN = "not_shown"
    CONTRADICTED = "contradicted"
    """There is evidence against it."""


class Claim(NamedTuple):
    """A statement about a contract, with the evidence for or against it."""

    name: ClaimName
    status: ClaimStatus
    reason: Reason
    """The reason for this status, worded to follow a colon."""
    evidence: Mapping[str, EvidenceValue] = NO_EVIDENCE  # digests, versions and names that support the claim


class Verdict(NamedTuple):
    """The overall result of a proof: whether the sources give the code."""

    status: ClaimStatus  # the weaker of claims C and D, unless a claim is contradicted
    sentences: tuple[Reason, ...]


CHECKPOINT = "checkpoint"
ANCHOR_ALONE = "anchor.json"
"""The source of a block hash in evidence: the site's author, or only the file."""


class PinnedBy(StrEnum):
    """The kind of evidence for a fact about a contract, strongest first."""

    CHAIN = "chain"
    """The chain's Merkle proofs, under the hash of a block that the site's checkpoints name."""
    HASH = "hash"
    """A hash in the on-chain bytecode."""
    COMPILED = "compiled"
    """The record's compiler, which this build or the site's author ran on the sources."""
    STATED = "stated"
    """A file beside the record: a compilation, or Merkle proofs under a block that only the file names."""
    CONSISTENT = "self-consistent"
    """Other members of the record agree with it; all of them together could be invented."""
    CLAIMED = "claimed"
    """Nothing."""


class CompilationEvidence(NamedTuple):
    """The stored result of compiling a contract's sources earlier."""

    record: str  # SHA-256 of the record's canonical bytes, as hex; a changed record loses its evidence
    compiler_version: str  # the version that the compiler reports
    compiler_sha256: str  # digest of the compiler's executable, as hex
    input_sha256: str  # digest of the standard JSON input, as hex
    output_sha256: str  # digest of the standard JSON output, as hex
    statuary: str  # the version of statuary that compared the two
    members: tuple[str, ...]  # the record's members that equal the output


class Recompilation(NamedTuple):
    """The result of compiling a contract's sources again in this build."""

    reason: Reason
    evidence: CompilationEvidence | None = None  # None if the compiler gave no result that equals the record
    is_contradicted: bool = False  # whether the result differs, or the compiler rejects the sources
    hint: str = ""  # how to get a result, if there is none


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The proof of a contract: check results, claims and the verdict.

    A claim is a statement about the contract, such as that its code is on the chain.
    """

    results: tuple[CheckResult, ...]  # one for each check, in catalogue order
    claims: tuple[Claim, ...] = ()  # empty if only checks were requested
    verdict: Verdict | None = None  # None if only checks were requested
    pinned: Mapping[str, PinnedBy] = field(default_factory=dict)
    """The strongest evidence for each member of the record, by the member's name.

    A key `sources/<path>` is for a source file whose evidence differs from that of `sources`.
    """
    anchor: Anchor | None = None  # the chain's own proofs about the record, for readers to verify
    evidence_problems: tuple[tuple[Reason, str], ...] = ()
    """The reasons why evidence stored with the record does not apply, each with what to do about it."""

    @unlocked_cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The errors, warnings and notes of all checks, in order."""
        return tuple([finding for result in self.results if result.findings for finding in result.findings])

    @unlocked_cached_property
    def has_no_errors(self) -> bool:
        """Whether no check has found an error in the contract's record."""
        return not has_errors(self.findings)

    @property
    def skipped(self) -> tuple[str, ...]:
        """The names of the checks that did not run."""
        return tuple(result.check for result in self.results if result.outcome is CheckOutcome.SKIPPED)

    def find_claim(self, name: ClaimName) -> Claim | None:
        """Return one of the six statements that the proof makes.

        Returns:
            The claim, or None if the proof has no claims.
        """
        return next((claim for claim in self.claims if claim.name is name), None)
