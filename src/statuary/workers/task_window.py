"""The running tasks of worker processes; lost tasks are repeated."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeVar

from statuary.base.errors import StatuaryError

Task = TypeVar("Task")
Result = TypeVar("Result")


class WorkersLostError(StatuaryError):
    """Workers are lost repeatedly, or no worker is left."""


class WorkerPool(Protocol):
    """The worker processes of this machine or of a cluster."""

    size: int
    runs_tasks_here: bool

    def submit(
        self, work: Callable[[Task], Result], task: Task, on_done: Callable[[Future[Result]], None]
    ) -> Future[Result]:
        """Give a task to a worker, starting new workers if needed.

        Args:
            work: the function to call; it must be at the top level of a module.
            task: its argument.
            on_done: called in any thread when the task is done, or its worker has died.
        """

    def is_worker_death(self, error: BaseException) -> bool:
        """Return whether an exception means that workers have died.

        Otherwise, only the task has failed.
        """

    def check_alive(self) -> None:
        """Check that at least one worker is left.

        This method is called after a while without results.

        Raises:
            WorkersLostError: if no worker is left.
        """

    def close(self) -> None:
        """Stop the worker processes, and discard tasks that have not started."""


IN_FLIGHT = 2
"""Tasks of a worker at a time: a running one and the next."""

CHECK_INTERVAL = 5.0  # seconds after which a pool that returns nothing is checked

ATTEMPTS = 5
"""The number of attempts at a task whose workers are lost."""


@dataclass(slots=True)
class TaskAttempt(Generic[Task]):
    """A task, and the number of times that it was submitted."""

    task: Task
    count: int = 0


@dataclass(slots=True)
class TaskWindow(Generic[Task, Result]):
    """The tasks that a pool works on at the same time.

    Attributes:
        done: the finished tasks. A SimpleQueue is used because Ctrl-C never leaves its lock acquired.
    """

    pool: WorkerPool
    work: Callable[[Task], Result]
    tasks: Iterator[Task]  # the tasks that are not yet submitted
    running: dict[Future[Result], TaskAttempt[Task]] = field(default_factory=dict)
    done: SimpleQueue[Future[Result]] = field(default_factory=SimpleQueue)
    lost: deque[TaskAttempt[Task]] = field(default_factory=deque)  # the tasks whose worker is lost

    def results(self) -> Iterator[Result]:
        """Yield the results of all tasks, as they arrive.

        While there are none, this process runs tasks itself, if the pool allows it.
        """
        timeout = 0 if self.pool.runs_tasks_here else CHECK_INTERVAL
        while self._submit_while_free():
            try:
                done = self.done.get(timeout=timeout)
            except Empty:
                yield from self._work_while_waiting()
            else:
                yield from self._take_result(done)

    def _submit_while_free(self) -> bool:
        """Submit tasks while workers are free.

        Returns:
            Whether any tasks are left.
        """
        room = IN_FLIGHT * (self.pool.size - self.pool.runs_tasks_here)
        while len(self.running) < room and (attempt := self._next_attempt()) is not None:
            self._submit(attempt)
        return bool(self.running or self.lost)

    def _next_attempt(self) -> TaskAttempt[Task] | None:
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
            self.running[self.pool.submit(self.work, attempt.task, self.done.put)] = attempt
        except Exception as error:
            if not self.pool.is_worker_death(error):
                raise
            self.lost.append(attempt)

    def _take_result(self, future: "Future[Result]") -> Iterator[Result]:
        attempt = self.running.pop(future)
        try:
            result = future.result()
        except BaseException as error:
            if not self.pool.is_worker_death(error):
                raise
            self.lost.append(attempt)
        else:
            yield result

    def _work_while_waiting(self) -> Iterator[Result]:
        """Run a remaining task here, or wait and check the workers."""
        if not self.pool.runs_tasks_here:
            self.pool.check_alive()
        elif (attempt := self._next_attempt()) is not None:
            yield self.work(attempt.task)
        else:
            yield from self._take_result(self.done.get())
