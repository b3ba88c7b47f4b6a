"""Folders that are made once for all workers of a test run, which read them and write nothing into them."""

import fcntl
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from support.browser import build


def made_once(folders: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of a name; the worker that comes first makes it, and the others wait for it.

    Args:
        folders: of this worker.
        name: what the folder is called.
        make: makes it, at a path that does not exist yet.
    """
    own = folders.getbasetemp()
    place = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / name
    with place.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (made := place.with_name(f"{name}.made")).exists():
            make(place)
            made.touch()
    return place


def built_once(folders: pytest.TempPathFactory, content: Path, now: str) -> Path:
    """Return the site of a content folder at an instant."""
    name = hashlib.sha256(f"{content} {now}".encode()).hexdigest()[:12]
    return made_once(folders, f"site-{name}", lambda out: build(content, out, now))
