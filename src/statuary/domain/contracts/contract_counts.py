"""The contracts of a site in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from statuary.domain.contracts.record import ContractRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractCounts:
    """How many contracts are published, and one of them.

    Attributes:
        by_chain: how many, by chain id; chains without any are left out.
        example: the last in order of the places they are written at; None if there is none.
    """

    by_chain: Mapping[str, int] = field(default_factory=dict)
    example: ContractRow | None = None

    @property
    def contracts(self) -> int:
        """How many there are on all chains."""
        return sum(self.by_chain.values())
