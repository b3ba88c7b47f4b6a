"""Marks of proxies, held against the disassembler that Sourcify uses, and what follows from them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.contracts.model.proxy_detection import (
    BEACON_SLOT,
    ProxyVerdict,
    proxy_evidence,
    proxy_marks,
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
def test_proxy_marks_match_whatsabi(row):
    marks = proxy_marks(bytes.fromhex(row["code"][2:]))
    assert marks.is_factory == row["isFactory"]
    assert list(marks.candidates) == [name for name, address in row["proxies"] if not address]
    # of constants shorter than an address whatsabi keeps other bytes, which no clone has
    long_enough = [address for _, address in row["proxies"] if address and not address.startswith("0x0000")]
    assert ["0x" + address.hex() for address in marks.fixed if address[:2] != b"\0\0"] == long_enough


@pytest.mark.parametrize("code", [CLONE, CLONE_CREATION])
def test_clone_evidence_names_implementation(code):
    evidence = proxy_evidence(code)
    assert evidence.verdict is ProxyVerdict.EIP_1167_PROXY
    assert evidence.implementation.lower() == "0x" + IMPLEMENTATION


@steady
@given(st.binary(min_size=20, max_size=20))
def test_clone_marks_match_any_implementation(implementation):
    for code in (CLONE, CLONE_CREATION):
        other = code.replace(bytes.fromhex(IMPLEMENTATION), implementation)
        marks = proxy_marks(other)
        assert (marks.is_factory, marks.fixed) == (False, (implementation,))
        assert proxy_evidence(other).implementation.lower() == "0x" + implementation.hex()


def test_pushed_slot_needs_chain_storage():
    evidence = proxy_evidence(EIP_1967)
    assert (evidence.verdict, evidence.candidates) == (ProxyVerdict.NEEDS_CHAIN, ("EIP1967Proxy",))


@pytest.mark.parametrize(
    "code",
    [
        b"",
        bytes.fromhex("6001600255"),
        bytes.fromhex("5b5f5f5ff0") + EIP_1967,  # a factory
        CLONE[:-1],
        CLONE + b"\x00",
        bytes.fromhex(
            "365f5f375f5f365f73" + IMPLEMENTATION + "5af43d5f5f3e5f3d91602a57fd5bf3"
        ),  # PUSH0 clones
    ],
)
def test_other_code_is_not_proxy(code):
    assert proxy_evidence(code).verdict is ProxyVerdict.NOT_PROXY


@steady
@given(st.binary(max_size=300))
def test_any_bytes_get_verdict(data):
    assert proxy_evidence(data).verdict in ProxyVerdict


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
    implementation = proxy_evidence(CLONE).implementation
    clone = {"isProxy": True, "proxyType": "EIP1167Proxy", "implementations": [{"address": implementation}]}
    assert proxy_resolution_from_bytecode(CLONE) == proxy_resolution_from_bytecode(CLONE_CREATION) == clone
    plain = {"isProxy": False, "proxyType": None, "implementations": []}
    assert proxy_resolution_from_bytecode(bytes.fromhex("6001600255")) == plain
    assert proxy_resolution_from_bytecode(EIP_1967) is None


def test_clone_behind_other_constructor_is_found():
    """The constructor is not one of the usual two, so the code is disassembled."""
    creation = bytes.fromhex("602d600b5f39602d5ff3fe") + CLONE
    evidence = proxy_evidence(creation)
    assert (evidence.verdict, evidence.implementation) == (
        ProxyVerdict.EIP_1167_PROXY,
        proxy_evidence(CLONE).implementation,
    )
