"""The settings of metadata, derived from the table; tests/compilations compares the table with the compilers."""

import json

import pytest

from statuary.base.json_values import NumberText
from statuary.contracts.model.solc_settings import TABLE, parse_release_row, setting_differences

NOTHING = {"optimizer": {"enabled": False, "runs": 200}, "libraries": {}, "remappings": []}
RECENT = NOTHING | {"evmVersion": "osaka", "metadata": {"bytecodeHash": "ipfs"}}
ON = {
    "constantOptimizer": True,
    "cse": True,
    "deduplicate": True,
    "inliner": True,
    "jumpdestRemover": True,
    "orderLiterals": True,
    "peephole": True,
    "simpleCounterForLoopUncheckedIncrement": True,
    "yul": True,
}


def optimizer(steps: str, **changes: bool) -> dict:
    details = ON | changes | {"yulDetails": {"optimizerSteps": steps, "stackAllocation": True}}
    return {"details": details, "runs": 200}


TRUE = [
    ("0.4.11", {}, NOTHING),
    ("0.4.11", {"evmVersion": "byzantium", "colour": "blue"}, NOTHING),
    ("0.4.7", {}, NOTHING),
    ("0.8.37", {}, RECENT),
    ("0.8.37", {"viaIR": False, "metadata": {"appendCBOR": True}, "debug": {"debugInfo": ["*"]}}, RECENT),
    (
        "0.8.37",
        {"viaIR": True, "debug": {"revertStrings": "strip"}},
        RECENT | {"viaIR": True, "debug": {"revertStrings": "strip"}},
    ),
    (
        "0.8.30",
        {"optimizer": {"enabled": True, "details": {"yulDetails": {"optimizerSteps": "u"}}}},
        RECENT | {"evmVersion": "prague", "optimizer": optimizer("u:fDnTOcmuO")},
    ),
    (
        "0.8.30",
        {"optimizer": {"enabled": True, "details": {"yulDetails": {"optimizerSteps": "u:"}}}},
        RECENT | {"evmVersion": "prague", "optimizer": optimizer("u:")},
    ),
    (
        "0.7.4",
        {"libraries": {"b.sol": {"L": "0x" + "Aa" * 20}, "a.sol": {"L": "0x" + "11" * 20}}},
        NOTHING
        | {
            "evmVersion": "istanbul",
            "metadata": {"bytecodeHash": "ipfs"},
            "libraries": {"L": "0x" + "aa" * 20},
        },
    ),
    (
        "0.7.5",
        {"libraries": {"": {"L": "0x" + "Aa" * 20}}},
        NOTHING
        | {
            "evmVersion": "istanbul",
            "metadata": {"bytecodeHash": "ipfs"},
            "libraries": {":L": "0x" + "aa" * 20},
        },
    ),
    ("0.8.37", {"remappings": ["b=c", "a:b=d", "b=c"]}, RECENT | {"remappings": [":b=c", "a:b=d"]}),
    (
        "0.8.30",
        {"optimizer": {"enabled": True, "runs": 2**32 + 5}},
        RECENT | {"evmVersion": "prague", "optimizer": {"enabled": True, "runs": 5}},
    ),
    # a pre-release may follow the rules of the release, or those of the release before
    ("0.8.31-pre.1", {}, RECENT),
    ("0.8.31-pre.1", {}, RECENT | {"evmVersion": "prague"}),
    # a release that is not in the table may have other defaults, and further settings
    ("0.9.1", {}, RECENT | {"evmVersion": "later", "speed": "fast"}),
    ("0.9.1", {"speed": "fast"}, RECENT),
]

FALSE = [
    ("0.8.37", {}, RECENT | {"evmVersion": "prague"}, "evmVersion"),
    ("0.8.37", {"viaIR": True}, RECENT, "viaIR"),
    ("0.8.37", {}, RECENT | {"viaIR": True}, "viaIR"),
    ("0.8.37", {"optimizer": {"enabled": True}}, RECENT, "optimizer.enabled"),
    ("0.8.37", {"optimizer": {"runs": 1}}, RECENT, "optimizer.runs"),
    ("0.8.37", {"colour": "blue"}, RECENT, "colour"),
    ("0.8.37", {"eofVersion": 1}, RECENT, "eofVersion"),
    ("0.8.37", {"debug": "strip"}, RECENT, "debug"),
    ("0.8.37", {}, RECENT | {"speed": "fast"}, "speed"),
    (
        "0.8.30",
        {"optimizer": {"enabled": True, "details": {"yulDetails": {"optimizerSteps": "u"}}}},
        RECENT | {"evmVersion": "prague", "optimizer": optimizer("u:")},
        "optimizer.details",
    ),
    (
        "0.8.30",
        {"optimizer": {"enabled": True, "details": {"cse": True}}},
        RECENT | {"evmVersion": "prague", "optimizer": optimizer("u:fDnTOcmuO")},
        "optimizer.details",
    ),
    (
        "0.8.30",
        {"libraries": {"a.sol": {"L": "0x" + "11" * 20}}},
        RECENT | {"evmVersion": "prague", "libraries": {"a.sol:L": "0x" + "22" * 20}},
        "libraries",
    ),
    (
        "0.5.4",
        {"optimizer": {"runs": 7}},
        NOTHING | {"evmVersion": "byzantium", "optimizer": {"enabled": False, "runs": 7}},
        "optimizer.runs",
    ),
    ("0.5.4", {"debug": {}}, NOTHING | {"evmVersion": "byzantium"}, "debug"),
    ("0.9.1", {"evmVersion": "osaka"}, RECENT | {"evmVersion": "later"}, "evmVersion"),
    ("0.9.1", {"viaIR": True}, RECENT, "viaIR"),
    ("0.9.1", {}, RECENT | {"remappings": [":a=b"]}, "remappings"),
]


@pytest.mark.parametrize(("version", "settings", "metadata"), TRUE)
def test_written_settings_have_no_difference(version, settings, metadata):
    target = {"compilationTarget": {"a.sol": "A"}}
    assert setting_differences(metadata | target, settings, f"{version}+commit.00000000") == []


@pytest.mark.parametrize(("version", "settings", "metadata", "name"), FALSE)
def test_different_settings_are_reported(version, settings, metadata, name):
    found = setting_differences(metadata, settings, f"{version}+commit.00000000")
    assert name in {one.name for one in found}


DEFAULTS = RECENT | {"evmVersion": "prague"}

CHANGES = [
    ({"optimizer": {"enabled": True}}, {}, "optimizer.enabled"),
    ({}, {"optimizer": {"runs": 201}}, "optimizer.runs"),
    ({}, {"optimizer": {"runs": 200.0}}, "optimizer.runs"),
    ({"optimizer": {"details": {"yul": True}}}, {}, "optimizer.details"),
    ({}, {"evmVersion": "cancun"}, "evmVersion"),
    ({"evmVersion": "cancun"}, {}, "evmVersion"),
    ({"viaIR": True}, {}, "viaIR"),
    ({}, {"viaIR": 0}, "viaIR"),
    ({"remappings": ["a=b"]}, {"remappings": ["a=c"]}, "remappings"),
    ({"remappings": ["x:a=b"]}, {"remappings": ["a=b"]}, "remappings"),
    ({}, {"remappings": "a=b"}, "remappings"),
    ({"libraries": {"a.sol:L": "0xab"}}, {"libraries": {"a.sol": {"L": "0xac"}}}, "libraries"),
    ({"libraries": {"a.sol:L": "0xab"}}, {"libraries": {"b.sol": {"L": "0xab"}}}, "libraries"),
    ({}, {"metadata": {"bytecodeHash": "none"}}, "metadata.bytecodeHash"),
    ({}, {"metadata": {"useLiteralContent": True}}, "metadata.useLiteralContent"),
    ({}, {"metadata": {"appendCBOR": False}}, "metadata.appendCBOR"),
    ({}, {"debug": {"revertStrings": "strip"}}, "debug.revertStrings"),
    ({}, {"eofVersion": 1}, "eofVersion"),
    ({}, {"experimental": True}, "experimental"),
    ({}, {"viaSSACFG": True}, "viaSSACFG"),
    ({}, {"ownSetting": None}, "ownSetting"),
    ({}, {"optimizer": True}, "optimizer"),
    ({}, {"metadata": []}, "metadata"),
]


@pytest.mark.parametrize(("metadata", "settings", "name"), CHANGES)
def test_changed_setting_is_reported(metadata, settings, name):
    found = setting_differences(DEFAULTS | metadata, settings, "0.8.30+commit.73712a01")
    assert name in [one.name for one in found]


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("0.4.21", "byzantium"),
        ("0.5.4", "byzantium"),
        ("0.5.5", "petersburg"),
        ("0.5.14", "istanbul"),
        ("0.8.4", "istanbul"),
        ("0.8.5", "berlin"),
        ("0.8.7", "london"),
        ("0.8.18", "paris"),
        ("0.8.20", "shanghai"),
        ("0.8.25", "cancun"),
        ("0.8.29", "cancun"),
        ("0.8.30", "prague"),
        ("0.8.37", "osaka"),
    ],
)
def test_default_evm_version_follows_release(version, name):
    metadata = NOTHING | {"evmVersion": name}
    assert "evmVersion" not in {one.name for one in setting_differences(metadata, {}, version)}
    metadata = NOTHING | {"evmVersion": "homestead"}
    assert "evmVersion" in {one.name for one in setting_differences(metadata, {}, version)}


def test_table_begins_with_standard_json():
    table = json.loads(TABLE.read_text("utf-8"))
    assert next(iter(table)) == "0.4.11"
    assert all(changes for changes in [*table.values()][:-1])


def test_release_details_are_read():
    row = next(iter(json.loads(TABLE.read_text("utf-8")).values()))
    assert parse_release_row(row | {"details": None}).details is None
    assert parse_release_row(row | {"details": {"cse": [0, 0, 1]}}).details == {"cse": (False, False, True)}


def test_cached_comparison_respects_number_spelling():
    settings = {"optimizer": {"enabled": True, "runs": 200}}
    metadata = RECENT | {"optimizer": {"enabled": True, "runs": NumberText("200")}}
    named = {**metadata, "optimizer": {"enabled": True, "runs": "200"}}
    for other in (metadata, named, metadata):
        (difference,) = setting_differences(other, settings, "0.8.31+commit.fd3a2265")
        assert type(difference.in_metadata) is type(other["optimizer"]["runs"])
