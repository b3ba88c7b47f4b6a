"""What holds for every test."""

import gc
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

import pytest

from statuary.extensions.compilers.cache import VARIABLE
from statuary.extensions.log.options import BRANCHES, PRODUCTION, REQUESTS
from support.due_tests import TIERS, WHOLE_FILE, recorded_durations
from support.object_stores import Server, moto
from support.random_runs import IS_LARGE, LONGEST_LARGE_TEST, SEED, load_profile
from support.requirements import require_module
from support.run_records import durations_of, record_durations, skip_reasons, unexpected_skips

NUMBERS = count(1)

STOP_AT = pytest.StashKey[float]()
"""When no further test begins, in seconds since 1970."""

load_profile()  # before a module of tests is imported: its decorators take the values of the profile

DEFAULT_TIER = "not slow and not thorough"
"""The tests that run if neither a marker nor a file is named: `-m` of the options in pyproject.toml."""


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
    if IS_LARGE:
        config.option.hypothesis_seed = SEED
        config.option.timeout = LONGEST_LARGE_TEST
    seconds = config.option.stop_after
    config.stash[STOP_AT] = inf if seconds is None else time.time() + seconds
    if config.option.markexpr == DEFAULT_TIER and names_only_files(config):
        config.option.markexpr = ""
    if config.option.markexpr == DEFAULT_TIER and is_roomy(MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory: builds sync what they write, and a disk makes the tests wait for it."""


def is_roomy(folder: Path) -> bool:
    """Return whether a folder takes all that the default tier writes (1 GB), and runs programs."""
    if not os.access(folder, os.W_OK):
        return False
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize > 4 << 30 and not system.f_flag & os.ST_NOEXEC


def names_only_files(config: pytest.Config) -> bool:
    """Whether the command line names files or tests in them, and no folder: they run, whatever their tier."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    return named and all(argument.partition("::")[0].endswith(".py") for argument in config.args)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of cores; for slow tests one more, as many of them wait for a disk, a server or a process."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + (config.option.markexpr != DEFAULT_TIER)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what CI asks for."""
    about = "write the seconds of each file into tests/durations.json"
    parser.addoption("--record-durations", action="store_true", help=about)
    about = "begin no test after so many seconds; the files that are named first come first"
    parser.addoption("--stop-after", type=float, metavar="SECONDS", help=about)
    about = "fail if a test skips for a reason that this list of tests/expected_skips.json does not have, or too many do"
    parser.addoption("--expected-skips", metavar="LIST", help=about)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Record durations, and fail a run that skips more than is expected; workers leave that to the main process."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    tests = session.config.rootpath / "tests"
    if session.config.option.record_durations:
        every = (report for reports in reporter.stats.values() for report in reports)
        reports = [report for report in every if isinstance(report, pytest.TestReport)]
        record_durations(tests / "durations.json", durations_of(reports))
    if expected := session.config.option.expected_skips:
        lists = json.loads((tests / "expected_skips.json").read_text("utf-8"))
        lines = unexpected_skips(skip_reasons(reporter.stats.get("skipped", [])), lists[expected])
        if lines:
            reporter.write_line("")
            reporter.write_line("\n".join(lines), red=True)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without the garbage collector: it would go over thousands of tests again and again, and find nothing.

    It does not go over them later either.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # by default, it looks for garbage fifty times a second
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure() -> None:
    """Look for garbage once at the end; pytest looks ten times, each time through all that thousands of tests leave."""
    gc.collect()
    gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which no test would run: to collect takes each worker seconds. None: others decide."""
    if config.option.markexpr != DEFAULT_TIER or collection_path.suffix != ".py":
        return None
    return True if WHOLE_FILE.search(collection_path.read_text("utf-8")) else None


class BackwardFolder(pytest.Dir):
    """A folder whose last file is collected first."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        yield from reversed([*super().collect()])


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Let every second worker begin with the last file, so that two of them share what has to be compiled."""
    worker = getattr(parent.config, "workerinput", {}).get("workerid", "gw0")
    if parent.config.option.stop_after is not None or int(worker.removeprefix("gw")) % 2 == 0:
        return None
    return BackwardFolder.from_parent(parent, path=path)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Begin with the files that take longest; where the time is limited, with those that are named first."""
    if config.option.stop_after is None:
        # pytest groups tests by fixture in the order that it finds, which has to be that of every worker
        items.sort(key=lambda item: item.path)
    yield
    if config.option.stop_after is None:
        tiers = [""] if config.option.markexpr == DEFAULT_TIER else ["", *TIERS]
        recorded = recorded_durations(config.rootpath).items()
        dearest = {
            config.rootpath / file: -sum(seconds.get(tier, 0.0) for tier in tiers)
            for file, seconds in recorded
        }
        files = sorted({item.path for item in items})
        places = {file: (dearest.get(file, 0), place) for place, file in enumerate(files)}
        items.sort(key=lambda item: places[item.path])
    elif workers := getattr(config, "workerinput", {}).get("workercount"):
        # each worker begins with a range of the tests: let the files that are named first begin every range
        files = list(dict.fromkeys(item.path for item in items))
        place = {file: (number % workers, number) for number, file in enumerate(files)}
        items.sort(key=lambda item: place[item.path])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist when no further test begins."""
    node.workerinput["stop_at"] = node.config.stash[STOP_AT]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out a test for which no time is left, before anything is made for it."""
    if time.time() > getattr(item.config, "workerinput", {}).get("stop_at", item.config.stash[STOP_AT]):
        pytest.skip("left out: no time is left")


@pytest.fixture(scope="session", autouse=True)
def _free_memory(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[None]:
    """Remove the files of this worker's tests at the end, where they take memory; a test that is named keeps its own."""
    yield
    if pytestconfig.option.markexpr == DEFAULT_TIER and MEMORY in tmp_path_factory.getbasetemp().parents:
        subprocess.run(["rm", "-rf", tmp_path_factory.getbasetemp()], check=False)


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
