"""Run the installed clients: each script in its own client's environment, JSON in, JSON out.

`.ci/install-clients` puts them into `.clients/<name>/`, or where the environment variable `STATUARY_CLIENTS`
points.
"""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.requirements import CHECKOUT, absent, require_program

CLIENTS = Path(os.environ.get("STATUARY_CLIENTS", CHECKOUT / ".clients"))
SCRIPTS = Path(__file__).parent / "scripts"
PINNED = Path(__file__).parent / "pinned"
TIMEOUT = 60
"""Seconds that a client may take; each takes about one."""


@dataclass(frozen=True, slots=True)
class Client:
    """An installed client and the script that lets it read.

    Attributes:
        name: of which its folder and lock file are called.
        home: the folder that it is installed in.
        script: the name of the script, without its suffix.
    """

    name: str
    home: Path
    script: str

    def ask(
        self, request: Mapping[str, Any], workplace: Path, environment: Mapping[str, str] | None = None
    ) -> Any:
        """Run the script and return what the client read, as JSON values.

        Args:
            request: the script's JSON on its standard input.
            workplace: its working and home folder, so that nothing that it keeps outlives the test.
            environment: further environment variables.
        """
        done = subprocess.run(
            self._command(),
            input=json.dumps(dict(request)),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=TIMEOUT,
            check=False,
            cwd=workplace,
            env=self._surroundings(workplace) | dict(environment or {}),
        )
        assert done.returncode == 0, f"{self.name} failed:\n{done.stderr[-3000:]}"
        return json.loads(done.stdout)

    def _command(self) -> list[str]:
        script = next(SCRIPTS.glob(f"{self.script}.*"))
        if script.suffix == ".mjs":
            return [require_program("node", install="apt-get install nodejs"), str(script)]
        # -P: a script is called like its client, and must not be imported in its place
        return [str(self.home / "bin" / "python"), "-P", str(script)]

    def _surroundings(self, workplace: Path) -> dict[str, str]:
        """Return the client's environment: its own programs first, no proxy, nobody's settings."""
        return {
            "PATH": os.pathsep.join((str(self.home / "bin"), os.environ["PATH"])),
            "HOME": str(workplace),
            "CLIENT": str(self.home),
            "PYTHONUTF8": "1",
        }


def installed(name: str, script: str = "") -> Client:
    """Return a client, installed at the versions of its lock file, or skip the test.

    Args:
        script: the name of its script, where that is not the client's.
    """
    requirements = PINNED / f"{name}.txt"
    lock = requirements if requirements.is_file() else PINNED / name / "package-lock.json"
    copy = CLIENTS / name / "installed.lock"
    if not copy.is_file() or copy.read_bytes() != lock.read_bytes():
        absent(f"the client {name}, as {lock.relative_to(CHECKOUT)} has it,", f".ci/install-clients {name}")
    return Client(name, CLIENTS / name, script or name)


def installed_page(name: str) -> Path:
    """Return the folder of a client that is a page, built at the commit of its lock file.

    Without it the test is skipped, in CI too: its source is in no registry, and a machine may reach nothing else.
    """
    lock = PINNED / f"{name}.git"
    copy = CLIENTS / name / "installed.lock"
    if not copy.is_file() or copy.read_bytes() != lock.read_bytes():
        what = f"the client {name}, as {lock.relative_to(CHECKOUT)} has it,"
        pytest.skip(f"{what} is absent; to have it: .ci/install-clients {name}")
    return CLIENTS / name / "dist"
