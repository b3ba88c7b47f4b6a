"""A site as its content describes it: shared and by section.

A site may have forty million records of a hundred kilobytes, so its value has only the sources of contracts; records
are read, checked and written one at a time.
"""

from typing import NamedTuple, Protocol, Self, TypeVar
from zoneinfo import ZoneInfo

from statuary.base.findings import Finding
from statuary.site.settings import NO_HOSTING, ExtensionSettings, HostingSettings, PageSettings, SitePage

Value = TypeVar("Value")


class SiteIdentity(Protocol):
    """The name and the address of a site."""

    @property
    def name(self) -> str:
        """The name of the site, as its author wrote it."""

    @property
    def url(self) -> str:
        """The absolute URL, without a slash at the end."""

    @property
    def time_zone(self) -> ZoneInfo:
        """The time zone of published times."""

    @property
    def demo(self) -> bool:
        """Whether the site is a demo with invented data.

        Every page then says so.
        """


class Fault(NamedTuple):
    """An error in settings, the theme or a link that does not stop a build."""

    finding: Finding
    consequence: str  # what the build does instead, as a clause for the message


class SiteContent(NamedTuple):
    """Everything that was read from a content folder.

    Attributes:
        faulty_keys: the keys of extensions that are left out because of an error in their settings.
        unread: files with parts that could not be read, and that a build can leave out.
    """

    source: str  # the path of site.yaml, for findings
    page: SiteIdentity
    pages: PageSettings
    hosting: HostingSettings = NO_HOSTING
    own_pages: tuple[SitePage, ...] = ()  # the site's own Markdown pages
    extensions: ExtensionSettings = ()
    faulty_keys: frozenset[str] = frozenset()
    values: tuple[object, ...] = ()  # the content of the status and the contracts, one value of each type
    has_contracts: bool = False  # whether pages lead to contracts
    unread: frozenset[str] = frozenset()
    faults: tuple[Fault, ...] = ()  # errors that stop a build only with `strict`

    def content_of(self, kind: type[Value]) -> Value:
        """Return the content of one section, such as the contracts.

        Args:
            kind: the class of this content, such as `SiteContracts`.
        """
        return next(value for value in self.values if isinstance(value, kind))

    def settings_of(self, kind: type[Value]) -> Value | None:
        """Return the settings of an extension, given their class.

        Returns:
            The settings, or None if the extension is disabled.
        """
        return next((value for _, value in self.extensions if isinstance(value, kind)), None)

    def with_section_content(self, new_content: object) -> Self:
        """Return a copy of the content with one section's part replaced.

        Args:
            new_content: the new content of the section; it replaces the one of the same class.
        """
        return self._replace(
            values=tuple(new_content if type(value) is type(new_content) else value for value in self.values)
        )

    def without_templates(self, *names: str) -> Self:
        """Return the same content without some of the theme's templates.

        Args:
            names: the names of the templates; without names, all are left out.
        """
        return self._replace(pages=self.pages.without_templates(*names))
