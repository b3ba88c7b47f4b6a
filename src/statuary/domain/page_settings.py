"""Which pages for people a site has, and what they look like."""

from dataclasses import dataclass, field
from typing import NamedTuple

from typing_extensions import override

MAX_CONTRACT_PAGES = 10_000
"""Contracts up to which each has a page of its own, unless the settings say otherwise."""


LANGUAGES = ("de", "en")
"""Languages that the package has page texts in."""


MAX_LISTED_CONTRACTS = 100_000
"""Contracts up to which they are listed on pages and can be searched, unless the settings say otherwise."""


class ThemeError(Exception):
    """A template of the site's own cannot be rendered.

    Attributes:
        template: its name.
        line: where, counted from 1; 0 if that is not known.
    """

    def __init__(self, template: str, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.template = template
        self.line = line

    @override
    def __reduce__(self) -> tuple[type["ThemeError"], tuple[str, str, int]]:
        """Survive the way from one process to another."""
        return type(self), (self.template, str(self), self.line)


class Theme(NamedTuple):
    """What a site changes of the look of its pages.

    Attributes:
        templates: templates that take the place of those of the package, as name and text.
        stylesheet: rules that follow those of the package.
        files: pictures and fonts, as name and bytes.
        texts: page texts that take the place of those of the language, as key and text.
    """

    templates: tuple[tuple[str, str], ...] = ()
    stylesheet: str = ""
    files: tuple[tuple[str, bytes], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()

    @property
    def logo(self) -> str | None:
        """The name of the picture that stands beside the name of the page, or None."""
        names = [name for name, _ in self.files]
        return next((name for name in LOGO_NAMES if name in names), None)


LOGO_NAMES = ("logo.svg", "logo.png", "logo.webp")
"""Names of the file that is the logo; the first that there is counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """Which pages are built.

    Attributes:
        status: whether the status page, its incidents, history and uptime are pages.
        contracts: up to how many contracts each has a page of its own; of more, none has; 0 is none at all.
        listed: up to how many contracts they are listed and can be searched; of more, none is.
        search: whether contracts can be searched by name, address and selector.
        language: the language of the pages' own texts.
        theme: what the site changes of their look.
    """

    status: bool = True
    contracts: int = MAX_CONTRACT_PAGES
    listed: int = MAX_LISTED_CONTRACTS
    search: bool = True
    language: str = "en"
    theme: Theme = field(default_factory=Theme)

    def has_contract_pages(self, count: int) -> bool:
        """Say whether each of so many contracts has a page of its own."""
        return 0 < count <= self.contracts

    def lists_contracts(self, count: int) -> bool:
        """Say whether so many contracts are listed on pages."""
        return count <= self.listed
