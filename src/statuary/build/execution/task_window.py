"""The tasks that are out at a crew: a few at a time, and given again when whoever had them is gone."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Generic

from statuary.build.execution.options import Result, Task
from statuary.build.execution.worker_pool import WorkerPool, WorkersLostError

IN_FLIGHT = 2
"""Tasks that a worker has at a time: one that it does, and one so that it need not wait for the next."""

CHECK_INTERVAL = 5.0
"""Seconds after which it is looked whether there are any workers left."""

ATTEMPTS = 5
"""How often a task is given to a worker that does not come back with it."""


@dataclass(slots=True)
class _Attempt(Generic[Task]):
    """A task on its way.

    Attributes:
        task: the task.
        tried: how often it has been given away.
    """

    task: Task
    tried: int = 0


@dataclass(slots=True)
class TaskWindow(Generic[Task, Result]):
    """The tasks that are out at the moment.

    Attributes:
        crew: who does them.
        work: what is done.
        tasks: those that nobody has had yet.
        out: those that somebody has.
        again: those that somebody had who is gone.
    """

    pool: WorkerPool
    work: Callable[[Task], Result]
    tasks: Iterator[Task]
    out: dict["Future[Result]", _Attempt[Task]] = field(default_factory=dict)
    again: deque[_Attempt[Task]] = field(default_factory=deque)

    def results(self) -> Iterator[Result]:
        """Yield results as they come; while none is there, one of the tasks is done here if this process helps."""
        while True:
            self._fill()
            if not self.out and not self.again:
                return
            done, _ = wait(
                self.out,
                timeout=0 if self.pool.runs_tasks_here else CHECK_INTERVAL,
                return_when=FIRST_COMPLETED,
            )
            for future in done:
                yield from self._taken(future)
            if done:
                continue
            if self.pool.runs_tasks_here:
                yield from self._one_here()
            else:
                self.pool.check_alive()

    def _fill(self) -> None:
        while len(self.out) < IN_FLIGHT * (self.pool.size - self.pool.runs_tasks_here):
            attempt = self._next()
            if attempt is None:
                return
            self._give(attempt)

    def _next(self) -> _Attempt[Task] | None:
        if self.again:
            return self.again.popleft()
        for task in self.tasks:
            return _Attempt(task)
        return None

    def _give(self, attempt: _Attempt[Task]) -> None:
        attempt.tried += 1
        if attempt.tried > ATTEMPTS:
            name = getattr(attempt.task, "name", attempt.task)
            raise WorkersLostError(
                f"workers were lost {ATTEMPTS} times while they were at part {name}",
                "see whether the machine runs out of memory; `--workers 1` does everything in one process",
            )
        try:
            self.out[self.pool.executor().submit(self.work, attempt.task)] = attempt
        except Exception as error:
            if not self.pool.is_broken(error):
                raise
            self.again.append(attempt)

    def _taken(self, future: "Future[Result]") -> Iterator[Result]:
        attempt = self.out.pop(future)
        try:
            result = future.result()
        except BaseException as error:
            if not self.pool.is_broken(error):
                raise
            self.again.append(attempt)
            return
        yield result

    def _one_here(self) -> Iterator[Result]:
        """Do one task here, or wait if there is none left to take."""
        attempt = self._next()
        if attempt is not None:
            yield self.work(attempt.task)
        elif self.out:
            wait(self.out, return_when=FIRST_COMPLETED)
