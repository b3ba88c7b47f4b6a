"""Parts that the derivation of whole records leaves untried: levels, orders, Vyper, positions, placeholders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.base.json_values import sort_keys_as_jsonb
from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.abi import parse_abi_parameters
from statuary.contracts.model.auxdata import (
    Auxdata,
    CodeReference,
    auxdata_in_assembly,
    locate_auxdata,
    parse_cbor_auxdata,
    parse_immutable_references,
    parse_link_references,
    scan_for_auxdata,
    sort_keys_as_javascript,
)
from statuary.contracts.model.derivation import decode_unlinked_code, library_placeholders
from statuary.contracts.model.matching import (
    MatchLevel,
    RecompiledSide,
    constructor_argument_types,
    decide_match_level,
    match_creation,
    match_runtime,
    overall_match_level,
)
from statuary.contracts.model.transformations import (
    TransformationReason,
    TransformationStep,
    TransformationType,
    replay_transformations,
)
from support.strategies import steady

IPFS = bytes.fromhex("a264697066735822" + "1220" + "ab" * 32 + "64736f6c6343" + "00081e" + "0033")
OTHER = bytes.fromhex("a264697066735822" + "1220" + "cd" * 32 + "64736f6c6343" + "00081e" + "0033")
BARE = bytes.fromhex("a164736f6c634300081e000a")
ARGUMENT = (32).to_bytes(32) + (3).to_bytes(32) + b"abc".ljust(32, b"\0")
"""The bytes `abc`, encoded as the argument of a constructor."""

SOLC = {"language": "Solidity", "version": "0.8.30"}
AUXDATA_STEP = TransformationStep(
    type=TransformationType.REPLACE, reason=TransformationReason.CBOR_AUXDATA, offset=1, id="1"
)


@pytest.mark.parametrize(
    ("auxdata", "steps", "language", "version", "level"),
    [
        ([IPFS], [], "Solidity", "0.8.30", "exact_match"),
        ([IPFS, OTHER], [], "Solidity", "0.8.30", "exact_match"),
        ([IPFS, BARE], [], "Solidity", "0.8.30", "match"),
        ([IPFS], [AUXDATA_STEP], "Solidity", "0.8.30", "match"),
        ([], [], "Solidity", "0.8.30", "match"),
        ([IPFS], [], "Solidity", "0.4.6", "match"),
        ([IPFS], [], "Yul", "0.8.30", "match"),
        ([IPFS], [], "Vyper", "0.4.3", "match"),
    ],
)
def test_match_level_depends_on_auxdata(auxdata, steps, language, version, level):
    assert (
        decide_match_level(
            auxdata_sections=auxdata, transformations=steps, language=language, version=version
        )
        == level
    )


@pytest.mark.parametrize(
    ("creation", "runtime", "overall"),
    [
        (None, None, None),
        (None, "match", "match"),
        ("match", None, "match"),
        ("exact_match", "match", "exact_match"),
        (None, "exact_match", "exact_match"),
    ],
)
def test_overall_match_combines_creation_and_runtime(creation, runtime, overall):
    assert overall_match_level(creation, runtime) == overall


def test_vyper_immutables_are_appended():
    side = RecompiledSide(code=b"\1\2\3", appended_immutables=2, language="Vyper", version="0.3.10")
    found = match_runtime(side, b"\1\2\3\xaa\xbb")
    assert found.values == {"immutables": {"0": "0xaabb"}}
    assert found.transformations == (
        TransformationStep(
            type=TransformationType.INSERT, reason=TransformationReason.IMMUTABLE, offset=3, id="0"
        ),
    )
    assert match_runtime(side, b"\1\2\3\xaa") is None


def test_non_auxdata_bytes_prevent_match():
    side = RecompiledSide(code=b"\1\xfe" + IPFS, auxdata={"1": Auxdata(2, IPFS)}, **SOLC)
    assert match_runtime(side, b"\1\xfe" + OTHER).level is MatchLevel.MATCH
    assert match_runtime(side, b"\1\xfe" + b"\xff" * len(IPFS)) is None
    assert match_runtime(side, b"\2\xfe" + OTHER) is None


def test_missing_auxdata_requires_invalid_opcode():
    for before, is_match in ((b"\xfe", True), (b"\x00", False)):
        side = RecompiledSide(code=b"\1\2" + before + IPFS, auxdata={"1": Auxdata(3, IPFS)}, **SOLC)
        assert (match_runtime(side, b"\1\2") is not None) is is_match


def test_arguments_require_matching_constructor():
    side = RecompiledSide(code=b"\1", **SOLC)
    one = parse_abi_parameters([{"type": "uint8"}])
    assert match_creation(side, b"\1" + bytes(32), one) is not None
    assert match_creation(side, b"\1" + b"\1" * 32, one) is None
    assert match_creation(side, b"\1" + bytes(32), parse_abi_parameters([])) is None
    assert match_creation(side, b"\1" + bytes(32), None) is None
    assert match_creation(side, b"\1", None) is not None
    assert (
        constructor_argument_types([{"type": "constructor", "inputs": [{"type": "TransformationType"}]}])
        is None
    )
    assert constructor_argument_types(None).items == ()


def test_javascript_order_puts_integers_first():
    keys = ["b", "10", "9", "4294967295", "01", "a", "0", "-1", "1.5", ""]
    assert sort_keys_as_javascript(keys) == ["0", "9", "10", "b", "4294967295", "01", "a", "-1", "1.5", ""]


def test_jsonb_order_sorts_by_length():
    value = {"bb": 1, "a": {"z": 1, "é": 2, "yy": 3}, "ba": [{"d": 1, "c": 2}]}
    ordered = sort_keys_as_jsonb(value)
    assert list(ordered) == ["a", "ba", "bb"]
    assert list(ordered["a"]) == ["z", "yy", "é"]
    assert list(ordered["ba"][0]) == ["c", "d"]
    assert ordered == value


def test_references_are_read_in_order():
    links = {"z.sol": {"L": [{"start": 1, "length": 20}]}, "a.sol": {"M": [{"start": 9, "length": 20}]}}
    assert parse_link_references(links) == [CodeReference("a.sol:M", 9, 20), CodeReference("z.sol:L", 1, 20)]
    assert parse_immutable_references(
        {"10": [{"start": 1, "length": 32}], "9": [{"start": 5, "length": 32}]}
    ) == [
        CodeReference("9", 5, 32),
        CodeReference("10", 1, 32),
    ]
    assert parse_link_references(None) == parse_immutable_references({}) == []


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"a": 1},
        {"a": [1]},
        {"a": [{"start": -1, "length": 1}]},
        {"a": [{"start": 0, "length": 0}]},
        {"a": [{"start": 0}]},
    ],
)
def test_invalid_references_are_rejected(value):
    with pytest.raises(InvalidValueError):
        parse_immutable_references(value)
    with pytest.raises(InvalidValueError):
        parse_link_references({"x": value} if value else value)


@pytest.mark.parametrize(
    "piece",
    [None, {}, {"offset": 1, "value": "0xg0"}, {"offset": -1, "value": "0x"}, {"offset": "1", "value": "0x"}],
)
def test_invalid_auxdata_is_rejected(piece):
    with pytest.raises(InvalidValueError):
        parse_cbor_auxdata({"1": piece})


def test_library_placeholders_have_two_forms():
    new, old = library_placeholders("file.sol:Math")  # the example of Solidity's manual, "Using the Compiler"
    assert new == "__$53aea86b7d70b31448b230b20ae141a537$__"
    assert old == "__file.sol:Math_________________________"
    assert library_placeholders("a" * 50)[1] == "__" + "a" * 36 + "__"
    place = CodeReference("file.sol:Math", 1, 20)
    for text in (new, old, "0" * 40):
        assert decode_unlinked_code("73" + text + "5b", [place]) == b"\x73" + bytes(20) + b"\x5b"


def test_assembly_lists_parent_auxdata_first():
    assembly = {
        ".code": [{"name": "PUSH"}],
        ".data": {
            "0": {
                ".auxdata": "aa",
                ".data": {"1": {".auxdata": "cc"}, "0": {".auxdata": "bb"}, "A": {".auxdata": "ee"}},
            },
            "1": {".auxdata": "dd"},
            "ACAF3289D7B601CBD114FB36C4D29C85BBFD5E133F14CB355C3FD8D99367964F": "text",
        },
    }
    assert [piece.hex() for piece in auxdata_in_assembly(assembly)] == ["aa", "bb", "cc", "dd"]


def test_equal_auxdata_positions_are_distinct():
    code = b"\1" + IPFS + b"\2" + IPFS
    assembly = {".data": {"0": {".auxdata": IPFS.hex(), ".data": {"0": {".auxdata": IPFS.hex()}}}}}
    found = locate_auxdata(code, code, assembly=assembly, **SOLC).runtime
    assert {number: piece.offset for number, piece in found.items()} == {"1": 1, "2": 2 + len(IPFS)}


def test_single_auxdata_is_found_before_data():
    code = b"\1" + IPFS + b"data"
    found = locate_auxdata(code, code, assembly={".data": {"0": {".auxdata": IPFS.hex()}}}, **SOLC)
    assert {number: piece.offset for number, piece in found.runtime.items()} == {"1": 1}


def test_auxdata_pieces_are_recognized_anywhere():
    code = b"\xa2\x64ipfs" + IPFS + b"\0" + BARE + IPFS[:-1] + b"\0"
    assert [piece.value for piece in scan_for_auxdata(code)] == [IPFS, BARE]


@steady
@given(st.binary(max_size=120), st.binary(max_size=120), st.sampled_from(["0.4.6", "0.4.9", "0.8.30"]))
def test_auxdata_positions_match_code(creation, runtime, version):
    found = locate_auxdata(creation, runtime, language="Solidity", version=version, assembly=None)
    for code, pieces in ((creation, found.creation), (runtime, found.runtime)):
        for piece in pieces.values():
            assert code[piece.offset : piece.offset + len(piece.value)] == piece.value


@steady
@given(st.binary(min_size=32, max_size=60), st.binary(min_size=60, max_size=60), st.booleans(), st.data())
def test_replayed_match_gives_onchain_code(code, other, is_deployed, data):
    """The on-chain code is the recompiled one with a linked library, and either immutables or an argument."""
    library, immutable = CodeReference("a:L", 2, 20), CodeReference("5", 0, 32)
    side = RecompiledSide(
        code=code, libraries=[library], immutables=[immutable] if is_deployed else [], **SOLC
    )
    onchain = bytearray(code)
    for place in (*side.immutables, *side.libraries):
        onchain[place.start : place.start + place.length] = other[place.start : place.start + place.length]
    if is_deployed:
        found = match_runtime(side, bytes(onchain))
    else:
        onchain += data.draw(st.sampled_from([b"", ARGUMENT]))
        found = match_creation(side, bytes(onchain), parse_abi_parameters([{"type": "bytes"}]))
    assert found is not None
    replayed = replay_transformations(
        code, found.transformations, found.values, max_bytes=len(code) + len(onchain)
    )
    assert replayed == bytes(onchain)
