"""Lists that upstream extends: a value that is not known here is published and said, unless bytes contradict it."""

import json

import orjson
import pytest

from statuary.contracts.checks.prove import CONTRACT_CHECKS, prove
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.proof import CheckOutcome, ClaimName, ClaimStatus
from statuary.contracts.model.record import sort_members_as_served, unknown_member_paths
from statuary.contracts.sources.parse_record import parse_record_json
from support.contracts import made_record
from support.forgeries import repeat
from support.requirements import CHECKOUT

YUL = CHECKOUT / "content/contracts/748463/0x0217960F13aFc1c77313E1158139960f9831FF0c.json"
LATER = "0.9.9+commit.12345678"

OPEN, SAID, CONTRADICTED = "not shown", "said", "contradicted"
"""The record is not confirmed; it is, and a note names the value; it is withheld."""


def bare(**compilation):
    """A record whose code has no trace of its compiler."""
    record = json.loads(YUL.read_bytes())
    record["compilation"] |= compilation
    repeat(record)
    return record


def hashed(**compilation):
    record = made_record()
    record["compilation"] |= compilation
    repeat(record)
    return record


def with_item(record, item):
    record["abi"] = [*(record["abi"] or []), item]
    repeat(record)
    return record


def with_step(record, onchain=None, **step):
    """A record whose runtime transformations have one more, and which may have other code on the chain."""
    side = record["runtimeBytecode"]
    side["transformations"] = [*side["transformations"], {"offset": 0, "type": "replace"} | step]
    side["onchainBytecode"] = onchain or side["onchainBytecode"]
    return record


def with_members(record, *path, **members):
    holder = record
    for name in path:
        holder = holder[name]
    holder |= members
    return record


PROXY = {"isProxy": True, "implementations": [{"address": "0x" + "11" * 20}]}

RECORDS = {
    "a known language": (bare(), SAID, ""),
    "a language": (bare(language="Solar", compiler="solar"), OPEN, "the language 'Solar' is not known here"),
    "a compiler": (bare(compiler="solx"), OPEN, "the compiler 'solx' is not known here"),
    "a compiler of another language": (bare(compiler="vyper"), CONTRADICTED, "is not compiled by 'vyper'"),
    "a sentence as a language": (
        bare(language="Yul, audited"),
        CONTRADICTED,
        "is not the name of a language",
    ),
    "a compiler that the code denies": (hashed(compiler="solx"), CONTRADICTED, "the code names solc"),
    "a language that the code denies": (
        hashed(language="Solar", compiler="solar"),
        CONTRADICTED,
        "names solc",
    ),
    "a later release": (
        bare(compilerVersion=LATER),
        SAID,
        f"the release of solc '{LATER}' is not known here",
    ),
    "a release that never was": (bare(compilerVersion="0.6.13+commit.12345678"), CONTRADICTED, "there is no"),
    "an item of an ABI": (
        with_item(bare(language="Solar", compiler="solar"), {"type": "modifier", "name": "a"}),
        OPEN,
        "the type of an ABI item 'modifier' is not known here",
    ),
    "an item that solc never wrote": (
        with_item(hashed(), {"type": "audit"}),
        CONTRADICTED,
        "is not a known type of",
    ),
    "a reason that explains nothing more": (
        with_step(bare(), reason="blueprint"),
        CONTRADICTED,
        "'blueprint' is not one of",
    ),
    "a reason that may explain the code": (
        with_step(bare(), onchain="0x6001", reason="blueprint"),
        OPEN,
        "the transformation 'blueprint' is not known here",
    ),
    "a type that may explain the code": (
        with_step(bare(), onchain="0x6001", reason="immutable", type="xor"),
        OPEN,
        "the transformation 'xor' is not known here",
    ),
    "a member": (with_members(bare(), blueprint=None), SAID, "the member 'blueprint' is not known here"),
    "a member of a group": (
        with_members(bare(), "deployment", factory=None),
        SAID,
        "the member 'deployment.factory' is not known here",
    ),
    "a type of proxy": (
        with_members(bare(), proxyResolution=PROXY | {"proxyType": "NewProxy"}),
        SAID,
        "the proxy type 'NewProxy' is not known here",
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_unknown_value_gives_note_or_error(name):
    record, answer, message = RECORDS[name]
    proof = prove(parse_record_json(orjson.dumps(record), "record.json").record)
    messages = [finding.message for finding in proof.findings]
    assert any(message in one for one in messages) or not message, messages
    assert proof.has_no_errors is (answer != CONTRADICTED), messages
    consistent = proof.find_claim(ClaimName.CONSISTENT).status
    expected = {
        OPEN: ClaimStatus.NOT_SHOWN,
        SAID: ClaimStatus.VERIFIED,
        CONTRADICTED: ClaimStatus.CONTRADICTED,
    }
    assert consistent is expected[answer]
    assert (proof.verdict.sentences[0].key == "verdict_not_known") is (answer == OPEN)
    if answer != CONTRADICTED:
        unknown = [result for result in proof.results if result.outcome is CheckOutcome.NOT_KNOWN]
        assert bool(unknown) is (answer == OPEN)


def test_unknown_language_exact_match_is_undecided():
    record = bare(language="Solar", compiler="solar")
    record |= {"runtimeMatch": "exact_match", "match": "exact_match"}
    proof = prove(record)
    assert proof.has_no_errors
    assert proof.verdict.status is ClaimStatus.NOT_SHOWN


def test_unknown_members_are_listed_sorted():
    names = "hgfedcba"
    assert [*unknown_member_paths(made_record() | dict.fromkeys(names, 1))] == [
        (name,) for name in sorted(names)
    ]


def test_unknown_members_keep_order():
    canonical = {"audit": 1} | made_record()
    assert sort_members_as_served(canonical) is canonical
    shuffled = {name: canonical[name] for name in reversed(canonical)}
    assert [*sort_members_as_served(shuffled)] == [*made_record(), "audit"]


@pytest.mark.parametrize(
    ("version", "settings", "answer"),
    [
        ("0.3.10+commit.91361694", {"optimize": "gas", "evmVersion": "shanghai"}, ""),
        ("0.3.10+commit.91361694", {"optimize": True}, ""),
        ("0.3.10+commit.91361694", {"optimize": 1}, "takes no optimize 1"),
        ("0.3.10+commit.91361694", {"optimize": "audited"}, "takes no optimize 'audited'"),
        ("0.3.10+commit.91361694", {"evmVersion": "prague"}, "takes no evmVersion 'prague'"),
        ("0.4.3+commit.bff19ea2", {"evmVersion": "prague"}, ""),
        ("0.3.7+commit.6020b8bb", {"optimize": "audited"}, ""),  # any word switches it on
        ("0.9.0+commit.12345678", {"optimize": "gas"}, ""),
        ("0.9.0+commit.12345678", {"optimize": "O4"}, "the setting optimize 'O4' is not known here"),
    ],
)
def test_vyper_accepts_known_settings(version, settings, answer):
    compilation = {"language": "Vyper", "compiler": "vyper", "compilerVersion": version}
    view = RecordView({"compilation": compilation | {"compilerSettings": settings}})
    [check] = [one for one in CONTRACT_CHECKS if one.name == "refused-setting"]
    [result] = check.check_records([view])
    messages = [finding.message for finding in result.findings]
    assert len(messages) == bool(answer)
    assert answer in "".join(messages)
