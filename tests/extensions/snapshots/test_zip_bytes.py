"""The bytes of a zip, held against other programs that read zips."""

import os
import shutil
import subprocess
import zipfile
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from statuary.extensions.snapshots import zip_format
from statuary.extensions.snapshots.streams import FileRanges
from statuary.extensions.snapshots.zip_file import ZipReader, ZipWriter
from statuary.extensions.snapshots.zip_format import (
    DEFLATED,
    STORED,
    CentralEntry,
    CompressedMember,
    Ending,
    ZipHeader,
)
from support.requirements import require_names_in_utf_8, require_program
from support.snapshots import made, small_documents

BEYOND = 5 * 1024**3


def test_zipfile_module_reads_snapshot(tmp_path: Path) -> None:
    with zipfile.ZipFile(made(tmp_path / "site.zip", small_documents())) as opened:
        assert opened.testzip() is None
        assert {info.date_time for info in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.external_attr >> 16 for info in opened.infolist()} == {0o100644}
        bodies = {document.path: document.body for document in small_documents()}
        assert {path: opened.read(path) for path in bodies} == bodies


@pytest.mark.slow
@pytest.mark.parametrize("program", ["unzip", "bsdtar", "7z"])
def test_unzip_bsdtar_and_7z_unpack_snapshot(tmp_path: Path, program: str) -> None:
    commands = {
        "unzip": ["unzip", "-q", "site.zip", "-d", "out"],
        "bsdtar": ["bsdtar", "-x", "-f", "site.zip", "-C", "out"],
        "7z": ["7z", "x", "-bd", "-oout", "site.zip"],
    }
    require_names_in_utf_8()
    require_program(program, install=".ci/install-archivers")
    made(tmp_path / "site.zip", small_documents())
    (tmp_path / "out").mkdir()
    utf_8 = os.environ | {"LC_ALL": "C.UTF-8"}  # the name of a file in another locale is the program's affair
    subprocess.run(commands[program], cwd=tmp_path, env=utf_8, check=True, capture_output=True)
    assert (tmp_path / "out/index.html").read_bytes() == b"<p>" * 40
    assert (tmp_path / "out/assets/größe.txt").read_bytes() == b""


@pytest.mark.slow
def test_zip64_archive_has_65536_members(tmp_path: Path) -> None:
    file = tmp_path / "many.zip"
    with file.open("wb") as stream, ZipWriter(stream) as writer:
        for number in range(0x10000):
            body = b"%d" % number
            header = ZipHeader(
                path=f"n/{number:05}",
                method=STORED,
                crc=zlib.crc32(body),
                packed_size=len(body),
                size=len(body),
            )
            writer.write_member(CompressedMember(header=header, data=body))
        writer.finish()
    with zipfile.ZipFile(file) as opened:
        assert len(opened.infolist()) == 0x10000
        assert opened.read("n/65535") == b"65535"
    with closing(ZipReader(FileRanges(file))) as site:
        assert site.read("n/00000") == b"0"
        assert site.read("n/65536") is None
    if shutil.which("unzip"):
        assert subprocess.check_output(["unzip", "-p", file, "n/40000"]) == b"40000"


def test_zip64_reads_member_beyond_4_gib(tmp_path: Path) -> None:
    """The file is sparse: nothing of the 5 GiB before the member is on disk."""
    file, body = tmp_path / "sparse.zip", b"far away"
    header = ZipHeader(path="far", method=STORED, crc=zlib.crc32(body), packed_size=len(body), size=len(body))
    with file.open("wb") as out:
        out.seek(BEYOND)
        out.write(zip_format.encode_local_header(header) + body)
        offset, central = out.tell(), zip_format.encode_central_header(header, BEYOND)
        ending = Ending(1, len(central), offset, "0" * 64)
        out.write(central + zip_format.encode_zip64_records(ending) + zip_format.encode_last_record(ending))
    with zipfile.ZipFile(file) as opened:
        assert opened.read("far") == body
    if shutil.which("unzip"):
        assert subprocess.check_output(["unzip", "-p", file, "far"]) == body


@pytest.mark.parametrize("size", [0, 1, 0xFFFFFFFE, 0xFFFFFFFF, 1 << 40])
@pytest.mark.parametrize("method", [STORED, DEFLATED])
def test_encoded_zip_header_parses_unchanged(size: int, method: int) -> None:
    header = ZipHeader(path="v2/contract/1/ä", method=method, crc=7, packed_size=size, size=size + 1)
    text = zip_format.encode_local_header(header)
    assert zip_format.read_name_and_extra_length(text[:30]) == len(text) - 30
    assert zip_format.parse_local_header(text) == header
    entry = zip_format.encode_central_header(header, size)
    assert zip_format.parse_central_header(entry) == CentralEntry(header, size)
    assert zip_format.read_central_name(entry, 0) == (header.path.encode(), len(entry))


def test_malformed_zip_header_is_rejected() -> None:
    header = ZipHeader(path="a", method=DEFLATED, crc=7, packed_size=1, size=2)
    text = bytearray(zip_format.encode_local_header(header))
    text[10] = 1  # another time
    assert zip_format.parse_local_header(bytes(text)) is None
