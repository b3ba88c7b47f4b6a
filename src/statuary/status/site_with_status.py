"""A site as far as its status is concerned."""

from typing import Protocol, Self

from statuary.site.site_facts import SiteFacts
from statuary.status.model.records import StatusCatalogue, StatusSettings


class SiteWithStatus(SiteFacts, Protocol):
    """A site with its components, incidents and maintenances."""

    @property
    def status(self) -> StatusCatalogue:
        """The components, incidents and maintenances."""

    @property
    def status_settings(self) -> StatusSettings:
        """The settings of the status documents."""

    def with_status(self, status: StatusCatalogue) -> Self:
        """Return the site with other components, incidents and maintenance windows."""
