"""Sites, each built once, served by every host that clients are tested against."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest

from clients.loopback import plain_folder, statuary_serve
from support.shared_folders import built_once

Build = Callable[[Path, str], Path]
"""Builds a content folder as of an instant; gives the site."""

Host = Callable[[Path, str, str], AbstractContextManager[str]]
"""Serves what a content folder says, while a block runs, and gives the base URL.

The hosts get the folder, an instant when it was built, and a later one for the clients' requests. A host that cannot look at
a clock has the site built again by then.
"""


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    return partial(built_once, tmp_path_factory)


def host_folder(build: Build, _logs: pytest.TempPathFactory) -> Host:
    """Serve the plain files of the latest build."""

    def host(content: Path, _built: str, now: str) -> AbstractContextManager[str]:
        return plain_folder(build(content, now))

    return host


def host_serve(build: Build, logs: pytest.TempPathFactory) -> Host:
    """Serve the first build with `statuary serve`, which keeps time by itself."""

    def host(content: Path, built: str, now: str) -> AbstractContextManager[str]:
        return statuary_serve(build(content, built), now, logs.mktemp("serve") / "log.txt")

    return host


HOSTS = {"plain folder": host_folder, "statuary serve": host_serve}


@pytest.fixture(scope="session", params=HOSTS)
def host(request: pytest.FixtureRequest, build: Build, tmp_path_factory: pytest.TempPathFactory) -> Host:
    """Every host in turn."""
    return HOSTS[request.param](build, tmp_path_factory)
