"""The list entries of contracts, and their counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class ContractRow(NamedTuple):
    """An entry in a list of contracts.

    The API serves the members in camelCase; the others are for pages.
    """

    match: str | None
    creationMatch: str | None  # noqa: N815 - the wire's own names
    runtimeMatch: str | None  # noqa: N815
    chainId: str  # noqa: N815
    address: str
    verifiedAt: str  # noqa: N815
    matchId: str  # noqa: N815
    name: str = ""
    language: str = ""  # the language, with the compiler's version
    selectors: bytes = b""  # concatenated 4-byte hashes of functions, events and errors
    abi_names: str = ""  # the names of functions, events and errors, separated by spaces
    verdict: str = ""  # the verdict of the proof, such as `not_shown`
    proxy: str = ""  # the kind of proxy according to the record; empty if it is not a proxy
    trail: str = ""  # a sign for the status of each claim, from `trail_signs`; empty if there are no claims

    @property
    def is_contradicted(self) -> bool:
        """Whether evidence contradicts the contract's record, or it breaks a rule."""
        return self.verdict == "contradicted"


LIST_MEMBERS = ContractRow._fields[:7]
"""The members of a list entry in the real server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractCounts:
    """The number of published contracts by chain, and an example."""

    by_chain: Mapping[str, int] = field(default_factory=dict)
    """The number of contracts by chain id, without chains that have none."""
    example: ContractRow | None = None  # the last contract by chain and address, or None

    @property
    def contracts(self) -> int:
        """The number of contracts on all chains."""
        return sum(self.by_chain.values())
