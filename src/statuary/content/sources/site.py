"""`site.yaml`: the page, the chains, and what to publish."""

from typing import Annotated

from pydantic import Field

from statuary.content.source_model import ChainIdText, Flag, SourceModel, Text
from statuary.content.sources.page import PageSource
from statuary.domain.site import Chain, ContractSettings, Publish


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

    publish: Publish = Publish.PROVED
    """`proved`: only records whose proof holds. `all`: refused records too, marked as refused."""

    def settings(self) -> ContractSettings:
        """Return the settings."""
        return ContractSettings(publish=self.publish)


class SiteSource(SourceModel):
    """The settings of the whole site."""

    page: PageSource
    """The status page."""
    chains: Annotated[tuple[ChainSource, ...], Field(default=())]
    """The chains whose contracts are served."""
    contracts: ContractsSource = ContractsSource()
    """How contracts are published."""
