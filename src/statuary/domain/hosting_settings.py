"""What a site provides for its hosts."""

from enum import StrEnum
from typing import NamedTuple


class HostingPlatform(StrEnum):
    """A host that reads files inside the site, such as rules for headers and paths."""

    NETLIFY = "netlify"
    CLOUDFLARE = "cloudflare"
    GITHUB_PAGES = "github-pages"


class PathLayout(StrEnum):
    """The layout of single contracts.

    `plain`: at the paths of their URLs. `sharded`: in folders by the first two digits of the address, for hosts that limit
    the files of a folder (Netlify: 54,000, which is 27,000 contracts of a chain, each under two addresses). Rewrite rules
    and the edge module hide the layout.
    """

    PLAIN = "plain"
    SHARDED = "sharded"


class CompressedFormat(StrEnum):
    """A format of compressed copies, for servers that send them as they are.

    The values are the extensions that nginx (`gzip_static`, `brotli_static`) and Caddy (`precompressed`) look for.
    """

    GZIP = "gz"
    BROTLI = "br"
    ZSTANDARD = "zst"


class HostingSettings(NamedTuple):
    """What the site provides for its hosts."""

    files: tuple[HostingPlatform, ...] = ()  # the platforms whose files the site contains
    layout: PathLayout = PathLayout.PLAIN
    precompressed: tuple[CompressedFormat, ...] = ()  # the formats of compressed copies of static documents


NO_HOSTING = HostingSettings()
"""The host of a site without hosting settings."""
