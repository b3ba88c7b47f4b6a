"""Many hands: tasks given to others, who are called in only once there are more than a few.

A task is a repeatable unit: done twice, it leaves what it leaves when it is done once. So nothing has to be found
out about a worker that was killed; what it may have been at is done again.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Protocol

from typing_extensions import override

from statuary.build.execution.options import Result, Task, TaskExecutor
from statuary.domain.errors import StatuaryError

if TYPE_CHECKING:
    from concurrent.futures import Executor

RUN_HERE = 4
"""Tasks that are done here: starting a process takes about as long."""


class WorkersLostError(StatuaryError):
    """Worker processes died repeatedly, or all at once."""


class WorkerPool(Protocol):
    """Whoever runs tasks elsewhere.

    Attributes:
        size: how many tasks can be done at a time.
        helps: whether the process that asks does tasks as well, as one of those hands.
    """

    size: int
    runs_tasks_here: bool

    def executor(self) -> "Executor":
        """Return a working executor; a new one if the last one broke."""

    def is_broken(self, error: BaseException) -> bool:
        """Say whether an error means that the worker, or all of them, are gone, and not that a task failed."""

    def check_alive(self) -> None:
        """See whether anybody is left, since nothing has come back for a while.

        Raises:
            WorkersLost: if nobody has been there for long.
        """

    def close(self) -> None:
        """Let go of the workers; what has not begun is not done."""


class PoolExecutor(TaskExecutor):
    """Tasks done by a crew; a few tasks are done here, before any worker is started for them."""

    def __init__(self, call: Callable[[], WorkerPool]) -> None:
        """Take how to call a crew in."""
        self._call = call
        self._crew: WorkerPool | None = None

    def started(self) -> WorkerPool:
        """Return the crew, which is called in if nobody has been yet."""
        if self._crew is None:
            self._crew = self._call()
        return self._crew

    @override
    def __exit__(self, *_: object) -> None:
        if self._crew is not None:
            self._crew.close()

    @override
    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield what comes of each task.

        Raises:
            WorkersLost: if a task is lost again and again.
        """
        stream = iter(tasks)
        few = list(islice(stream, RUN_HERE + 1))
        if len(few) <= RUN_HERE:
            yield from map(work, few)
            return
        from statuary.build.execution.task_window import TaskWindow

        yield from TaskWindow(self.started(), work, chain(few, stream)).results()
