"""Executors: this process, several processes, or a cluster.

A task can be repeated with the same result, so the tasks of a lost worker are run again. Workers start when there are
more than a few tasks.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from typing_extensions import override

from statuary.registry import CONTENT_SECTIONS, import_provided, load

if TYPE_CHECKING:
    from statuary.publish.ledger.schema import PartitionResult
    from statuary.publish.site_manifest import FullManifest
    from statuary.publish.target import BuildTarget
    from statuary.workers.task_window import WorkerPool

Task = TypeVar("Task")
Result = TypeVar("Result")


class Executor(Protocol):
    """Runs a build's tasks: in this process, several processes, or a cluster.

    An executor is a context manager; at the end of its `with` block, the workers stop.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def start_workers_early(self) -> None:
        """Start the worker processes now, to save time later.

        They start while this process still imports modules. An executor without workers does nothing.
        """
        return

    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Run tasks in workers, and yield their results as they finish.

        Args:
            work: the function to call with each task; it must be at the top level of a module.
            tasks: values that can be pickled, taken one by one.

        Raises:
            WorkersLostError: if workers die repeatedly.
        """

    def merge_partition_tasks(
        self, work: Callable[[Task], "PartitionResult"], tasks: Iterable[Task], target: "BuildTarget"
    ) -> Iterator[int]:
        """Run tasks that each build a part of a site, and add their results to the site.

        Args:
            work: the function to call with each task; it must be at the top level of a module.
            tasks: values that can be pickled, taken one by one.
            target: the site that is being built.

        Yields:
            The number of records that a task has processed.
        """
        for result in self.map_unordered(work, tasks):
            target.merge_partition(result)
            yield result.items

    def merge_partitions(self, results: "Iterable[PartitionResult]", target: "BuildTarget") -> None:
        """Add the results of tasks to the site that is being built."""
        for result in results:
            target.merge_partition(result)

    @property
    def has_workers(self) -> bool:
        """Whether other processes run the tasks."""
        return False

    @property
    def most_tasks(self) -> int:
        """The most tasks into which work should be divided that one process could divide at will.

        Each task costs this process a few milliseconds.
        """
        return 1

    @property
    def make_manifest_by_workers(self) -> "FullManifest | None":
        """The function that makes a large site's manifest with several workers.

        The manifest lists all files. None for an executor without workers.
        """
        return None


class InProcessExecutor(Executor):
    """Runs tasks one after the other in this process."""

    @override
    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        return map(work, tasks)


TASKS_OF_WORKER = 16
"""Tasks that each worker gets at most, where work can be divided at will: all end at about the same time."""

RUN_HERE = 4
"""Tasks that are done in this process before there are workers: starting another takes about as long."""


class PooledExecutor(Executor):
    """Runs tasks in a pool of workers, which start if there are many tasks.

    Until then, tasks run in this process.
    """

    def __init__(self, start: "Callable[[], WorkerPool]") -> None:
        self.start = start
        self.pool: WorkerPool | None = None

    @override
    def __exit__(self, *_: object) -> None:
        if self.pool is not None:
            self.pool.close()

    @override
    def start_workers_early(self) -> None:
        self.pool = self.pool or self.start()
        for _ in range(self.pool.size - 1 if self.pool.runs_tasks_here else 0):
            self.pool.submit(id, None, lambda _: None)  # a process starts with its first task

    @override
    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        stream = iter(tasks)
        few = list(islice(stream, RUN_HERE + 1))
        if len(few) <= RUN_HERE and self.pool is None:
            yield from map(work, few)
            return
        from statuary.workers.task_window import (  # importing it takes a fiftieth of a small build
            TaskWindow,
        )

        self.pool = self.pool or self.start()
        yield from TaskWindow(self.pool, work, chain(few, stream)).results()

    @property
    @override
    def has_workers(self) -> bool:
        return self.pool is not None

    @property
    @override
    def most_tasks(self) -> int:
        return TASKS_OF_WORKER * (1 if self.pool is None else self.pool.size)

    @property
    @override
    def make_manifest_by_workers(self) -> "FullManifest | None":
        return None if self.pool is None else partial(import_provided("manifest by workers"), self)


def process_executor(count: int, prepare: Callable[[], object] | None = None) -> Executor:
    """Return an executor that uses several processes of this machine.

    Args:
        count: the number of processes, including this one; 1 uses only this one.
        prepare: a function that each other process calls before its first task; it must be at the top level
            of a module.
    """
    return InProcessExecutor() if count == 1 else PooledExecutor(partial(_make_process_pool, count, prepare))


def prepare_worker() -> None:
    """Import the modules that tasks need, in a new worker process."""
    for row in CONTENT_SECTIONS:
        if target := row.provides.get("worker imports"):
            load(target)()


def _make_process_pool(count: int, prepare: Callable[[], object] | None) -> "WorkerPool":
    from statuary.workers.process_pool import ProcessPool

    return ProcessPool(count, prepare)
