"""Versions as compilers print them and as records have them."""

import pytest

from statuary.contracts.model.compiler import find_build_version, is_same_build

VERSIONS = {
    "solc, the solidity compiler commandline interface\nVersion: 0.8.30+commit.73712a01.Linux.g++\n": (
        "0.8.30+commit.73712a01"
    ),
    "0.8.30+commit.73712a01.Emscripten.clang": "0.8.30+commit.73712a01",
    "Version: 0.4.11+commit.68ef5810.mod.Darwin.appleclang": "0.4.11+commit.68ef5810",
    "0.4.7-nightly.2016.12.3+commit.9be2fb12.Emscripten.clang": "0.4.7-nightly.2016.12.3+commit.9be2fb12",
    "0.4.1b1+commit.039d369": "0.4.1b1+commit.039d369",
    "0.3.1": "0.3.1",
    "no such option: --version": "",
}


@pytest.mark.parametrize("printed", VERSIONS)
def test_printed_version_is_parsed(printed):
    assert find_build_version(printed) == VERSIONS[printed]


SAME = [
    ("0.8.30+commit.73712a01", "0.8.30+commit.73712a01"),
    ("0.3.10+commit.91361694", "0.3.10+commit.9136169"),  # the version of a Vyper wheel
    ("0.3.0+commit.8a23feb", "0.3.0+commit.8a23febb"),
    ("0.3.1", "0.3.1+commit.0463ea4c"),
    ("v0.8.30+commit.73712a01", "0.8.30+commit.73712a01"),
]
OTHERS = [
    ("0.8.30+commit.73712a01", "0.8.3+commit.73712a01"),
    ("0.8.30+commit.73712a01", "0.8.30+commit.73712a02"),
    ("0.8.30+commit.73712a01", "0.8.30-nightly.2025.5.1+commit.73712a01"),
    ("0.4.1b1+commit.039d3692", "0.4.1+commit.039d3692"),
    ("0.8.30+commit.73712a01", "0.8.30+commit.7371"),
    ("0.8.30+commit.73712a01", ""),
    ("", ""),
    ("zksolc:1.5.0;solc:0.8.30", "1.5.0"),
]


@pytest.mark.parametrize(("recorded", "printed"), SAME)
def test_versions_of_same_build_match(recorded, printed):
    assert is_same_build(recorded, printed)


@pytest.mark.parametrize(("recorded", "printed"), OTHERS)
def test_versions_of_other_builds_differ(recorded, printed):
    assert not is_same_build(recorded, printed)
