"""`site.yaml`: the page, the chains, and what to publish."""

import re
from collections import Counter
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field
from typing_extensions import override

from statuary.base.limits import LARGEST_BLOCK
from statuary.base.primitives import InvalidValueError
from statuary.contracts.settings import Chain, ContractSettings, PublishPolicy
from statuary.registry import EXTENSIONS
from statuary.site.settings import NO_HOSTING, CompressedFormat, HostingPlatform, PageSettings, PathLayout
from statuary.source.source_model import (
    Body,
    ChainIdText,
    Flag,
    HexText,
    Identifier,
    InstantText,
    Name,
    SourceModel,
    Text,
    TimeZoneText,
    WholeNumber,
    value_of,
)
from statuary.status.model.records import UNKNOWN_CREATION, Page, StatusSettings, derived_id
from statuary.status.model.vocabulary import Impact


def _host(text: str) -> str:
    """Return the host of a valid URL, or an empty string."""
    try:
        host = urlsplit(text).hostname or ""
    except ValueError:
        return ""
    return host if HOST.fullmatch(host) else ""


HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*|[0-9a-f:]*:[0-9a-f:.]+")
"""A host name in ASCII, or an IPv6 address."""


def check_page_url(text: str) -> str:
    """Return the URL of a page as it is.

    Raises:
        InvalidValueError: if it is not an absolute http(s) URL without query or fragment.
    """
    if not text.startswith(("https://", "http://")) or any(mark in text for mark in " ?#"):
        raise InvalidValueError(
            f"page URL {text!r} is not an absolute http(s) URL without query or fragment",
            "write it like https://status.example.org",
        )
    if not _host(text):
        raise InvalidValueError(
            f"page URL {text!r} has no valid host", "write it like https://status.example.org"
        )
    return text


def _feed_host(text: str) -> str:
    if not HOST.fullmatch(text) or ":" in text:
        raise InvalidValueError(f"feed_host {text!r} is not a host name", "write it like status.example.org")
    return text


class PageSource(SourceModel):
    """The status page as a whole."""

    name: Name
    """The name, usually that of the network."""
    url: Annotated[Text, AfterValidator(check_page_url)]
    """The URL of the page: absolute, without a slash at the end, unless clients know it with one."""
    id: Identifier | None = None
    """The published `page_id`; default: derived from the URL. Set it before you change the URL: feeds and
    calendars identify their entries by it."""
    time_zone: TimeZoneText = Field(default="Etc/UTC", validate_default=True)
    """The IANA time zone of every published timestamp."""
    created_at: InstantText | None = None
    """When the page was created; used wherever nothing has happened yet. Default: the first date in the content."""
    updated_at: InstantText | None = None
    """For imports: the published `updated_at` from that instant on, until something changes later."""
    indicator: Impact | None = None
    """Replaces the indicator that follows from the components."""
    description: Body | None = None
    """Replaces the description that follows from the components."""
    about: Body | None = None
    """The purpose of the site, in Markdown. Pages show it below the status."""
    demo: Flag = False
    """Whether the content is invented. Every page then says so, and `statuary check` warns unless `url` is on
    localhost.
    """
    feed_host: Annotated[Text, AfterValidator(_feed_host)] | None = None
    """The host in the ids of feeds. Set it to the old host name of an imported page, so that feed readers keep their state."""


def translate_page(source: PageSource) -> Page:
    """Return the page that the source describes."""
    url = source.url.rstrip("/")
    return value_of(
        Page,
        source,
        id=source.id or derived_id("page", url),
        url=url,
        published_url=source.url,
        created_at=source.created_at or UNKNOWN_CREATION,
    )


class CheckpointSource(SourceModel):
    """A block of the chain that you vouch for."""

    block: Annotated[WholeNumber, Field(ge=0, lt=LARGEST_BLOCK)]
    """Its number."""
    hash: Annotated[HexText, Field(min_length=66, max_length=66)]
    """Its hash, compared with nodes that the author trusts."""


def _one_hash_for_a_block(checkpoints: tuple[CheckpointSource, ...]) -> tuple[CheckpointSource, ...]:
    for number, count in Counter(checkpoint.block for checkpoint in checkpoints).items():
        if count > 1:
            raise InvalidValueError(
                f"block {number} has {count} checkpoints", "keep the one with the right hash"
            )
    return checkpoints


class ChainSource(SourceModel):
    """An EVM chain whose verified contracts the site serves."""

    chain_id: ChainIdText
    """The chain id."""
    name: Text
    """The name that clients show."""
    title: Text | None = None
    """A longer name; default: `name`."""
    rpc: tuple[Annotated[Text, Field(pattern=r"^(https?|wss?)://[^\s]+$")], ...] = ()
    """Public JSON-RPC URLs. `statuary contract anchor` compares the hashes of blocks from all of them."""
    explorer: Annotated[Text, Field(pattern=r"^https?://[^\s]+$")] | None = None
    """URL of a block explorer whose pages have the paths of EIP-3091, such as `/block/<hash>`."""
    supported: Flag = True
    """Whether new contracts are still verified on it."""
    checkpoints: Annotated[tuple[CheckpointSource, ...], AfterValidator(_one_hash_for_a_block)] = ()
    """Blocks whose hashes you vouch for. A build verifies proofs of the chain under them."""

    def chain(self) -> Chain:
        """Return the chain."""
        explorer = (self.explorer or "").rstrip("/")
        checkpoints = tuple((checkpoint.block, checkpoint.hash) for checkpoint in self.checkpoints)
        return value_of(
            Chain, self, title=self.title or self.name, explorer=explorer, checkpoints=checkpoints
        )


# the defaults of settings are those of the domain
CONTRACTS, STATUS, PAGES = ContractSettings(), StatusSettings(), PageSettings()


class ContractsSource(SourceModel):
    """The settings of published contracts."""

    publish: PublishPolicy = CONTRACTS.publish
    """`proved`: only verified records. `all`: others too, marked as rejected."""
    sources: tuple[Text, ...] = ()
    """More sources of contracts: folders like `contracts/` or bulk files, as a path relative to the content folder
    or a URL of an object store (`s3://`, `gs://`, `az://`)."""
    join_memory_mib: Annotated[WholeNumber, Field(ge=512)] = CONTRACTS.join_memory >> 20
    """Mebibytes of memory for joining the tables of an export; the rest goes to disk."""


class StatusSource(SourceModel):
    """The published status documents, and their horizon."""

    cap: Annotated[WholeNumber, Field(ge=0)] = STATUS.cap
    """The maximum of incidents and maintenances in the lists; 0 for all. Open ones are always listed."""
    archives: Flag = STATUS.archives
    """Whether the complete history is published by month."""
    uptime: Flag = STATUS.uptime
    """Whether uptime is published."""
    horizon_days: Annotated[WholeNumber, Field(ge=0, le=400)] = STATUS.horizon.days
    """The number of days for which documents are written ahead, up to the next midnight; 0 for none."""
    max_epochs: Annotated[WholeNumber, Field(ge=0, le=10_000)] = STATUS.max_epochs
    """The maximum of future instants for which documents are written."""


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
    """The settings of the whole site."""

    page: PageSource
    """The status page."""
    chains: Annotated[tuple[ChainSource, ...], Field(default=())]
    """The chains whose contracts are served."""
    contracts: ContractsSource = ContractsSource.model_construct()
    """How contracts are published."""
    status: StatusSource = StatusSource.model_construct()
    """Which status documents are published."""
    pages: PagesSource = PagesSource.model_construct()
    """Which HTML pages are built."""
    hosting: HostingSource = HostingSource.model_construct()
    """Extra files for hosts."""

    @override
    @classmethod
    def known_keys(cls) -> list[str]:
        keys = [extension.name for extension in EXTENSIONS if extension.section]
        return [*(key for key in super().known_keys() if key not in keys), *keys]
