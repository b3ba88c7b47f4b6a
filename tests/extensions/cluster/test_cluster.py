"""A Dask cluster: the same results, with workers and schedulers that end while they are at it."""

import os
import sys
import time

import pytest
from click.testing import CliRunner

from statuary.base.installation import extra_install_command
from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from statuary.extensions.cluster import dask_pool
from statuary.extensions.cluster.dask_pool import DaskExecutor
from statuary.workers.task_window import WorkersLostError
from support.dask_cluster import dask_cluster
from support.requirements import require_module
from support.sites import SITE, write_files
from support.worker_tasks import Square, fail, square, whose

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def running():
    with dask_cluster() as found:
        yield found


def test_dask_workers_run_tasks(running):
    with DaskExecutor(running.address) as executor:
        assert sorted(executor.map_unordered(square, [Square("", one) for one in range(60)])) == [
            one**2 for one in range(60)
        ]
        doers = set(executor.map_unordered(whose, (Square("", one) for one in range(60))))
    assert len(doers) == 2
    assert os.getpid() not in doers


def test_exception_on_dask_worker_keeps_details(running):
    with (
        DaskExecutor(running.address) as executor,
        pytest.raises(OSError, match="No space left") as raised,
    ):
        list(executor.map_unordered(fail, [Square("", one) for one in range(40)]))
    assert raised.value.filename == "build/.statuary"


def test_killed_dask_worker_tasks_are_rerun():
    with dask_cluster() as own, DaskExecutor(own.address) as executor:
        results = executor.map_unordered(square, [Square("", one) for one in range(200)])
        found = [next(results) for _ in range(20)]
        own.workers[0].kill()
        assert sorted([*found, *results]) == [one**2 for one in range(200)]


def test_workers_joining_later_receive_tasks():
    with dask_cluster(1) as own, DaskExecutor(own.address) as executor:
        results = executor.map_unordered(whose, (Square("", one) for one in range(10_000)))
        doers = {next(results)}
        for _ in range(3):
            own.add_worker()
        until = time.monotonic() + 120
        while (len(doers) < 4 or executor.pool.size < 4) and time.monotonic() < until:
            doers.add(next(results))
        assert (len(doers), executor.pool.size) == (4, 4)


@pytest.mark.parametrize("part", ["scheduler", "workers"])
def test_stopped_dask_cluster_is_reported(part, monkeypatch):
    monkeypatch.setattr(dask_pool, "CHECK_INTERVAL", 1)
    monkeypatch.setattr("statuary.workers.task_window.CHECK_INTERVAL", 1)
    with dask_cluster() as own, DaskExecutor(own.address) as executor:
        monkeypatch.setattr(dask_pool, "WAIT_SECONDS", 3)  # its workers have arrived
        results = executor.map_unordered(square, (Square("", one) for one in range(100_000)))
        for _ in range(20):
            next(results)
        for process in [own.scheduler] if part == "scheduler" else own.workers:
            process.kill()
        with pytest.raises(WorkersLostError, match=r"of the cluster at .* has stopped") as lost:
            list(results)
    assert lost.value.hint.startswith("run the build again")


def test_address_without_dask_scheduler_fails(monkeypatch):
    require_module("distributed", install='pip install "statuary[dask]"')
    monkeypatch.setattr(dask_pool, "WAIT_SECONDS", 1)
    with pytest.raises(WorkersLostError, match="accepts no work"):
        DaskExecutor("tcp://127.0.0.1:9")


@pytest.mark.parametrize("options", ["build", "check"])
def test_missing_dask_package_hints_at_extra(options, tmp_path, monkeypatch):
    monkeypatch.chdir(write_files(tmp_path, {"content/site.yaml": SITE}))
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = CliRunner().invoke(command, [options, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"])
    assert done.exit_code == ExitCode.FAILED
    assert done.stderr.splitlines() == [
        "statuary: --engine dask needs the extra 'dask', which is not installed",
        f"    {extra_install_command('dask')}",
    ]
