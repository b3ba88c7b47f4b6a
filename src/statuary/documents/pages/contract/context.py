"""What contract pages need besides the contract, and which members of a record they show."""

from collections.abc import Iterator
from typing import NamedTuple

from statuary.documents.pages.page_texts import one_line
from statuary.documents.pages.site_context import SiteContext, site_context
from statuary.domain.catalogue import Catalogue
from statuary.domain.contracts.abi import signature_hash, signature_text
from statuary.domain.contracts.record import ContractRow, RecordValue
from statuary.domain.json_values import Json, as_list, as_object, as_text
from statuary.domain.primitives import checksum_address, is_hex_digits
from statuary.domain.settings import Chain


class CallTarget(NamedTuple):
    """The arguments of a command: an address, and a JSON-RPC URL, or that of the reader's environment."""

    address: str = ""
    rpc: str = ""


class ContractPageContext(NamedTuple):
    """The inputs of contract pages besides the contract."""

    site: SiteContext
    chains: tuple[Chain, ...]
    known: frozenset[tuple[str, str]]  # chain and checksummed address of every contract with a page
    rules: tuple[
        tuple[str, str], ...
    ] = ()  # name and rule of each check; a fingerprint needs none, since they are part of the program

    def chain_name(self, chain_id: str) -> str:
        """Return the name of a chain."""
        chain = self._chain(chain_id)
        return one_line(chain.title) if chain else chain_id

    def call_target(self, chain_id: str, address: str) -> CallTarget:
        """Return the arguments of a command for the contract: its address, and the chain's first public JSON-RPC URL."""
        chain = self._chain(chain_id)
        return CallTarget(address, chain.rpc[0] if chain and chain.rpc else "")

    def explorer_page(self, chain_id: str, kind: str, value: str) -> str:
        """Return the page of an `address`, `tx` or `block` in the chain's explorer (EIP-3091); empty without one."""
        explorer = self.explorer(chain_id)
        return f"{explorer}/{kind}/{value}" if explorer and value.isascii() and value.isalnum() else ""

    def explorer(self, chain_id: str) -> str:
        """Return the URL of a chain's block explorer; empty without one."""
        chain = self._chain(chain_id)
        return chain.explorer if chain else ""

    def _chain(self, chain_id: str) -> Chain | None:
        return next((chain for chain in self.chains if chain.chain_id == chain_id), None)


def has_contract_pages(catalogue: Catalogue) -> bool:
    """Say whether each contract of a site has its own page."""
    return not catalogue.bulk and catalogue.pages.has_contract_pages(len(catalogue.contracts))


def contract_page_context(catalogue: Catalogue) -> ContractPageContext | None:
    """Return the context of contract pages; None if contracts have no pages.

    The number of contracts in bulk files is unknown before they are read, so these have no pages.
    """
    if not has_contract_pages(catalogue):
        return None
    return ContractPageContext(
        site=site_context(catalogue),
        chains=catalogue.chains,
        known=frozenset((source.chain_id, _spelled(source.address)) for source in catalogue.contracts),
    )


def _spelled(address: str) -> str:
    """Return an address with its EIP-55 checksum, as paths have it; anything else unchanged."""
    is_address = address[:2] == "0x" and len(address) == 42 and is_hex_digits(address[2:])
    return checksum_address(address) if is_address else address


MAX_NAME_LENGTH = 80
"""Characters of a name that lists show, and of a name in an ABI that can be searched for."""


def with_page_members(row: ContractRow, record: RecordValue) -> ContractRow:
    """Return a record's row with the members for pages and the search."""
    compilation = as_object(record.get("compilation"))
    version = as_text(compilation.get("compilerVersion")).partition("+")[0]
    signatures = dict.fromkeys(signatures_of(record.get("abi")))
    names = dict.fromkeys(signature.partition("(")[0] for signature in signatures)
    return row._replace(
        name=one_line(as_text(compilation.get("name")))[:MAX_NAME_LENGTH],
        language=one_line(f"{as_text(compilation.get('language'))} {version}")[:MAX_NAME_LENGTH],
        selectors=b"".join(dict.fromkeys(map(selector_of, signatures))),
        abi_names=" ".join(name for name in names if len(name) <= MAX_NAME_LENGTH),
    )


def signatures_of(abi: Json) -> Iterator[str]:
    """Yield the signature of each function, event and error."""
    for item in as_list(abi):
        text = signature_text(as_object(item)) if as_object(item).get("type") in SELECTOR_KINDS else None
        if text is not None:
            yield text


def selector_of(signature: str) -> bytes:
    """Return the first four bytes of a signature's hash."""
    return bytes.fromhex(signature_hash(signature)[2:10])


SELECTOR_KINDS = ("function", "event", "error")
