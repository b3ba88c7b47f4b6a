"""`site.yaml`: the page, the chains, and what to publish."""

from datetime import timedelta
from typing import Annotated, Self

from pydantic import Field, model_validator

from statuary.content.source_model import ChainIdText, Flag, SourceModel, Text, WholeNumber
from statuary.content.sources.page_source import PageSource
from statuary.domain.hosting_settings import CompressedFormat, HostingPlatform, HostingSettings, PathLayout
from statuary.domain.page_settings import MAX_CONTRACT_PAGES, MAX_LISTED_CONTRACTS, PageSettings, Theme
from statuary.domain.primitives import InvalidValueError
from statuary.domain.site_settings import EXAMPLE, Chain, ContractSettings, LogSettings, PublishPolicy
from statuary.domain.status.page import StatusSettings


class ChainSource(SourceModel):
    """An EVM chain whose verified contracts the site serves."""

    chain_id: ChainIdText
    """The chain id."""
    name: Text
    """The name that clients show."""
    title: Text | None = None
    """A longer name; default: `name`."""
    rpc: tuple[Text, ...] = ()
    """Public JSON-RPC URLs. `statuary contract anchor` compares the hashes of blocks from all of them."""
    explorer: Annotated[Text, Field(pattern=r"^https?://[^\s]+$")] | None = None
    """URL of a block explorer whose pages have the paths of EIP-3091, such as `/block/<hash>`."""
    supported: Flag = True
    """Whether new contracts are still verified on it."""

    def chain(self) -> Chain:
        """Return the chain."""
        return Chain(
            chain_id=self.chain_id,
            name=self.name,
            title=self.title or self.name,
            rpc=self.rpc,
            explorer=(self.explorer or "").rstrip("/"),
            supported=self.supported,
        )


class ContractsSource(SourceModel):
    """How contracts are published."""

    publish: PublishPolicy = PublishPolicy.PROVED
    """`proved`: only verified records. `all`: rejected records too, marked as rejected."""
    sources: tuple[Text, ...] = ()
    """More sources of contracts: folders like `contracts/` or bulk files, as a path relative to the content folder
    or a URL of an object store (`s3://`, `gs://`, `az://`)."""
    join_memory_mib: Annotated[WholeNumber, Field(ge=512)] = 1024
    """Mebibytes of memory for joining the tables of an export; the rest goes to disk."""

    def settings(self) -> ContractSettings:
        """Return the settings."""
        return ContractSettings(publish=self.publish, join_memory=self.join_memory_mib << 20)


class StatusSource(SourceModel):
    """Which status documents are published, and how far ahead."""

    cap: Annotated[WholeNumber, Field(ge=0)] = 50
    """How many incidents and maintenances the lists hold; 0 for all. Open ones are always listed."""
    archives: Flag = True
    """Whether the complete history is published by year."""
    uptime: Flag = True
    """Whether uptime is published."""
    horizon_days: Annotated[WholeNumber, Field(ge=0, le=400)] = 35
    """How many days ahead the documents of future instants are written, up to the next midnight; 0 for none."""
    max_epochs: Annotated[WholeNumber, Field(ge=0, le=10_000)] = 500
    """How many future instants are written at most."""

    def settings(self) -> StatusSettings:
        """Return the settings."""
        return StatusSettings(
            cap=self.cap,
            archives=self.archives,
            uptime=self.uptime,
            horizon=timedelta(days=self.horizon_days),
            max_epochs=self.max_epochs,
        )


class PagesSource(SourceModel):
    """Which HTML pages are built."""

    status: Flag = True
    """Whether there are pages for status, incidents, history and uptime."""
    contracts: Annotated[WholeNumber, Field(ge=0)] = MAX_CONTRACT_PAGES
    """Most contracts for which each gets a page; with more, none does. 0 builds no contract pages."""
    listed: Annotated[WholeNumber, Field(ge=0)] = MAX_LISTED_CONTRACTS
    """Most contracts that pages list and search; with more, none is listed."""
    search: Flag = True
    """Whether pages search contracts by name, address and selector."""
    language: Annotated[Text, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")] = "en"
    """The language of the pages, as a BCP 47 tag."""

    def settings(self, theme: Theme) -> PageSettings:
        """Return the settings, with the site's theme."""
        return PageSettings(
            status=self.status,
            contracts=self.contracts,
            listed=self.listed,
            search=self.search,
            language=self.language,
            theme=theme,
        )


class HostingSource(SourceModel):
    """Extra files for hosts."""

    files: tuple[HostingPlatform, ...] = ()
    """Hosts whose configuration files are published: `netlify`, `cloudflare`, `github-pages`."""
    layout: PathLayout = PathLayout.PLAIN
    """`sharded`: contracts are in folders by the first two digits of their address, for Netlify's limit of 54,000
    files in a folder."""
    precompressed: tuple[CompressedFormat, ...] = ()
    """Compressed copies beside the documents: `gz`, `br`, `zst`, for nginx and Caddy."""

    def settings(self) -> HostingSettings:
        """Return the settings."""
        return HostingSettings(files=self.files, layout=self.layout, precompressed=self.precompressed)


class WitnessSource(SourceModel):
    """A witness, which cosigns the checkpoints of logs that only grow."""

    key: Text
    """Its public key: NAME+HEX+BASE64."""
    url: Text
    """The prefix of its requests, without `/add-checkpoint`."""


class LogSource(SourceModel):
    """The transparency log of the site."""

    origin: Annotated[Text, Field(pattern=r"^[^\s+]+$")]
    """Its name: the address of the log without https://, such as `status.example.org/log`. It never changes."""
    url: Annotated[Text, Field(pattern=r"^https?://")] | None = None
    """The address of the published site, whose log is read before a checkpoint is signed; default: only the folder that
    is built, and the target of `--to`, are read."""
    example_key: Flag = False
    """Sign with the public example key: for demonstrations. The origin must contain `example-key`."""
    witnesses: tuple[WitnessSource, ...] = ()
    """Witnesses that `statuary log witness` requests cosignatures from."""
    quorum: Annotated[WholeNumber, Field(ge=0)] = 0
    """How many witnesses must cosign."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.example_key and EXAMPLE not in self.origin:
            raise InvalidValueError(
                f"the log {self.origin!r} is signed with the example key, but its name does not show that",
                f"write {EXAMPLE} in the origin, or sign with your own key (`statuary log init`)",
            )
        if self.quorum > len(self.witnesses):
            raise InvalidValueError(
                f"{self.quorum} witnesses must cosign, but only {len(self.witnesses)} are listed",
                "list more witnesses",
            )
        return self

    def settings(self) -> LogSettings:
        """Return the settings."""
        return LogSettings(
            origin=self.origin,
            url=self.url or "",
            example_key=self.example_key,
            witnesses=tuple((one.key, one.url) for one in self.witnesses),
            quorum=self.quorum,
        )


class SiteSource(SourceModel):
    """The settings of the whole site."""

    page: PageSource
    """The status page."""
    chains: Annotated[tuple[ChainSource, ...], Field(default=())]
    """The chains whose contracts are served."""
    contracts: ContractsSource = ContractsSource.model_construct()
    """How contracts are published."""
    status: StatusSource = StatusSource.model_construct()
    """Which status documents are published."""
    pages: PagesSource = PagesSource.model_construct()
    """Which HTML pages are built."""
    log: LogSource | None = None
    """The transparency log; without it there is none."""
    hosting: HostingSource = HostingSource.model_construct()
    """Extra files for hosts."""
