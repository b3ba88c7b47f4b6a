"""The content of a site.

A site may have forty million records of a hundred kilobytes, so the catalogue has only the sources of contracts;
records are read, checked and written one at a time.
"""

from typing import NamedTuple, Self, TypeVar

from statuary.contracts.settings import Chain, ContractSettings
from statuary.contracts.sources.contract_source import BulkSource, ContractSources
from statuary.site.settings import NO_HOSTING, HostingSettings, PageSettings, SitePage
from statuary.status.model.records import Page, StatusCatalogue, StatusSettings

Settings = TypeVar("Settings")


class Catalogue(NamedTuple):
    """A whole site as in its content; chains in the settings' order."""

    chains: tuple[Chain, ...]
    contract_settings: ContractSettings
    contracts: ContractSources
    status: StatusCatalogue
    status_settings: StatusSettings
    pages: PageSettings
    hosting: HostingSettings = NO_HOSTING
    own_pages: tuple[SitePage, ...] = ()
    # key of site.yaml and settings of every extension that is on
    extensions: tuple[tuple[str, tuple[object, ...]], ...] = ()
    # the paths of incidents, windows, templates and pages that could not be read
    unread: frozenset[str] = frozenset()

    def settings_of(self, kind: type[Settings]) -> Settings | None:
        """Return an extension's settings by type, or None if it is disabled."""
        return next((value for _, value in self.extensions if isinstance(value, kind)), None)

    def without_templates(self, *names: str) -> Self:
        """Return the catalogue without the named theme templates, or without all."""
        return self._replace(pages=self.pages.without_templates(*names))

    def with_contracts(self, contracts: ContractSources) -> Self:
        """Return the catalogue with other sources of contracts."""
        return self._replace(contracts=contracts)

    def with_status(self, status: StatusCatalogue) -> Self:
        """Return the catalogue with other components, incidents and maintenance windows."""
        return self._replace(status=status)

    @property
    def page(self) -> Page:
        """The page that all components, incidents and maintenances belong to."""
        return self.status.page

    @property
    def has_contracts(self) -> bool:
        """Whether the site has a section of contracts."""
        return bool(self.chains)

    @property
    def bulk(self) -> tuple[BulkSource, ...]:
        """The bulk sources, in order of paths."""
        return self.contracts.bulk

    @property
    def has_contract_pages(self) -> bool:
        """Whether each contract has its own page."""
        return not self.bulk and self.pages.has_contract_pages(len(self.contracts))
