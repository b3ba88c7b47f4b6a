"""What an anchor shows of a record: its code, its proxy's slots and the time of its block."""

from typing import Any

import pytest

from statuary.base.primitives import checksum_address
from statuary.base.reasons import EvidenceError
from statuary.contracts.chain.transaction import RecoverableSignature
from statuary.contracts.checks.anchor_claims import decide_chain_claims, recover_sender
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.proof import Claim, ClaimStatus, PinnedBy
from statuary.contracts.model.proxy_detection import BEACON_SLOT, proxy_slots
from support.contracts import ADDRESS
from support.made_anchors import LATER, anchor_of

SLOT = "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
CODE = f"0x7f{SLOT}545af4"
OTHER_CODE = "0x00f4"
IMPLEMENTATION = checksum_address("0x" + "be" * 20)
ELSEWHERE = checksum_address("0x" + "ee" * 20)
SLOTS = proxy_slots("EIP1967Proxy", ADDRESS)


def record(*implementations: str, code: str = CODE, **members: Any) -> dict[str, Any]:
    listed = [{"address": address} for address in implementations]
    resolution = {"isProxy": True, "proxyType": "EIP1967Proxy", "implementations": listed}
    side = {"onchainBytecode": code, "recompiledBytecode": code}
    return {
        "address": ADDRESS,
        "verifiedAt": "2026-11-20T12:00:00Z",
        "runtimeBytecode": side,
        "proxyResolution": resolution,
    } | members


def claim(value: dict[str, Any], *, code: str = CODE, **anchor: Any) -> Claim:
    return decide_chain_claims(RecordView(value), anchor_of("ab", ADDRESS, code, **anchor), "ab").claims[0]


def words(**changes: int) -> dict[str, int]:
    return {slot: changes.get(slot[2:], 0) for slot in SLOTS}


def test_slot_with_recorded_implementation_is_stated() -> None:
    found = claim(record(IMPLEMENTATION), slots=words(**{SLOT: int(IMPLEMENTATION, 16)}))
    assert found.status is ClaimStatus.STATED
    assert found.evidence["implementation"] == IMPLEMENTATION
    assert found.evidence["implementationSlot"] == f"0x{SLOT}"


def test_slot_with_wrong_implementation_contradicts() -> None:
    found = claim(record(ELSEWHERE), slots=words(**{SLOT: int(IMPLEMENTATION, 16)}))
    assert (found.status, found.reason.key) == (ClaimStatus.CONTRADICTED, "other_implementation_since")
    assert dict(found.reason.values)["address"] == IMPLEMENTATION


def test_older_block_does_not_contradict() -> None:
    """The implementation may have changed between the block and the verification."""
    value = record(ELSEWHERE)
    before = 1_700_000_000
    found = claim(value, slots=words(**{SLOT: int(IMPLEMENTATION, 16)}), time=before)
    assert found.status is ClaimStatus.STATED
    later = claim(
        value | {"verifiedAt": "no date"}, slots=words(**{SLOT: int(IMPLEMENTATION, 16)}), time=before
    )
    assert later.status is ClaimStatus.CONTRADICTED


def test_slot_bits_above_address_are_ignored() -> None:
    word = int(IMPLEMENTATION, 16) | 1 << 160
    assert claim(record(IMPLEMENTATION), slots=words(**{SLOT: word})).status is ClaimStatus.STATED


def test_beacon_slot_decides_no_implementation() -> None:
    """What a beacon returns depends on its code."""
    found = claim(record(ELSEWHERE), slots=words(**{BEACON_SLOT: int(IMPLEMENTATION, 16)}))
    assert found.status is ClaimStatus.STATED
    assert (found.evidence["beacon"], found.evidence["beaconSlot"]) == (IMPLEMENTATION, f"0x{BEACON_SLOT}")


def test_unproved_slot_confirms_no_proxy() -> None:
    found = claim(record(ELSEWHERE), slots={SLOTS[0]: int(IMPLEMENTATION, 16)})
    assert found.status is ClaimStatus.STATED
    assert "implementation" not in found.evidence


def test_changed_code_contradicts_on_chain_claim() -> None:
    found = claim(record(IMPLEMENTATION), code=OTHER_CODE)
    assert (found.status, found.reason.key) == (ClaimStatus.CONTRADICTED, "other_code_since")
    assert claim(record(IMPLEMENTATION), code="0x").status is not ClaimStatus.STATED


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("20999999", ClaimStatus.CONTRADICTED),
        ("21000000", ClaimStatus.CONTRADICTED),
        ("21000001", ClaimStatus.NOT_SHOWN),
        ("-1", ClaimStatus.CONTRADICTED),
        ("9" * 20, ClaimStatus.CONTRADICTED),
        ("\u0662", ClaimStatus.CONTRADICTED),
        ("", ClaimStatus.CONTRADICTED),
    ],
)
def test_block_before_deployment_contradicts_no_claim(block: str, expected: ClaimStatus) -> None:
    """A block number that cannot be one leaves the time of the verification."""
    value = record(IMPLEMENTATION, deployment={"blockNumber": block})
    found = claim(value, code=OTHER_CODE, number=21_000_000)
    assert found.status is expected
    assert (found.reason.key == "older_block") == (expected is ClaimStatus.NOT_SHOWN)


def test_block_at_verification_time_counts_later() -> None:
    value = record(IMPLEMENTATION, verifiedAt="2027-01-15T08:00:00Z")
    assert claim(value, code=OTHER_CODE, time=LATER).status is ClaimStatus.CONTRADICTED
    assert claim(value, code=OTHER_CODE, time=LATER - 1).status is ClaimStatus.NOT_SHOWN


def test_impossible_block_time_is_rejected() -> None:
    found = claim(record(IMPLEMENTATION), slots=words(), time=10**15)
    assert (found.status, found.reason.key) == (ClaimStatus.NOT_SHOWN, "number_too_large")


@pytest.mark.parametrize(
    ("is_vouched_for", "status", "pin"),
    [(True, ClaimStatus.VERIFIED, PinnedBy.CHAIN), (False, ClaimStatus.STATED, PinnedBy.STATED)],
)
def test_checkpoint_strengthens_evidence_for_code(
    is_vouched_for: bool, status: ClaimStatus, pin: PinnedBy
) -> None:
    anchor = anchor_of("ab", ADDRESS, CODE, slots=words(**{SLOT: int(IMPLEMENTATION, 16)}))
    assert anchor.block is not None
    checkpoints = {anchor.block.number: anchor.block.hash} if is_vouched_for else {}
    found = decide_chain_claims(RecordView(record(IMPLEMENTATION)), anchor, "ab", checkpoints)
    assert found.claims[0].status is status
    assert found.pinned == {"runtimeBytecode.onchainBytecode": pin}


@pytest.mark.parametrize("library", ["coincurve", "eth_keys"])
def test_library_recovers_sender(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    coincurve = pytest.importorskip("coincurve")
    pytest.importorskip(library)
    monkeypatch.setattr("statuary.contracts.checks.anchor_claims.RECOVERING_SENDERS", (library,))
    key, digest = coincurve.PrivateKey(b"\1" * 32), b"d" * 32
    compact = key.sign_recoverable(digest, hasher=None)
    sender = "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1"
    assert recover_sender(RecoverableSignature(digest, compact)) == sender
    assert recover_sender(RecoverableSignature(b"e" * 32, compact)) != sender
    with pytest.raises(EvidenceError, match="no_key"):
        recover_sender(RecoverableSignature(digest, b"\xff" * 64 + b"\0"))


def test_missing_chain_evidence_gives_reason() -> None:
    deployment = {"transactionHash": "0x", "blockNumber": "1", "transactionIndex": "0", "deployer": ADDRESS}
    value = record(IMPLEMENTATION, deployment=deployment)
    without = [one.reason.key for one in decide_chain_claims(RecordView(value), None, "ab").claims]
    assert without == ["no_account_proof", "no_signed_transaction"]
    no_code = decide_chain_claims(RecordView(record(code="0x")), anchor_of("ab", ADDRESS, "0x"), "ab").claims[
        0
    ]
    assert no_code.reason.key == "no_onchain_code"
    foreign = decide_chain_claims(RecordView(value), anchor_of("cd", ADDRESS, CODE), "ab").claims[0]
    assert foreign.reason.key == "other_anchor"
    incomplete = record(deployment=deployment | {"deployer": None})
    reason = decide_chain_claims(RecordView(incomplete), None, "ab").claims[1].reason
    assert (reason.key, dict(reason.values)) == ("no_deployment_member", {"member": "deployer"})
    assert decide_chain_claims(RecordView(record()), None, "ab").claims[1].reason.key == "no_transaction"
