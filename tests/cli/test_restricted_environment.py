"""The README's two commands, where a machine is set up against them."""

import os
import stat
import subprocess
import sys

import pytest

from support.sites import NOW

pytestmark = pytest.mark.slow

INIT = ("init", "--name", "Example Network", "--url", "https://status.example.org", "--chain-id", "1337")
BUILD = ("build", "--now", NOW)


def run(folder, arguments, umask=0o022, **environment):
    return subprocess.run(
        [sys.executable, "-m", "statuary", *arguments],
        cwd=folder,
        env=os.environ | environment,
        umask=umask,
        capture_output=True,
        text=True,
        check=False,
    )


def built(folder, umask=0o022, **environment):
    folder.mkdir()
    for arguments in (INIT, BUILD):
        done = run(folder, arguments, umask, **environment)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in (folder / "build").rglob("*")
        if file.is_file() and ".statuary" not in file.parts
    }


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask and no /proc")
def test_restrictive_umask_keeps_build_identical(tmp_path):
    wanted = built(tmp_path / "plain")
    assert built(tmp_path / "umask", umask=0o077) == wanted
    modes = {
        stat.S_IMODE(file.stat().st_mode)
        for file in (tmp_path / "umask/build").rglob("*")
        if ".statuary" not in file.parts
    }
    assert modes == {0o600, 0o700}  # as the person wants it: a web server of another user reads nothing
    # a folder of /proc takes no files, whoever asks
    assert built(tmp_path / "home", HOME="/proc/self/fdinfo", XDG_CACHE_HOME="/proc/self/fdinfo") == wanted
    assert (
        built(tmp_path / "temporary", TMPDIR="/proc/self/fdinfo", SQLITE_TMPDIR="/proc/self/fdinfo") == wanted
    )
