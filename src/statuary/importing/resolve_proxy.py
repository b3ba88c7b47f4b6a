"""What the chain answers about a proxy, asked in the order in which Sourcify asks (contract-api measurement 6)."""

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
"""The selectors of what a beacon may call its implementation, in the order in which they are tried."""

SAFE: Final = "GnosisSafeProxy"
SEQUENCE: Final = "SequenceWalletProxy"
DIAMOND: Final = "DiamondProxy"

NameOf = Callable[[Address], str | None]


def resolve_proxy(node: EthereumNode, address: Address, code: bytes, name_of: NameOf) -> Json | None:
    """Return the members of `proxyResolution` as the chain answers now; None if code decides, or nothing could be asked.

    A diamond's facets are not asked for.

    Args:
        node: a node of the contract's chain.
        address: the contract's.
        code: its creation code, or its runtime code if that is not known.
        name_of: the name of a contract that is verified on the same chain; None if it is not.
    """
    evidence = proxy_evidence(code)
    if evidence.verdict is not ProxyVerdict.NEEDS_CHAIN or DIAMOND in evidence.candidates:
        return None
    try:
        for candidate in evidence.candidates:
            if found := _implementation(node, address, candidate):
                return {"isProxy": True, "proxyType": candidate, "implementations": [_named(found, name_of)]}
    except RpcError:
        return None
    return {"isProxy": False, "proxyType": None, "implementations": []}


def _implementation(node: EthereumNode, address: Address, candidate: str) -> Address | None:
    for slot in _slots(candidate, address):
        held = _address(node.hex("eth_getStorageAt", address, f"0x{slot}", "latest"))
        if held is not None:
            return _of_beacon(node, held) if slot == BEACON_SLOT else held
    return None


def _slots(candidate: str, address: Address) -> list[str]:
    """Return where a kind of proxy keeps its implementation, as 32 bytes of hex."""
    if candidate == SAFE:
        return [f"{0:064x}"]
    if candidate == SEQUENCE:
        return [address[2:].lower().zfill(64)]
    return [slot for slot, kind in SLOTS.items() if kind == candidate]


def _of_beacon(node: EthereumNode, beacon: Address) -> Address | None:
    for selector in BEACON_FUNCTIONS.values():
        try:
            answer = node.hex("eth_call", {"to": beacon, "data": f"0x{selector}"}, "latest")
        except RpcError:  # the beacon has no such function
            continue
        if found := _address(answer):
            return found
    return None


def _address(word: str) -> Address | None:
    """Return the address in a word of 32 bytes; None if it is zero."""
    digits = word[2:].zfill(64)[-40:]
    return checksum_address(f"0x{digits}") if digits.strip("0") else None


def _named(address: Address, name_of: NameOf) -> dict[str, Json]:
    name = name_of(address)
    return {"address": address} if name is None else {"address": address, "name": name}
