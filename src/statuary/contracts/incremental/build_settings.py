"""The settings that the documents of a contract depend on."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from statuary.contracts.settings import ContractSettings, GoneContract

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from statuary.contracts.chain.anchor import Checkpoints
    from statuary.contracts.checks.check import ContractCheck
    from statuary.contracts.model.proof import Recompilation
    from statuary.contracts.model.record import RecordValue
    from statuary.contracts.pages.context import ContractPageContext


class RecordRecompiler(Protocol):
    """The compilers of a build.

    They are sent to workers, and are part of the fingerprint.
    """

    def recompile(self, record: "RecordValue") -> "Recompilation":
        """Compile a record's sources with its compiler, and return the result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractBuildSettings:
    """The inputs of a contract's documents other than its source."""

    chains: frozenset[str]  # ids of the site's chains
    checkpoints: "Mapping[str, Checkpoints]" = field(default_factory=dict)  # by chain id
    gone: "Mapping[str, Mapping[str, GoneContract]]" = field(
        default_factory=dict
    )  # by chain id and lower-case address
    contracts: ContractSettings = field(default_factory=ContractSettings)
    checks: "Sequence[ContractCheck] | None" = None  # the checks of the record; None for all
    pages: "ContractPageContext | None" = None  # None if the site has no contract pages
    has_contract_lists: bool = False  # whether pages list contracts
    extensions: tuple[tuple[str, tuple[object, ...]], ...] = ()  # of those that make documents of records
    recompiler: "RecordRecompiler | None" = None  # None if this build compiles nothing again
