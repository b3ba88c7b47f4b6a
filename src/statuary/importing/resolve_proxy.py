"""Ask a node for the implementation of a proxy, in the order in which Sourcify asks (MEASUREMENTS.md, proxies)."""

from collections.abc import Callable
from typing import Final

from statuary.domain.contracts.bytecode.proxy_detection import SLOTS, ProxyVerdict, proxy_evidence
from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, checksum_address
from statuary.importing.ethereum_node import EthereumNode, RpcError

BEACON_SLOT: Final = "a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"

BEACON_FUNCTIONS: Final = {
    "implementation()": "5c60da1b",
    "childImplementation()": "da525716",
    "masterCopy()": "a619486e",
    "comptrollerImplementation()": "bb82aa5e",
}
"""The functions that a beacon may have, with their selectors, in the order in which they are tried."""

SAFE: Final = "GnosisSafeProxy"
SEQUENCE: Final = "SequenceWalletProxy"
DIAMOND: Final = "DiamondProxy"

NameOf = Callable[[Address], str | None]


def resolve_proxy(node: EthereumNode, address: Address, code: bytes, name_of: NameOf) -> Json | None:
    """Return the members of `proxyResolution` as the chain has them now.

    Args:
        node: a node of the contract's chain.
        address: the contract's.
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
    for slot in _slots(candidate, address):
        found = _address_in_word(node.call_hex("eth_getStorageAt", address, f"0x{slot}", "latest"))
        if found is not None:
            return _beacon_implementation(node, found) if slot == BEACON_SLOT else found
    return None


def _slots(candidate: str, address: Address) -> list[str]:
    """Return the storage slots of a proxy type, as 32 bytes of hex."""
    if candidate == SAFE:
        return [f"{0:064x}"]
    if candidate == SEQUENCE:
        return [address[2:].lower().zfill(64)]
    return [slot for slot, proxy_type in SLOTS.items() if proxy_type == candidate]


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
