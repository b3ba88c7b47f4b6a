"""A build killed at a random instant, or a worker of it: the next one's site is whole. Many more times by hand:

python tests/benchmarks/kill_at_random.py
"""

import signal
import subprocess
import time

import pytest

from statuary.cli.main import COMMANDS
from support.dask_cluster import dask_cluster
from support.random_kills import STATUARY, Worlds, counted, finished, kill_at_random
from support.sites import files_in, site_of_many

pytestmark = pytest.mark.thorough


def test_randomly_killed_build_is_finished(tmp_path):
    killed = counted(kill_at_random(Worlds(tmp_path, 150), tmp_path / "out", 4, seed=7))
    assert sum(killed.values()) == 4


def test_killed_cluster_build_is_finished(tmp_path):
    worlds = Worlds(tmp_path, 150)
    with dask_cluster() as cluster:
        killed = counted(kill_at_random(worlds, tmp_path / "out", 2, seed=3, cluster=cluster))
    assert sum(killed.values()) == 2


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_prints_message_and_resumes(tmp_path, workers):
    content, out = site_of_many(tmp_path, 400), tmp_path / "out"
    command = [*STATUARY, "--content", content, "--out", out, "--workers", workers]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as build:
        until = time.monotonic() + 60
        while not any(out.glob(".statuary/staged/*/partitions/*.sqlite3")):
            assert time.monotonic() < until
            time.sleep(0.01)
        build.send_signal(signal.SIGINT)
        said, complaint = build.communicate(timeout=30)
    assert (build.returncode, said) == (130, "")
    assert complaint == f"\nstatuary: interrupted; {COMMANDS['build'].interrupted}\n"
    assert files_in(out) == {}
    assert any(out.glob(".statuary/staged/*/partitions/*.sqlite3"))
    finished(content, out)
    finished(content, tmp_path / "undisturbed")
    assert files_in(out) == files_in(tmp_path / "undisturbed")
