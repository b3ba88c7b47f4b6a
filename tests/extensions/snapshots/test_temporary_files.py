"""What a killed process leaves beside a snapshot is removed by the next one, and nothing else is."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.snapshots import made, status

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")


@contextmanager
def writer_that_waits(file: Path) -> Iterator[Path]:
    """Run a process that has written a snapshot and waits before its file gets its name; return that file, then kill the process."""
    before = set(file.parent.iterdir())
    child = os.fork()
    if child == 0:
        try:
            os.fsync = lambda _: time.sleep(60)
            made(file, [status(b"another")])
        finally:
            os._exit(1)
    try:
        for _ in range(600):
            new = [path for path in file.parent.iterdir() if path not in before and path.stat().st_size]
            if new:
                break
            time.sleep(0.05)
        [left] = new
        yield left
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_next_snapshot_removes_abandoned_temporary_file(tmp_path):
    file = made(tmp_path / "site.zip", [status()])
    body = file.read_bytes()
    with writer_that_waits(file) as left:
        made(file, [status()])
        assert left.exists()
    assert left.exists()
    made(file, [status()])
    assert sorted(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == body


def test_foreign_files_beside_snapshot_are_kept(tmp_path):
    foreign = [tmp_path / name for name in (".site.zip.deadbeef", ".other.zip.deadbeef", ".site.zip.notes")]
    for path in foreign:
        path.write_bytes(b"mine" if path == foreign[0] else b"PK\3\4")
    link = tmp_path / ".site.zip.0badcafe"
    link.symlink_to(foreign[1])
    made(tmp_path / "site.zip", [status()])
    assert sorted(tmp_path.iterdir()) == sorted([*foreign, link, tmp_path / "site.zip"])
