"""Views of records: the compiler's text of the metadata, and values that are the same."""

import json

import pytest

from statuary.contracts.checks.record_view import (
    MetadataHashes,
    RecordView,
    decode_lowercase_hex,
    format_json_line,
    is_same_json,
)
from statuary.contracts.model.metadata_hashes import metadata_hash
from support.contracts import made_record

METADATA = {"version": 1, "language": "Solidity", "output": {"b": "\u00fc", "a": []}}
AS_WRITTEN = [
    json.dumps(METADATA, separators=(",", ":"), ensure_ascii=False),
    json.dumps(METADATA, separators=(",", ":"), sort_keys=True, ensure_ascii=False),
    json.dumps(METADATA, indent=2),
    json.dumps(METADATA),
]


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_compiler_metadata_text_is_hashed_unchanged(text):
    hashes = MetadataHashes(METADATA, text)
    assert hashes.compiler_metadata_text == text
    assert hashes.includes_digest("ipfs", metadata_hash(text.encode(), "ipfs"))
    assert not hashes.includes_digest("ipfs", bytes(34))


@pytest.mark.parametrize(
    "text",
    [
        AS_WRITTEN[0].replace("Solidity", "Yul"),
        AS_WRITTEN[0][:-1] + ',"version":1}',
        AS_WRITTEN[0][:-1],
        AS_WRITTEN[0] + " {}",
        "null",
        "",
        None,
        METADATA,
    ],
)
def test_differing_metadata_text_is_ignored(text):
    assert MetadataHashes(METADATA, text).compiler_metadata_text is None


@pytest.mark.parametrize("value", [None, [], "text", 1])
def test_absent_metadata_has_no_hash(value):
    hashes = MetadataHashes(value, AS_WRITTEN[0])
    assert hashes.compiler_metadata_text is None
    assert list(hashes.possible_digests("ipfs")) == []


def test_unknown_hash_scheme_has_no_digest():
    assert list(MetadataHashes(METADATA, None).possible_digests("sha1")) == []


SAME = [(None, None), ("a", "a"), ({"a": 1, "b": []}, {"b": [], "a": 1}), ([1, 2], [1, 2]), (True, True)]
DIFFERENT = [
    (None, False),
    (None, {}),
    ("1", 1),
    ([1, 2], [2, 1]),
    ({"a": 1}, {"a": 2}),
    (True, 1),
    ({"a": None}, {}),
]


@pytest.mark.parametrize(("value", "other"), SAME)
def test_equal_json_values_compare_equal(value, other):
    assert is_same_json(value, other)


@pytest.mark.parametrize(("value", "other"), DIFFERENT)
def test_different_json_values_compare_unequal(value, other):
    assert not is_same_json(value, other)
    assert not is_same_json(other, value)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("0x", b""),
        ("0x00ff", b"\0\xff"),
        ("00", None),
        ("0x0", None),
        ("0xzz", None),
        ("0X00", None),
        (None, None),
        (1, None),
    ],
)
def test_hex_string_is_decoded_to_bytes(text, data):
    assert decode_lowercase_hex(text) == data


@pytest.mark.parametrize(
    ("value", "text"), [(None, "null"), (True, "true"), (False, "false"), ("a", "'a'"), (3, "3")]
)
def test_value_is_formatted_as_json(value, text):
    assert format_json_line(value) == text


def test_invalid_immutables_prevent_match():
    record = made_record("immutables")
    assert RecordView(record).runtime.recomputed_match is not None
    record["runtimeBytecode"]["immutableReferences"] = {"7": "x"}
    assert RecordView(record).runtime.recomputed_match is None
