"""A build killed at a random instant, or a worker of it: the next one's site is whole. Many more times by hand:

python tests/benchmarks/kill_at_random.py
"""

from dask_cluster import dask_cluster
from random_kills import Worlds, counted, kill_at_random


def test_killed_at_random_instants(tmp_path):
    killed = counted(kill_at_random(Worlds(tmp_path, 150), tmp_path / "out", 4, seed=7))
    assert sum(killed.values()) == 4


def test_killed_on_a_cluster(tmp_path):
    worlds = Worlds(tmp_path, 150)
    with dask_cluster() as cluster:
        killed = counted(kill_at_random(worlds, tmp_path / "out", 2, seed=3, cluster=cluster))
    assert sum(killed.values()) == 2
