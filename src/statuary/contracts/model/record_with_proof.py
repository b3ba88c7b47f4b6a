"""A record together with its proof and verdict."""

from typing import NamedTuple

from statuary.contracts.model.known_contradiction import KnownContradiction
from statuary.contracts.model.proof import ClaimName, ClaimStatus, Proof
from statuary.contracts.model.record import RecordValue

OTHER_IMPLEMENTATION = "other_implementation_since"
"""The reason of claim D where a proxy calls another contract than its record says."""


class RecordWithProof(NamedTuple):
    """A contract's record with its proof, and whether it is published."""

    record: RecordValue
    proof: Proof
    is_published: bool = True  # whether the record is published; if not, its page and proof say why
    known: KnownContradiction | None = None  # the site author's explanation of a contradiction, or None

    @property
    def verdict(self) -> str:
        """The conclusion of the proof, such as `not_shown` or `contradicted`.

        Empty if the proof has no conclusion.
        """
        return str(self.proof.verdict.status) if self.proof.verdict else ""

    @property
    def is_contradicted(self) -> bool:
        """Whether there is evidence against the contract's record."""
        return self.proof.verdict is not None and self.proof.verdict.status is ClaimStatus.CONTRADICTED

    @property
    def fails_checks(self) -> bool:
        """Whether the contract's record breaks a rule, such as a wrong address."""
        claim = self.proof.find_claim(ClaimName.CONSISTENT)
        return claim is not None and claim.status is ClaimStatus.CONTRADICTED

    @property
    def has_credible_sources(self) -> bool:
        """Whether the deployed code can come from the sources in the record.

        False if evidence contradicts it. True also if the code at the address changed after the deployment.
        """
        claims = map(self.proof.find_claim, (ClaimName.CONSISTENT, ClaimName.MATCHES, ClaimName.COMPILED))
        return all(claim is None or claim.status is not ClaimStatus.CONTRADICTED for claim in claims)

    @property
    def unrecorded_implementation(self) -> str:
        """The contract that a proxy forwards to, if the record names another.

        A checksummed address. Empty if the record is right, or the contract is not known to be a proxy.
        """
        claim = self.proof.find_claim(ClaimName.ON_CHAIN)
        is_other = claim is not None and claim.reason.key == OTHER_IMPLEMENTATION
        return str(claim.evidence.get("implementation", "")) if claim is not None and is_other else ""
