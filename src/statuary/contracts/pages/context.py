"""The settings that contract pages need besides the contract."""

from typing import NamedTuple

from statuary.base.primitives import checksum_address, is_hex_digits
from statuary.contracts.settings import Chain
from statuary.contracts.site_contracts import SiteContracts
from statuary.site.pages.page_texts import one_line
from statuary.site.pages.site_context import SiteContext, site_context
from statuary.site.site_content import SiteContent


class CallTarget(NamedTuple):
    """The address and RPC URL in the commands that readers can copy.

    `rpc` is empty if the reader's environment has to provide the URL.
    """

    address: str = ""
    rpc: str = ""


class ContractPageContext(NamedTuple):
    """Everything that a site's contract pages share: theme, texts, chains, links."""

    site: SiteContext
    chains: tuple[Chain, ...]
    addresses: frozenset[tuple[str, str]]  # chain and checksummed address of every contract with a page
    rules: tuple[tuple[str, str], ...] = ()  # name and rule of each check; empty in a fingerprint

    def without_templates(self) -> "ContractPageContext":
        """Return the context without the theme's templates, after one has failed."""
        return self._replace(site=self.site.without_templates())

    def chain_name(self, chain_id: str) -> str:
        """Return the name that pages show for a chain.

        This is the name in site.yaml, or the chain id if site.yaml does not list the chain.
        """
        chain = self._find_chain(chain_id)
        return one_line(chain.title) if chain else chain_id

    def call_target(self, chain_id: str, address: str) -> CallTarget:
        """Return the address and RPC URL for commands that readers can copy.

        The URL is the first public node of the chain in site.yaml.
        """
        chain = self._find_chain(chain_id)
        return CallTarget(address, chain.rpc[0] if chain and chain.rpc else "")

    def explorer_page_url(self, chain_id: str, page_kind: str, identifier: str) -> str:
        """Return the URL of a page in the chain's block explorer (EIP-3091).

        Args:
            page_kind: `address`, `tx` or `block`.
            identifier: the address, the transaction hash, or the block number.

        Returns:
            The URL; empty if site.yaml names no explorer for the chain.
        """
        explorer = self.explorer_url(chain_id)
        return (
            f"{explorer}/{page_kind}/{identifier}"
            if explorer and identifier.isascii() and identifier.isalnum()
            else ""
        )

    def explorer_url(self, chain_id: str) -> str:
        """Return the URL of a chain's block explorer.

        Returns:
            The URL; empty if site.yaml names no explorer for the chain.
        """
        chain = self._find_chain(chain_id)
        return chain.explorer if chain else ""

    def _find_chain(self, chain_id: str) -> Chain | None:
        return next((chain for chain in self.chains if chain.chain_id == chain_id), None)


def contract_page_context(site: SiteContent) -> ContractPageContext | None:
    """Return the settings that all pages about single contracts share.

    A site with files of many contracts (Parquet, JSON lines) has no such pages. The number of contracts is
    unknown before the files are read.

    Returns:
        The settings, or None if the site has no such pages.
    """
    contracts = site.content_of(SiteContracts)
    if not contracts.have_pages(site.pages):
        return None
    return ContractPageContext(
        site=site_context(site),
        chains=contracts.chains,
        addresses=frozenset(
            (source.chain_id, _checksummed_spelling(source.address)) for source in contracts.sources
        ),
    )


def _checksummed_spelling(address: str) -> str:
    """Spell an address as in paths, with its EIP-55 checksum.

    Any other string is unchanged.
    """
    is_address = address[:2] == "0x" and len(address) == 42 and is_hex_digits(address[2:])
    return checksum_address(address) if is_address else address
