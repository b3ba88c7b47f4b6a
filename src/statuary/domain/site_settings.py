"""The site as its settings describe it, apart from status."""

from enum import StrEnum
from typing import NamedTuple

from statuary.domain.primitives import ChainId


class Chain(NamedTuple):
    """An EVM chain whose contracts the site serves.

    Attributes:
        chain_id: its number.
        name: what clients show.
        title: a longer name; the same as `name` if nothing else is given.
        rpc: public JSON-RPC addresses.
        supported: whether new contracts are still verified on it.
    """

    chain_id: ChainId
    name: str
    title: str
    rpc: tuple[str, ...] = ()
    supported: bool = True


class PublishPolicy(StrEnum):
    """Which records are published: those whose proof holds, or all of them (refused ones marked as such)."""

    PROVED = "proved"
    ALL = "all"


class ContractSettings(NamedTuple):
    """How contracts are published.

    Attributes:
        publish: whether a record must be proved first.
        join_memory: bytes of memory that joining the tables of an export may take.
    """

    publish: PublishPolicy = PublishPolicy.PROVED
    join_memory: int = 1 << 30
