"""The CBOR reader against the standard's own examples, a general library, and random bytes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.base.limits import MAX_CBOR_DEPTH
from statuary.base.primitives import InvalidValueError
from statuary.contracts.model import cbor
from statuary.contracts.model.cbor import decode_cbor, decode_cbor_prefix
from support.requirements import require_module
from support.strategies import steady


@pytest.mark.parametrize(
    ("text", "value"),
    [  # RFC 8949, appendix A
        ("00", 0),
        ("17", 23),
        ("1818", 24),
        ("1903e8", 1000),
        ("1bffffffffffffffff", 18446744073709551615),
        ("20", -1),
        ("3bffffffffffffffff", -18446744073709551616),
        ("f93c00", 1.0),
        ("fb3ff199999999999a", 1.1),
        ("f4", False),
        ("f6", None),
        ("4401020304", b"\x01\x02\x03\x04"),
        ("6449455446", "IETF"),
        ("62c3bc", "ü"),
        ("83010203", [1, 2, 3]),
        ("a26161016162820203", {"a": 1, "b": [2, 3]}),
        ("c11a514b67b0", 1363896240),
    ],
)
def test_cbor_decoding_matches_standard_examples(text, value):
    assert decode_cbor(bytes.fromhex(text)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "18",  # a length that is not there
        "0000",  # more than one item
        "9f01ff",  # indefinite length
        "5bffffffffffffffff",  # a string as long as memory is not
        "9bffffffffffffffff",
        "bbffffffffffffffff",
        "61ff",  # no UTF-8
        "a201010102",  # the same key twice
        "a18000",  # a list as key
        "f0",  # a simple value without meaning
        "1c",  # reserved
    ],
)
def test_invalid_cbor_is_rejected(text):
    with pytest.raises(InvalidValueError):
        decode_cbor(bytes.fromhex(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("830102", "an array of 3 items begins where only 2 bytes are left"),
        ("a2010203", "a map of 2 pairs begins where only 3 bytes are left"),
    ],
)
def test_cbor_count_beyond_data_is_rejected(text, message):
    with pytest.raises(InvalidValueError, match=message):
        decode_cbor(bytes.fromhex(text))


def test_deep_nesting_is_rejected():
    assert decode_cbor(b"\x81" * MAX_CBOR_DEPTH + b"\x00")
    with pytest.raises(InvalidValueError):
        decode_cbor(b"\x81" * 100_000 + b"\x00")


def test_prefix_decoding_returns_end():
    assert decode_cbor_prefix(bytes.fromhex("ff830102036161"), 1) == ([1, 2, 3], 5)


PLAIN = st.recursive(
    st.integers(-(2**64), 2**64 - 1)
    | st.binary(max_size=40)
    | st.text(max_size=20)
    | st.booleans()
    | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@steady
@given(PLAIN)
def test_cbor_decoding_matches_library(value):
    cbor2 = require_module("cbor2", install="pip install 'statuary[test]'")
    assert decode_cbor(cbor2.dumps(value)) == value


@steady
@given(st.binary(max_size=200))
def test_arbitrary_bytes_decode_or_fail(data):
    try:
        decode_cbor(data)
    except InvalidValueError:
        return
    # cbor2 is more lenient, so it must accept all data that this decoder accepts
    require_module("cbor2", install="pip install 'statuary[test]'").loads(data)


USUAL = bytes.fromhex("a264697066735822") + bytes(range(34)) + bytes.fromhex("64736f6c6343000812")


@pytest.mark.parametrize("tail", [b"", b"\x00\x33", b"\n"])
def test_common_solc_map_is_decoded(tail):
    expected = {"ipfs": bytes(range(34)), "solc": b"\x00\x08\x12"}
    assert decode_cbor_prefix(b"\xfe" + USUAL + tail, 1) == (expected, 1 + len(USUAL))


def decoded(text):
    try:
        return decode_cbor_prefix(text, 0)
    except InvalidValueError as error:
        return str(error)


def test_fast_path_matches_general_decoder(monkeypatch):
    texts = [USUAL, *(USUAL[:length] for length in range(len(USUAL)))]
    texts += [
        USUAL[:place] + bytes([USUAL[place] ^ change]) + USUAL[place + 1 :]
        for place in range(len(USUAL))
        for change in (0x01, 0x20, 0x80)
    ]
    by_both = [decoded(text) for text in texts]
    monkeypatch.setattr(cbor, "_USUAL_MAP", re.compile(b"(?!)"))
    assert [decoded(text) for text in texts] == by_both
