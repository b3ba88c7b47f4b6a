"""`site.yaml`: the page, the chains, and what to publish."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from statuary.content.source_model import ChainIdText, Flag, SourceModel, Text, WholeNumber
from statuary.content.sources.hosting_source import HostingSource
from statuary.content.sources.page_source import PageSource
from statuary.domain.page_settings import MAX_CONTRACT_PAGES, MAX_LISTED_CONTRACTS, PageSettings, Theme
from statuary.domain.site_settings import Chain, ContractSettings, PublishPolicy
from statuary.domain.status.status_settings import StatusSettings


class ChainSource(SourceModel):
    """An EVM chain whose verified contracts the site serves."""

    chain_id: ChainIdText
    """The chain's number."""
    name: Text
    """What clients show."""
    title: Text | None = None
    """A longer name; `name` if left out."""
    rpc: tuple[Text, ...] = ()
    """Public JSON-RPC addresses."""
    supported: Flag = True
    """Whether new contracts are still verified on this chain."""

    def chain(self) -> Chain:
        """Return the chain."""
        return Chain(
            chain_id=self.chain_id,
            name=self.name,
            title=self.title or self.name,
            rpc=self.rpc,
            supported=self.supported,
        )


class ContractsSource(SourceModel):
    """How contracts are published."""

    publish: PublishPolicy = PublishPolicy.PROVED
    """`proved`: only records whose proof holds. `all`: refused records too, marked as refused."""
    sources: tuple[Text, ...] = ()
    """Further places of contracts, laid out as `contracts/` is, or one bulk file: a path relative to the content
    folder, or the URL of an object store (`s3://`, `gs://`, `az://`)."""
    join_memory_mib: Annotated[WholeNumber, Field(ge=512)] = 1024
    """Mebibytes of memory that joining the tables of an export may take; what it needs beyond goes to disk."""

    def settings(self) -> ContractSettings:
        """Return the settings."""
        return ContractSettings(publish=self.publish, join_memory=self.join_memory_mib << 20)


class StatusSource(SourceModel):
    """What of the status side is published, and how far ahead."""

    cap: Annotated[WholeNumber, Field(ge=0)] = 50
    """How many incidents and maintenances the lists hold; 0 holds all. Unresolved ones always stay."""
    archives: Flag = True
    """Whether the complete history is published by year."""
    uptime: Flag = True
    """Whether uptime is published."""
    horizon_days: Annotated[WholeNumber, Field(ge=0, le=400)] = 35
    """How many days ahead the documents of future instants are written."""
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
    """Which pages for people are built."""

    status: Flag = True
    """Whether the status page, its incidents, history and uptime are pages."""
    contracts: Annotated[WholeNumber, Field(ge=0)] = MAX_CONTRACT_PAGES
    """Up to how many contracts each has a page of its own; with more, none has. 0 builds none."""
    listed: Annotated[WholeNumber, Field(ge=0)] = MAX_LISTED_CONTRACTS
    """Up to how many contracts they are listed and can be searched; with more, none is."""
    search: Flag = True
    """Whether contracts can be searched by name, address and selector."""
    language: Annotated[Text, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")] = "en"
    """The language of the pages' own texts, as a BCP 47 tag."""

    def settings(self, theme: Theme) -> PageSettings:
        """Return the settings, with what the site changes of the pages' look."""
        return PageSettings(
            status=self.status,
            contracts=self.contracts,
            listed=self.listed,
            search=self.search,
            language=self.language,
            theme=theme,
        )


class SiteSource(SourceModel):
    """The settings of the whole site."""

    page: PageSource
    """The status page."""
    chains: Annotated[tuple[ChainSource, ...], Field(default=())]
    """The chains whose contracts are served."""
    contracts: ContractsSource = ContractsSource()
    """How contracts are published."""
    status: StatusSource = StatusSource()
    """What of the status side is published."""
    pages: PagesSource = PagesSource()
    """Which pages for people are built."""
    hosting: HostingSource = HostingSource()
    """What the site holds for the hosts that serve it."""
