"""What code and storage under a block show of a contract's `proxyResolution`."""

from collections.abc import Mapping
from typing import NamedTuple

from statuary.checks.contracts.json_comparison import as_object
from statuary.checks.contracts.record_view import RecordView
from statuary.domain.chain.anchor import Account, Anchor, word_in_slot
from statuary.domain.contracts.bytecode.proxy_detection import (
    BEACON_SLOT,
    ProxyVerdict,
    proxy_evidence,
    proxy_slots,
)
from statuary.domain.contracts.proof import NO_EVIDENCE, EvidenceValue
from statuary.domain.json_values import Json
from statuary.domain.primitives import checksum_address


class AnchoredProxy(NamedTuple):
    """What the chain shows of a contract's implementation."""

    is_shown: bool  # whether it agrees with the record
    evidence: Mapping[str, EvidenceValue] = NO_EVIDENCE  # the slot and the address in it


def anchored_proxy(record: RecordView, account: Account, anchor: Anchor) -> AnchoredProxy:
    """Return what the chain shows of a contract whose code is shown.

    Raises:
        EvidenceError: if a storage proof does not hold.
    """
    resolution = as_object(record.value.get("proxyResolution"))
    found = proxy_evidence(record.runtime.onchain or b"")
    if found.verdict is ProxyVerdict.NOT_PROXY:
        return AnchoredProxy(resolution.get("isProxy") is False)
    if found.verdict is ProxyVerdict.EIP_1167_PROXY:
        clone_of = str(found.implementation)
        return AnchoredProxy(_named(resolution) == [clone_of], {"implementation": clone_of})
    slots = [slot for kind in found.candidates for slot in proxy_slots(kind, record.address)]
    return _in_storage(slots, account, anchor, resolution)


def _in_storage(
    slots: list[str], account: Account, anchor: Anchor, resolution: Mapping[str, Json]
) -> AnchoredProxy:
    """Return what the first slot in use shows."""
    if not slots or not set(slots) <= anchor.storage.keys():
        return AnchoredProxy(is_shown=False)
    words = {slot: word_in_slot(account, slot, anchor.storage[slot]) for slot in slots}
    for slot, word in words.items():
        if word:
            return _in_slot(slot, word, _named(resolution))
    return AnchoredProxy(resolution.get("isProxy") is False)


def _named(resolution: Mapping[str, Json]) -> list[Json]:
    return [as_object(one).get("address") for one in resolution.get("implementations") or []]


def _in_slot(slot: str, word: int, named: list[Json]) -> AnchoredProxy:
    address = checksum_address(f"0x{word % (1 << 160):040x}")
    if slot == f"0x{BEACON_SLOT}":
        # what the beacon returns depends on its code
        return AnchoredProxy(is_shown=False, evidence={"beaconSlot": slot, "beacon": address})
    return AnchoredProxy(named == [address], {"implementationSlot": slot, "implementation": address})
