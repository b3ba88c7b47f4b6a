"""How much of a build the main process does itself: on a Dask cluster, or with worker processes of this machine.

    TMPDIR=/dev/shm python tests/benchmarks/serial_tail.py 100000 300000 [--workers 4] [--engine dask|processes]

The corpus is `L` of `corpora.py`: JSON lines of 7 kB. The table has the CPU, user and system, of the main process alone by
stage: what it does itself bounds a cluster, whatever its size. What a record costs is the slope between the least and the
greatest count; the last column is what that gives for the 38.5 million records of Sourcify.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpora import corpus

from statuary.base.primitives import parse_instant
from statuary.engine.build import build_folder
from statuary.engine.sections import NO_OPTIONS
from statuary.extensions.cluster.dask_pool import DaskExecutor
from statuary.publish.folder.folder_target import FolderTarget
from statuary.section import ALL_CHECKS
from statuary.workers.executor import Executor, process_executor
from statuary.workers.options import ExecutionOptions
from support.dask_cluster import dask_cluster

NOW = parse_instant("2026-11-20T12:00:00Z")
BETWEEN = "between stages: indexes, duplicates, manifest, plan"
RECORDS = 38_500_000
"""Records of the whole of Sourcify."""


@dataclass
class Stages:
    """A `Progress` that notes what each stage takes of this process: seconds of wall clock and of CPU."""

    seconds: dict[str, tuple[float, float]] = field(default_factory=dict)
    began: tuple[float, float] = (0.0, 0.0)
    name: str = BETWEEN

    @property
    def wall(self) -> float:
        """Seconds of wall clock of all stages."""
        return sum(wall for wall, _ in self.seconds.values())

    def busy(self, stage: str) -> float:
        """Return the seconds of CPU of a stage, or of `all`."""
        return sum(cpu for name, (_, cpu) in self.seconds.items() if stage in (name, "all"))

    def begin(self, stage: str, total: int | None) -> None:
        """Note what came before a stage."""
        self._close(stage)

    def advance(self, steps: int) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Note a stage."""
        self._close(BETWEEN)

    def start(self) -> None:
        """Begin to measure."""
        self.began = spent()

    def _close(self, following: str) -> None:
        now, (wall, cpu) = spent(), self.seconds.get(self.name, (0.0, 0.0))
        self.seconds[self.name] = wall + now[0] - self.began[0], cpu + now[1] - self.began[1]
        self.began, self.name = now, following


def spent() -> tuple[float, float]:
    """Return wall clock and CPU time, user and system, of this process with all its threads."""
    return perf_counter(), process_time()


@contextmanager
def opened(engine: str, workers: int) -> Iterator[Executor]:
    """Give workers that have started."""
    if engine == "processes":
        with process_executor(workers) as executor:
            executor.start_workers_early()
            yield executor
    else:
        with dask_cluster(workers) as cluster:
            with import_module("distributed").Client(cluster.address) as client:
                client.wait_for_workers(workers)
            with DaskExecutor(cluster.address) as executor:
                yield executor


def measure(content: Path, folder: Path, executor: Executor) -> Stages:
    """Build a site, and return what its stages took."""
    stages = Stages()
    os.sync()
    stages.start()
    with FolderTarget(folder) as target:
        result = build_folder(
            content, target, NOW, stages, ALL_CHECKS,
            execution=ExecutionOptions(executor=executor), extension_options=NO_OPTIONS,
        )  # fmt: skip
    stages.end()
    assert result.applied, result.checked.all_findings
    return stages


def table(found: Mapping[int, Stages]) -> Iterator[str]:
    """Yield the lines of a table: a stage's seconds of CPU by count, and what a record more costs."""
    few, many = min(found), max(found)
    last = found[many]
    yield f"| stage of the main process | {' | '.join(f'{count:,}' for count in found)} | us a record | 38.5 million |"
    yield f"|---|{'---|' * len(found)}---|---|"
    for name in [*last.seconds, "all"]:
        busy = {count: stages.busy(name) for count, stages in found.items()}
        more = (busy[many] - busy[few]) / (many - few) if many > few else busy[few] / few
        seconds = " | ".join(f"{busy[count]:.2f} s" for count in found)
        yield f"| {name} | {seconds} | {more * 1e6:.1f} | {more * RECORDS / 60:.1f} min |"
    shares = " | ".join(f"{stages.busy('all') / stages.wall:.1%}" for stages in found.values())
    yield f"| share of wall clock | {shares} | | |"


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("counts", nargs="+", type=int)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--engine", default="dask", choices=["dask", "processes"])
    options = parser.parse_args()
    found = {}
    for count in options.counts:
        with (
            corpus("L", count) as content,
            tempfile.TemporaryDirectory() as folder,
            opened(options.engine, options.workers) as executor,
        ):
            found[count] = measure(content, Path(folder) / "build", executor)
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
