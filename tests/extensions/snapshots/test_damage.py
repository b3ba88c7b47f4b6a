"""Snapshots that are damaged, cut off or hostile: each is rejected with a message, and nothing is written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from statuary.base.files import MANIFEST, PublishingError
from statuary.extensions.snapshots.site_reader import open_site
from statuary.extensions.snapshots.snapshot_target import copy_snapshot
from statuary.extensions.snapshots.verify import verify_snapshot
from statuary.extensions.snapshots.zip_file import ZipWriter, write_zip
from statuary.extensions.snapshots.zip_format import (
    CompressedMember,
    SnapshotMember,
    compress_member,
    compress_members,
    encode_central_header,
)
from statuary.publish.listing import DamagedSnapshotError, Entry
from statuary.publish.manifest import ManifestBuilder, encode_manifest
from support.random_runs import seeded
from support.sites import tree
from support.snapshots import ORIGIN, contract, made, mirrored, small_documents, status, tiny_documents

pytestmark = pytest.mark.thorough


def refused(file: Path, match: str = ".") -> None:
    """Assert that a snapshot is rejected and leaves no file anywhere."""
    with pytest.raises(DamagedSnapshotError, match=match):
        verify_snapshot(str(file))
    room = file.parent / "room"
    room.mkdir(exist_ok=True)
    (room / "site").mkdir(exist_ok=True)
    with pytest.raises(DamagedSnapshotError, match=match):
        mirrored(file, room / "site")
    with pytest.raises(DamagedSnapshotError, match=match):
        copy_snapshot(str(file), room / "copy.zip")
    assert tree(room) == {}


def test_changed_snapshot_byte_is_detected(tmp_path: Path) -> None:
    whole = made(tmp_path / "site.zip", tiny_documents()).read_bytes()
    dice, file = seeded(20261120), tmp_path / "flipped.zip"
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= dice.randrange(1, 256)
        file.write_bytes(changed)
        with pytest.raises(DamagedSnapshotError):
            verify_snapshot(str(file))


def test_changed_snapshot_length_is_detected(tmp_path: Path) -> None:
    whole = made(tmp_path / "site.zip", tiny_documents()).read_bytes()
    file = tmp_path / "cut.zip"
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(DamagedSnapshotError):
            verify_snapshot(str(file))
    for more in (b"\0", b"PK", whole):
        file.write_bytes(whole + more)
        with pytest.raises(DamagedSnapshotError, match=r"something was added after|differs from its files"):
            verify_snapshot(str(file))


def test_damaged_snapshot_never_returns_wrong_document(tmp_path: Path) -> None:
    """Every byte is checked against the manifest."""
    bodies = {
        name: document.body for document in small_documents() for name in (document.path, *document.aliases)
    }
    whole = made(tmp_path / "site.zip", small_documents()).read_bytes()
    dice, file = seeded(1), tmp_path / "flipped.zip"
    for place in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[place] ^= dice.randrange(1, 256)
        file.write_bytes(changed)
        for path, body in bodies.items():
            try:
                with open_site(file) as site:
                    found = site.read(path)
            except DamagedSnapshotError:
                continue
            assert found in (body, None)


def test_truncated_snapshot_is_rejected_without_writes(tmp_path: Path) -> None:
    file = made(tmp_path / "site.zip", small_documents())
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    refused(file, "cut off|is damaged")


@pytest.mark.parametrize(
    "text", [b"", b"PK", b"not a zip at all", b"PK\x03\x04" + bytes(50), b"\x28\xb5\x2f\xfd" + bytes(50)]
)
def test_non_snapshot_file_is_rejected(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(text)
    refused(tmp_path / "a.zip")


# What somebody would make by hand: the members as we write them, but for one thing.

Members = list[SnapshotMember]


def members_of(entries: list[Entry], bodies: dict[str, bytes]) -> Members:
    """Return the members of a snapshot whose manifest tells of these entries."""
    tally = ManifestBuilder()
    parts = []
    if entries:
        part, text = tally.add(entries)
        parts = [SnapshotMember(path=part.path, body=text)]
    manifest = encode_manifest(tally.manifest(ORIGIN))
    documents = [
        SnapshotMember(path=entry.path, body=bodies[entry.path], aliases=entry.aliases) for entry in entries
    ]
    return [SnapshotMember(path=MANIFEST, body=manifest), *parts, *documents]


def forged(file: Path, members: Members) -> Path:
    """Write members as they are, with a container that is right."""
    with file.open("wb") as stream:
        write_zip(stream, compress_members(members))
    return file


def entry(path: str, body: bytes, aliases: tuple[str, ...] = ()) -> Entry:
    packed = compress_member(SnapshotMember(path="x", body=body))
    return Entry(path=path, aliases=aliases, size=len(body), sha256=packed.sha256, media_type="text/plain")


def harmless() -> Members:
    bodies = {"a/one": b"1", "a/two": b"2"}
    return members_of([entry(path, body) for path, body in bodies.items()], bodies)


def test_unmodified_crafted_snapshot_is_valid(tmp_path: Path) -> None:
    assert verify_snapshot(str(forged(tmp_path / "site.zip", harmless()))).is_intact


def without_last(members: Members) -> Members:
    return members[:-1]


def with_extra_member(members: Members) -> Members:
    return [*members, SnapshotMember(path="a/zzz", body=b"extra")]


def with_leading_entry(members: Members) -> Members:
    return [SnapshotMember(path="README", body=b"hello"), *members]


def with_swapped_members(members: Members) -> Members:
    return [*members[:-2], members[-1], members[-2]]


def with_other_bytes(members: Members) -> Members:
    return [*members[:-1], members[-1]._replace(body=b"!")]


def with_more_bytes(members: Members) -> Members:
    return [*members[:-1], members[-1]._replace(body=b"2" * 1000)]


def with_parent_path(members: Members) -> Members:
    return [*members, SnapshotMember(path="../../outside", body=b"!")]


def with_absolute_path(members: Members) -> Members:
    return [*members, SnapshotMember(path="/tmp/outside", body=b"!")]


FAULTS: list[tuple[Callable[[Members], Members], str]] = [
    (without_last, "a/two is missing"),
    (with_extra_member, "has the file a/zzz after"),
    (with_leading_entry, "not a snapshot"),
    (with_swapped_members, "has the file a/two in place of a/one"),
    (with_other_bytes, "its SHA-256"),
    (with_more_bytes, "it has 1,000 bytes"),
    (with_parent_path, "not a path inside a site"),
    (with_absolute_path, "not a path inside a site"),
]


@pytest.mark.parametrize(("fault", "why"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
def test_unexpected_zip_members_are_rejected(
    tmp_path: Path, fault: Callable[[Members], Members], why: str
) -> None:
    file = forged(tmp_path / "site.zip", fault(harmless()))
    if why.startswith("it"):
        verification = verify_snapshot(str(file))
        assert not verification.is_intact
        assert why in verification.problems[0]
        with pytest.raises(DamagedSnapshotError, match=why):
            mirrored(file, tmp_path / "room/site")
        assert tree(tmp_path / "room") == {}
        return
    refused(file, why)


def test_duplicate_zip_member_is_rejected(tmp_path: Path) -> None:
    members = harmless()
    refused(forged(tmp_path / "twice.zip", [*members, members[-1]]), "it has the file")


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ([entry("../outside", b"")], "not a path inside a site"),
        ([entry("/outside", b"")], "not a path inside a site"),
        ([entry(".git/hooks/pre-commit", b"")], "may have"),
        ([entry("a\\..\\b", b"")], "not a path inside a site"),
        ([entry("a", b""), entry("a", b"")], "twice"),
        ([entry("b", b""), entry("a", b"")], "not in order"),
        ([entry("A", b""), entry("a", b"")], "differ only in case"),
        ([entry("a", b""), entry("a/b", b"")], "file and a folder"),
        ([entry("a/b", b"", ("../b",))], "not a path inside a site"),
        ([entry("a/b", b"", ("a/c",))], "the other names"),
        ([entry("a/b", b"", ("A/B",))], "the other names"),
        ([entry("a", b"")._replace(media_type="text/html\r\nSet-Cookie: x")], "not a media type"),
        ([entry("a", b"")._replace(sha256="00")], "not a SHA-256"),
        ([entry("a", b"")._replace(size=-1)], "not a whole number"),
    ],
)
def test_malformed_snapshot_manifest_is_rejected(tmp_path: Path, entries: list[Entry], why: str) -> None:
    bodies = {item.path: b"" for item in entries}
    unique = list({member.path: member for member in members_of(entries, bodies)}.values())
    refused(forged(tmp_path / "site.zip", unique), why)


def test_alias_equal_to_path_is_rejected(tmp_path: Path) -> None:
    upper, lower = "0x" + "AB" * 20, "0x" + "ab" * 20
    entries = [entry(upper, b"", (lower,)), entry(lower, b"")]
    members = members_of(entries, {upper: b"", lower: b""})
    refused(forged(tmp_path / "site.zip", members), "differ only in case")


def test_decompression_bomb_in_snapshot_is_rejected(tmp_path: Path) -> None:
    """A member that states less than it expands to."""
    big, members = bytes(50_000_000), harmless()
    bomb = compress_member(SnapshotMember(path="a/two", body=big))
    with (tmp_path / "bomb.zip").open("wb") as stream, ZipWriter(stream) as writer:
        for member in members[:-1]:
            writer.write_member(compress_member(member))
        writer.write_member(bomb._replace(header=bomb.header._replace(size=1)))
        writer.finish()
    refused(tmp_path / "bomb.zip", "damaged")


def test_oversized_zip_member_is_rejected(tmp_path: Path) -> None:
    members = harmless()
    packed = compress_member(members[-1])
    huge: CompressedMember = packed._replace(header=packed.header._replace(size=1 << 40))
    with (tmp_path / "huge.zip").open("wb") as stream, ZipWriter(stream) as writer:
        for member in members[:-1]:
            writer.write_member(compress_member(member))
        writer.write_member(huge)
        writer.finish()
    refused(tmp_path / "huge.zip", "the limit for a document is")


def test_symbolic_link_in_snapshot_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def linking(header: object, offset: int) -> bytes:
        text = bytearray(encode_central_header(header, offset))  # type: ignore[arg-type]
        text[38:42] = (0o120777 << 16).to_bytes(4, "little")
        return bytes(text)

    with monkeypatch.context() as patched:
        patched.setattr("statuary.extensions.snapshots.zip_format.encode_central_header", linking)
        forged(tmp_path / "link.zip", harmless())
    refused(tmp_path / "link.zip", "list of files differs from its files")


# Folders that a snapshot was published into.


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    return mirrored(made(tmp_path / "site.zip", [*small_documents(), contract(9)]), tmp_path / "mirror")


def problems(place: Path) -> tuple[str, ...]:
    return verify_snapshot(str(place)).problems


def test_snapshot_verify_reports_all_damaged_files(mirror: Path) -> None:
    (mirror / "index.html").write_bytes(b"<p>changed</p>")
    (mirror / "api/v2/status.json").unlink()
    (mirror / contract(1).aliases[0]).unlink()
    (mirror / contract(1).aliases[0]).write_bytes(b"{}")
    (mirror / "extra.html").write_bytes(b"")
    found = "\n".join(problems(mirror))
    assert "index.html is damaged: it has 14 bytes" in found
    assert "api/v2/status.json is missing" in found
    assert f"{contract(1).aliases[0]} is damaged" in found
    assert "has files that its manifest does not list: extra.html" in found
    assert len(problems(mirror)) == 4


def test_snapshot_verify_reports_missing_alias(mirror: Path) -> None:
    (mirror / contract(1).aliases[0]).unlink()
    assert "lacks these aliases (second names of documents)" in problems(mirror)[0]


def test_snapshot_verify_ignores_hidden_files(mirror: Path) -> None:
    (mirror / ".gitignore").write_text("*")
    assert problems(mirror) == ()


def test_snapshot_verify_never_follows_external_link(mirror: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(status().body)
    (mirror / "api/v2/status.json").unlink()
    (mirror / "api/v2/status.json").symlink_to(tmp_path / "secret")
    assert "api/v2/status.json is missing" in problems(mirror)[0]


@pytest.mark.parametrize("part", ["manifest.json", "parts"])
def test_changed_site_manifest_is_detected(mirror: Path, part: str) -> None:
    file = mirror / "snapshot" / part
    file = next(file.iterdir()) if file.is_dir() else file
    whole = file.read_bytes()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1
        file.unlink()
        file.write_bytes(changed)
        with pytest.raises(DamagedSnapshotError):
            verify_snapshot(str(mirror))


def test_publish_over_symbolic_link_is_rejected(tmp_path: Path) -> None:
    file = made(tmp_path / "site.zip", small_documents())
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror/api").symlink_to(outside)
    with pytest.raises(PublishingError, match="did not write"):
        mirrored(file, tmp_path / "mirror")
    assert tree(outside) == {}
