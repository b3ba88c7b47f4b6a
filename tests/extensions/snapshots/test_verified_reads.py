"""Every byte that is read of a snapshot is checked against its manifest, however the file was made."""

import random
import zipfile
from collections.abc import Callable
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest

from statuary import open_snapshot
from statuary.base.files import MANIFEST
from statuary.extensions.snapshots import zip_format
from statuary.extensions.snapshots.site_reader import open_site
from statuary.extensions.snapshots.streams import FileRanges
from statuary.extensions.snapshots.zip_file import ZipReader, write_zip
from statuary.extensions.snapshots.zip_format import Ending, SnapshotMember, compress_member, compress_members
from statuary.publish.listing import DamagedSnapshotError
from support.random_runs import seeded, times
from support.snapshots import contract, made, mirrored, small_documents

BODIES = {name: doc.body for doc in small_documents() for name in (doc.path, *doc.aliases)}
TRUE = b"<p>" * 40
EVIL = b"<b>" * 40


def rebuilt(file: Path, change: Callable[[list[bytes], list[bytes]], None]) -> Path:
    """Write a snapshot's zip again after its members and its directory have been changed apart from each other."""
    with zipfile.ZipFile(file) as opened:
        infos = opened.infolist()
    whole, ending = (
        file.read_bytes(),
        zip_format.parse_end_records(file.read_bytes()[-zip_format.ENDING_SIZE :]),
    )
    assert ending is not None
    starts = [*(info.header_offset for info in infos), ending.offset]
    members = [whole[start:end] for start, end in pairwise(starts)]
    headers = [zip_format.parse_local_header(text[: local_size(text)]) for text in members]
    change(members, [header.path.encode() for header in headers if header])
    out, entries = BytesIO(), b""
    for header, text in zip(headers, members, strict=True):
        assert header is not None
        entries += zip_format.encode_central_header(header, out.tell())
        out.write(text)
    last = Ending(len(members), len(entries), out.tell(), ending.digest)
    file.write_bytes(out.getvalue() + entries + zip_format.encode_last_record(last))
    return file


def local_size(text: bytes) -> int:
    return 30 + zip_format.read_name_and_extra_length(text[:30])


def evil(path: str = "index.html") -> bytes:
    packed = compress_member(SnapshotMember(path=path, body=EVIL))
    return zip_format.encode_local_header(packed.header) + packed.data


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return made(tmp_path / "site.zip", small_documents())


def reads(file: Path, path: str = "index.html") -> bytes | None:
    with open_site(file) as site:
        return site.read(path)


def test_zip_directory_unlike_member_is_rejected(file: Path) -> None:
    """The member at the directory's offset differs from the one that the directory describes."""

    def exchange(members: list[bytes], names: list[bytes]) -> None:
        members[names.index(b"index.html")] = evil()

    rebuilt(file, exchange)
    with pytest.raises(DamagedSnapshotError, match=r"list of files and the file index\.html disagree"):
        reads(file)
    assert reads(file, "api/v2/status.json") == BODIES["api/v2/status.json"]


def test_unlisted_zip_member_returns_none(file: Path) -> None:
    packed = compress_member(SnapshotMember(path="zzz.html", body=EVIL))
    whole = file.read_bytes()
    ending = zip_format.parse_end_records(whole[-zip_format.ENDING_SIZE :])
    assert ending is not None
    body, entries = whole[: ending.offset], whole[ending.offset : ending.offset + ending.size]
    entries += zip_format.encode_central_header(packed.header, len(body))
    body += zip_format.encode_local_header(packed.header) + packed.data
    last = Ending(ending.entries + 1, len(entries), len(body), ending.digest)
    file.write_bytes(body + entries + zip_format.encode_last_record(last))
    with zipfile.ZipFile(file) as opened:
        assert opened.read("zzz.html") == EVIL
    assert reads(file, "zzz.html") is None
    assert reads(file) == TRUE


def test_document_unlike_manifest_digest_is_rejected(file: Path, tmp_path: Path) -> None:
    """Directory and member agree with each other, and not with the manifest."""
    other = made(
        tmp_path / "other.zip",
        [doc._replace(body=EVIL) if doc.path == "index.html" else doc for doc in small_documents()],
    )
    false = tmp_path / "false.zip"
    with zipfile.ZipFile(file) as true, zipfile.ZipFile(other) as changed:
        manifest = true.read(MANIFEST)
        members = {info.filename: changed.read(info.filename) for info in changed.infolist()}
        members |= {name: true.read(name) for name in true.namelist() if name.startswith("snapshot/")}
    members[MANIFEST] = manifest
    order = [name for name in zipfile.ZipFile(file).namelist() if name in members]
    with false.open("wb") as stream:
        write_zip(stream, compress_members(SnapshotMember(name, members[name]) for name in order))
    with pytest.raises(DamagedSnapshotError, match=r"index\.html is damaged: its SHA-256"):
        reads(false)
    with open_snapshot(false) as site, pytest.raises(DamagedSnapshotError):
        site.read("index.html")


def test_changed_site_file_is_not_read(file: Path, tmp_path: Path) -> None:
    folder = mirrored(file, tmp_path / "mirror")
    with open_site(folder) as site:
        assert {path: site.read(path) for path in BODIES} == BODIES
        (folder / "index.html").unlink()
        (folder / "index.html").write_bytes(EVIL)
        (folder / "extra.html").write_bytes(EVIL)
        (folder / "api/v2/status.json").unlink()
        with pytest.raises(DamagedSnapshotError, match="SHA-256"):
            site.read("index.html")
        with pytest.raises(DamagedSnapshotError, match="missing"):
            site.read("api/v2/status.json")
        assert site.read("extra.html") is None


ARCHIVES = times(400)
"""Damaged archives that are read; the manual tells how many were."""


def changed(data: bytes, dice: random.Random) -> bytes:
    """Change bytes at a random place: others, fewer, or some of them twice."""
    start = dice.randrange(len(data))
    end = start + dice.randrange(1, 64)
    before, piece, after = data[:start], data[start:end], data[end:]
    middle = dice.choice([dice.randbytes(len(piece)), b"", piece * 2])
    return before + middle + after


def test_random_changes_never_return_wrong_document(file: Path, tmp_path: Path) -> None:
    whole, dice, damaged = file.read_bytes(), seeded(20261121), tmp_path / "damaged.zip"
    outcomes = set()
    for _ in range(ARCHIVES):
        data = whole
        for _ in range(dice.randrange(1, 4)):
            data = changed(data, dice)
        damaged.write_bytes(data)
        for path, body in BODIES.items():
            try:
                assert reads(damaged, path) == body
                outcomes.add("read")
            except DamagedSnapshotError:
                outcomes.add("rejected")
    assert outcomes == {"read", "rejected"}


@pytest.mark.parametrize("count", [0, 1, 2, 37, 600, pytest.param(3000, marks=pytest.mark.slow)])
def test_zip_reader_finds_every_document(tmp_path: Path, count: int) -> None:
    documents = [contract(number, chain) for number in range(count) for chain in (1, 10)]
    file = made(tmp_path / "site.zip", documents)
    zip_reader = ZipReader(FileRanges(file))
    dice = seeded(3)
    for document in dice.sample(documents, min(len(documents), 300)):
        assert zip_reader.read(document.path) == document.body
        assert zip_reader.read(f"{document.path}0") is None
        assert zip_reader.read(document.path[:-1]) is None
    assert zip_reader.read("a") is None
    assert zip_reader.read("z") is None
    zip_reader.close()
