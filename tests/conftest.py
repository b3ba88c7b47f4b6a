"""What holds for every test."""

import os
import signal
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest

from statuary.extensions.compilers.cache import VARIABLE
from statuary.extensions.log.options import BRANCHES, PRODUCTION, REQUESTS
from support.object_stores import Server, moto
from support.passed_tests import Passed, passed_of, read_passed
from support.requirements import require_module
from support.second_stage import belongs, changed_since, is_due

LONGEST = (
    "test_damage_at_rest.py",
    "test_two_publishers.py",
    "test_in_browser.py",
    "test_languages.py",
    "test_embed.py",
    "test_viewer.py",
    "test_wheel.py",
    "test_extension_defects.py",
    "test_epochs.py",
    "test_killed.py",
    "test_publish.py",
)
"""The files whose tests take longest: they begin first, so that no worker is left alone with one of them at the end."""

NUMBERS = count(1)

CHANGED = pytest.StashKey[Sequence[str]]()
PASSED = pytest.StashKey[Passed]()


def pytest_configure(config: pytest.Config) -> None:
    """Take Ctrl-C as a foreground process does, and let Python keep what it compiles.

    A shell starts `pytest &` with SIGINT ignored, and the programs that tests interrupt would inherit that. Many tests
    start the program, which would compile the package each time.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ[VARIABLE] = ""  # what one test compiled, no other takes from a cache
    for name in (*PRODUCTION, *BRANCHES, *REQUESTS):  # the tests are no preview of a site
        os.environ.pop(name, None)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    revision = config.getoption("second_stage")
    config.stash[CHANGED] = changed_since(revision) if revision else ()
    config.stash[PASSED] = read_passed(os.environ.get("STATUARY_PASSED"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are cores: many tests wait for a disk, a server or a process."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the second stage."""
    about = "run also the tests that kill, interrupt, damage or wait, of the rooms that changed since REV"
    parser.addoption("--second-stage", metavar="REV", help=about)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which no test would run: to collect takes each worker seconds. None: others decide."""
    return True if collection_path.suffix == ".py" and not may_run(collection_path, config) else None


def may_run(file: Path, config: pytest.Config) -> bool:
    """Whether tests of a file are due, and did not all pass in another run; named ones do not come here."""
    if belongs(file):
        return os.environ.get("STATUARY_THOROUGH") == "true" or is_due(file, config.stash[CHANGED])
    whole = config.stash[PASSED].files
    return not whole or file.relative_to(config.rootpath).as_posix() not in whole


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what passed in another run, and begin with the tests that take longest."""
    passed = set(config.stash[PASSED].tests)
    chosen = [one for one in items if one.nodeid not in passed]
    left_out = set(items) - set(chosen)
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
    items[:] = sorted(chosen, key=lambda item: item.path.name not in LONGEST)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Note in pytest's cache what passed: see `Passed`."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    cache = getattr(session.config, "cache", None)  # absent with `-p no:cacheprovider`
    if not hasattr(session.config, "workerinput") and reporter is not None and cache is not None:
        cache.set("statuary/passed", passed_of(reporter.stats)._asdict())


@pytest.fixture(scope="session")
def moto_server() -> Iterator[Server]:
    """A store that keeps everything in memory, for all tests of a worker."""
    require_module("obstore", install='pip install "statuary[s3]"')
    with moto() as server:
        yield server


@pytest.fixture
def bucket_name() -> str:
    """A name that no other bucket has."""
    return f"bucket-{os.getpid()}-{next(NUMBERS)}"
