"""Many hands: tasks given to an executor a few at a time, and given again when whoever had them is gone.

A task is a repeatable unit: done twice, it leaves what it leaves when it is done once. So nothing has to be found
out about a worker that was killed; what it may have been at is done again.
"""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import chain, islice
from multiprocessing import connection, get_context, parent_process
from os import _exit
from threading import Thread
from typing import Generic, Protocol

from typing_extensions import override

from statuary.pipeline.effort import Hands, Result, Task

IN_FLIGHT = 2
"""Tasks that a worker has at a time: one that it does, and one so that it need not wait for the next."""

FEW = 4
"""Tasks that are done here: starting a process takes about as long."""

LOOK = 5.0
"""Seconds after which it is looked whether there are any workers left."""

ATTEMPTS = 5
"""How often a task is given to a worker that does not come back with it."""


class WorkersLost(Exception):  # noqa: N818 - states the fact
    """Workers are gone, again and again, or all at once.

    Attributes:
        remedy: what to do.
    """

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class Crew(Protocol):
    """Whoever runs tasks elsewhere.

    Attributes:
        size: how many tasks can be done at a time.
        helps: whether the process that asks does tasks as well, as one of those hands.
    """

    size: int
    helps: bool

    def executor(self) -> Executor:
        """Return a working executor; a new one if the last one broke."""

    def is_broken(self, error: BaseException) -> bool:
        """Say whether an error means that the worker, or all of them, are gone, and not that a task failed."""

    def look(self) -> None:
        """See whether anybody is left, since nothing has come back for a while.

        Raises:
            WorkersLost: if nobody has been there for long.
        """

    def close(self) -> None:
        """Let go of the workers; what has not begun is not done."""


@dataclass(slots=True)
class _Attempt(Generic[Task]):
    """A task on its way.

    Attributes:
        task: the task.
        tried: how often it has been given away.
    """

    task: Task
    tried: int = 0


@dataclass(frozen=True, slots=True)
class ManyHands(Hands):
    """Tasks done by a crew; a few tasks are done here, before any worker is started for them.

    Attributes:
        crew: who does them.
    """

    crew: Crew

    @override
    def __exit__(self, *_: object) -> None:
        self.crew.close()

    @override
    def each(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield what comes of each task.

        Raises:
            WorkersLost: if a task is lost again and again.
        """
        stream = iter(tasks)
        few = list(islice(stream, FEW + 1))
        if len(few) <= FEW:
            yield from map(work, few)
            return
        yield from _Window(self.crew, work, chain(few, stream)).results()


@dataclass(slots=True)
class _Window(Generic[Task, Result]):
    """The tasks that are out at the moment.

    Attributes:
        crew: who does them.
        work: what is done.
        tasks: those that nobody has had yet.
        out: those that somebody has.
        again: those that somebody had who is gone.
    """

    crew: Crew
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
            done, _ = wait(self.out, timeout=0 if self.crew.helps else LOOK, return_when=FIRST_COMPLETED)
            for future in done:
                yield from self._taken(future)
            if done:
                continue
            if self.crew.helps:
                yield from self._one_here()
            else:
                self.crew.look()

    def _fill(self) -> None:
        while len(self.out) < IN_FLIGHT * (self.crew.size - self.crew.helps):
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
            raise WorkersLost(
                f"workers were lost {ATTEMPTS} times while they were at part {name}",
                "see whether the machine runs out of memory; `--workers 1` does everything in one process",
            )
        try:
            self.out[self.crew.executor().submit(self.work, attempt.task)] = attempt
        except Exception as error:
            if not self.crew.is_broken(error):
                raise
            self.again.append(attempt)

    def _taken(self, future: "Future[Result]") -> Iterator[Result]:
        attempt = self.out.pop(future)
        try:
            result = future.result()
        except BaseException as error:
            if not self.crew.is_broken(error):
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


class Processes(Crew):
    """Processes of this machine, this one among them. They are started when the first task is given away.

    They are spawned, so that they share nothing with this one, whatever it has open; they end when it ends, however
    that may be, and leave Ctrl-C to it.
    """

    helps = True

    def __init__(self, size: int) -> None:
        """Take a number of processes.

        Args:
            size: how many work, this one among them; at least 2.
        """
        self.size = size
        self._pool: ProcessPoolExecutor | None = None
        self._is_broken = False

    @override
    def executor(self) -> Executor:
        if self._is_broken:
            self.close()
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self.size - 1, mp_context=get_context("spawn"), initializer=_begin_as_worker
            )
            self._is_broken = False
        return self._pool

    @override
    def is_broken(self, error: BaseException) -> bool:
        if isinstance(error, BrokenProcessPool):
            self._is_broken = True
        return isinstance(error, BrokenProcessPool)

    @override
    def look(self) -> None:
        """A pool tells by itself that a worker is gone."""

    @override
    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def _begin_as_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the one that started it is gone: nobody would ever ask it for anything."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        _exit(1)
