"""The inputs of contract pages besides the contract."""

from collections.abc import Iterable
from typing import NamedTuple

from statuary.documents.pages.site_context import SiteContext, site_context
from statuary.documents.pages.visible_text import one_line
from statuary.domain.catalogue import Catalogue
from statuary.domain.primitives import checksum_address, is_hex_digits
from statuary.domain.rules import Rule


class ContractPageContext(NamedTuple):
    """The inputs of contract pages besides the contract.

    Attributes:
        chains: id and name.
        known: chain and checksummed address of every contract with a page.
        rules: name and rule of each check.
        explorers: id of a chain, and the URL of its block explorer.
    """

    site: SiteContext
    chains: tuple[tuple[str, str], ...]
    known: frozenset[tuple[str, str]]
    rules: tuple[tuple[str, str], ...] = ()
    explorers: tuple[tuple[str, str], ...] = ()

    def chain_name(self, chain_id: str) -> str:
        """Return the name of a chain."""
        return one_line(dict(self.chains).get(chain_id, chain_id))


def has_contract_pages(catalogue: Catalogue) -> bool:
    """Say whether each contract of a site has its own page."""
    return not catalogue.bulk and catalogue.pages.has_contract_pages(len(catalogue.contracts))


def contract_page_context(catalogue: Catalogue, rules: Iterable[Rule]) -> ContractPageContext | None:
    """Return the context of contract pages; None if contracts have no pages.

    The number of contracts in bulk files is unknown before they are read, so these have no pages.
    """
    if not has_contract_pages(catalogue):
        return None
    return ContractPageContext(
        site=site_context(catalogue),
        chains=tuple((chain.chain_id, chain.title) for chain in catalogue.chains),
        known=frozenset((source.chain_id, _spelled(source.address)) for source in catalogue.contracts),
        rules=tuple((rule.name, rule.sentence) for rule in rules),
        explorers=tuple((chain.chain_id, chain.explorer) for chain in catalogue.chains if chain.explorer),
    )


def _spelled(address: str) -> str:
    """Return the EIP-55 spelling of an address as a path names it; what is none as it is."""
    is_address = address[:2] == "0x" and len(address) == 42 and is_hex_digits(address[2:])
    return checksum_address(address) if is_address else address
