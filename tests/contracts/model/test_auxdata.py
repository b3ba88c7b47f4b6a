"""The auxdata of each compiler: hand-made pieces of every layout, and bytes that are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.auxdata import (
    Auxdata,
    find_trailing_auxdata,
    has_source_hash,
    locate_auxdata,
    parse_auxdata,
)
from statuary.contracts.model.compiler import UNKNOWN, CompilerVersion, parse_compiler_version
from statuary.contracts.model.compiler_evidence import AuxdataStyle, compiler_evidence
from statuary.contracts.model.metadata_hashes import metadata_hash, possible_metadata_texts
from support.strategies import steady

CODE = bytes.fromhex("6001600255fe")
IPFS = bytes.fromhex("a264697066735822" + "1220" + "ab" * 32 + "64736f6c6343" + "00081e" + "0033")
BZZR0 = bytes.fromhex("a165627a7a7230" + "5820" + "cd" * 32 + "0029")
BARE = bytes.fromhex("a164736f6c6343" + "00081e" + "000a")
NIGHTLY = bytes.fromhex("a164736f6c63" + "78" + "22" + b"0.8.31-nightly.2025.9.1+commit.abc".hex() + "002a")
VYPER_0_3_4 = bytes.fromhex("a165767970657283000304")
VYPER_MAP = VYPER_0_3_4 + b"\x00\x0b"
VYPER_ARRAY = bytes.fromhex("84" + "19055c" + "80" + "1820" + "a16576797065728300030a" + "0014")
VYPER_INTEGRITY = bytes.fromhex(
    "85" + "5820" + "ef" * 32 + "19055c" + "80" + "1820" + "a165767970657283000403" + "0036"
)


@pytest.mark.parametrize(
    ("language", "version", "style"),
    [
        ("Solidity", "0.4.6+commit.2dabbdf0", AuxdataStyle.NONE),
        ("Solidity", "0.4.7+commit.822622cf", AuxdataStyle.SOLIDITY),
        ("Solidity", "0.4.7-nightly.2016.12.1+commit.0", AuxdataStyle.NONE),
        ("Yul", "0.8.30+commit.73712a01", AuxdataStyle.NONE),
        ("Fe", "26.0.0-alpha.12", AuxdataStyle.NONE),
        ("Vyper", "0.3.3+commit.48e326f0", AuxdataStyle.NONE),
        ("Vyper", "0.3.4+commit.f31f0ec4", AuxdataStyle.VYPER_0_3_4),
        ("Vyper", "0.3.9+commit.66b96705", AuxdataStyle.VYPER_BEFORE_0_3_10),
        ("Vyper", "0.3.10rc1+commit.0", AuxdataStyle.VYPER),
        ("Vyper", "0.4.1b1+commit.039d3692", AuxdataStyle.VYPER),
    ],
)
def test_auxdata_style_depends_on_compiler(language, version, style):
    assert compiler_evidence(language, version).auxdata is style


def test_compiler_versions_are_ordered():
    assert parse_compiler_version("v0.8.30+commit.73712a01") == CompilerVersion(0, 8, 30)
    assert (
        parse_compiler_version("0.8.30-nightly.1")
        < parse_compiler_version("0.8.30")
        < parse_compiler_version("0.10.0")
    )
    assert (
        parse_compiler_version("latest")
        == parse_compiler_version("9" * 50)
        == UNKNOWN
        < parse_compiler_version("0.1.0")
    )


@pytest.mark.parametrize(
    ("piece", "version", "in_runtime"),
    [
        (VYPER_0_3_4, "0.3.4", True),
        (VYPER_MAP, "0.3.9", True),
        (VYPER_ARRAY, "0.3.10", False),
        (VYPER_INTEGRITY, "0.4.3", False),
    ],
)
def test_vyper_release_decides_runtime_auxdata(piece, version, in_runtime):
    code = CODE + piece
    found = locate_auxdata(code, code, language="Vyper", version=version, assembly=None)
    expected = {"1": Auxdata(len(CODE), piece)}
    assert (found.creation, found.runtime) == (expected, expected if in_runtime else {})


@pytest.mark.parametrize(
    ("piece", "style"),
    [
        (IPFS, AuxdataStyle.SOLIDITY),
        (BZZR0, AuxdataStyle.SOLIDITY),
        (BARE, AuxdataStyle.SOLIDITY),
        (NIGHTLY, AuxdataStyle.SOLIDITY),
        (VYPER_0_3_4, AuxdataStyle.VYPER_0_3_4),
        (VYPER_MAP, AuxdataStyle.VYPER_BEFORE_0_3_10),
        (VYPER_ARRAY, AuxdataStyle.VYPER),
        (VYPER_INTEGRITY, AuxdataStyle.VYPER),
    ],
)
def test_trailing_auxdata_is_found_in_code(piece, style):
    assert find_trailing_auxdata(CODE + piece, style) == Auxdata(len(CODE), piece)
    assert find_trailing_auxdata(CODE + piece[:-1], style) is None
    assert find_trailing_auxdata(CODE + piece, AuxdataStyle.NONE) is None


def test_auxdata_reports_hashes_versions_and_sizes():
    solc = parse_auxdata(IPFS, AuxdataStyle.SOLIDITY)
    assert (solc.hashes, solc.compiler) == ({"ipfs": bytes.fromhex("1220" + "ab" * 32)}, "0.8.30")
    assert parse_auxdata(BZZR0, AuxdataStyle.SOLIDITY).hashes == {"bzzr0": b"\xcd" * 32}
    assert parse_auxdata(NIGHTLY, AuxdataStyle.SOLIDITY).compiler.startswith("0.8.31-nightly")
    vyper = parse_auxdata(VYPER_INTEGRITY, AuxdataStyle.VYPER)
    assert vyper.hashes == {"integrity": b"\xef" * 32}
    assert (vyper.runtime_size, vyper.immutable_size, vyper.compiler) == (1372, 32, "0.4.3")
    assert parse_auxdata(VYPER_ARRAY, AuxdataStyle.VYPER).hashes == {}


@pytest.mark.parametrize(
    ("piece", "style", "version", "carries"),
    [
        (IPFS, AuxdataStyle.SOLIDITY, "0.8.30", True),
        (BZZR0, AuxdataStyle.SOLIDITY, "0.4.7", True),
        (BARE, AuxdataStyle.SOLIDITY, "0.8.30", False),
        (VYPER_INTEGRITY, AuxdataStyle.VYPER, "0.4.1", True),
        (VYPER_INTEGRITY, AuxdataStyle.VYPER, "0.4.0", False),
        (VYPER_ARRAY, AuxdataStyle.VYPER, "0.4.1", False),
        (VYPER_MAP, AuxdataStyle.VYPER_BEFORE_0_3_10, "0.3.9", False),
        (b"\x00", AuxdataStyle.SOLIDITY, "0.8.30", False),
    ],
)
def test_source_hash_presence_is_detected(piece, style, version, carries):
    assert has_source_hash(piece, style, version) is carries


def test_metadata_texts_start_with_escaped_form():
    assert set(possible_metadata_texts({"a": 1})) == {b'{"a":1}'}
    escaped, older, plain, *_ = possible_metadata_texts({"a": "ü😀\x7f"})
    assert escaped == b'{"a":"\\u00fc\\ud83d\\ude00\\u007f"}'
    assert (older, plain) == (b'{"a":"\\u00fc\\ud83d\\ude00\x7f"}', '{"a":"ü😀\x7f"}'.encode())
    assert set(possible_metadata_texts({"a": "\x7f\\u007f"})) == {
        b'{"a":"\\u007f\\\\u007f"}',
        b'{"a":"\x7f\\\\u007f"}',
    }
    assert list(possible_metadata_texts({"b": 1, "a": 2}))[-1] == b'{"a":2,"b":1}'
    assert next(possible_metadata_texts({"a": 1}, '{"a": 1}')) == b'{"a": 1}'
    deep: list = []
    for _ in range(1_000):
        deep = [deep]
    with pytest.raises(InvalidValueError):
        list(possible_metadata_texts(deep))


def test_unknown_hash_schemes_are_rejected():
    with pytest.raises(InvalidValueError):
        metadata_hash(b"", "md5")


@steady
@given(st.binary(max_size=120), st.sampled_from(AuxdataStyle))
def test_arbitrary_bytes_parse_or_are_rejected(data, style):
    found = find_trailing_auxdata(data, style)
    assert found is None or data.endswith(found.value)
    has_source_hash(data, style, "0.8.30")
    try:
        parse_auxdata(data, style)
    except InvalidValueError:
        return
    assert found == Auxdata(0, data)


def ended(cbor, style):
    """Return auxdata of some CBOR with its length, which Vyper counts as part of it."""
    size = len(cbor) + (2 if style is AuxdataStyle.VYPER else 0)
    return cbor + size.to_bytes(2, "big")


VERSIONS = bytes.fromhex("a165767970657283000403")
HASH = b"\x58\x20" + b"h" * 32


@pytest.mark.parametrize(
    ("cbor", "style", "message"),
    [
        (b"\x80", AuxdataStyle.SOLIDITY, "auxdata is not a CBOR map"),
        (b"\xa1dname\x01", AuxdataStyle.SOLIDITY, "has a member 'name' that compilers do not write"),
        (b"\xa1dipfs\x41a", AuxdataStyle.SOLIDITY, "has a member 'ipfs' that compilers do not write"),
        (b"\xa1dsolc\x01", AuxdataStyle.SOLIDITY, "has a member 'solc' that compilers do not write"),
        (b"\xa1lexperimental\xf4", AuxdataStyle.SOLIDITY, "has a member 'experimental' that compilers"),
        (b"\x83\x00\x80" + VERSIONS, AuxdataStyle.VYPER, "auxdata is not a CBOR array of 4 or 5 items"),
        (b"\x84\x00\x80\x00\x00", AuxdataStyle.VYPER, "auxdata is not a CBOR array of 4 or 5 items"),
        (VERSIONS, AuxdataStyle.VYPER, "auxdata is not a CBOR array of 4 or 5 items"),
        (b"\x84\x80\x80\x00" + VERSIONS, AuxdataStyle.VYPER, "in the auxdata are not whole numbers"),
        (
            b"\x85" + HASH + b"\x00\x80\x80" + VERSIONS,
            AuxdataStyle.VYPER,
            "in the auxdata are not whole numbers",
        ),
    ],
)
def test_auxdata_of_unknown_form_is_rejected(cbor, style, message):
    with pytest.raises(InvalidValueError, match=message):
        parse_auxdata(ended(cbor, style), style)


def test_vyper_auxdata_has_hash_and_sizes():
    plain = parse_auxdata(ended(b"\x84\x05\x80\x06" + VERSIONS, AuxdataStyle.VYPER), AuxdataStyle.VYPER)
    assert (plain.hashes, plain.runtime_size, plain.immutable_size, plain.compiler) == ({}, 5, 6, "0.4.3")
    with_hash = b"\x85" + HASH + b"\x05\x81\x07\x06" + VERSIONS
    hashed = parse_auxdata(ended(with_hash, AuxdataStyle.VYPER), AuxdataStyle.VYPER)
    assert hashed == plain._replace(hashes={"integrity": b"h" * 32})
    short = b"\x85" + b"\x58\x1f" + b"h" * 31 + b"\x05\x80\x06" + VERSIONS
    assert parse_auxdata(ended(short, AuxdataStyle.VYPER), AuxdataStyle.VYPER).hashes == {}
