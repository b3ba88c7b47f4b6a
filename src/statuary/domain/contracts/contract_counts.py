"""Counts of a site's contracts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from statuary.domain.contracts.record import ContractRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractCounts:
    """The number of published contracts, and one of them."""

    # counts by chain id; chains without contracts are left out
    by_chain: Mapping[str, int] = field(default_factory=dict)
    example: ContractRow | None = None  # the last one by location; None without contracts

    @property
    def contracts(self) -> int:
        """The count of all chains."""
        return sum(self.by_chain.values())
