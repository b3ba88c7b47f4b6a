"""The contracts of a site's content: chains and sources."""

from typing import NamedTuple

from statuary.contracts.settings import Chain, ContractSettings
from statuary.contracts.sources.contract_source import BulkSource, ContractSources
from statuary.site.settings import PageSettings


class SiteContracts(NamedTuple):
    """A site's chains, and the sources of its contracts."""

    chains: tuple[Chain, ...]  # the chains, in the order of the settings
    settings: ContractSettings
    sources: ContractSources

    @property
    def bulk(self) -> tuple[BulkSource, ...]:
        """The files that contain many contracts each, sorted by path."""
        return self.sources.bulk

    def have_pages(self, page_settings: PageSettings) -> bool:
        """Return whether each contract has a page of its own.

        Args:
            page_settings: the settings of pages, such as the largest number of contracts that get pages.
        """
        return not self.sources.has_bulk and page_settings.has_contract_pages(len(self.sources))
