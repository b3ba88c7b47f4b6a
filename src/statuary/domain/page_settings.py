"""The pages of a site, and their theme."""

from dataclasses import dataclass, field
from typing import NamedTuple

from typing_extensions import override

from statuary.domain.errors import StatuaryError

MAX_CONTRACT_PAGES = 10_000
"""The default number of contracts up to which each has its own page."""
LANGUAGES = ("de", "en")
"""Languages of the package's page texts."""

MAX_LISTED_CONTRACTS = 100_000
"""The default number of contracts up to which pages list them and search finds them."""


class ThemeError(StatuaryError):
    """A template of the theme cannot be rendered.

    Attributes:
        template: its name.
        line: counted from 1; 0 if unknown.
    """

    def __init__(self, message: str, template: str, line: int = 0) -> None:
        super().__init__(message)
        self.template = template
        self.line = line

    @override
    def __reduce__(self) -> tuple[type["ThemeError"], tuple[str, str, int]]:
        """Support pickling, for the way from a worker process."""
        return type(self), (str(self), self.template, self.line)


class Theme(NamedTuple):
    """The look of a site's pages.

    Attributes:
        templates: name and text of templates that replace those of the package.
        stylesheet: CSS rules after those of the package.
        files: name and bytes of pictures and fonts.
        texts: key and text of page texts that replace those of the language.
    """

    templates: tuple[tuple[str, str], ...] = ()
    stylesheet: str = ""
    files: tuple[tuple[str, bytes], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()

    @property
    def logo(self) -> str | None:
        """The name of the logo, or None."""
        names = [name for name, _ in self.files]
        return next((name for name in LOGO_NAMES if name in names), None)


class SitePage(NamedTuple):
    """An additional page, in Markdown; `order` is its position in its folder, lowest first.

    Attributes:
        path: below `pages/`, without an extension.
        navigation: whether every page links to it.
        source: the content file.
        first_line: the line of the file where the body begins.
    """

    path: str
    title: str
    order: int
    navigation: bool
    body: str
    source: str
    first_line: int

    @property
    def folder(self) -> str:
        """The folder below `pages/`; empty for pages directly in it."""
        return self.path.rpartition("/")[0]


LOGO_NAMES = ("logo.svg", "logo.png", "logo.webp")
"""File names of the logo; the first that exists is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """The pages that are built.

    Attributes:
        status: whether the site has a status page, incident pages, a history and an uptime page.
        contracts: the number of contracts up to which each has its own page; with more, none has.
        listed: the number of contracts up to which pages list them and search finds them.
        search: whether contracts can be searched by name, address and selector.
        language: the language of the pages' texts.
    """

    status: bool = True
    contracts: int = MAX_CONTRACT_PAGES
    listed: int = MAX_LISTED_CONTRACTS
    search: bool = True
    language: str = "en"
    theme: Theme = field(default_factory=Theme)

    def has_contract_pages(self, count: int) -> bool:
        """Say whether each contract has its own page if there are `count` of them."""
        return 0 < count <= self.contracts

    def lists_contracts(self, count: int) -> bool:
        """Say whether pages list the contracts if there are `count` of them."""
        return count <= self.listed
