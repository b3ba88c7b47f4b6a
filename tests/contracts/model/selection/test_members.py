"""The positions of members in compact JSON, compared with a JSON parser."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statuary.extensions.serving.selection import (
    NotCanonicalError,
    find_item_spans,
    find_member_spans,
    find_value_end,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)


def compact(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@given(st.dictionaries(st.text(), VALUES, max_size=6))
def test_object_members_match_parser(value):
    text = compact(value)
    found = {member.name: json.loads(text[member.value : member.end]) for member in find_member_spans(text)}
    assert found == value
    assert b",".join(text[member.start : member.end] for member in find_member_spans(text)) == text[1:-1]


@given(st.lists(VALUES, max_size=6))
def test_array_items_match_parser(value):
    text = compact(value)
    assert [json.loads(text[start:end]) for start, end in find_item_spans(text)] == value


def test_values_keep_original_spelling():
    text = rb'{"a":1.0,"b":1e5,"c":-0.0,"d":123456789012345678901234567890,"e":"\u00e9\/","f":[1.50]}'
    found = {member.name: text[member.value : member.end] for member in find_member_spans(text)}
    assert found == {
        "a": b"1.0",
        "b": b"1e5",
        "c": b"-0.0",
        "d": b"123456789012345678901234567890",
        "e": rb'"\u00e9\/"',
        "f": b"[1.50]",
    }


def test_brackets_in_strings_are_ignored():
    text = compact({"source": 'a "quoted" } ] , { [ \\', "code": {"}": ["]", '"', "\\\\"]}, "last": 1})
    assert [member.name for member in find_member_spans(text)] == ["source", "code", "last"]


def test_member_names_are_unescaped():
    assert [member.name for member in find_member_spans(rb'{"a\"b":1,"\u0041":2}')] == ['a"b', "A"]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b'"abc"',
        b"{",
        b'{"a"',
        b'{"a":',
        b'{"a":}',
        b'{"a":1',
        b'{"a":1,',
        b'{"a":1,}',
        b'{"a":[1',
        b'{"a":"x',
        b'{"a" :1}',
        b'{ "a":1}',
        b'{"a":1 }',
        b"{a:1}",
        b'{"a":1;"b":2}',
    ],
)
def test_json_object_with_whitespace_is_rejected(text):
    with pytest.raises(NotCanonicalError):
        find_member_spans(text)


@pytest.mark.parametrize("text", [b"", b"{}", b"[", b"[1", b"[1,", b"[1,]", b"[1 ]", b'["x]'])
def test_json_array_with_whitespace_is_rejected(text):
    with pytest.raises(NotCanonicalError):
        find_item_spans(text)


def test_deep_nesting_does_not_recurse():
    text = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert find_value_end(text, 5) == len(text) - 1
