"""Records derived from workspaces: made ones part by part, real ones byte for byte."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.base.primitives import parse_instant
from statuary.contracts.model.derivation import (
    STD_JSON_INPUT,
    DerivationError,
    Workspace,
    WorkspaceDeployment,
    derive_record,
    standard_json_language,
)
from support.contracts import ABI, ADDRESS, FEATURES, NAME, PATH, Features, made_record, made_workspace
from support.real_records import DOCTORED, UNDERSTATED, real_records, served_vectors
from support.strategies import steady

SERVED_ORDER = [
    "matchId",
    "creationMatch",
    "runtimeMatch",
    "verifiedAt",
    "creationBytecode",
    "runtimeBytecode",
    "deployment",
    "sources",
    "compilation",
    "abi",
    "metadata",
    "storageLayout",
    "transientStorageLayout",
    "userdoc",
    "devdoc",
    "sourceIds",
    "additionalInput",
    "stdJsonInput",
    "stdJsonOutput",
    "signatures",
    "proxyResolution",
    "match",
    "chainId",
    "address",
]


def steps(record, side):
    """Return the transformations of a side in short: reason, type, offset, id, length."""
    return [
        (step["reason"], step["type"], step["offset"], step.get("id"), step.get("length"))
        for step in record[f"{side}Bytecode"]["transformations"]
    ]


def test_record_members_keep_served_order():
    assert list(made_record()) == SERVED_ORDER


def test_record_members_come_from_compiler_files():
    record = made_record("arguments")
    assert record["compilation"] == {
        "language": "Solidity",
        "compiler": "solc",
        "compilerVersion": "0.8.30+commit.73712a01",
        "compilerSettings": {
            "libraries": {},
            "optimizer": {"runs": 200, "enabled": True},
            "evmVersion": "cancun",
        },
        "name": NAME,
        "fullyQualifiedName": f"{PATH}:{NAME}",
    }
    assert list(record["abi"][0]) == ["type", "inputs", "stateMutability"]
    assert list(record["abi"][1]["inputs"][0]) == ["name", "type", "indexed"]
    assert record["sourceIds"] == {PATH: {"id": 0}}
    assert record["stdJsonInput"] == {
        "sources": record["sources"],
        "language": "Solidity",
        "settings": record["compilation"]["compilerSettings"],
    }
    assert record["stdJsonOutput"]["contracts"][PATH][NAME]["evm"]["bytecode"] == {
        "object": record["creationBytecode"]["recompiledBytecode"][2:],
        "sourceMap": "1:2:3:-:0;;",
        "linkReferences": {},
    }
    assert [entry["signature"] for entry in record["signatures"]["function"]] == ["meet(address)"]
    assert record["proxyResolution"] == {"isProxy": False, "proxyType": None, "implementations": []}
    assert (record["verifiedAt"], record["matchId"], record["address"]) == (
        "2026-11-02T10:00:00Z",
        "7",
        ADDRESS,
    )


def test_metadata_keeps_compiler_key_order():
    assert list(made_record()["metadata"]["settings"]) == [
        "compilationTarget",
        "evmVersion",
        "libraries",
        "metadata",
        "optimizer",
        "remappings",
    ]


def test_libraries_are_linked_in_order():
    record = made_record("libraries")
    assert steps(record, "runtime") == [
        ("library", "replace", 48, "contracts/A.sol:Long", None),
        ("library", "replace", 6, "contracts/B.sol:Arithmetic", None),
        ("library", "replace", 27, "contracts/B.sol:Strings", None),
    ]
    assert record["runtimeBytecode"]["recompiledBytecode"][2 + 12 : 2 + 52] == "00" * 20
    assert record["creationBytecode"]["transformationValues"]["libraries"] == {
        "contracts/A.sol:Long": "0x" + "cc" * 20,
        "contracts/B.sol:Strings": "0x" + "bb" * 20,
        "contracts/B.sol:Arithmetic": "0x" + "aa" * 20,
    }
    assert record["runtimeMatch"] == record["creationMatch"] == record["match"] == "exact_match"


def test_repeated_immutable_has_single_value():
    record = made_record("immutables")
    assert steps(record, "runtime") == [
        ("immutable", "replace", 39, "7", None),
        ("immutable", "replace", 72, "7", None),
        ("immutable", "replace", 6, "12", None),
    ]
    assert record["runtimeBytecode"]["transformationValues"] == {
        "immutables": {"7": "0x" + "11" * 32, "12": "0x" + "00" * 31 + "2a"}
    }


def test_constructor_arguments_follow_creation_code():
    record = made_record("arguments")
    length = len(record["creationBytecode"]["recompiledBytecode"]) // 2 - 1
    assert steps(record, "creation") == [("constructorArguments", "insert", length, None, None)]


def test_library_embeds_own_address():
    record = made_record("library")
    assert steps(record, "runtime") == [("callProtection", "replace", 1, None, None)]
    assert record["runtimeBytecode"]["transformationValues"] == {"callProtection": ADDRESS.lower()}


@pytest.mark.parametrize(
    ("features", "creation", "runtime", "last_step"),
    [
        ("other metadata", "match", "match", ("cborAuxdata", "replace", 74, "1", None)),
        ("no hash", "match", "match", None),
        ("no auxdata", "match", "match", None),
        ("shorter on chain", "match", "match", ("cborAuxdata", "replace", 11, "1", 53)),
        ("none on chain", "match", "match", ("cborAuxdata", "delete", 10, None, 54)),
    ],
)
def test_match_level_depends_on_auxdata(features, creation, runtime, last_step):
    record = made_record(features)
    assert (record["creationMatch"], record["runtimeMatch"]) == (creation, runtime)
    assert (steps(record, "runtime") or [None])[-1] == last_step


def test_factory_auxdata_is_numbered_first():
    for has_assembly in (True, False):
        record = derive_record(made_workspace(Features(children=2, has_assembly=has_assembly)))
        auxdata = record["runtimeBytecode"]["cborAuxdata"]
        places = [auxdata[number]["offset"] for number in ("1", "2", "3")]
        assert places[0] > places[2] > places[1]
        assert record["runtimeMatch"] == "exact_match"


def test_auxdata_without_hash_is_not_listed():
    record = derive_record(made_workspace(Features(children=1, auxdata="bare")))
    assert list(record["runtimeBytecode"]["cborAuxdata"]) == ["2"]


@pytest.mark.parametrize(
    ("creation", "runtime", "levels"),
    [(None, None, None), (True, None, ("exact_match", None)), (None, True, (None, "exact_match"))],
)
def test_missing_onchain_side_is_null(creation, runtime, levels):
    workspace = made_workspace(FEATURES["plain"])
    workspace = workspace._replace(
        onchain_creation=workspace.onchain_creation if creation else None,
        onchain_runtime=workspace.onchain_runtime if runtime else None,
    )
    if levels is None:
        with pytest.raises(DerivationError):
            derive_record(workspace)
        return
    record = derive_record(workspace)
    assert (record["creationMatch"], record["runtimeMatch"]) == levels
    assert record["match"] == "exact_match"
    unknown = record["creationBytecode" if creation is None else "runtimeBytecode"]
    assert unknown["onchainBytecode"] is unknown["transformations"] is unknown["transformationValues"] is None


def test_undecodable_arguments_prevent_match():
    workspace = made_workspace(FEATURES["arguments"])
    record = derive_record(workspace._replace(onchain_creation=workspace.onchain_creation[:-2] + "02"))
    assert record["creationMatch"] is None
    assert record["runtimeMatch"] == "exact_match"


CLAIM = {"isProxy": True, "proxyType": "EIP1967Proxy", "implementations": [{"address": ADDRESS}]}


def test_proxy_claim_needs_undecided_code():
    assert made_record(proxy_resolution=CLAIM)["proxyResolution"]["isProxy"] is False
    slot = "7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc54"

    def proxy(claim):
        output = made_workspace(FEATURES["no auxdata"]).std_json_output
        evm = output["contracts"][PATH][NAME]["evm"]
        for member in ("bytecode", "deployedBytecode"):
            evm[member]["object"] = slot
        return derive_record(
            made_workspace(
                FEATURES["no auxdata"],
                std_json_output=output,
                onchain_creation="0x" + slot,
                onchain_runtime="0x" + slot,
                proxy_resolution=claim,
            )
        )["proxyResolution"]

    assert proxy(CLAIM) == CLAIM
    assert proxy(None) == proxy(None)
    assert proxy(None)["proxyResolutionError"]["customCode"] == "proxy_resolution_error"


def test_record_derivation_is_deterministic():
    assert len({orjson.dumps(derive_record(made_workspace(FEATURES["everything"]))) for _ in range(3)}) == 1


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"fully_qualified_name": "Made"}, "not a fully qualified name"),
        ({"fully_qualified_name": "contracts/Made.sol:Other"}, "has no contract"),
        ({"std_json_output": {"errors": []}}, "has no contract"),
        ({"std_json_output": []}, "has no contract"),
        (
            {"std_json_input": {"language": "Solidity", "settings": {}, "sources": {PATH: {"urls": []}}}},
            "no content",
        ),
        ({"std_json_input": {"language": "Solidity", "settings": {}, "sources": {}}}, "no sources"),
        ({"std_json_input": {"language": "Solidity", "sources": {PATH: {"content": ""}}}}, "no `settings`"),
        ({"std_json_input": {"settings": {}}}, "no language"),
        ({"std_json_input": 5}, "no language"),
        ({"onchain_creation": "0x00", "onchain_runtime": "0x00"}, "neither"),
    ],
)
def test_missing_compiler_output_is_reported(changes, says):
    with pytest.raises(DerivationError, match=says):
        made_record(**changes)


@pytest.mark.parametrize(
    ("member", "value", "says"),
    [
        ("object", "", "no evm.bytecode.object"),
        ("object", None, "no evm.bytecode.object"),
        ("object", "60zz", "other than hex digits"),
        ("object", "__$0000000000000000000000000000000000$__", "other than hex digits"),
        ("linkReferences", {PATH: {"L": [{"start": 2, "length": 20}]}}, "where the placeholder of library"),
        ("linkReferences", {PATH: {"L": "here"}}, "should be a list"),
    ],
)
def test_invalid_compiler_bytecode_is_reported(member, value, says):
    output = made_workspace(FEATURES["plain"]).std_json_output
    output["contracts"][PATH][NAME]["evm"]["bytecode"][member] = value
    with pytest.raises(DerivationError, match=says):
        made_record(std_json_output=output)


def test_deep_nesting_is_rejected():
    deep: list = []
    for _ in range(5_000):
        deep = [deep]
    output = made_workspace(FEATURES["plain"]).std_json_output
    output["contracts"][PATH][NAME]["abi"] = deep
    with pytest.raises(DerivationError, match="nested"):
        made_record(std_json_output=output)
    output["contracts"][PATH][NAME] |= {"abi": ABI, "metadata": "[" * 5_000}
    with pytest.raises(DerivationError, match="JSON"):
        made_record(std_json_output=output)


@pytest.mark.parametrize("text", [None, ""])
def test_missing_compiler_metadata_becomes_null(text):
    output = made_workspace(FEATURES["plain"]).std_json_output
    output["contracts"][PATH][NAME]["metadata"] = text
    assert made_record(std_json_output=output)["metadata"] is None


def test_metadata_of_wrong_type_is_rejected():
    output = made_workspace(FEATURES["plain"]).std_json_output
    output["contracts"][PATH][NAME]["metadata"] = {"version": 1}
    with pytest.raises(DerivationError, match="the compiler's metadata is not text"):
        made_record(std_json_output=output)


def test_derivation_error_points_to_compiler_file():
    with pytest.raises(DerivationError) as raised:
        made_record(std_json_input={"language": "Solidity", "settings": {}, "sources": {}})
    assert raised.value.pointer == (STD_JSON_INPUT, "sources")


JUNK = st.sampled_from(
    [
        None,
        True,
        5,
        -1,
        1.5,
        "",
        "x",
        "0x",
        [],
        {},
        [1],
        {"a": 1},
        {"a": {"b": [{"start": 2**62}]}},
    ]
)


def parts(value, pointer=()):
    """Yield the place of every part of a JSON value but the whole."""
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, part in members:
        yield (*pointer, key)
        yield from parts(part, (*pointer, key))


def given_files():
    workspace = made_workspace(FEATURES["everything"])
    return {"std_json_input": workspace.std_json_input, "std_json_output": workspace.std_json_output}


@steady
@given(st.sampled_from(list(parts(given_files()))), JUNK)
def test_random_compiler_output_fails_or_derives(place, junk):
    files = orjson.loads(orjson.dumps(given_files()))
    holder = files
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = junk
    try:
        record = made_record("everything", **files)
    except DerivationError:
        return
    assert list(record) == SERVED_ORDER


def workspace_of(record) -> Workspace:
    """Return what only the owner knew of a record: everything that can be derived is stripped."""
    compilation, deployment = record["compilation"], record["deployment"]
    path, _, name = compilation["fullyQualifiedName"].rpartition(":")
    contract = dict(record["stdJsonOutput"]["contracts"][path][name])
    if compilation["language"] == "Vyper" and contract["storageLayout"] is not None:
        contract["layout"] = {"storage_layout": contract.pop("storageLayout")}
    return Workspace(
        chain_id=record["chainId"],
        address=record["address"],
        compiler=compilation["compiler"],
        compiler_version=compilation["compilerVersion"],
        fully_qualified_name=compilation["fullyQualifiedName"],
        std_json_input=record["stdJsonInput"],
        std_json_output={
            "sources": record["stdJsonOutput"]["sources"],
            "contracts": {path: {name: contract}},
        },
        onchain_creation=record["creationBytecode"]["onchainBytecode"],
        onchain_runtime=record["runtimeBytecode"]["onchainBytecode"],
        deployment=WorkspaceDeployment(
            transaction_hash=deployment["transactionHash"],
            block_number=deployment["blockNumber"],
            transaction_index=deployment["transactionIndex"],
            deployer=deployment["deployer"],
        ),
        verified_at=parse_instant(record["verifiedAt"]),
        match_id=record["matchId"],
        proxy_resolution=record["proxyResolution"],
    )


def differing_members(record):
    derived = derive_record(workspace_of(record))
    assert list(derived) == list(record)
    return [member for member in record if orjson.dumps(derived[member]) != orjson.dumps(record[member])]


def test_real_records_are_rederived_exactly():
    """Only the order of `sources` differs: it comes from a join in the server's data base."""
    for name, record in real_records():
        differing = differing_members(record)
        assert differing in ([], ["sources"]), name
        assert derive_record(workspace_of(record))["sources"] == record["sources"], name


def test_conformance_vectors_are_rederived_exactly():
    known = {
        UNDERSTATED: ["creationMatch", "creationBytecode"],
        # Sourcify's server is newer than the measured release, and stores positions for Vyper's immutables
        "vyper__constructor_args_immutables": ["runtimeBytecode", "stdJsonOutput"],
    }
    for name, record in served_vectors():
        expected = known.get(name.partition("/")[2], [])
        assert [member for member in differing_members(record) if member != "sources"] == expected, name
    assert DOCTORED


def test_overrides_become_additional_input():
    layout = {"a": {"type": "uint256", "n_slots": 1, "slot": 5}}
    workspace = made_workspace(FEATURES["plain"])
    plain = derive_record(workspace)
    assert plain["additionalInput"] is None
    changed = {**workspace.std_json_input, "storage_layout_overrides": {"a.vy": layout}}
    record = derive_record(workspace._replace(std_json_input=changed))
    assert record["additionalInput"] == {"storage_layout_overrides": {"a.vy": layout}}
    assert list(record["additionalInput"]["storage_layout_overrides"]["a.vy"]["a"]) == [
        "slot",
        "type",
        "n_slots",
    ]


@pytest.mark.parametrize("language", ["", None, 5, ["Solidity"]])
def test_input_without_language_is_rejected(language):
    with pytest.raises(DerivationError, match="the standard JSON input names no language"):
        standard_json_language({"language": language})
    assert standard_json_language({"language": "vyper"}) == "Vyper"
