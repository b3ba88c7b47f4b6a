"""The contracts of a site's content: chains and sources."""

from typing import NamedTuple

from statuary.contracts.settings import Chain, ContractSettings
from statuary.contracts.sources.contract_source import BulkSource, ContractSources
from statuary.site.settings import PageSettings


class SiteContracts(NamedTuple):
    """The chains of a site, and the sources of its contracts."""

    chains: tuple[Chain, ...]  # in the order of the settings
    settings: ContractSettings
    sources: ContractSources

    @property
    def bulk(self) -> tuple[BulkSource, ...]:
        """The bulk sources, sorted by path."""
        return self.sources.bulk

    def have_pages(self, pages: PageSettings) -> bool:
        """Return whether each contract has its own page."""
        return not self.bulk and pages.has_contract_pages(len(self.sources))
