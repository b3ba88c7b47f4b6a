"""The settings of a site apart from status."""

from enum import StrEnum
from typing import NamedTuple

from statuary.domain.primitives import ChainId


class Chain(NamedTuple):
    """An EVM chain of the site.

    Attributes:
        title: a longer name; the same as `name` by default.
        rpc: public JSON-RPC URLs.
        explorer: the URL of a block explorer with the paths of EIP-3091; empty if there is none.
        supported: whether it accepts new contracts.
    """

    chain_id: ChainId
    name: str
    title: str
    rpc: tuple[str, ...] = ()
    explorer: str = ""
    supported: bool = True


class PublishPolicy(StrEnum):
    """The records that are published: only those whose proof holds, or all (rejected ones are marked)."""

    PROVED = "proved"
    ALL = "all"


class ContractSettings(NamedTuple):
    """How contracts are published.

    Attributes:
        join_memory: bytes of memory for joining the tables of an export.
    """

    publish: PublishPolicy = PublishPolicy.PROVED
    join_memory: int = 1 << 30
