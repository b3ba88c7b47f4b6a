"""Checks of records, each alone: what it finds, and what it leaves to others."""

import copy
import json
import re

import pytest

from statuary.base.primitives import keccak256
from statuary.contracts.checks import identity_checks
from statuary.contracts.checks.check import collect_contract_checks
from statuary.contracts.checks.metadata_checks import KeccakCache
from statuary.contracts.checks.prove import CONTRACT_CHECKS, prove
from statuary.contracts.checks.public_fact_checks import known_releases
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.proof import CheckOutcome, ClaimName, PinnedBy
from support.contracts import ADDRESS, PATH, made_record
from support.requirements import CHECKOUT

CHECKS = {check.name: check for check in CONTRACT_CHECKS}
IDENTITY = {check.name: check for check in collect_contract_checks(identity_checks)}
OTHER_ADDRESS = "0x" + "5A" * 20
CLONE = "363d3d373d3d3d363d73" + "11" * 20 + "5af43d82803e903d91602b57fd5bf3"
CLONE_OF = "0x" + "11" * 20
BEACON_CODE = "7fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50545af4"
VYPER_RECORD = CHECKOUT / "content/contracts/748463/0x93d8D6ae289d29B994266EAa0ab3A2195112519E.json"


def messages(check, record):
    [result] = CHECKS[check].check_records([RecordView(record)])
    return [finding.message for finding in result.findings]


def outcome(check, record):
    [result] = CHECKS[check].check_records([RecordView(record)])
    return result.outcome


def vyper_record():
    return json.loads(VYPER_RECORD.read_bytes())


def with_member(record, *path_and_value):
    """Return a copy of a record in which the member at a path has another value."""
    *path, last, value = path_and_value
    record = place = copy.deepcopy(record)
    for part in path:
        place = place[part]
    place[last] = value
    return record


# -- proxies


def resolved(is_proxy=True, proxy_type="EIP1167Proxy", *addresses):
    implementations = [{"address": address} for address in addresses]
    return {"isProxy": is_proxy, "proxyType": proxy_type, "implementations": implementations}


@pytest.mark.parametrize(
    "resolution",
    [
        None,
        {"proxyResolutionError": {"message": "no answer"}},
        resolved(False, None),
        resolved(True, "EIP1167Proxy", CLONE_OF),
        resolved(True, "DiamondProxy"),
        resolved(True, "DiamondProxy", CLONE_OF, ADDRESS),
    ],
)
def test_complete_proxy_resolution_passes_check(resolution):
    assert messages("incomplete-proxy-resolution", {"proxyResolution": resolution}) == []


@pytest.mark.parametrize(
    ("resolution", "message"),
    [
        (
            {"proxyResolutionError": {}, "isProxy": False},
            "a proxyResolution with an error has no other members",
        ),
        ({"isProxy": False, "proxyType": None}, "implementations is missing"),
        ({"proxyType": None, "implementations": []}, "isProxy is missing"),
        (resolved(False, "EIP1167Proxy"), "isProxy is false, but proxyType is 'EIP1167Proxy', with 0"),
        (resolved(False, None, CLONE_OF), "isProxy is false, but proxyType is null, with 1 implementations"),
        (resolved(True, None, CLONE_OF), "isProxy is true, but proxyType is null, with 1 implementations"),
        (resolved(True, 7, CLONE_OF), "the proxy type 7 is not text"),
        (resolved(True, "EIP1967Proxy", "0x" + "0" * 40), "is the address of nobody"),
        (resolved(True, "EIP1167Proxy"), "a proxy has no implementation"),
        (resolved(True, "EIP1167Proxy", ADDRESS.lower()), "is not an address with its EIP-55 checksum"),
        (resolved(True, "EIP1167Proxy", "0x12"), "is not an address with its EIP-55 checksum"),
        (resolved(True, "EIP1167Proxy", None), "is not an address with its EIP-55 checksum"),
    ],
)
def test_invalid_proxy_resolution_fails_check(resolution, message):
    [found] = messages("incomplete-proxy-resolution", {"proxyResolution": resolution})
    assert message in found


def proxied(code, resolution, *, side="runtime"):
    return {f"{side}Bytecode": {"onchainBytecode": f"0x{code}"}, "proxyResolution": resolution}


@pytest.mark.parametrize(
    ("code", "resolution", "message"),
    [
        (CLONE, resolved(True, "EIP1167Proxy", CLONE_OF), ""),
        (CLONE, resolved(True, "EIP1167Proxy", ADDRESS), "is an EIP-1167 clone of " + CLONE_OF),
        (CLONE, resolved(True, "EIP1167Proxy", CLONE_OF, ADDRESS), "is an EIP-1167 clone of"),
        (CLONE, resolved(True, "FixedProxy", CLONE_OF), "the record claims 'FixedProxy'"),
        (CLONE, resolved(False, None), "is an EIP-1167 clone of"),
        (CLONE, {"proxyResolutionError": {}}, "the chain is not needed: the contract is an EIP-1167 proxy"),
        ("00", resolved(False, None), ""),
        ("00", resolved(True, "EIP1167Proxy", CLONE_OF), "shows no proxy, the record claims 'EIP1167Proxy'"),
        ("00", {"proxyResolutionError": {}}, "the chain is not needed: the contract is not a proxy"),
        (BEACON_CODE, resolved(True, "EIP1967Proxy", CLONE_OF), ""),
        (BEACON_CODE, resolved(False, None), ""),
        (BEACON_CODE, {"proxyResolutionError": {}}, ""),
        (BEACON_CODE, resolved(True, "GnosisSafeProxy", CLONE_OF), "has patterns of EIP1967Proxy, not of"),
    ],
)
def test_bytecode_decides_proxy_resolution(code, resolution, message):
    found = messages("contradicted-proxy-resolution", proxied(code, resolution))
    assert len(found) == bool(message)
    assert message in "".join(found)


# -- selectors


@pytest.mark.parametrize(
    ("code", "is_compared"),
    [
        ("60e01c801561001057", True),  # one contract of solc 0.6.12
        ("60e01c90811561001057", True),  # solc 0.8.13 with viaIR: SWAP1, DUP2
        ("60e01c90815f14601057", True),
        ("63ffffffff16906000811461001057", False),
        ("6001901561001057", False),
    ],
)
def test_zero_selector_is_found_in_code(code, is_compared):
    signature = {"signature": "wycpnbqcyf()", "signatureHash4": "0x00000000"}
    record = {
        "compilation": {"language": "Solidity"},
        "runtimeBytecode": {"recompiledBytecode": f"0x{code}"},
        "signatures": {"function": [signature]},
    }
    assert (messages("missing-selector", record) == []) is is_compared


# -- metadata


def test_metadata_with_changed_text_warns():
    record = made_record()
    text = record["sources"][PATH]["content"]
    same = with_member(record, "metadata", "sources", PATH, "content", text)
    assert messages("metadata-sources-mismatch", same) == []
    other = with_member(record, "metadata", "sources", PATH, "content", text + " ")
    assert messages("metadata-sources-mismatch", other) == [f"the metadata has another text of {PATH!r}"]


def test_metadata_without_sources_fails():
    record = with_member(made_record(), "metadata", "sources", {})
    assert messages("metadata-sources-mismatch", record) == ["the metadata lists no sources"]


def test_keccak_cache_drops_oldest_hash():
    cache = KeccakCache(2)
    digests = [cache.hash_text(text) for text in ("a", "b", "c", "a")]
    assert digests == ["0x" + keccak256(text.encode()).hex() for text in ("a", "b", "c", "a")]
    assert len(cache._known) == 2
    cache.clear()
    assert cache._known == {}
    assert cache.hash_text("\ud800") == "0x" + keccak256(b"\xed\xa0\x80").hex()


def test_reason_names_absent_metadata():
    """The auxdata has a hash, and nothing that it could be the hash of."""
    record = made_record() | {
        "metadata": None,
        "match": "match",
        "creationMatch": "match",
        "runtimeMatch": "match",
    }
    proof = prove(record)
    reasons = {claim.name: claim.reason for claim in proof.claims}
    assert reasons[ClaimName.HASHED].key == "no_metadata"


def test_reason_names_unknown_module():
    text = "from ethereum.ercs import IERC20\n"
    auxdata = "85" + "5820" + "00" * 32 + "00" + "80" + "00" + "a165767970657283000900" + "0033"
    record = {
        "compilation": {
            "language": "Vyper",
            "compiler": "vyper",
            "compilerVersion": "0.9.0",
            "fullyQualifiedName": "a.vy:a",
        },
        "creationMatch": "exact_match",
        "creationBytecode": {
            "recompiledBytecode": f"0x00{auxdata}",
            "onchainBytecode": f"0x00{auxdata}",
            "cborAuxdata": {"1": {"offset": 1, "value": f"0x{auxdata}"}},
        },
        "sources": {"a.vy": {"content": text}},
    }
    reasons = {claim.name: claim.reason for claim in prove(record).claims}
    assert reasons[ClaimName.HASHED].key == "unknown_module"
    assert dict(reasons[ClaimName.HASHED].values)["module"] == "'ethereum.ercs.IERC20'"


# -- auxdata


def pieces(record, side="runtime"):
    return record[f"{side}Bytecode"]["cborAuxdata"]


def test_auxdata_at_wrong_offset_fails():
    record = made_record()
    [number] = pieces(record)
    assert messages("auxdata-offset", record) == []
    pieces(record)[number]["offset"] += 1
    [message] = messages("auxdata-offset", record)
    assert message.startswith(f"cborAuxdata {number} is not at byte")


@pytest.mark.parametrize("value", ["0x", "0x00", "0xa0", "zz", None])
def test_undecodable_auxdata_fails_offset_check(value):
    record = made_record()
    [number] = pieces(record)
    pieces(record)[number]["value"] = value
    assert outcome("auxdata-offset", record) is CheckOutcome.FAILED


def test_different_output_metadata_is_reported():
    record = made_record()
    path, _, name = record["compilation"]["fullyQualifiedName"].rpartition(":")
    record = with_member(record, "stdJsonOutput", "contracts", path, name, "metadata", "{}")
    assert messages("std-json-output-mismatch", record) == [
        f"stdJsonOutput.contracts.{path}.{name}.metadata is not the same as metadata"
    ]


def test_auxdata_as_list_fails():
    record = with_member(made_record(), "runtimeBytecode", "cborAuxdata", [])
    assert outcome("auxdata-offset", record) is CheckOutcome.FAILED


def test_auxdata_size_is_limited():
    """The value decodes: it is longer than anything that a compiler appends."""
    text = "a" * 1_500
    value = b"\xa1dsolc\x79" + len(text).to_bytes(2, "big") + text.encode()
    value += len(value).to_bytes(2, "big")
    record = made_record()
    [number] = pieces(record)
    code = record["runtimeBytecode"]["recompiledBytecode"]
    record["runtimeBytecode"]["recompiledBytecode"] = code + value.hex()
    pieces(record)[number] = {"offset": len(code) // 2 - 1, "value": f"0x{value.hex()}"}
    [message] = messages("auxdata-offset", record)
    assert message == f"cborAuxdata {number}: 1,511 bytes are more than compilers append"


@pytest.mark.parametrize("value", ["0x00", "zz", "absent"])
def test_inserted_auxdata_must_decode(value):
    record = made_record("other metadata")
    assert messages("invalid-auxdata-value", record) == []
    values = record["runtimeBytecode"]["transformationValues"]["cborAuxdata"]
    if value == "absent":
        values.clear()
    else:
        values["1"] = value
    assert outcome("invalid-auxdata-value", record) is CheckOutcome.FAILED


# -- Vyper's sizes


def test_vyper_sizes_match_code():
    assert outcome("invalid-vyper-immutables", vyper_record()) is CheckOutcome.PASSED


@pytest.mark.parametrize(
    "change",
    [
        ("runtimeBytecode", "recompiledBytecode", "0x00"),
        ("runtimeBytecode", "transformationValues", "immutables", "0", "0x00"),
        ("runtimeBytecode", "transformationValues", {}),
        ("runtimeBytecode", "immutableReferences", {"0": [{"start": 1, "length": 96}]}),
    ],
)
def test_false_vyper_runtime_size_fails(change):
    assert outcome("invalid-vyper-immutables", with_member(vyper_record(), *change)) is CheckOutcome.FAILED


def test_vyper_size_violation_names_auxdata():
    record = with_member(vyper_record(), "runtimeBytecode", "recompiledBytecode", "0x00")
    [result] = CHECKS["invalid-vyper-immutables"].check_records([RecordView(record)])
    assert ("creationBytecode", "cborAuxdata", "1") in {finding.pointer for finding in result.findings}


def test_vyper_without_stated_sizes_passes():
    """Before 0.3.10 the auxdata of Vyper is its version alone."""
    record = vyper_record()
    auxdata = {"1": {"offset": 0, "value": "0xa165767970657283000309000b"}}
    record = with_member(record, "creationBytecode", "cborAuxdata", auxdata)
    record = with_member(record, "compilation", "compilerVersion", "0.3.9+commit.66b96705")
    assert messages("invalid-vyper-immutables", record) == []


def test_vyper_reference_to_inserted_bytes_passes():
    record = vyper_record()
    side = record["runtimeBytecode"]
    start, length = (
        len(text) // 2 - 1
        for text in (side["recompiledBytecode"], side["transformationValues"]["immutables"]["0"])
    )
    side["immutableReferences"] = {"0": [{"start": start, "length": length}]}
    assert messages("invalid-vyper-immutables", record) == []


# -- what the metadata repeats


@pytest.mark.parametrize(
    ("changes", "members"),
    [
        ({"userdoc": None, "devdoc": None}, []),
        ({"userdoc": None, "devdoc": {"title": "Other"}}, ["devdoc"]),
        ({"userdoc": None, "devdoc": None, "abi": None}, ["abi"]),
    ],
)
def test_old_metadata_repeats_only_present_documentation(changes, members):
    """solc before 0.4.11 wrote documentation that Sourcify's records do not have."""
    record = made_record()
    compilation = record["compilation"] | {"compilerVersion": "0.4.10+commit.f0d539ae"}
    assert record["metadata"]["output"]["userdoc"] is not None
    found = messages("metadata-interface-mismatch", record | {"compilation": compilation} | changes)
    assert [message.removeprefix("the metadata's ").split()[0] for message in found] == members


# -- releases


def test_unlisted_release_candidate_fails():
    newest = [*known_releases("vyper")][-1]
    candidate = f"{re.split('[a-z]', newest)[0]}rc999"
    compilation = {"language": "Vyper", "compiler": "vyper", "compilerVersion": candidate}
    [found] = messages("unknown-compiler-release", {"compilation": compilation})
    assert found == f"there is no release {candidate} of vyper"


# -- code and address


@pytest.mark.parametrize(("size", "count"), [(24_576, 0), (24_577, 1)])
def test_code_above_size_limit_gives_note(size, count):
    record = {"address": ADDRESS, "runtimeBytecode": {"onchainBytecode": "0x" + "00" * size}}
    found = messages("impossible-code", record)
    assert len(found) == count
    assert outcome("impossible-code", record) is CheckOutcome.PASSED


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (0, CheckOutcome.FAILED),
        (0x0A, CheckOutcome.FAILED),
        (0x0B, CheckOutcome.WARNED),
        (0x11, CheckOutcome.WARNED),
        (0x12, CheckOutcome.PASSED),
        (0x100, CheckOutcome.WARNED),
        (0x101, CheckOutcome.PASSED),
    ],
)
def test_precompile_address_holds_no_contract(address, expected):
    assert outcome("impossible-code", {"address": f"0x{address:040x}"}) is expected


@pytest.mark.parametrize(
    ("code", "settings", "expected"),
    [
        ("ef0100" + "11" * 20, {}, CheckOutcome.FAILED),
        ("ef0100" + "11" * 21, {}, CheckOutcome.FAILED),
        ("ef00", {}, CheckOutcome.FAILED),
        ("ef00", {"eofVersion": 1}, CheckOutcome.PASSED),
        ("ef01", {"eofVersion": 1}, CheckOutcome.FAILED),
        ("ee", {}, CheckOutcome.PASSED),
    ],
)
def test_code_starting_with_ef_fails(code, settings, expected):
    record = {
        "address": ADDRESS,
        "compilation": {"compilerSettings": settings},
        "runtimeBytecode": {"onchainBytecode": f"0x{code}"},
    }
    assert outcome("impossible-code", record) is expected


# -- storage layouts


def layout_record(labels, text, *, extra=None):
    kind = {"encoding": "inplace", "label": "uint256", "numberOfBytes": "32"}
    variables = [
        {
            "astId": 1,
            "contract": "a.sol:A",
            "label": label,
            "offset": 0,
            "slot": str(slot),
            "type": "t_uint256",
        }
        for slot, label in enumerate(labels)
    ]
    return {
        "compilation": {"language": "Solidity", "compilerVersion": "0.8.30", "fullyQualifiedName": "a.sol:A"},
        "sources": {"a.sol": {"content": text}}
        | {path: {"content": more} for path, more in (extra or {}).items()},
        "storageLayout": {"storage": variables, "types": {"t_uint256": kind}},
    }


@pytest.mark.parametrize("filler", ["", "x" * 3_000_000], ids=["short", "long"])
def test_storage_variables_are_found_in_sources(filler):
    """Sources of many megabytes are read once, rather than searched for each variable."""
    labels = [f"v{number}" for number in range(60)]
    text = f"{filler} {' '.join(labels[:-1])}"
    found = layout_record(labels, text, extra={"b.sol": f"uint {labels[-1]};"})
    [result] = CHECKS["invalid-storage-layout"].check_records([RecordView(found)])
    assert (result.outcome, result.findings, result.evidence) == (
        CheckOutcome.PASSED,
        (),
        {"storageLayout": 1},
    )
    absent = layout_record([*labels, "v6"[:1] + "60"], text, extra={"b.sol": f"uint {labels[-1]};"})
    assert messages("invalid-storage-layout", absent) == ["no source has a variable 'v60'"]


def test_variable_of_unknown_source_fails():
    record = layout_record(["a"], "uint a;")
    record["storageLayout"]["storage"][0]["contract"] = "b.sol:A"
    assert messages("invalid-storage-layout", record) == ["a variable belongs to no source"]


@pytest.mark.parametrize(
    ("text", "version", "count"),
    [
        ("contract A layout at 0x10 { uint a; }", "0.8.29", 0),
        ("contract A layout at 0x10 { uint a; }", "0.8.28", 1),
        ("contract A { uint a; }", "0.8.29", 1),
    ],
)
def test_layout_at_allows_any_slot(text, version, count):
    record = layout_record(["a"], text)
    record["storageLayout"]["storage"][0]["slot"] = "16"
    record["compilation"]["compilerVersion"] = version
    assert len(messages("invalid-storage-layout", record)) == count


def test_vyper_layout_overlap_is_reported():
    place = {"type": "uint256", "slot": 0}
    record = with_member(vyper_record(), "storageLayout", {"a": place, "b": place})
    [result] = CHECKS["invalid-storage-layout"].check_records([RecordView(record)])
    assert [(one.message, one.pointer) for one in result.findings] == [
        ("the variable at slot 0 overlaps the one before it", ("storageLayout", "b"))
    ]


def test_yul_has_no_storage_layout():
    record = layout_record([], "")
    record["compilation"]["language"] = "Yul"
    assert messages("invalid-storage-layout", record) == ["Yul has no storage layout"]


# -- identity, sources and interface


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (ADDRESS, ""),
        (ADDRESS.lower(), f"address {ADDRESS.lower()!r} does not have its EIP-55 checksum"),
        (ADDRESS[:-1], "has 39 hex digits instead of 40"),
        (None, "does not start with 0x"),
    ],
)
def test_address_without_valid_checksum_fails(address, message):
    [result] = IDENTITY["invalid-address"].check_records([RecordView({"address": address})])
    found = [finding.message for finding in result.findings]
    assert len(found) == bool(message)
    assert message in "".join(found)
    assert {finding.pointer for finding in result.findings} <= {("address",)}


@pytest.mark.parametrize(
    ("text", "count"), [("uint immutable a; uint immutable b;", 0), ("uint immutable a;", 1)]
)
def test_immutable_missing_from_sources_fails(text, count):
    record = {
        "compilation": {"language": "Solidity"},
        "sources": {"a.sol": {"content": text}},
        "runtimeBytecode": {"immutableReferences": {"1": [], "2": []}},
    }
    assert len(messages("undeclared-immutable", record)) == count
    assert messages("undeclared-immutable", record | {"compilation": {"language": "Vyper"}}) == []


def test_library_missing_from_sources_fails():
    record = made_record("libraries")
    assert messages("undeclared-immutable", record) == []
    record["sources"][PATH]["content"] = record["sources"][PATH]["content"].replace(
        "library Long", "library Longer"
    )
    assert messages("undeclared-immutable", record) == ["no source declares the library 'Long'"]


def selector_record(code, *selectors):
    functions = [{"signature": "f()", "signatureHash4": selector} for selector in selectors]
    return {
        "compilation": {"language": "Solidity", "compilerVersion": "0.8.30"},
        "runtimeBytecode": {"recompiledBytecode": f"0x{code}"},
        "signatures": {"function": functions},
    }


@pytest.mark.parametrize(
    ("code", "selector", "count"),
    [
        ("6301020304", "0x01020304", 0),
        ("62020304", "0x00020304", 0),
        ("61030400", "0x00000304", 0),
        ("5f", "0x00000000", 1),
        ("1c8015601057", "0x00000000", 0),
        ("6301020305", "0x01020304", 1),
        ("6201020304", "0x01020304", 1),
        ("00", "0x0102030", 0),
        ("00", "0x0102030405", 0),
        ("00", None, 0),
    ],
)
def test_selector_must_be_pushed(code, selector, count):
    """A selector of another length is left to the check of signatures."""
    assert len(messages("missing-selector", selector_record(code, selector))) == count


def test_constructor_with_unknown_type_fails():
    record = made_record("arguments")
    assert messages("invalid-constructor-arguments", record) == []
    record["abi"][0]["inputs"][0]["type"] = "number"
    assert messages("invalid-constructor-arguments", record) == [
        "the constructor's inputs are of types that cannot be read"
    ]


def test_absent_source_of_metadata_fails():
    record = made_record()
    del record["sources"][PATH]
    assert messages("metadata-sources-mismatch", record) == [
        f"the metadata lists {PATH!r}, which is not among the sources"
    ]


def test_repeated_function_signature_fails_check():
    record = made_record()
    assert messages("abi-signatures-mismatch", record) == []
    functions = record["signatures"]["function"]
    functions.append(dict(functions[0]))
    repeated = f"the function {functions[0]['signature']!r} is repeated"
    assert messages("abi-signatures-mismatch", record) == [repeated, repeated]


def test_metadata_without_hash_only_warns():
    """Nothing on the chain commits to the metadata, so a source that it does not describe is no untruth."""
    assert (
        outcome("metadata-sources-mismatch", with_member(made_record("no hash"), "sources", {}))
        is CheckOutcome.WARNED
    )
    assert (
        outcome("metadata-sources-mismatch", with_member(made_record(), "sources", {})) is CheckOutcome.FAILED
    )


def test_reason_names_failed_checks():
    proof = prove(with_member(made_record(), "match", None))
    [consistent] = [claim for claim in proof.claims if claim.name is ClaimName.CONSISTENT]
    assert (consistent.reason.key, dict(consistent.reason.values)) == (
        "failed",
        {"checks": "overall-match-mismatch"},
    )


@pytest.mark.parametrize("side", ["bytecode", "deployedBytecode"])
def test_output_with_other_code_fails(side):
    record = made_record()
    assert messages("std-json-output-mismatch", record) == []
    code = record["stdJsonOutput"]["contracts"][PATH][record["compilation"]["name"]]["evm"][side]
    code["object"] = code["object"][:-2] + "ff"
    [result] = CHECKS["std-json-output-mismatch"].check_records([RecordView(record)])
    [finding] = result.findings
    name = record["compilation"]["name"]
    assert finding.pointer == ("stdJsonOutput", "contracts", PATH, name, "evm", side, "object")


@pytest.mark.parametrize(
    ("text", "count"),
    [('object "Made" {}', 0), ('object "Madeira" {}', 1), ('code "Made" {}', 1)],
)
def test_yul_object_is_declared_by_name(text, count):
    record = {
        "compilation": {"language": "Yul", "fullyQualifiedName": "a.yul:Made", "name": "Made"},
        "sources": {"a.yul": {"content": text}},
    }
    assert len(messages("undeclared-contract", record)) == count


@pytest.mark.parametrize("day", ["no day", "2026-11-20T12:00:00Z"])
def test_unknown_release_day_skips_date_check(day):
    record = {
        "compilation": {"compiler": "solc", "language": "Solidity", "compilerVersion": "?"},
        "verifiedAt": day,
    }
    [result] = CHECKS["verified-before-release"].check_records([RecordView(record)])
    assert result.outcome is CheckOutcome.NOT_APPLICABLE
    assert result.reason == "the day of the compiler's release is not known here"


def test_missing_required_match_is_reported_once():
    """Both sides claim an exact match, which needs the metadata."""
    record = made_record() | {"metadata": None}
    [result] = [one for one in prove(record).results if one.check == "metadata-sources-mismatch"]
    assert result.outcome is CheckOutcome.FAILED
    [finding] = result.findings
    assert finding.pointer == ("creationMatch",)
    assert "but this check cannot confirm that: the record has no metadata" in finding.message


def test_contradicted_proxy_resolution_has_pointer():
    record = proxied("00", resolved(True, "EIP1167Proxy", CLONE_OF))
    [result] = CHECKS["contradicted-proxy-resolution"].check_records([RecordView(record)])
    assert [finding.pointer for finding in result.findings] == [("proxyResolution",)]
    broken = {"proxyResolution": resolved(True, None, CLONE_OF)}
    [result] = CHECKS["incomplete-proxy-resolution"].check_records([RecordView(broken)])
    assert [finding.pointer for finding in result.findings] == [("proxyResolution",)]


@pytest.mark.parametrize(("side", "other"), [("creation", "runtime"), ("runtime", "creation")])
def test_unmatched_bytecode_is_only_claimed(side, other):
    record = made_record(**{f"onchain_{side}": None})
    assert record[f"{side}Match"] is None
    pinned = prove(record).pinned
    assert f"{side}Bytecode.recompiledBytecode" not in pinned
    assert pinned[f"{side}Bytecode.sourceMap"] is PinnedBy.CLAIMED
    assert pinned[f"{other}Bytecode.recompiledBytecode"] is PinnedBy.CONSISTENT
    assert prove(record | {"match": None}).pinned == {}


def vyper_module(path, name):
    compilation = {"language": "Vyper", "fullyQualifiedName": f"{path}:{name}", "name": name}
    return {"compilation": compilation, "sources": {path: {"content": ""}}}


def test_vyper_module_is_named_after_file():
    assert messages("undeclared-contract", vyper_module("contracts/Vault.vy", "Vault")) == []
    assert outcome("undeclared-contract", vyper_module("contracts/Vault.vy", "Vault")) is CheckOutcome.PASSED
    assert messages("undeclared-contract", vyper_module("contracts/Vault.vy", "Safe")) == [
        "'contracts/Vault.vy' is not a module 'Safe'"
    ]


@pytest.mark.parametrize("member", ["inputs", "outputs"])
def test_identifiers_of_parameters_are_checked(member):
    def record(name):
        inner = {"type": "tuple[]", "name": "", "components": [{"type": "uint256", "name": name}]}
        return {
            "abi": [{"type": "function", "name": "f", member: [inner]}],
            "compilation": {"language": "Vyper"},
        }

    for name in ("a", "$a", "_1", "", None):
        assert messages("invalid-identifier", record(name)) == []
    for name in ("1a", "a b", "\u00e4", 5):
        assert len(messages("invalid-identifier", record(name))) == 1


def test_layout_fault_names_variable():
    record = layout_record(["a"], "uint b;")
    [result] = CHECKS["invalid-storage-layout"].check_records([RecordView(record)])
    assert [finding.pointer for finding in result.findings] == [("storageLayout", "storage", 0, "label")]
    record["storageLayout"]["storage"][0]["contract"] = "b.sol:A"
    [result] = CHECKS["invalid-storage-layout"].check_records([RecordView(record)])
    assert [finding.pointer for finding in result.findings] == [("storageLayout", "storage", 0, "contract")]
