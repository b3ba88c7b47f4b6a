"""The other inputs of contract pages, and the members that they show."""

from typing import NamedTuple

from statuary.base.primitives import checksum_address, is_hex_digits
from statuary.contracts.settings import Chain
from statuary.contracts.site_contracts import SiteContracts
from statuary.site.pages.page_texts import one_line
from statuary.site.pages.site_context import SiteContext, site_context
from statuary.site.site_content import SiteContent


class CallTarget(NamedTuple):
    """The arguments of a command: an address and a JSON-RPC URL.

    The URL may come from the reader's environment.
    """

    address: str = ""
    rpc: str = ""


class ContractPageContext(NamedTuple):
    """The inputs of contract pages other than the contract."""

    site: SiteContext
    chains: tuple[Chain, ...]
    addresses: frozenset[tuple[str, str]]  # chain and checksummed address of every contract with a page
    rules: tuple[
        tuple[str, str], ...
    ] = ()  # name and rule of each check; a fingerprint needs none, since they are part of the program

    def without_templates(self) -> "ContractPageContext":
        """Return the context with the package's own templates."""
        return self._replace(site=self.site.without_templates())

    def chain_name(self, chain_id: str) -> str:
        """Return the name of a chain."""
        chain = self._chain(chain_id)
        return one_line(chain.title) if chain else chain_id

    def call_target(self, chain_id: str, address: str) -> CallTarget:
        """Return the address and the RPC URL for a contract's command.

        It is the chain's first public JSON-RPC URL.
        """
        chain = self._chain(chain_id)
        return CallTarget(address, chain.rpc[0] if chain and chain.rpc else "")

    def explorer_page(self, chain_id: str, kind: str, value: str) -> str:
        """Return the explorer's URL of an `address`, `tx` or `block` (EIP-3091).

        Returns:
            The URL; empty if the chain has no explorer.
        """
        explorer = self.explorer(chain_id)
        return f"{explorer}/{kind}/{value}" if explorer and value.isascii() and value.isalnum() else ""

    def explorer(self, chain_id: str) -> str:
        """Return the URL of a chain's block explorer, if it has one."""
        chain = self._chain(chain_id)
        return chain.explorer if chain else ""

    def _chain(self, chain_id: str) -> Chain | None:
        return next((chain for chain in self.chains if chain.chain_id == chain_id), None)


def contract_page_context(site: SiteContent) -> ContractPageContext | None:
    """Return the context of contract pages.

    The number of contracts in bulk files is unknown before they are read, so these have no pages.

    Returns:
        None if contracts have no pages.
    """
    contracts = site.of(SiteContracts)
    if not contracts.have_pages(site.pages):
        return None
    return ContractPageContext(
        site=site_context(site),
        chains=contracts.chains,
        addresses=frozenset((source.chain_id, _spelled(source.address)) for source in contracts.sources),
    )


def _spelled(address: str) -> str:
    """Return an address as paths have it, with its EIP-55 checksum.

    Any other string is unchanged.
    """
    is_address = address[:2] == "0x" and len(address) == 42 and is_hex_digits(address[2:])
    return checksum_address(address) if is_address else address
