"""Files of extensions in the content lead to no other file of the machine, and their messages quote none."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from statuary.base.errors import StatuaryError
from statuary.extensions.log.key_changes import ROTATION, read_key_change
from statuary.extensions.log.resume import MIN_HEAD_FILE, read_log_floor_file
from statuary.extensions.upstream.state_file import FILE as UPSTREAM_FILE
from statuary.extensions.upstream.state_file import read_upstream_changes

SECRET = "hunter2"

Read = Callable[[Path], object]
READERS: dict[str, Read] = {
    MIN_HEAD_FILE: lambda content: read_log_floor_file(content, "status.example.org/log"),
    ROTATION: read_key_change,
    UPSTREAM_FILE: read_upstream_changes,
}


@pytest.mark.parametrize("kind", ["link", "folder", "fifo", "device"])
@pytest.mark.parametrize("name", READERS)
def test_pipe_as_content_file_is_rejected(name: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "environ").write_text(f"{SECRET}\n3\n{'A' * 43}=\n")
    file = tmp_path / "content" / name
    file.parent.mkdir(parents=True)
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        file.symlink_to(tmp_path / "environ" if kind == "link" else "/dev/zero")
    with pytest.raises(StatuaryError) as raised:
        READERS[name](tmp_path / "content")
    assert SECRET not in f"{raised.value} {raised.value.hint}"
