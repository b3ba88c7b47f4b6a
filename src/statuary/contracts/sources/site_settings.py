"""The keys `chains` and `contracts` of site.yaml."""

from collections import Counter
from typing import Annotated

from pydantic import AfterValidator, Field

from statuary.base.limits import LARGEST_BLOCK
from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.known_contradiction import KnownContradiction
from statuary.contracts.settings import Chain, ContractSettings, PublishPolicy
from statuary.source.source_model import (
    AddressText,
    ChainIdText,
    DateText,
    Flag,
    HexText,
    SourceModel,
    Text,
    WholeNumber,
    convert_model,
)


class CheckpointSource(SourceModel):
    """A block of the chain that you vouch for."""

    block: Annotated[WholeNumber, Field(ge=0, lt=LARGEST_BLOCK)]
    """Its number."""
    hash: Annotated[HexText, Field(min_length=66, max_length=66)]
    """Its hash, compared with nodes that the author trusts."""


class KnownContradictionSource(SourceModel):
    """A contract that stays published as contradicted."""

    address: AddressText
    """Its address."""
    date: DateText
    """The day from which you know it."""
    reason: Text
    """What happened; its page, its proof and the reports of builds say it."""


def _reject_repeated_addresses(
    contracts: tuple[KnownContradictionSource, ...],
) -> tuple[KnownContradictionSource, ...]:
    for address, count in Counter(contract.address for contract in contracts).items():
        if count > 1:
            raise InvalidValueError(f"{address} is listed {count} times", "keep one of the entries")
    return contracts


def _reject_repeated_blocks(checkpoints: tuple[CheckpointSource, ...]) -> tuple[CheckpointSource, ...]:
    for number, count in Counter(checkpoint.block for checkpoint in checkpoints).items():
        if count > 1:
            raise InvalidValueError(
                f"block {number} has {count} checkpoints", "keep the one with the right hash"
            )
    return checkpoints


class ChainSource(SourceModel):
    """An EVM chain whose verified contracts the site serves."""

    chain_id: ChainIdText
    """The chain id."""
    name: Text
    """The name that clients show."""
    title: Text | None = None
    """A longer name; default: `name`."""
    rpc: tuple[Annotated[Text, Field(pattern=r"^(https?|wss?)://[^\s]+$")], ...] = ()
    """Public JSON-RPC URLs. `statuary contract anchor` compares the hashes of blocks from all of them."""
    explorer: Annotated[Text, Field(pattern=r"^https?://[^\s]+$")] | None = None
    """URL of a block explorer whose pages have the paths of EIP-3091, such as `/block/<hash>`."""
    supported: Flag = True
    """Whether new contracts are still verified on it."""
    checkpoints: Annotated[tuple[CheckpointSource, ...], AfterValidator(_reject_repeated_blocks)] = ()
    """Blocks whose hashes you vouch for. A build verifies proofs of the chain under them."""
    gone: Annotated[tuple[KnownContradictionSource, ...], AfterValidator(_reject_repeated_addresses)] = ()
    """Contracts that have destroyed themselves. A proof that one has no code is then a note of the build, not an error;
    its page still says contradicted, and anything else against it is still an error."""
    rejected: Annotated[tuple[KnownContradictionSource, ...], AfterValidator(_reject_repeated_addresses)] = ()
    """Contracts whose records fail checks, and which you publish as a warning. What their checks find is then a note of
    the build; every document says that the record is contradicted."""

    def chain(self) -> Chain:
        """Return the settings of a chain from this part of a parsed site.yaml."""
        explorer = (self.explorer or "").rstrip("/")
        checkpoints = tuple((checkpoint.block, checkpoint.hash) for checkpoint in self.checkpoints)
        return convert_model(
            Chain,
            self,
            title=self.title or self.name,
            explorer=explorer,
            checkpoints=checkpoints,
            gone=tuple(convert_model(KnownContradiction, contract) for contract in self.gone),
            rejected=tuple(convert_model(KnownContradiction, contract) for contract in self.rejected),
        )


CONTRACTS = ContractSettings()  # the defaults of its keys


class ContractsSource(SourceModel):
    """The settings of published contracts."""

    publish: PublishPolicy = CONTRACTS.publish
    """`proved`: only verified records. `all`: others too, marked as rejected."""
    sources: tuple[Text, ...] = ()
    """More sources of contracts: folders like `contracts/` or bulk files, as a path relative to the content folder
    or a URL of an object store (`s3://`, `gs://`, `az://`)."""
    compilations: tuple[Annotated[Text, Field(pattern=r"^[0-9a-f]{64}$")], ...] = CONTRACTS.compilations
    """SHA-256 of each `compilation.json` that you vouch for, as `statuary contract compile` prints it. A build without
    a compiler verifies `compiled` under it."""
    join_memory_mib: Annotated[WholeNumber, Field(ge=512)] = CONTRACTS.join_memory >> 20
    """Mebibytes of memory for joining the tables of an export; the rest goes to disk."""


class ContractKeysSource(SourceModel):
    """The keys of site.yaml about contracts."""

    chains: Annotated[tuple[ChainSource, ...], Field(default=())]
    """The chains whose contracts are served."""
    contracts: ContractsSource = ContractsSource.model_construct()
    """How contracts are published."""
