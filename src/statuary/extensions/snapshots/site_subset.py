"""Select a part of a site with `--only`.

The part has the same documents as the whole site, byte for byte: its lists still name contracts that the
part does not contain.
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import orjson

from statuary.base.files import PublishingError
from statuary.base.primitives import InvalidValueError, parse_address, parse_chain_id
from statuary.contracts import urls as contract_urls
from statuary.contracts.paths import plain_path
from statuary.site import urls as site_urls
from statuary.site.document import uncompressed_path
from statuary.system.files import MAX_FILE, read_named_file

CONTRACT_ROOTS = frozenset(
    url.pattern.partition("/")[0] for url in (contract_urls.CHAINS, *contract_urls.CONTRACT_URLS)
)
"""First names of the paths that `contracts` means; `status` is everything else."""

SHARED_ROOTS = frozenset(
    url.pattern.partition("/")[0] for url in (site_urls.STYLE, site_urls.API_PAGE, site_urls.NOT_FOUND_PAGE)
)
"""First names of paths that every part has: files of pages, and pages about the site."""

CONTRACT_PREFIXES = "|".join(url.prefix for url in contract_urls.CONTRACT_URLS)
CHAIN_PATH = re.compile(
    rf"(?:{CONTRACT_PREFIXES}|{contract_urls.CONTRACTS.prefix}|{contract_urls.CONTRACTS_PAGES.prefix})(\d+)(?:/.*)?"
)
CONTRACT_PATH = re.compile(
    rf"(?:{CONTRACT_PREFIXES})(\d+|all-chains)/(0x[0-9a-fA-F]{{40}})(?:\.json|\.html)?"
)

ANY_CHAIN = ""
"""The chain id of an address that is selected on every chain."""


class SubsetContract(NamedTuple):
    """A contract that `--only` names."""

    chain_id: str  # the id of a chain, or `ANY_CHAIN`
    address: str  # in lower case


class SiteSubset(NamedTuple):
    """The parts of a site that `--only` selects."""

    texts: tuple[str, ...] = ()  # the subset as stated in a manifest
    contracts: bool = False  # whether the subset includes everything about contracts
    status: bool = False  # whether the subset includes everything that is not about contracts
    chains: frozenset[str] = frozenset()
    contracts_listed: frozenset[SubsetContract] = frozenset()

    def includes(self, path: str, content: bytes) -> bool:
        """Return whether the option `--only` selects a document of the site.

        Args:
            path: the path of the document.
            content: the bytes of the document, which may name the chains that it is about.
        """
        path = plain_path(uncompressed_path(path))
        first_segment = path.partition("/")[0]
        if not self.texts or first_segment in SHARED_ROOTS:
            return True
        if first_segment not in CONTRACT_ROOTS:
            return self.status
        if first_segment == contract_urls.CHAINS.pattern:
            return bool(self.contracts or self.chains or self.contracts_listed)
        return self.contracts or self._includes_chain_document(path, content) or self._includes_contract(path)

    def _includes_chain_document(self, path: str, content: bytes) -> bool:
        match = CHAIN_PATH.fullmatch(path)
        if match is not None:
            return match[1] in self.chains
        return path.startswith(contract_urls.CONTRACT_ALL_CHAINS.prefix) and not self.chains.isdisjoint(
            _find_chains_in_results(content)
        )

    def _includes_contract(self, path: str) -> bool:
        match = CONTRACT_PATH.fullmatch(path) if self.contracts_listed else None
        if match is None:
            return False
        chain, address = match[1], match[2].lower()
        if chain == "all-chains":
            return any(contract.address == address for contract in self.contracts_listed)
        return not self.contracts_listed.isdisjoint({(chain, address), (ANY_CHAIN, address)})


WHOLE_SITE = SiteSubset()


def _find_chains_in_results(lookup_document: bytes) -> set[str]:
    try:
        return {result["chainId"] for result in orjson.loads(lookup_document)["results"]}
    except (ValueError, KeyError, TypeError):
        return set()


def parse_site_subset(option_values: Iterable[str]) -> SiteSubset:
    """Parse the values of `--only`: which parts of a site to copy.

    For example, `chain=1` selects the contracts on Ethereum.

    Args:
        option_values: `contracts`, `status`, `chain=<id>`, or `address-list=<file>`. Each line of the file is
            `<address>` or `<chainId>/<address>`; empty lines and lines that begin with `#` are ignored.

    Raises:
        PublishingError: if a value is invalid, or an address list cannot be read.
    """
    values: dict[str, list[str]] = {}
    for text in option_values:
        name, _, value = text.partition("=")
        if PARTS.get(name) != bool(value):
            raise PublishingError(
                f"--only {text!r} does not name a part of a site",
                "use contracts, status, chain=<id> or address-list=<file>",
            )
        values.setdefault(name, []).append(value)
    try:
        chains = frozenset(map(parse_chain_id, values.get("chain", ())))
        lists = [_read_address_list(Path(file)) for file in values.get("address-list", ())]
        listed_contracts = frozenset(_parse_contract_line(line) for lines in lists for line in lines)
    except InvalidValueError as error:
        raise PublishingError(f"--only: {error}", error.hint) from None
    plain = {name for name in values if not PARTS[name]}
    return SiteSubset(
        texts=tuple(
            sorted(
                plain | {f"chain={chain}" for chain in chains} | _make_address_list_names(listed_contracts)
            )
        ),
        contracts="contracts" in values,
        status="status" in values,
        chains=chains,
        contracts_listed=listed_contracts,
    )


PARTS = {"contracts": False, "status": False, "chain": True, "address-list": True}
"""The parts of a site, and whether each has a value."""


def _make_address_list_names(contracts: frozenset[SubsetContract]) -> set[str]:
    """Return the name of the contract list that limits a snapshot.

    The name is a hash of the addresses, and part of the manifest. The set is empty if there are none.
    """
    text = "".join(f"{chain}/{address}\n" for chain, address in sorted(contracts))
    return {f"address-list=sha256:{sha256(text.encode()).hexdigest()}"} if contracts else set()


def _read_address_list(address_list: Path) -> list[str]:
    try:
        lines = (
            line.strip() for line in read_named_file(address_list, MAX_FILE).decode("utf-8").splitlines()
        )
    except (OSError, UnicodeDecodeError) as error:
        raise PublishingError(f"the address list {address_list} cannot be read: {error}") from None
    return [line for line in lines if line and not line.startswith("#")]


def _parse_contract_line(contract_line: str) -> SubsetContract:
    chain, _, address = contract_line.rpartition("/")
    return SubsetContract(parse_chain_id(chain) if chain else ANY_CHAIN, parse_address(address).lower())
