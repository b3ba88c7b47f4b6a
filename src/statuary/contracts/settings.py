"""Settings of a site's chains and contracts."""

from enum import StrEnum
from typing import NamedTuple

from statuary.base.primitives import ChainId, Hex
from statuary.contracts.model.known_contradiction import KnownContradiction


class Chain(NamedTuple):
    """An EVM chain (blockchain) whose contracts the site serves."""

    chain_id: ChainId
    name: str
    title: str  # a longer name; the same as `name` by default
    rpc: tuple[str, ...] = ()
    explorer: str = ""  # the URL of a block explorer with the paths of EIP-3091; empty if there is none
    supported: bool = True  # whether it accepts new contracts
    checkpoints: tuple[tuple[int, Hex], ...] = ()
    """Blocks that the site's author vouches for, each as number and hash."""
    gone: tuple[KnownContradiction, ...] = ()  # contracts without code at their address
    rejected: tuple[KnownContradiction, ...] = ()  # records that fail checks


class PublishPolicy(StrEnum):
    """The contracts to publish: only those that pass all checks, or all.

    With `all`, records that fail a check are marked as rejected.
    """

    PROVED = "proved"
    ALL = "all"


class ContractSettings(NamedTuple):
    """The settings of a site's contracts."""

    publish: PublishPolicy = PublishPolicy.PROVED
    join_memory: int = 1 << 30  # bytes of memory for joining the tables of an export
    compilations: tuple[str, ...] = ()  # SHA-256 of each compilation.json that the site's author vouches for


class ContractKeys(NamedTuple):
    """The values of the keys `chains` and `contracts` of site.yaml."""

    chains: tuple[Chain, ...] = ()  # in the order of the settings
    settings: ContractSettings = ContractSettings()
    sources: tuple[str, ...] = ()  # folders, files and URLs of more contracts
