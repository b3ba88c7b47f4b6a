"""The settings of a site apart from status."""

from enum import StrEnum
from typing import NamedTuple

from statuary.domain.primitives import ChainId


class Chain(NamedTuple):
    """An EVM chain of the site."""

    chain_id: ChainId
    name: str
    title: str  # a longer name; the same as `name` by default
    rpc: tuple[str, ...] = ()
    explorer: str = ""  # the URL of a block explorer with the paths of EIP-3091; empty if there is none
    supported: bool = True  # whether it accepts new contracts


EXAMPLE = "example-key"
"""What the origin of a log contains that is signed with the public example key."""


class LogSettings(NamedTuple):
    """How the site's transparency log is kept."""

    origin: str  # the name of the log, of its checkpoints and of its key
    url: str = ""  # the site's address; the log that is published there is read before a checkpoint is signed
    example_key: bool = False  # whether the public example key signs
    # name-and-key text (vkey) and URL of the witnesses for `statuary log witness`
    witnesses: tuple[tuple[str, str], ...] = ()
    quorum: int = 0  # how many of them must cosign
    public_key: str = ""  # as the published site states it; empty where it follows from the signing key


class PublishPolicy(StrEnum):
    """The records that are published: only those whose proof holds, or all (rejected ones are marked)."""

    PROVED = "proved"
    ALL = "all"


class ContractSettings(NamedTuple):
    """How contracts are published."""

    publish: PublishPolicy = PublishPolicy.PROVED
    join_memory: int = 1 << 30  # bytes of memory for joining the tables of an export
