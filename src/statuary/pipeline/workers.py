"""Executors with worker processes, which start when there are more than a few tasks."""

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Protocol

from typing_extensions import override

from statuary.pipeline.executor import Executor, InProcessExecutor, Result, Task, WorkerPool

RUN_HERE = 4
"""Tasks that are done in this process: starting another takes about as long."""


class PooledExecutor(Executor, Protocol):
    """A pool of workers; the first few tasks run in this process."""

    pool: WorkerPool | None = None

    def start(self) -> WorkerPool:
        """Start the workers."""

    @override
    def __exit__(self, *_: object) -> None:
        if self.pool is not None:
            self.pool.close()

    @override
    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        stream = iter(tasks)
        few = list(islice(stream, RUN_HERE + 1))
        if len(few) <= RUN_HERE:
            yield from map(work, few)
            return
        from statuary.pipeline.executor import TaskWindow

        if self.pool is None:
            self.pool = self.start()
        yield from TaskWindow(self.pool, work, chain(few, stream)).results()


class ProcessExecutor(PooledExecutor):
    """Processes of this machine, including this one."""

    def __init__(self, count: int) -> None:
        """Use a number of processes, at least 2."""
        self.count = count

    @override
    def start(self) -> WorkerPool:
        from statuary.pipeline.process_pool import ProcessPool

        return ProcessPool(self.count)

    @override
    def start_early(self) -> None:
        self.pool = self.start()
        for _ in range(self.count - 1):
            self.pool.executor().submit(os.getpid)  # a worker starts with its first task


class DaskExecutor(PooledExecutor):
    """A Dask cluster whose workers run the same statuary and see content and target under the same paths."""

    def __init__(self, address: str) -> None:
        """Connect to a scheduler, such as `tcp://10.0.0.5:8786`.

        Raises:
            WorkersLostError: if there is no scheduler, or it has no workers.
            MissingExtraError: if the extra `dask` is not installed.
        """
        self.address = address
        self.pool = self.start()

    @override
    def start(self) -> WorkerPool:
        from statuary.extensions.cluster.dask_pool import DaskPool

        return DaskPool(self.address)


def process_executor(count: int) -> Executor:
    """Return an executor with a number of processes; 1 is this process alone."""
    return InProcessExecutor() if count == 1 else ProcessExecutor(count)
