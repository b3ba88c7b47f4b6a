"""Marks of proxies, held against the disassembler that Sourcify uses, and what follows from them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.contracts.model.proxy_detection import (
    BEACON_SLOT,
    ProxyVerdict,
    find_proxy_evidence,
    find_proxy_patterns,
    has_delegatecall,
    proxy_resolution_from_bytecode,
    proxy_slots,
)
from support.strategies import steady

ANSWERS = [
    json.loads(line) for line in (Path(__file__).parent / "whatsabi_marks.jsonl").read_text().splitlines()
]
"""Random programs, and what @shazow/whatsabi 0.26.0 finds in them."""

IMPLEMENTATION = "be" * 20
CLONE = bytes.fromhex(f"363d3d373d3d3d363d73{IMPLEMENTATION}5af43d82803e903d91602b57fd5bf3")
CLONE_CREATION = bytes.fromhex("3d602d80600a3d3981f3") + CLONE
EIP_1967 = bytes.fromhex("7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5400")


def test_recorded_responses_cover_every_kind():
    assert len(ANSWERS) > 200
    assert {row["isFactory"] for row in ANSWERS} == {True, False}
    assert len({name for row in ANSWERS for name, _ in row["proxies"]}) == 7


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: row["code"][2:26])
def test_proxy_patterns_match_whatsabi(row):
    marks = find_proxy_patterns(bytes.fromhex(row["code"][2:]))
    assert marks.is_factory == row["isFactory"]
    found = [name for name, address in row["proxies"] if not address]
    # whatsabi up to 0.27 cut off metadata by its stated length even if it was not CBOR, and so found fewer
    # proxies
    assert list(marks.candidates)[: len(found)] == found
    assert not found or list(marks.candidates) == found
    # whatsabi reads other bytes of a constant that is shorter than an address, but no clone pushes such a
    # constant
    long_enough = [address for _, address in row["proxies"] if address and not address.startswith("0x0000")]
    assert ["0x" + address.hex() for address in marks.fixed if address[:2] != b"\0\0"] == long_enough


DEPLOY = "6001 60{:02x} 5f 39 f3"
"""Copies the code from an offset on to the beginning of the memory, and returns it."""


def deploying(constructor: str, runtime: str) -> bytes:
    """Return the code of a constructor that returns the code behind it."""
    before = bytes.fromhex(constructor)
    return before + bytes.fromhex(DEPLOY.format(len(before) + 7)) + bytes.fromhex(runtime)


@pytest.mark.parametrize(
    ("constructor", "is_factory"),
    [
        ("f0", False),  # CREATE: what only the constructor does, the contract does not
        ("f0 35 00 5b", False),  # CREATE CALLDATALOAD STOP JUMPDEST: another function read the call data
        ("f0 35 5b", True),  # without STOP it is the same function, which no constructor is
    ],
)
def test_constructor_is_distinguished_from_contract(constructor, is_factory):
    assert find_proxy_patterns(deploying(constructor, "6000 00")).is_factory == is_factory


def test_data_may_precede_deployed_code():
    """The constructor ends at RETURN; POP stands for a byte of data before the code that is returned."""
    code = bytes.fromhex("f0" + DEPLOY.format(9) + "50" + "6000 00")
    assert not find_proxy_patterns(code).is_factory


def test_pattern_in_constructor_is_kept():
    slot = EIP_1967[:-2].hex()
    assert find_proxy_patterns(deploying(f"{slot} 50", "6000 00")).candidates == ("EIP1967Proxy",)


@pytest.mark.parametrize("code", [CLONE, CLONE_CREATION])
def test_clone_evidence_names_implementation(code):
    evidence = find_proxy_evidence(code)
    assert evidence.verdict is ProxyVerdict.EIP_1167_PROXY
    assert evidence.implementation.lower() == "0x" + IMPLEMENTATION


@steady
@given(st.binary(min_size=20, max_size=20))
def test_clone_pattern_matches_any_implementation(implementation):
    for code in (CLONE, CLONE_CREATION):
        other = code.replace(bytes.fromhex(IMPLEMENTATION), implementation)
        marks = find_proxy_patterns(other)
        assert (marks.is_factory, marks.fixed) == (False, (implementation,))
        assert find_proxy_evidence(other).implementation.lower() == "0x" + implementation.hex()


def test_pushed_slot_needs_chain_storage():
    evidence = find_proxy_evidence(EIP_1967)
    assert (evidence.verdict, evidence.candidates) == (ProxyVerdict.NEEDS_CHAIN, ("EIP1967Proxy",))


@pytest.mark.parametrize(
    "code",
    [
        b"",
        bytes.fromhex("6001600255"),
        bytes.fromhex("5b5f5f5ff0") + EIP_1967,  # a factory
        CLONE[:-1],
        bytes.fromhex(
            "365f5f375f5f365f73" + IMPLEMENTATION + "5af43d5f5f3e5f3d91602a57fd5bf3"
        ),  # PUSH0 clones
    ],
)
def test_other_code_is_not_proxy(code):
    assert find_proxy_evidence(code).verdict is ProxyVerdict.NOT_PROXY


@steady
@given(st.binary(max_size=300))
def test_arbitrary_bytes_get_proxy_verdict(data):
    assert find_proxy_evidence(data).verdict in ProxyVerdict


ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"


@pytest.mark.parametrize(
    ("proxy_type", "slots"),
    [
        ("GnosisSafeProxy", ["0x" + "00" * 32]),
        ("SequenceWalletProxy", ["0x" + "00" * 12 + ADDRESS[2:].lower()]),
        ("DiamondProxy", []),
        ("EIP1167Proxy", []),
        ("PROXIABLEProxy", ["0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7"]),
    ],
)
def test_proxy_type_decides_slots(proxy_type, slots):
    assert proxy_slots(proxy_type, ADDRESS) == slots


def test_eip1967_proxy_may_use_two_slots():
    slots = proxy_slots("EIP1967Proxy", ADDRESS)
    assert f"0x{BEACON_SLOT}" in slots
    assert EIP_1967[1:33].hex() in {slot[2:] for slot in slots}


def test_resolution_follows_from_decisive_bytecode():
    implementation = find_proxy_evidence(CLONE).implementation
    clone = {"isProxy": True, "proxyType": "EIP1167Proxy", "implementations": [{"address": implementation}]}
    assert proxy_resolution_from_bytecode(CLONE) == proxy_resolution_from_bytecode(CLONE_CREATION) == clone
    plain = {"isProxy": False, "proxyType": None, "implementations": []}
    assert proxy_resolution_from_bytecode(bytes.fromhex("6001600255")) == plain
    assert proxy_resolution_from_bytecode(EIP_1967) is None


def test_clone_behind_other_constructor_is_found():
    """The constructor is not one of the usual two, so the code is disassembled."""
    creation = bytes.fromhex("602d600b5f39602d5ff3fe") + CLONE
    evidence = find_proxy_evidence(creation)
    assert (evidence.verdict, evidence.implementation) == (
        ProxyVerdict.EIP_1167_PROXY,
        find_proxy_evidence(CLONE).implementation,
    )


MATIC_SLOT = bytes.fromhex("baab7dbf64751104133af04abc7d9979f0fda3b059a322a8333f533d3f32bf7f")
MATIC_NAME = b"matic.network.proxy.implementation"
PROGRAM = bytes.fromhex("60805250fe")
METADATA = bytes.fromhex("a164736f6c6343000606000a")
"""solc 0.6.6 in CBOR, with its length."""


@pytest.mark.parametrize(
    "code",
    [
        b"\x7f" + MATIC_SLOT + b"\x54\x00",
        PROGRAM + MATIC_NAME,
        PROGRAM + MATIC_SLOT,
        PROGRAM + b"some data" + MATIC_NAME + b"\xff" * 30 + METADATA,
        # metadata, followed by constructor arguments or by nothing
        PROGRAM + MATIC_SLOT + METADATA + bytes(12) + b"\x22" * 20,
        PROGRAM + MATIC_SLOT + METADATA,
    ],
)
def test_polygon_proxy_is_candidate(code):
    evidence = find_proxy_evidence(code)
    assert (evidence.verdict, evidence.candidates) == (ProxyVerdict.NEEDS_CHAIN, ("MaticProxy",))
    assert proxy_slots("MaticProxy", ADDRESS) == [f"0x{MATIC_SLOT.hex()}"]


def test_slot_inside_metadata_is_ignored():
    piece = b"\xa1\x64note\x58\x20" + MATIC_SLOT
    code = PROGRAM + piece + len(piece).to_bytes(2, "big")
    assert find_proxy_evidence(code).verdict is ProxyVerdict.NOT_PROXY


@pytest.mark.parametrize("arguments", [b"\x00", b"\x01" * 64, CLONE, EIP_1967])
def test_clone_may_be_followed_by_arguments(arguments):
    evidence = find_proxy_evidence(CLONE + arguments)
    assert (evidence.verdict, evidence.is_plain_clone) == (ProxyVerdict.EIP_1167_PROXY, False)
    assert evidence.implementation.lower() == f"0x{IMPLEMENTATION}"
    assert find_proxy_evidence(CLONE).is_plain_clone


@pytest.mark.parametrize(
    ("code", "does"),
    [("f4", True), ("60f4", False), ("60f4f4", True), ("7f" + "f4" * 32, False), ("00", False)],
)
def test_only_instructions_count_as_delegatecall(code, does):
    assert has_delegatecall(bytes.fromhex(code)) is does


@pytest.mark.parametrize("code", [b"\x5b" + CLONE + b"\x00", CLONE[:-1] + b"\x00", CLONE[1:] + b"\x00"])
def test_clone_elsewhere_is_not_proxy(code):
    assert find_proxy_evidence(code).verdict is not ProxyVerdict.EIP_1167_PROXY
