"""Executors: this process, several processes, or a cluster; and the window of tasks that are under way.

A task can be repeated with the same result, so the tasks of a lost worker are run again. Workers start when there are
more than a few tasks.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from typing_extensions import override

from statuary.domain.errors import StatuaryError
from statuary.extension_table import EXTENSIONS, load

if TYPE_CHECKING:
    from concurrent import futures


Task = TypeVar("Task")
Result = TypeVar("Result")


class WorkersLostError(StatuaryError):
    """Workers are lost repeatedly, or all of them are lost."""


class Executor(Protocol):
    """Runs the tasks of a build; a context manager that stops its workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def start_early(self) -> None:
        """Start worker processes, if there are any, while this process still imports what it needs itself."""
        return

    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield the result of each task, in any order; tasks are taken lazily.

        Args:
            work: a module-level function, which any worker can run.
            tasks: values that can be pickled.

        Raises:
            WorkersLostError: if workers are lost repeatedly.
        """


class InProcessExecutor(Executor):
    """This process, one task after the other."""

    @override
    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        return map(work, tasks)


class WorkerPool(Protocol):
    """Workers in other processes."""

    size: int
    runs_tasks_here: bool

    def executor(self) -> "futures.Executor":
        """Return a working executor; a new one if the last one broke."""

    def is_broken(self, error: BaseException) -> bool:
        """Return whether an error means that workers are lost, and not that a task failed."""

    def check_alive(self) -> None:
        """Raise WorkersLostError if no worker is left; called when no result has come for a while."""

    def close(self) -> None:
        """Stop the workers and drop tasks that have not begun."""


IN_FLIGHT = 2
"""Tasks of a worker at a time: one that it runs, and one so that it need not wait for the next."""

CHECK_INTERVAL = 5.0
"""Seconds after which a pool that returns nothing is checked."""

ATTEMPTS = 5
"""How often a task is submitted if its workers are lost."""


@dataclass(slots=True)
class TaskAttempt(Generic[Task]):
    """A task and the number of times that it was submitted."""

    task: Task
    count: int = 0


@dataclass(slots=True)
class TaskWindow(Generic[Task, Result]):
    """The tasks of a pool."""

    pool: WorkerPool
    work: Callable[[Task], Result]
    tasks: Iterator[Task]  # those not yet submitted
    # those that a worker has
    running: dict["Future[Result]", TaskAttempt[Task]] = field(default_factory=dict)
    lost: deque[TaskAttempt[Task]] = field(default_factory=deque)  # those whose worker is lost

    def results(self) -> Iterator[Result]:
        """Yield results as they come; while there are none, run a task here if this process takes part."""
        timeout = 0 if self.pool.runs_tasks_here else CHECK_INTERVAL
        while self._fill():
            done, _ = wait(self.running, timeout=timeout, return_when=FIRST_COMPLETED)
            for future in done:
                yield from self._result(future)
            if not done and self.pool.runs_tasks_here:
                yield from self._one_here()
            elif not done:
                self.pool.check_alive()

    def _fill(self) -> bool:
        """Submit tasks while workers have room; return whether any are left."""
        while len(self.running) < IN_FLIGHT * (self.pool.size - self.pool.runs_tasks_here):
            attempt = self._next()
            if attempt is None:
                break
            self._submit(attempt)
        return bool(self.running or self.lost)

    def _next(self) -> TaskAttempt[Task] | None:
        if self.lost:
            return self.lost.popleft()
        for task in self.tasks:
            return TaskAttempt(task)
        return None

    def _submit(self, attempt: TaskAttempt[Task]) -> None:
        attempt.count += 1
        if attempt.count > ATTEMPTS:
            name = getattr(attempt.task, "name", attempt.task)
            raise WorkersLostError(
                f"workers were lost {ATTEMPTS} times while they built part {name}",
                "check whether the machine runs out of memory; `--workers 1` does everything in one process",
            )
        try:
            self.running[self.pool.executor().submit(self.work, attempt.task)] = attempt
        except Exception as error:
            if not self.pool.is_broken(error):
                raise
            self.lost.append(attempt)

    def _result(self, future: "Future[Result]") -> Iterator[Result]:
        attempt = self.running.pop(future)
        try:
            result = future.result()
        except BaseException as error:
            if not self.pool.is_broken(error):
                raise
            self.lost.append(attempt)
            return
        yield result

    def _one_here(self) -> Iterator[Result]:
        """Run one task here, or wait if none is left."""
        attempt = self._next()
        if attempt is not None:
            yield self.work(attempt.task)
        elif self.running:
            wait(self.running, return_when=FIRST_COMPLETED)


RUN_HERE = 4
"""Tasks that are done in this process: starting another takes about as long."""


class PooledExecutor(Executor):
    """A pool of workers; the first few tasks run in this process."""

    def __init__(self, start: Callable[[], WorkerPool]) -> None:
        """Start no workers yet."""
        self.start = start
        self.pool: WorkerPool | None = None

    @override
    def __exit__(self, *_: object) -> None:
        if self.pool is not None:
            self.pool.close()

    @override
    def start_early(self) -> None:
        self.pool = self.pool or self.start()
        for _ in range(self.pool.size - 1 if self.pool.runs_tasks_here else 0):
            self.pool.executor().submit(os.getpid)  # a process starts with its first task

    @override
    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        stream = iter(tasks)
        few = list(islice(stream, RUN_HERE + 1))
        if len(few) <= RUN_HERE:
            yield from map(work, few)
            return
        self.pool = self.pool or self.start()
        yield from TaskWindow(self.pool, work, chain(few, stream)).results()


def process_executor(count: int) -> Executor:
    """Return an executor with a number of processes of this machine, this one included; 1 is this process alone."""
    return InProcessExecutor() if count == 1 else PooledExecutor(partial(_processes, count))


def _processes(count: int) -> WorkerPool:
    from statuary.pipeline.process_pool import ProcessPool

    return ProcessPool(count)


ENGINES = {engine: target for row in EXTENSIONS for engine, target in row.workers.items()}
"""What runs workers elsewhere, by the name of the engine."""


def cluster_executor(engine: str, address: str) -> Executor:
    """Connect to a cluster, whose workers run the same statuary and see content and target under the same paths.

    Args:
        engine: one of `ENGINES`.
        address: that of its scheduler, such as `tcp://10.0.0.5:8786`.

    Raises:
        WorkersLostError: if there is no scheduler, or it has no workers.
        StatuaryError: if the extension or its library is not installed.
    """
    executor = PooledExecutor(partial(load(ENGINES[engine], f"--engine {engine}"), address))
    executor.start_early()
    return executor
