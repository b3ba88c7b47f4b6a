"""Kill builds at random instants, workers among them, and see that the next build's site is whole.

python tests/benchmarks/kill_at_random.py [--times 200] [--contracts 1000] [--seed 1] [--dask]
"""

import argparse
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.dask_cluster import dask_cluster
from support.random_kills import CONTRACTS, Worlds, counted, kill_at_random


def main() -> None:
    """Kill, and print how often."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--contracts", type=int, default=CONTRACTS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dask", action="store_true", help="with a Dask cluster on loopback")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="statuary-kills-") as folder:
        worlds = Worlds(Path(folder), arguments.contracts)
        with dask_cluster() if arguments.dask else nullcontext() as cluster:
            killed = counted(
                kill_at_random(worlds, Path(folder) / "out", arguments.times, arguments.seed, cluster)
            )
    for whom, times in killed.most_common():
        print(f"{times:5} {whom}")
    print(f"{arguments.times} builds, each site whole after the next one")


if __name__ == "__main__":
    main()
