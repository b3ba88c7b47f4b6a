"""The real programs that some tests speak to: what is absent skips the test, and fails it in CI.

A skip tells the one line that installs the missing part. Where the environment variable `CI` is `true`
nothing may be absent unnoticed, so the same absence is a failure there.
"""

import importlib
import os
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

CHECKOUT = Path(__file__).parents[2]
"""The folder that holds `src` and `tests`."""

HOSTS = CHECKOUT / ".hosts"
"""Where `.ci/install-hosts` puts what the runtimes of hosts need."""


def require_program(name: str, *, install: str) -> str:
    """Return the path of a program: from `PATH`, from beside the Python that runs the tests, or from `.hosts`."""
    folders = (os.environ.get("PATH", ""), Path(sys.executable).parent, HOSTS / "python" / "bin")
    beside = os.pathsep.join(map(str, folders))
    found = shutil.which(name, path=beside)
    return found or absent(f"the program {name}", install)


def require_module(name: str, *, install: str) -> ModuleType:
    """Import a Python module that only some tests need."""
    try:
        return importlib.import_module(name)
    except ImportError:
        absent(f"the Python module {name}", install)


def require_node_package(name: str, *, install: str) -> Path:
    """Return the `node_modules` folder that holds an npm package.

    It is looked for where `.ci/install-hosts` puts it, or where the environment variable `STATUARY_NODE_MODULES`
    points.
    """
    modules = Path(os.environ.get("STATUARY_NODE_MODULES", HOSTS / "node_modules"))
    if not (modules / name / "package.json").is_file():
        absent(f"the npm package {name} in {modules}", install)
    return modules


def require_names_in_utf_8() -> None:
    """Skip a test that names files in Python's own process: `statuary` itself starts again in UTF-8 mode."""
    if sys.getfilesystemencoding() != "utf-8":
        pytest.skip("this locale has names of files that are not UTF-8; to have them: LC_ALL=C.UTF-8")


DATA_INSTALL = "put the data folder beside the checkout as ../shared/data"
"""How to have data that is not part of the project."""


def require_folder(folder: Path, *, what: str, install: str = DATA_INSTALL) -> Path:
    """Return a folder of data that is not part of the project.

    Its absence skips everywhere: nobody can install what is not published.
    """
    if not folder.is_dir():
        pytest.skip(f"{what} ({folder}) is absent; to have it: {install}")
    return folder


def require_file(file: Path, *, what: str, install: str = DATA_INSTALL) -> Path:
    """Return a file of data that is not part of the project."""
    if not file.is_file():
        pytest.skip(f"{what} ({file}) is absent; to have it: {install}")
    return file


def absent(what: str, install: str) -> NoReturn:
    """Skip the test that needs what is not here; fail it where `CI` is `true`."""
    message = f"{what} is absent; to have it: {install}"
    if os.environ.get("CI") == "true":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
