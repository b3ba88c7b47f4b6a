"""Run tasks on the workers of a Dask cluster."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from functools import partial
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import Any

from typing_extensions import override

from statuary.base.optional import import_optional
from statuary.extensions.cluster.finalize import (
    SortedWork,
    merge_files_by_worker,
    sort_rows_in_ranges,
)
from statuary.publish.ledger.schema import PartitionResult
from statuary.publish.target import BuildTarget
from statuary.workers.executor import PooledExecutor
from statuary.workers.task_window import CHECK_INTERVAL, Result, Task, WorkerPool, WorkersLostError

WAIT_SECONDS = 30
"""Seconds to wait for a scheduler, and for its first worker."""

COUNT_INTERVAL = 1.0
"""Seconds after which workers are counted again."""

DASK_CONFIG = {"distributed.admin.low-level-log-length": 1}
"""The configuration of the client, which otherwise keeps its last thousand messages: 40 MiB (measured)."""


class DaskPool(WorkerPool):
    """The workers of a Dask cluster, which run a build's tasks."""

    runs_tasks_here = False

    def __init__(self, address: str) -> None:
        self._distributed = _import_dask("distributed")
        self._config = _import_dask("dask.config")
        self.address = address
        self._client = self._connect()
        self._executor: Executor = self._client.get_executor(pure=False)
        self._seconds_alone = 0.0
        self._count_workers()

    def _count_workers(self) -> None:
        """Set `size` to the number of tasks that the cluster can run at once.

        This is repeated during a build, because workers may join later.
        """
        self.size = max(1, sum(self._client.nthreads().values()))
        self._counted = monotonic()

    def _connect(self) -> Any:
        client = None
        try:
            with self._config.set(DASK_CONFIG):
                client = self._distributed.Client(self.address, timeout=WAIT_SECONDS, set_as_default=False)
            client.wait_for_workers(1, timeout=WAIT_SECONDS)
        except (OSError, TimeoutError) as error:
            if client is not None:
                client.close()
            raise WorkersLostError(
                f"the cluster at {self.address} accepts no work: {error}",
                "start `dask scheduler` at this address, and `dask worker` on the machines that do the work",
            ) from None
        return client

    @override
    def submit(
        self, work: Callable[[Task], Result], task: Task, on_done: Callable[[Future[Result]], None]
    ) -> Future[Result]:
        if self._client.status != "running":
            raise self._workers_lost_error("scheduler")
        if monotonic() - self._counted > COUNT_INTERVAL:
            self._count_workers()
        future = self._executor.submit(work, task)
        future.add_done_callback(on_done)
        return future

    @override
    def is_worker_death(self, error: BaseException) -> bool:
        """Return whether a task failed because its worker processes were lost.

        Dask gives up on a task if several workers were lost while they ran it.

        Args:
            error: the exception that the task raised.
        """
        return isinstance(error, self._distributed.KilledWorker | CancelledError)

    @override
    def check_alive(self) -> None:
        if self._client.status != "running":
            raise self._workers_lost_error("scheduler")
        self._seconds_alone = 0.0 if self._client.nthreads() else self._seconds_alone + CHECK_INTERVAL
        if self._seconds_alone >= WAIT_SECONDS:
            raise self._workers_lost_error("last worker")

    def _workers_lost_error(self, lost_part: str) -> WorkersLostError:
        hint = "run the build again; it resumes this one"
        return WorkersLostError(f"the {lost_part} of the cluster at {self.address} has stopped", hint)

    @override
    def close(self) -> None:
        self._client.close()


class DaskExecutor(PooledExecutor):
    """Runs a build's tasks on the workers of a Dask cluster.

    Dask is a Python library that distributes work over several machines.
    """

    def __init__(self, address: str) -> None:
        """Connect to a cluster by the address of its scheduler.

        Raises:
            WorkersLostError: if there is no scheduler, or it has no workers.
        """
        super().__init__(partial(DaskPool, address))
        self.start_workers_early()

    @override
    def merge_partition_tasks(
        self, work: Callable[[Task], PartitionResult], tasks: Iterable[Task], target: BuildTarget
    ) -> Iterator[int]:
        files = list[Path]()
        for result in self.map_unordered(SortedWork(work), tasks):
            if result.file is None:
                target.merge_partition(result)
            else:
                files.append(result.file)
            yield result.items
        merge_files_by_worker(self, sort_rows_in_ranges(self, files), target)

    @override
    def merge_partitions(self, results: Iterable[PartitionResult], target: BuildTarget) -> None:
        results = list(results)
        files = sorted(result.file for result in results if result.file is not None)
        merge_files_by_worker(self, files, target)
        super().merge_partitions((result for result in results if result.file is None), target)


def _import_dask(name: str) -> ModuleType:
    return import_optional(name, extra="dask", purpose="--engine dask")
