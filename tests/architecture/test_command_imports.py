"""What commands import: `--help`, `next` and `tick` start immediately, and a build imports only what it uses."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from support import sites

LOADED = """
import sys
from statuary.cli.main import command
try:
    command(sys.argv[1:], prog_name="statuary")
except SystemExit as exit:
    assert not exit.code, exit.code
print("\\n" + " ".join(sys.modules))
"""

COMMANDS = {"click", "statuary", "typing_extensions"}
STATUS = COMMANDS | {"Crypto", "orjson", "pysha3", "sha3"}
BUILD = STATUS | {"annotated_types", "dateutil", "jinja2", "markupsafe", "nh3"}
BUILD |= {"pydantic", "pydantic_core", "six", "tzdata", "typing_inspection", "yaml"}

UNUSED = {
    "statuary.contracts.sources.evidence",
    "statuary.extensions.bulk.jsonl",
    "statuary.contracts.sources.read_workspace",
    "statuary.site.pages.theme_sandbox",
    "statuary.extensions.log.site_log",
    "statuary.extensions.object_stores",
    "statuary.workers.process_pool",
}
"""Modules that a small build of records alone does not use."""

UNCHANGED = UNUSED | {
    "jinja2",
    "nh3",
    "pydantic",
    "yaml",
    "xml.etree.ElementTree",
    "statuary.contracts.incremental.build_contract",
    "statuary.contracts.checks",
    "statuary.contracts.sources.parse_record",
    "statuary.status.feeds",
    "statuary.site.pages.page_templates",
    "statuary.status.pages.pages",
    "statuary.contracts.model.proof",
    "statuary.extensions.log.section",
}
"""Modules that a build of unchanged content does not use."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the content of three contracts and an incident, and the site built from it."""
    folder = tmp_path_factory.mktemp("site")
    sites.site_of_many(folder, 3, pages=True)
    options = ["--content", str(folder / "content"), "--out", str(folder / "site"), "--now", sites.NOW]
    assert CliRunner().invoke(command, ["build", *options]).exit_code == 0
    return folder


def imported(folder: Path, *arguments: str) -> set[str]:
    """Return the modules that a command imports."""
    run = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True)
    return set(done.stdout.splitlines()[-1].split())


@cache
def always_imported() -> set[str]:
    """Return what Python imports before any program: what a distribution adds to it, and editable installations."""
    run = [sys.executable, "-c", "import sys; print(*sys.modules)"]
    return set(subprocess.run(run, check=True, capture_output=True, text=True).stdout.split())


def packages(modules: set[str]) -> set[str]:
    """Return the packages of modules, without the standard library and what this Python always imports."""
    names = {name.partition(".")[0].lstrip("_") for name in modules - always_imported()}
    known = {name.lstrip("_") for name in sys.stdlib_module_names}
    return {name for name in names - known if name.partition("_")[0] not in {"sysconfigdata", "cython"}}


def test_help_option_imports_no_build_modules(site: Path) -> None:
    modules = imported(site, "--help")
    assert packages(modules) == COMMANDS
    assert {name for name in modules if name.startswith("statuary.") and name.count(".") == 1} <= {
        "statuary.cli",
        "statuary.base",
        "statuary.registry",
        "statuary.system",
        "statuary.version",
    }
    assert {name for name in modules if name.startswith("statuary.system.")} == {"statuary.system.files"}


@pytest.mark.parametrize("name", ["next", "tick"])
def test_next_and_tick_never_import_pydantic(site: Path, name: str) -> None:
    modules = imported(site, name, "--out", "site", "--now", sites.NOW)
    assert packages(modules) <= STATUS
    assert modules & UNUSED == set()


def test_build_imports_no_unused_packages(site: Path) -> None:
    modules = imported(site, "build", "--now", sites.NOW, "--out", "another")
    assert packages(modules) <= BUILD
    assert modules & UNUSED == set()
    assert [name for name in modules if name.startswith("statuary.extensions.")] == []


def test_unchanged_build_imports_no_rendering_modules(site: Path) -> None:
    an_hour_later = sites.NOW.replace("T12", "T13")
    modules = imported(site, "build", "--now", an_hour_later, "--out", "site")
    assert modules & UNCHANGED == set()
