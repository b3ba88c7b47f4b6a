"""Read the implementation of a proxy from a node, in Sourcify's order (MEASUREMENTS.md, proxies)."""

from collections.abc import Callable
from typing import Final

from statuary.domain.contracts.bytecode.proxy_detection import (
    BEACON_SLOT,
    DIAMOND,
    ProxyVerdict,
    proxy_evidence,
    proxy_slots,
)
from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, checksum_address
from statuary.importing.ethereum_node import EthereumNode, RpcError

BEACON_FUNCTIONS: Final = {
    "implementation()": "5c60da1b",
    "childImplementation()": "da525716",
    "masterCopy()": "a619486e",
    "comptrollerImplementation()": "bb82aa5e",
}
"""The functions that a beacon may have, with their selectors, in the order in which they are tried."""

NameOf = Callable[[Address], str | None]


def resolve_proxy(node: EthereumNode, address: Address, code: bytes, name_of: NameOf) -> Json | None:
    """Return the members of `proxyResolution` from the chain's present state.

    Args:
        code: its creation code, or its runtime code if the creation code is unknown.
        name_of: returns the name of a verified contract on the same chain, or None.

    Returns:
        None if the code alone decides, if the contract is a diamond (its facets are not read), or if the
        node responds with an error.
    """
    evidence = proxy_evidence(code)
    if evidence.verdict is not ProxyVerdict.NEEDS_CHAIN or DIAMOND in evidence.candidates:
        return None
    try:
        for candidate in evidence.candidates:
            if found := _implementation(node, address, candidate):
                name = name_of(found)
                implementation = {"address": found} | ({} if name is None else {"name": name})
                return {"isProxy": True, "proxyType": candidate, "implementations": [implementation]}
    except RpcError:
        return None
    return {"isProxy": False, "proxyType": None, "implementations": []}


def _implementation(node: EthereumNode, address: Address, candidate: str) -> Address | None:
    for slot in proxy_slots(candidate, address):
        found = _address_in_word(node.call_hex("eth_getStorageAt", address, slot, "latest"))
        if found is not None:
            return _beacon_implementation(node, found) if slot == f"0x{BEACON_SLOT}" else found
    return None


def _beacon_implementation(node: EthereumNode, beacon: Address) -> Address | None:
    for selector in BEACON_FUNCTIONS.values():
        try:
            word = node.call_hex("eth_call", {"to": beacon, "data": f"0x{selector}"}, "latest")
        except RpcError:  # the beacon has no such function
            continue
        if found := _address_in_word(word):
            return found
    return None


def _address_in_word(word: str) -> Address | None:
    """Return the address in a word of 32 bytes; None if it is zero."""
    digits = word[2:].zfill(64)[-40:]
    return checksum_address(f"0x{digits}") if digits.strip("0") else None
