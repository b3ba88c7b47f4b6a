"""Resolve a proxy on the chain as Sourcify does (MEASUREMENTS.md, proxies)."""

from collections.abc import Callable
from typing import Final

from statuary.base.json_values import Json
from statuary.base.primitives import Address, InvalidValueError, checksum_address
from statuary.contracts.model.abi import decode_abi_values, parse_abi_parameters
from statuary.contracts.model.proxy_detection import (
    BEACON_SLOT,
    DIAMOND,
    ProxyVerdict,
    find_proxy_evidence,
    proxy_slots,
)
from statuary.extensions.importing.evidence.ethereum_node import EthereumNode, RpcError

FACET_ADDRESSES: Final = "0x52ef6b2c"
"""The selector of `facetAddresses()`, which every diamond of EIP-2535 has."""

FACETS: Final = parse_abi_parameters([{"type": "address[]", "name": ""}])

BEACON_FUNCTIONS: Final = {
    "implementation()": "5c60da1b",
    "childImplementation()": "da525716",
    "masterCopy()": "a619486e",
    "comptrollerImplementation()": "bb82aa5e",
}
"""The functions that a beacon may have, with their selectors, in the order in which they are tried."""

NameOf = Callable[[Address], str | None]


def resolve_proxy(
    node: EthereumNode, address: Address, code: bytes, find_contract_name: NameOf
) -> Json | None:
    """Ask a node for the implementations of a proxy contract.

    A proxy forwards calls to other contracts, its implementations. If the code may be a diamond (EIP-2535, a
    proxy with several implementations, called facets), the node is asked for these facets first. If there are
    none, the storage slots of the other kinds of proxy are read.

    Args:
        node: the node to ask.
        address: the address of the proxy.
        code: the creation code of the contract, or its runtime code if the creation code is unknown.
        find_contract_name: a function that returns the name of the verified contract at an address, or None.

    Returns:
        The member `proxyResolution` of the record. None if the code alone shows whether the contract is a
        proxy, or if the node responds with an error.
    """
    evidence = find_proxy_evidence(code)
    if evidence.verdict is not ProxyVerdict.NEEDS_CHAIN:
        return None
    if DIAMOND in evidence.candidates:
        facets = _read_diamond_facets(node, address)
        if facets is not None:
            return _proxy_resolution_member(DIAMOND, facets, find_contract_name)
    try:
        for candidate in evidence.candidates:
            if target := _read_stored_implementation(node, address, candidate):
                return _proxy_resolution_member(candidate, [target], find_contract_name)
    except RpcError:
        return None
    return {"isProxy": False, "proxyType": None, "implementations": []}


def _proxy_resolution_member(
    proxy_type: str, implementation_addresses: list[Address], find_contract_name: NameOf
) -> Json:
    implementations: list[Json] = []
    for target in implementation_addresses:
        name = find_contract_name(target)
        implementations.append({"address": target} | ({} if name is None else {"name": name}))
    return {"isProxy": True, "proxyType": proxy_type, "implementations": implementations}


def _read_diamond_facets(node: EthereumNode, diamond: Address) -> list[Address] | None:
    """Ask a diamond, a proxy with several implementations, for its facets.

    Returns:
        The addresses; None if the contract is not a diamond.
    """
    try:
        returned = node.call_hex("eth_call", {"to": diamond, "data": FACET_ADDRESSES}, "latest")
        [facets] = decode_abi_values(FACETS, bytes.fromhex(returned[2:]))
    except (RpcError, InvalidValueError):
        return None
    return [checksum_address(f"0x{facet:040x}") for facet in facets]


def _read_stored_implementation(node: EthereumNode, proxy: Address, proxy_kind: str) -> Address | None:
    for slot in proxy_slots(proxy_kind, proxy):
        target = _parse_address_word(node.call_hex("eth_getStorageAt", proxy, slot, "latest"))
        if target is not None:
            return _read_beacon_implementation(node, target) if slot == f"0x{BEACON_SLOT}" else target
    return None


def _read_beacon_implementation(node: EthereumNode, beacon: Address) -> Address | None:
    for selector in BEACON_FUNCTIONS.values():
        try:
            word = node.call_hex("eth_call", {"to": beacon, "data": f"0x{selector}"}, "latest")
        except RpcError:  # the beacon has no such function
            continue
        if implementation := _parse_address_word(word):
            return implementation
    return None


def _parse_address_word(storage_word: str) -> Address | None:
    digits = storage_word[2:].zfill(64)[-40:]
    return checksum_address(f"0x{digits}") if digits.strip("0") else None
