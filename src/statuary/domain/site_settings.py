"""The settings of a site apart from status."""

from enum import StrEnum
from typing import NamedTuple

from statuary.domain.primitives import ChainId


class Chain(NamedTuple):
    """An EVM chain of the site.

    Attributes:
        title: a longer name; the same as `name` by default.
        explorer: the URL of a block explorer with the paths of EIP-3091; empty if there is none.
        supported: whether it accepts new contracts.
    """

    chain_id: ChainId
    name: str
    title: str
    rpc: tuple[str, ...] = ()
    explorer: str = ""
    supported: bool = True


EXAMPLE = "example-key"
"""What the origin of a log contains that is signed with the key that everyone has."""


class LogSettings(NamedTuple):
    """How the site's transparency log is kept.

    Attributes:
        origin: the log's name, which its checkpoints and its key have.
        url: the site's address; the log that is published there is read before a checkpoint is signed.
        example_key: whether the key that everyone has signs.
        witnesses: name-and-key text (vkey) and URL of the witnesses that `statuary log witness` asks.
        quorum: how many of them must cosign.
        public_key: as the published site states it; empty where the signing key tells it.
    """

    origin: str
    url: str = ""
    example_key: bool = False
    witnesses: tuple[tuple[str, str], ...] = ()
    quorum: int = 0
    public_key: str = ""


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
