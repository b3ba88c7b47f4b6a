"""The models of the keys of site.yaml about the whole site."""

from typing import Annotated

from pydantic import Field
from typing_extensions import override

from statuary.registry import EXTENSIONS
from statuary.site.settings import NO_HOSTING, CompressedFormat, HostingPlatform, PageSettings, PathLayout
from statuary.source.source_model import Flag, SourceModel, Text, WholeNumber

PAGES = PageSettings()  # the defaults of its keys


class PagesSource(SourceModel):
    """Which HTML pages the site has, and their language."""

    status: Flag = PAGES.status
    """Whether the site has pages about the status, incidents, history and uptime."""
    contracts: Annotated[WholeNumber, Field(ge=0)] = PAGES.contracts
    """Up to this number of contracts, each contract has its own page. On a site with more contracts, the page
    `contract.html` shows any of them. 0 means no pages about contracts."""
    listed: Annotated[WholeNumber, Field(ge=0)] = PAGES.listed
    """Up to this number of contracts, the site has lists of contracts and a search. A site with more
    contracts has neither."""
    search: Flag = PAGES.search
    """Whether pages have a search for contracts by name, address and selector."""
    language: Annotated[Text, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")] = PAGES.language
    """The language of the pages, such as `en` or `de` (a BCP 47 tag)."""


class HostingSource(SourceModel):
    """What a build writes for your host, such as its configuration files."""

    files: tuple[HostingPlatform, ...] = NO_HOSTING.files
    """The hosts for which a build writes configuration files into the site. `statuary setup` writes this key
    if your host needs it."""
    layout: PathLayout = NO_HOSTING.layout
    """How contract files are arranged in folders. `sharded` puts contracts into folders named by the first
    two digits of their address, because Netlify allows at most 54,000 files in a folder."""
    lower_case_names: Flag = NO_HOSTING.lower_case_names
    """Whether each contract record and proof has a second file, whose name has the address in lower case. The
    edge program and `statuary serve` don't need the second file. Without it, the site has half as many
    files."""
    precompressed: tuple[CompressedFormat, ...] = NO_HOSTING.precompressed
    """The kinds of compressed copies that a build writes next to each document, for nginx and Caddy. `br` and
    `zst` need the extra `compress`."""


class SiteSource(SourceModel):
    """The settings of the whole site."""  # the keys of contracts and status have their models in their sections

    pages: PagesSource = PagesSource.model_construct()
    """Which HTML pages the site has, and their language."""
    hosting: HostingSource = HostingSource.model_construct()
    """What a build writes for your host, such as its configuration files."""

    @override
    @classmethod
    def known_keys(cls) -> list[str]:
        extensions = [extension.name for extension in EXTENSIONS if extension.section]
        core = ["page", "chains", "contracts", "status", "pages", "hosting"]  # most files begin this way
        return [*(key for key in core if key not in extensions), *extensions]
