"""Text files: encodings, and which files are sources."""

from pathlib import PurePosixPath

import pytest

from statuary.base.findings import Position
from statuary.source.file_kinds import is_ignored, is_workspace_file
from statuary.source.source_files import decode_utf8
from statuary.source.unreadable import UnreadableError


def test_byte_order_mark_is_stripped():
    assert decode_utf8("name: é\n".encode("utf-8-sig")) == "name: é\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_file_error_names_encoding(encoding):
    with pytest.raises(UnreadableError, match="UTF-16"):
        decode_utf8("\ufeffname: x\n".encode(encoding))


def test_byte_order_mark_keeps_error_positions():
    with pytest.raises(UnreadableError) as caught:
        decode_utf8(b"\xef\xbb\xbfab\n\xe9")
    assert caught.value.position == Position(2, 1)


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        ("README.md", True),
        ("contracts/1/notes.txt", True),
        ("incidents/README.md", True),
        ("incidents/.draft.yaml", True),
        ("incidents/slow.md", False),
        ("maintenances/2026/disks.txt", False),
        ("incidents/slow.yaml", False),
    ],
)
def test_unrelated_content_files_are_ignored(path, ignored):
    assert is_ignored(PurePosixPath(path)) is ignored


@pytest.mark.parametrize(
    ("path", "is_part"),
    [
        ("contracts/1/0xab/sources/A.sol", True),
        ("contracts/1/0xab/compiler.json", True),
        ("contracts/1/0xab.json", False),
        ("incidents/2026/11/slow/notes.json", False),
    ],
)
def test_files_below_contract_address_form_workspace(path, is_part):
    assert is_workspace_file(PurePosixPath(path)) is is_part
