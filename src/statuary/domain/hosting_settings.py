"""What a site holds for the hosts that serve it, beside its documents."""

from enum import StrEnum
from typing import NamedTuple


class HostingPlatform(StrEnum):
    """A host that reads files of the site itself: rules of headers and paths, names of what is no part of it."""

    NETLIFY = "netlify"
    CLOUDFLARE = "cloudflare"
    GITHUB_PAGES = "github-pages"


class PathLayout(StrEnum):
    """Where the documents of single contracts lie.

    `plain`: at the paths of their URLs. `sharded`: in folders by the first two digits of the address, for hosts
    that limit how many files one folder may have (Netlify: 54,000, which are 27,000 contracts of a chain, each
    under two spellings); rewrite rules and the edge module hide it.
    """

    PLAIN = "plain"
    SHARDED = "sharded"


class CompressedFormat(StrEnum):
    """A form in which documents are stored a second time, for servers that send it as it is.

    The values are the endings that nginx (`gzip_static`, `brotli_static`) and Caddy (`precompressed`) look for.
    """

    GZIP = "gz"
    BROTLI = "br"
    ZSTANDARD = "zst"


class HostingSettings(NamedTuple):
    """What the site holds for its hosts.

    Attributes:
        files: the hosts whose own files are part of the site.
        layout: where the documents of single contracts lie.
        precompressed: the compressed forms that are stored beside documents that only a build changes.
    """

    files: tuple[HostingPlatform, ...] = ()
    layout: PathLayout = PathLayout.PLAIN
    precompressed: tuple[CompressedFormat, ...] = ()


NO_HOSTING = HostingSettings()
"""What a site holds whose settings say nothing of hosts."""
