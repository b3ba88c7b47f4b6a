"""A record together with its proof and verdict."""

from typing import NamedTuple

from statuary.contracts.model.known_contradiction import KnownContradiction
from statuary.contracts.model.proof import ClaimName, ClaimStatus, Proof
from statuary.contracts.model.record import RecordValue

OTHER_IMPLEMENTATION = "other_implementation_since"
"""The reason of claim D where a proxy calls another contract than its record says."""


class JudgedRecord(NamedTuple):
    """A record with its proof, its verdict, and whether it is published."""

    record: RecordValue
    proof: Proof
    is_published: bool = True  # if not, its page and its proof say why
    known: KnownContradiction | None = None  # what the site's author says of what contradicts it

    @property
    def verdict(self) -> str:
        """The verdict, such as `not_shown`, or an empty string."""
        return str(self.proof.verdict.status) if self.proof.verdict else ""

    @property
    def is_contradicted(self) -> bool:
        """Whether evidence contradicts the record although it is published."""
        return self.proof.verdict is not None and self.proof.verdict.status is ClaimStatus.CONTRADICTED

    @property
    def fails_checks(self) -> bool:
        """Whether a check of the record itself fails."""
        claim = self.proof.claim(ClaimName.CONSISTENT)
        return claim is not None and claim.status is ClaimStatus.CONTRADICTED

    @property
    def is_code_of_sources(self) -> bool:
        """Whether nothing contradicts that the sources compile to the on-chain code.

        It stays true if the code at the address has changed since.
        """
        claims = map(self.proof.claim, (ClaimName.CONSISTENT, ClaimName.MATCHES, ClaimName.COMPILED))
        return all(claim is None or claim.status is not ClaimStatus.CONTRADICTED for claim in claims)

    @property
    def other_implementation(self) -> str:
        """The contract that a proxy calls, if the record names another one.

        Returns:
            The checksummed address; empty otherwise.
        """
        claim = self.proof.claim(ClaimName.ON_CHAIN)
        is_other = claim is not None and claim.reason.key == OTHER_IMPLEMENTATION
        return str(claim.evidence.get("implementation", "")) if claim is not None and is_other else ""
