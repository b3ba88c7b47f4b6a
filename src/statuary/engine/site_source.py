"""The models of the keys of site.yaml about the whole site."""

from typing import Annotated

from pydantic import Field
from typing_extensions import override

from statuary.registry import EXTENSIONS
from statuary.site.settings import NO_HOSTING, CompressedFormat, HostingPlatform, PageSettings, PathLayout
from statuary.source.source_model import Flag, SourceModel, Text, WholeNumber

PAGES = PageSettings()  # the defaults of its keys


class PagesSource(SourceModel):
    """The HTML pages to build."""

    status: Flag = PAGES.status
    """Whether there are pages for status, incidents, history and uptime."""
    contracts: Annotated[WholeNumber, Field(ge=0)] = PAGES.contracts
    """Most contracts for which each gets a page; with more, none does. 0 builds no contract pages."""
    listed: Annotated[WholeNumber, Field(ge=0)] = PAGES.listed
    """Most contracts that pages list and search; with more, none is listed."""
    search: Flag = PAGES.search
    """Whether pages search contracts by name, address and selector."""
    language: Annotated[Text, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")] = PAGES.language
    """The language of the pages, as a BCP 47 tag."""


class HostingSource(SourceModel):
    """Extra files for hosts."""

    files: tuple[HostingPlatform, ...] = NO_HOSTING.files
    """Hosts whose configuration files are published: `netlify`, `cloudflare`, `github-pages`."""
    layout: PathLayout = NO_HOSTING.layout
    """`sharded`: contracts are in folders by the first two digits of their address, for Netlify's limit of 54,000
    files in a folder."""
    lower_case_names: Flag = NO_HOSTING.lower_case_names
    """Whether records and proofs have a second name, with the address in lower case. You don't need it behind the edge module
    or `statuary serve`, which answer both names; without it, the site has half as many files.
    """
    precompressed: tuple[CompressedFormat, ...] = NO_HOSTING.precompressed
    """Compressed copies beside the documents: `gz`, `br`, `zst`, for nginx and Caddy."""


class SiteSource(SourceModel):
    """The settings of the whole site."""  # the keys of contracts and status have their models in their sections

    pages: PagesSource = PagesSource.model_construct()
    """Which HTML pages are built."""
    hosting: HostingSource = HostingSource.model_construct()
    """Extra files for hosts."""

    @override
    @classmethod
    def known_keys(cls) -> list[str]:
        extensions = [extension.name for extension in EXTENSIONS if extension.section]
        core = ["page", "chains", "contracts", "status", "pages", "hosting"]  # most files begin this way
        return [*(key for key in core if key not in extensions), *extensions]
