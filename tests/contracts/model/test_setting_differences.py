"""The settings that metadata repeats against those of the input: what is the same, and what differs."""

import pytest

from statuary.contracts.model.compiler import default_evm_version, setting_differences

VERSION = "0.8.30+commit.73712a01"
DEFAULTS = {
    "optimizer": {"enabled": False, "runs": 200},
    "evmVersion": "prague",
    "remappings": [],
    "libraries": {},
}
"""What metadata says of an input without settings."""


def names(metadata, settings, version=VERSION):
    return [difference.name for difference in setting_differences(metadata, settings, version)]


SAME = [
    ({}, {}),
    ({}, {"outputSelection": {}, "stopAfter": "parsing", "modelChecker": {}, "parserErrorRecovery": True}),
    ({"compilationTarget": {"a.sol": "A"}}, {}),
    ({}, {"evmVersion": "prague"}),
    ({}, {"optimizer": {}, "metadata": {}, "debug": {}, "libraries": {}}),
    ({"remappings": [":a=b", "c=d"]}, {"remappings": ["c=d", "a=b"]}),
    ({"libraries": {"a.sol:L": "0xAB"}}, {"libraries": {"a.sol": {"L": "0xab"}}}),
    ({"viaIR": True}, {"viaIR": True}),
    ({"metadata": {"bytecodeHash": "ipfs"}}, {}),
    ({"metadata": {"appendCBOR": False}}, {"metadata": {"appendCBOR": False}}),
    ({"optimizer": {"enabled": True, "details": {"yul": True}}}, {"optimizer": {"details": {"yul": True}}}),
    (
        {"optimizer": {"enabled": True, "details": {"yul": True, "cse": False}}},
        {"optimizer": {"details": {"yul": True}}},
    ),
    ({"optimizer": {"enabled": True}}, {"optimizer": {"details": {"yul": True}}}),
]


@pytest.mark.parametrize(("metadata", "settings"), SAME)
def test_same_settings_have_no_difference(metadata, settings):
    assert names(DEFAULTS | metadata, settings) == []


DIFFERENT = [
    ({"optimizer": {"enabled": True}}, {}, "optimizer.enabled"),
    ({}, {"optimizer": {"runs": 201}}, "optimizer.runs"),
    ({}, {"optimizer": {"runs": 200.0}}, "optimizer.runs"),
    ({"optimizer": {"details": {"yul": True}}}, {}, "optimizer.details"),
    (
        {"optimizer": {"details": {"yul": True}}},
        {"optimizer": {"details": {"yul": False}}},
        "optimizer.details",
    ),
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


@pytest.mark.parametrize(("metadata", "settings", "name"), DIFFERENT)
def test_changed_setting_is_named(metadata, settings, name):
    assert names(DEFAULTS | metadata, settings) == [name]


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("0.4.20", None),
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
        ("0.8.31", "osaka"),
        ("0.8.32", None),
        ("unknown", None),
    ],
)
def test_default_evm_version_follows_release(version, name):
    assert default_evm_version(version) == name


def test_unknown_evm_version_is_not_compared():
    newer, older = DEFAULTS | {"evmVersion": "amsterdam"}, DEFAULTS | {"evmVersion": None}
    assert names(newer, {}, "0.8.99") == []
    assert names(older, {}, "0.4.11") == []
    assert names(newer, {"evmVersion": "osaka"}, "0.8.99") == ["evmVersion"]
