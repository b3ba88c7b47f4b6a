"""The settings of a site's pages, theme and hosts."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, NamedTuple

from typing_extensions import override

from statuary.base.errors import StatuaryError


class HostingPlatform(StrEnum):
    """A host whose settings are files in the site."""

    NETLIFY = "netlify"
    CLOUDFLARE = "cloudflare"
    GITHUB_PAGES = "github-pages"


class HostLimits(NamedTuple):
    """The limits that a host documents; None where it documents none."""

    name: str
    file_size: int | None = None  # bytes of one file
    files: int | None = None
    site_size: int | None = None  # bytes of all files


HOST_LIMITS = {
    HostingPlatform.CLOUDFLARE: HostLimits("Cloudflare", file_size=25 << 20, files=100_000),
    HostingPlatform.GITHUB_PAGES: HostLimits("GitHub Pages", site_size=10**9),
}
"""The limits of hosts. Cloudflare's free plan accepts 20,000 files, its other plans as many as here."""


class PathLayout(StrEnum):
    """The layout of contracts' paths: as in their URLs, or sharded.

    The sharded layout has a folder for the first two digits of the address. It is for hosts that limit the
    files in a folder (Netlify: 54,000). Rewrite rules and the edge module hide it.
    """

    PLAIN = "plain"
    SHARDED = "sharded"


class CompressedFormat(StrEnum):
    """A format for compressed copies of files, named by its extension.

    nginx serves such copies with `gzip_static`, Caddy with `precompressed`.
    """

    GZIP = "gz"
    BROTLI = "br"
    ZSTANDARD = "zst"


class HostingSettings(NamedTuple):
    """The settings for hosts: their files, the layout of paths, and copies.

    Attributes:
        lower_case_names: whether documents of a contract have a second name, with the address in lower case.
    """

    files: tuple[HostingPlatform, ...] = ()  # the platforms whose files the site contains
    layout: PathLayout = PathLayout.PLAIN
    lower_case_names: bool = True
    precompressed: tuple[CompressedFormat, ...] = ()  # the formats of compressed copies of static documents


NO_HOSTING = HostingSettings()
"""The host of a site without hosting settings."""

ExtensionSettings = tuple[tuple[str, tuple[object, ...]], ...]
"""The key in site.yaml and the settings of each enabled extension."""


MAX_CONTRACT_PAGES = 10_000
"""The default number of contracts up to which each has its own page."""

LANGUAGES = ("de", "en", "es", "fr", "ja", "pt", "zh")
"""Languages of the package's page texts."""

LANGUAGE_NAMES = {
    "chinese": "zh",
    "deutsch": "de",
    "english": "en",
    "español": "es",
    "français": "fr",
    "french": "fr",
    "german": "de",
    "japanese": "ja",
    "portuguese": "pt",
    "português": "pt",
    "spanish": "es",
}
"""Names of these languages that people write instead of a tag."""


def suggest_language(tag: str) -> str:
    """Suggest the tag that was meant, such as `de` for `deutsch`.

    Returns:
        A string such as `did you mean 'de'?`; empty if no supported language is similar.
    """
    language = LANGUAGE_NAMES.get(tag.lower(), tag.lower().partition("-")[0])
    return f"did you mean {language!r}?" if language in LANGUAGES else ""


MAX_LISTED_CONTRACTS = 100_000
"""The default number of contracts up to which pages list them and search finds them."""


class ThemeError(StatuaryError):
    """A template of the theme cannot be rendered."""

    def __init__(self, message: str, template: str, line: int = 0) -> None:
        super().__init__(message)
        self.template = template  # the name of the template
        self.line = line  # counted from 1; 0 if unknown

    @override
    def __reduce__(self) -> tuple[object, ...]:
        """Support pickling, because workers send the error to the main process."""
        return type(self), (str(self), self.template, self.line)


class Theme(NamedTuple):
    """The look of a site's pages.

    Attributes:
        templates: the name and source of each template; it replaces statuary's template of the same name.
    """

    templates: tuple[tuple[str, str], ...] = ()
    stylesheet: str = ""  # the theme's CSS rules, added after the rules of the package
    files: tuple[tuple[str, bytes], ...] = ()  # name and bytes of pictures and fonts
    texts: tuple[tuple[str, str], ...] = ()  # key and value of page strings that replace the language's

    @property
    def logo(self) -> str | None:
        """The file name of the theme's logo, or None."""
        names = [name for name, _ in self.files]
        return next((name for name in LOGO_NAMES if name in names), None)


class SitePage(NamedTuple):
    """An additional page that the site's author wrote in Markdown."""

    path: str  # below `pages/`, without an extension
    title: str
    order: int
    navigation: bool  # whether the navigation of every page has this page
    body: str
    source: str  # the content file
    first_line: int  # the line of the file where the body begins
    group: str = ""  # the heading above the page in the sidebar; empty for none
    description: str = ""  # a sentence below the title; empty for none
    keywords: tuple[str, ...] = ()  # extra words for the search
    search: Literal["normal", "low", "none"] = "normal"  # how the search of its folder ranks the page
    aliases: tuple[str, ...] = ()  # earlier file names, relative to its folder

    @property
    def folder(self) -> str:
        """The folder of the page's file below `pages/`; empty for none."""
        return self.path.rpartition("/")[0]


LOGO_NAMES = ("logo.svg", "logo.png", "logo.webp")
"""File names of the logo; the first that exists is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """The settings for the HTML pages of a site.

    Attributes:
        contracts: the maximum number of contracts with pages; a site with more contracts has no contract
            pages.
        listed: the maximum number of contracts that pages list; a site with more contracts has no lists and
            no search.
    """

    status: bool = True  # whether the site has a status page, incident pages, a history and an uptime page
    contracts: int = MAX_CONTRACT_PAGES
    listed: int = MAX_LISTED_CONTRACTS
    search: bool = True  # whether contracts can be searched by name, address and selector
    language: str = "en"  # the language of the pages' texts
    theme: Theme = field(default_factory=Theme)

    def without_templates(self, *names: str) -> "PageSettings":
        """Return the settings without some of the theme's templates.

        Pages then use statuary's own templates instead.

        Args:
            names: the names of the templates; without names, all are left out.
        """
        templates = tuple(template for template in self.theme.templates if names and template[0] not in names)
        return replace(self, theme=self.theme._replace(templates=templates))

    def has_contract_pages(self, count: int) -> bool:
        """Return whether the site has a page for each contract.

        It has none if there are more contracts than the settings allow.

        Args:
            count: the number of contracts of the site.
        """
        return 0 < count <= self.contracts

    def lists_contracts(self, count: int) -> bool:
        """Return whether the site has pages that list its contracts.

        It has none if there are more contracts than the settings allow.

        Args:
            count: the number of contracts of the site.
        """
        return count <= self.listed


class SiteKeys(NamedTuple):
    """The values of the keys `pages` and `hosting` of site.yaml."""

    pages: PageSettings  # without the theme, which has files of its own
    hosting: HostingSettings


class SettingsFile(NamedTuple):
    """The parsed content of site.yaml."""

    site: SiteKeys
    sections: dict[str, object]  # the settings of contracts and status, by section
    extensions: ExtensionSettings = ()
    faulty_keys: frozenset[str] = frozenset()  # the extensions with an error in their settings, left out
