"""The facts about a site that its pages and documents share."""

from typing import Protocol, Self
from zoneinfo import ZoneInfo

from statuary.site.settings import HostingSettings, PageSettings, SitePage


class SiteIdentity(Protocol):
    """The name and the address of a site."""

    @property
    def name(self) -> str:
        """The name, as its author wrote it."""

    @property
    def url(self) -> str:
        """The absolute URL, without a slash at the end."""

    @property
    def time_zone(self) -> ZoneInfo:
        """The zone of every published timestamp."""

    @property
    def demo(self) -> bool:
        """Whether everything is invented; every page says so."""


class SiteFacts(Protocol):
    """A site without its content."""

    @property
    def page(self) -> SiteIdentity:
        """The name and the address of the site."""

    @property
    def pages(self) -> PageSettings:
        """The pages that are built."""

    @property
    def hosting(self) -> HostingSettings:
        """The files and paths that hosts need."""

    @property
    def own_pages(self) -> tuple[SitePage, ...]:
        """The additional pages, in Markdown."""

    @property
    def extensions(self) -> tuple[tuple[str, tuple[object, ...]], ...]:
        """The key in site.yaml and the settings of every enabled extension."""

    @property
    def has_contracts(self) -> bool:
        """Whether the site has a section of contracts."""

    def without_templates(self, *names: str) -> Self:
        """Return the site without the named theme templates, or without all."""
