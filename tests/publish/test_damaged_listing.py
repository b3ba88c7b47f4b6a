"""Lines, parts and manifests that are not as statuary writes them: each is refused, and says why."""

from dataclasses import replace
from hashlib import sha256

import orjson
import pytest

from statuary.base.primitives import parse_instant
from statuary.publish.listing import (
    LONGEST_LINE,
    DamagedSnapshotError,
    Entry,
    encode_entry_line,
    encode_part,
    parse_entry_line,
    parse_part,
)
from statuary.publish.manifest import Manifest, ManifestBuilder, encode_manifest, parse_manifest, read_entries
from statuary.publish.origin import SiteOrigin

ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"
ENTRY = Entry("v2/a.json", (), 3, sha256(b"abc").hexdigest(), "application/json")
NAMED = ENTRY._replace(path=f"v2/contract/1/{ADDRESS}", aliases=(f"v2/contract/1/{ADDRESS.lower()}",))
STORED = ENTRY._replace(cache="no-cache", encoding="gzip")


@pytest.mark.parametrize("entry", [ENTRY, NAMED])
def test_encoded_manifest_entry_parses_unchanged(entry):
    assert parse_entry_line(encode_entry_line(entry)) == entry


def line(**changes):
    value = {"path": ENTRY.path, "size": 3, "sha256": ENTRY.sha256, "media_type": ENTRY.media_type}
    members = {name: value.get(name) for name in value} | changes
    return orjson.dumps({name: one for name, one in members.items() if one is not ...}) + b"\n"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"path": 3}, "it has the line .* is not a string"),
        ({"path": ...}, "it has the line"),
        ({"path": "../a"}, "is not a path inside a site"),
        ({"path": "/a"}, "is not a path inside a site"),
        ({"path": ".git/config"}, "is a hidden or reserved path, which no file of a site may have"),
        ({"path": "a./b"}, "is not a path inside a site"),
        ({"path": "a /b"}, "is not a path inside a site"),
        ({"size": -1}, "is not a whole number of 0 or more"),
        ({"size": 1.0}, "is not a whole number of 0 or more"),
        ({"size": True}, "is not a whole number of 0 or more"),
        ({"sha256": "0" * 63}, "is not a SHA-256"),
        ({"sha256": "A" * 64}, "is not a SHA-256"),
        ({"media_type": "text/plain\n"}, "is not a media type"),
        ({"media_type": "text/plän"}, "is not a media type"),
        ({"media_type": None}, "is not a string"),
        ({"also": ["v2/b.json"]}, "the other names v2/b.json"),
        ({"more": 1}, "was not written by statuary"),
    ],
)
def test_malformed_manifest_line_is_rejected(changes, message):
    with pytest.raises(DamagedSnapshotError, match=message):
        parse_entry_line(line(**changes))


@pytest.mark.parametrize(
    "text", [b"", b"[]\n", b"{", encode_entry_line(ENTRY)[:-1], b" " + encode_entry_line(ENTRY)]
)
def test_noncanonical_manifest_line_is_rejected(text):
    with pytest.raises(DamagedSnapshotError):
        parse_entry_line(text)


def test_manifest_line_length_is_limited():
    size = len(encode_entry_line(ENTRY)) - len(ENTRY.path)
    longest = ENTRY._replace(path="a" * (LONGEST_LINE - size))
    assert len(encode_entry_line(longest)) == LONGEST_LINE
    with pytest.raises(DamagedSnapshotError, match="is too long for the manifest"):
        encode_entry_line(longest._replace(path=longest.path + "a"))


def entries(*names):
    return [ENTRY._replace(path=f"v2/{name}.json") for name in names]


def test_damaged_manifest_part_is_rejected():
    part, text = encode_part(entries("a", "b"))
    assert parse_part(text, part) == entries("a", "b")
    with pytest.raises(DamagedSnapshotError, match="is missing"):
        parse_part(None, part)
    for other in (text[:-1], text + text, text.replace(b"v2/b", b"v2/c")):
        with pytest.raises(DamagedSnapshotError, match="is damaged"):
            parse_part(other, part)
    for wrong in (part._replace(documents=1), part._replace(documents=3), part._replace(first="v2/b.json")):
        with pytest.raises(DamagedSnapshotError, match="it lists other files than the manifest says"):
            parse_part(text, wrong)


def test_manifest_part_without_lines_is_rejected():
    part, _ = encode_part(entries("a"))
    empty = part._replace(documents=0, size=0, sha256=sha256(b"").hexdigest())
    with pytest.raises(DamagedSnapshotError, match="it lists other files than the manifest says"):
        parse_part(b"", empty)


ORIGIN = SiteOrigin(instant=parse_instant("2026-11-20T12:00:00Z"), revision="", statuary="1", only=())


def manifest_of(*groups):
    """Return a manifest of some parts, and how to read them."""
    builder, texts = ManifestBuilder(), {}
    for group in groups:
        part, text = builder.add(group)
        texts[part.path] = text
    return builder.manifest(ORIGIN), texts.get


def test_encoded_manifest_parses_unchanged():
    manifest, read = manifest_of(entries("a", "b"), [NAMED])
    assert (manifest.documents, manifest.names, manifest.size) == (3, 4, 9)
    assert parse_manifest(encode_manifest(manifest)) == manifest
    assert list(read_entries(manifest, read)) == [*entries("a", "b"), NAMED]


def changed(**members):
    manifest, _ = manifest_of(entries("a"), entries("b"))
    value = orjson.loads(encode_manifest(manifest)) | members
    del value["sha256"]
    text = orjson.dumps(value)
    return text[:-1] + b',"sha256":"' + sha256(text).hexdigest().encode() + b'"}'


PARTS = orjson.loads(encode_manifest(manifest_of(entries("a"), entries("b"))[0]))["parts"]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"snapshot": 0}, "has format 0; this version of statuary reads format"),
        ({"snapshot": None}, "has format None"),
        ({"parts": PARTS[::-1]}, "is damaged: its parts are not in order"),
        ({"parts": [PARTS[0], PARTS[0]]}, "is damaged: its parts are not in order"),
        ({"parts": [{"sha256": "0"}]}, "is damaged: '0' is not a SHA-256"),
        ({"parts": [PARTS[0] | {"first": "../a"}]}, "is not a path inside a site"),
        ({"documents": -1}, "is damaged: -1 is not a whole number of 0 or more"),
        ({"names": None}, "is damaged: None is not a whole number of 0 or more"),
        ({"size": 1.5}, "is damaged: 1.5 is not a whole number of 0 or more"),
        ({"instant": "yesterday"}, "is damaged"),
        ({"revision": 3}, "is damaged: 3 is not a string"),
        ({"only": [3]}, "is damaged: 3 is not a string"),
        ({"more": 1}, "was changed after the build: its digest is wrong"),
    ],
)
def test_malformed_manifest_is_rejected(members, message):
    with pytest.raises(DamagedSnapshotError, match=message):
        parse_manifest(changed(**members))


def test_changed_manifest_is_rejected():
    text = changed()
    assert parse_manifest(text)
    with pytest.raises(DamagedSnapshotError, match="was changed"):
        parse_manifest(text.replace(b'"names":2', b'"names":3'))
    for other in (b"", b"[]", text[:-1]):
        with pytest.raises(DamagedSnapshotError, match=r"it is not JSON|it is not a JSON object"):
            parse_manifest(other)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([entries("a", "a")], "it lists v2/a.json twice, or not in order"),
        ([entries("b", "a")], "it lists v2/a.json twice, or not in order"),
        ([entries("a", "c"), entries("b")], "it lists v2/b.json twice, or not in order"),
    ],
)
def test_unsorted_manifest_entries_are_rejected(groups, message):
    manifest, read = manifest_of(*groups)
    with pytest.raises(DamagedSnapshotError, match=message):
        list(read_entries(manifest, read))


@pytest.mark.parametrize("count", ["documents", "names", "size"])
def test_manifest_with_wrong_count_is_rejected(count):
    manifest, read = manifest_of(entries("a", "b"))
    wrong = with_count(manifest, count, getattr(manifest, count) + 1)
    with pytest.raises(DamagedSnapshotError, match="it counts more or fewer files than it lists"):
        list(read_entries(wrong, read))


def with_count(manifest: Manifest, name: str, value: int) -> Manifest:
    return (
        manifest._replace(**{name: value})
        if hasattr(manifest, "_replace")
        else replace(manifest, **{name: value})
    )
