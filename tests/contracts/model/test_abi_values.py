"""Decoding against eth-abi, and against hostile bytes."""

import eth_abi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.abi import ArrayType, TupleType, decode_abi_values, parse_abi_parameters
from support.strategies import steady

WORD = 32


def typed(*names):
    return parse_abi_parameters([{"type": name} for name in names])


def word(number):
    return number.to_bytes(WORD, "big")


BASIC = st.sampled_from(
    ["address", "bool", "string", "bytes", "bytes1", "bytes32", "uint8", "uint256", "int8", "int64", "int256"]
).map(lambda name: typed(name).items[0])
TYPES = st.recursive(
    BASIC,
    lambda inner: (
        st.builds(ArrayType, inner, st.none() | st.integers(1, 3))
        | st.builds(TupleType, st.lists(inner, min_size=1, max_size=3).map(tuple))
    ),
    max_leaves=6,
)


SMALL_VALUES = {
    "string": lambda _: st.text(max_size=40),
    "bytes": lambda _: st.binary(max_size=70),
    "bytesN": lambda size: st.binary(min_size=size, max_size=size),
    "bool": lambda _: st.booleans(),
    "address": lambda _: st.integers(0, 2**160 - 1),
    "uint": lambda size: st.integers(0, 2**size - 1),
    "int": lambda size: st.integers(-(2 ** (size - 1)), 2 ** (size - 1) - 1),
}


def values_of(item):
    if isinstance(item, TupleType):
        return st.tuples(*map(values_of, item.items)).map(list)
    if isinstance(item, ArrayType):
        longest = 3 if item.length is None else item.length
        return st.lists(values_of(item.item), min_size=item.length or 0, max_size=longest)
    return SMALL_VALUES[item.kind](item.size)


TYPED_VALUES = (
    st.lists(TYPES, max_size=4)
    .map(lambda items: TupleType(tuple(items)))
    .flatmap(lambda types: st.tuples(st.just(types), values_of(types)))
)


def spelled(item, value):
    """Return a value as eth-abi takes it: addresses as text, sequences as tuples."""
    if isinstance(item, TupleType):
        return tuple(spelled(of, part) for of, part in zip(item.items, value, strict=True))
    if isinstance(item, ArrayType):
        return tuple(spelled(item.item, part) for part in value)
    return f"0x{value:040x}" if item.name == "address" else value


def encoded(types, values):
    """Return the encoding of eth-abi, which is canonical."""
    return eth_abi.encode([item.canonical_name for item in types.items], spelled(types, values))


@steady
@given(TYPED_VALUES)
def test_decoding_matches_eth_abi(typed_values):
    types, values = typed_values
    assert decode_abi_values(types, encoded(types, values)) == values


@steady
@given(TYPED_VALUES, st.integers(0), st.integers(1, 255))
def test_changed_abi_encoding_fails_or_reencodes(typed_values, place, change):
    types, values = typed_values
    data = bytearray(encoded(types, values))
    if not data:
        return
    data[place % len(data)] ^= change
    try:
        other = decode_abi_values(types, bytes(data))
    except InvalidValueError:
        return
    assert other != values
    assert encoded(types, other) == data


@steady
@given(TYPES, st.binary(max_size=400))
def test_arbitrary_abi_bytes_fail_or_reencode(item, data):
    types = TupleType((item,))
    try:
        values = decode_abi_values(types, data)
    except InvalidValueError:
        return
    assert encoded(types, values) == data


@pytest.mark.parametrize(
    ("names", "data"),
    [
        (["uint8"], word(256)),
        (["int8"], word(128)),
        (["bool"], word(2)),
        (["address"], word(2**160)),
        (["bytes4"], word(1)),
        (["uint256"], b""),
        (["uint256"], word(1) + b"\0"),
        ([], b"\0"),
        (["string"], word(64) + word(0)),  # an offset that skips a word
        (["string"], word(32) + word(1) + b"\xff".ljust(WORD, b"\0")),  # no UTF-8
        (["bytes"], word(32) + word(1) + b"ab".ljust(WORD, b"\0")),  # padding
        (["bytes"], word(32) + word(2**255)),
        (["uint256[]"], word(32) + word(2**255)),
        (["uint256[0][]"], word(32) + word(2**255)),
        (["string[99999999999]"], word(32)),
        (["uint256[99999999999]"], word(32)),
    ],
)
def test_invalid_encoding_is_rejected(names, data):
    with pytest.raises(InvalidValueError):
        decode_abi_values(typed(*names), data)


def test_shared_offsets_do_not_multiply_work():
    """Forty nested arrays whose items all share one tail are 2**40 values to a lenient reader: it would never end."""
    bomb = b"".join(word(2) + word(64) + word(64) for _ in range(40))
    with pytest.raises(InvalidValueError):
        decode_abi_values(typed("uint256" + "[]" * 40), word(32) + bomb)


@pytest.mark.parametrize(
    ("types", "data", "message"),
    [
        (["bytes"], word(32), "32 bytes are expected at byte 32"),
        (["uint256[]"], word(32), "32 bytes are expected at byte 32"),
        (["uint256[]"], word(32) + word(1), "an array of 1 items does not fit"),
        (["bytes[2]"], word(32) + word(64), "an array of 2 items does not fit"),
        (["bytes"], word(32) + word(1), "a bytes value of 1 bytes does not fit"),
        (
            ["bytes"],
            word(32) + word(1) + b"ab".ljust(WORD, b"\0"),
            "the padding of the data should be zeros from byte 65 on",
        ),
        (
            ["string"],
            word(32) + word(1) + b"\xff".ljust(WORD, b"\0"),
            "the string value at byte 32 of the data is not valid UTF-8",
        ),
        (["bytes3"], b"abcd".ljust(WORD, b"\0"), "the padding of the data should be zeros from byte 3 on"),
        (["bytes"], word(33) + word(0), "the offset stored at byte 0 of the data should be 32"),
        (["uint8"], word(256), "at byte 0 of the data are not a valid uint8 value"),
        (["bool"], word(2), "at byte 0 of the data are not a valid bool value"),
        (["address"], word(1 << 160), "at byte 0 of the data are not a valid address value"),
        (["int8"], word(128), "at byte 0 of the data are not a valid int8 value"),
        (["int8"], word((1 << 256) - 129), "at byte 0 of the data are not a valid int8 value"),
        (["uint8"], word(1)[1:], "it has 31 bytes, and these types need at least 32"),
        (["uint8"], word(1) + b"\0", "the data has 1 bytes more than the arguments need"),
    ],
)
def test_noncanonical_encoding_is_rejected(types, data, message):
    with pytest.raises(InvalidValueError, match=message):
        decode_abi_values(typed(*types), data)


@pytest.mark.parametrize(
    ("name", "data", "value"),
    [
        ("uint8", word(255), 255),
        ("int8", word(127), 127),
        ("int8", word((1 << 256) - 128), -128),
        ("bool", word(1), True),
        ("address", word((1 << 160) - 1), (1 << 160) - 1),
        ("bytes3", b"abc".ljust(WORD, b"\0"), b"abc"),
        ("bytes", word(32) + word(0), b""),
        ("bytes", word(32) + word(32) + b"a" * 32, b"a" * 32),
    ],
)
def test_largest_and_smallest_values_are_decoded(name, data, value):
    assert decode_abi_values(typed(name), data) == [value]


def test_array_of_empty_items_is_rejected():
    empty = {"type": "tuple[3]", "components": []}
    with pytest.raises(InvalidValueError, match="an array type has items that take no bytes"):
        decode_abi_values(parse_abi_parameters([empty]), b"")
