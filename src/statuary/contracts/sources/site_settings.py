"""The keys `chains` and `contracts` of site.yaml."""

from collections import Counter
from typing import Annotated

from pydantic import AfterValidator, Field
from typing_extensions import override

from statuary.base.limits import LARGEST_BLOCK
from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.known_contradiction import KnownContradiction
from statuary.contracts.settings import Chain, ContractKeys, ContractSettings, PublishPolicy
from statuary.source.source_model import (
    AddressText,
    ChainIdText,
    DateText,
    Flag,
    HexText,
    SectionSource,
    SourceModel,
    Text,
    WholeNumber,
    convert_model,
)


class CheckpointSource(SourceModel):
    """A block of the chain that you vouch for."""

    block: Annotated[WholeNumber, Field(ge=0, lt=LARGEST_BLOCK)]
    """The number of the block."""
    hash: Annotated[HexText, Field(min_length=66, max_length=66)]
    """The hash of the block. Compare the hash with nodes that you trust."""


class KnownContradictionSource(SourceModel):
    """A contract of the lists `gone` and `rejected`, which your site publishes as contradicted."""

    address: AddressText
    """The address of the contract."""
    date: DateText
    """The day from which you know that the contract is gone, or that its record is wrong."""
    reason: Text
    """The reason that readers see on the contract's page and in its proof. Builds print it too."""


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
                f"block {number} has {count} checkpoints", "keep the checkpoint with the right hash"
            )
    return checkpoints


class ChainSource(SourceModel):
    """An EVM chain whose verified contracts the site serves."""

    chain_id: ChainIdText
    """The chain id, such as 1 for Ethereum."""
    name: Text
    """The name of the chain in the API and on pages."""
    title: Text | None = None
    """A longer name of the chain in the API. Default: `name`."""
    rpc: tuple[Annotated[Text, Field(pattern=r"^(https?|wss?)://[^\s]+$")], ...] = ()
    """The URLs of public nodes of this chain (JSON-RPC). `statuary contract anchor`, which saves Merkle proofs
    from the chain, requires that all of them return the same block hashes."""
    explorer: Annotated[Text, Field(pattern=r"^https?://[^\s]+$")] | None = None
    """The URL of a block explorer, to which pages link. Its paths must follow EIP-3091, such as
    `/block/<hash>`."""
    supported: Flag = True
    """Whether the API says that the site still adds contracts of this chain (`supported`)."""
    checkpoints: Annotated[tuple[CheckpointSource, ...], AfterValidator(_reject_repeated_blocks)] = ()
    """Blocks whose hashes you compared with nodes that you trust. Builds trust a Merkle proof only if it
    leads to one of these blocks."""
    gone: Annotated[tuple[KnownContradictionSource, ...], AfterValidator(_reject_repeated_addresses)] = ()
    """Contracts that destroyed themselves. If a proof shows that their code is gone, builds print a note
    instead of an error. Readers still see that the contract is contradicted."""
    rejected: Annotated[tuple[KnownContradictionSource, ...], AfterValidator(_reject_repeated_addresses)] = ()
    """Contracts whose records fail checks, but which you publish to warn readers. Builds then print a note
    instead of an error. Readers see that the record is contradicted."""

    def to_chain(self) -> Chain:
        """Convert an entry under `chains` in site.yaml to a chain's settings."""
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
    """Which contract records the site contains. With `proved`, it contains only records that pass all checks.
    With `all`, it also contains the others, marked as rejected."""
    sources: tuple[Text, ...] = ()
    """More folders or bulk files with contracts. Write a path relative to the content folder, or the URL of
    an object store (`s3://`, `gs://`, `az://`)."""
    compilations: tuple[Annotated[Text, Field(pattern=r"^[0-9a-f]{64}$")], ...] = CONTRACTS.compilations
    """The SHA-256 of each file `compilation.json` that you wrote with your own compiler, as `statuary
    contract compile` prints it. Builds then trust these files without compiling again."""
    join_memory_mib: Annotated[WholeNumber, Field(ge=512)] = CONTRACTS.join_memory >> 20
    """The memory in MiB that a build may use to read a Sourcify export (tables in Parquet files). If it needs
    more, it uses the disk."""


class ContractKeysSource(SectionSource):
    """The keys of site.yaml about contracts."""

    chains: Annotated[tuple[ChainSource, ...], Field(default=())]
    """The chains whose contracts the site contains."""
    contracts: ContractsSource = ContractsSource.model_construct()
    """Which contract records the site publishes, and more places to read them from."""

    @override
    def to_settings(self) -> ContractKeys:
        settings = self.contracts
        return ContractKeys(
            chains=tuple(chain.to_chain() for chain in self.chains),
            settings=convert_model(ContractSettings, settings, join_memory=settings.join_memory_mib << 20),
            sources=settings.sources,
        )
