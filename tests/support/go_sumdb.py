"""The code of Go's checksum database, which verifies our logs: a small program around it, compiled when it is needed."""

import functools
import os
import shutil
import subprocess
import tempfile
from base64 import b64encode
from pathlib import Path

from statuary.extensions.log.notes import PublicKey
from support.logs import KEY
from support.requirements import CHECKOUT, absent, require_program

PACKAGES = Path("/usr/share/gocode")
"""Where Debian has the sources of Go packages."""

INSTALL = ".ci/install-go"


def has_go() -> bool:
    """Say whether Go and its package are on this machine, for tests that are about more than Go."""
    return shutil.which("go") is not None and (PACKAGES / "src/golang.org/x/mod/sumdb").is_dir()


@functools.cache
def _compiled() -> tuple["tempfile.TemporaryDirectory[str]", Path]:
    go = require_program("go", install=INSTALL)
    if not (PACKAGES / "src/golang.org/x/mod/sumdb").is_dir():
        absent("golang.org/x/mod of Debian", INSTALL)
    folder = tempfile.TemporaryDirectory(prefix="statuary-sumdb-")  # it lives as long as the tests
    program = Path(folder.name) / "sumdb"
    cache = Path(folder.name) / "cache"
    subprocess.run(
        [go, "build", "-o", program, "main.go"],
        cwd=CHECKOUT / "tests/extensions/log/sumdb",
        env=os.environ
        | {"GO111MODULE": "off", "GOPATH": str(PACKAGES), "GOCACHE": str(cache), "GOFLAGS": ""},
        check=True,
    )
    return folder, program


def sumdb_fault(site: Path, key: PublicKey = KEY.public, earlier: tuple[int, bytes] | None = None) -> str:
    """Return what Go's code finds wrong with the log of a folder, and with its proofs; empty if nothing.

    Args:
        key: of the log.
        earlier: a size and root that it continues.
    """
    since = [] if earlier is None else [str(earlier[0]), b64encode(earlier[1]).decode()]
    done = subprocess.run(
        [_compiled()[1], site, key.text, *since], capture_output=True, text=True, check=False, timeout=60
    )
    if done.returncode == 0:
        assert done.stdout
        return ""
    return done.stderr.strip() or f"it ended with {done.returncode}"
