"""Text files: encodings, and which files are sources."""

from pathlib import PurePosixPath

import pytest

from statuary.base.findings import Position
from statuary.source.file_kinds import is_ignored
from statuary.source.source_files import decode_utf8
from statuary.source.unreadable import UnreadableError


def test_a_byte_order_mark_is_not_part_of_the_text():
    assert decode_utf8("name: é\n".encode("utf-8-sig")) == "name: é\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_named(encoding):
    with pytest.raises(UnreadableError, match="UTF-16"):
        decode_utf8("\ufeffname: x\n".encode(encoding))


def test_a_byte_order_mark_does_not_count_in_positions():
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
def test_a_text_among_incidents_is_a_source_with_the_wrong_suffix(path, ignored):
    assert is_ignored(PurePosixPath(path)) is ignored
