"""The settings that decide how a contract is built."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from statuary.contracts.settings import ContractSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from statuary.contracts.chain.anchor import Checkpoints
    from statuary.contracts.checks.check import ContractCheck
    from statuary.contracts.model.known_contradiction import KnownContradiction
    from statuary.contracts.model.proof import Recompilation
    from statuary.contracts.model.record import RecordValue
    from statuary.contracts.pages.context import ContractPageContext
    from statuary.site.settings import ExtensionSettings


class RecordRecompiler(Protocol):
    """The compilers with which a build recompiles records.

    The compilers are sent to worker processes. If the compilers change, all contracts are built again.
    """

    def recompile(self, record: "RecordValue") -> "Recompilation":
        """Compile a contract's sources with the compiler version in its record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractBuildSettings:
    """Everything that a contract's documents depend on, except its source."""

    chains: frozenset[str]  # ids of the site's chains
    checkpoints: "Mapping[str, Checkpoints]" = field(default_factory=dict)  # trusted blocks by chain id
    gone: "Mapping[str, Mapping[str, KnownContradiction]]" = field(default_factory=dict)
    """The acknowledged contracts without code at their address, by chain id and lower-case address."""
    rejected: "Mapping[str, Mapping[str, KnownContradiction]]" = field(default_factory=dict)
    """The acknowledged records that fail checks, by chain id and lower-case address."""
    contracts: ContractSettings = field(default_factory=ContractSettings)
    checks: "Sequence[ContractCheck] | None" = None  # the checks of the record; None for all
    pages: "ContractPageContext | None" = None  # None if the site has no contract pages
    has_contract_lists: bool = False  # whether pages list contracts
    extensions: "ExtensionSettings" = ()  # those that derive documents from records
    recompiler: "RecordRecompiler | None" = None  # None if this build recompiles no records
