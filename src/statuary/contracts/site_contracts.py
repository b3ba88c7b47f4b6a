"""A site as far as its contracts are concerned."""

from typing import Protocol, Self

from statuary.contracts.settings import Chain, ContractSettings
from statuary.contracts.sources.contract_source import BulkSource, ContractSources
from statuary.site.site_facts import SiteFacts


class SiteContracts(SiteFacts, Protocol):
    """A site with its chains and the sources of its contracts."""

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The chains, in the order of the settings."""

    @property
    def contract_settings(self) -> ContractSettings:
        """The settings of published contracts."""

    @property
    def contracts(self) -> ContractSources:
        """The sources of contracts."""

    @property
    def bulk(self) -> tuple[BulkSource, ...]:
        """The bulk sources, in order of paths."""

    @property
    def has_contract_pages(self) -> bool:
        """Whether each contract has its own page."""

    def with_contracts(self, contracts: ContractSources) -> Self:
        """Return the site with other sources of contracts."""
