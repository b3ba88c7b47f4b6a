"""Who does the work of a build: this process, several of this machine, or a cluster.

A task is a repeatable unit: done twice, it leaves what it leaves when it is done once. So nothing has to be found
out about a worker that was killed; what it may have been doing is done again.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from typing_extensions import override

from statuary.domain.errors import StatuaryError

if TYPE_CHECKING:
    from concurrent import futures

Task = TypeVar("Task")
Result = TypeVar("Result")


class WorkersLostError(StatuaryError):
    """Workers are gone, again and again, or all at once."""


class Executor(Protocol):
    """Does the tasks of a build; a context manager that stops its workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop all workers; tasks that have not begun are not done."""
        return

    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield the result of each task, in any order; tasks are taken as they are needed.

        Args:
            work: a function of a module, which can be run anywhere.
            tasks: values that can be sent anywhere.

        Raises:
            WorkersLostError: if workers are lost again and again.
        """


class InProcessExecutor(Executor):
    """This process, one task after the other."""

    @override
    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        return map(work, tasks)


class WorkerPool(Protocol):
    """Workers elsewhere.

    Attributes:
        size: how many tasks can be done at a time.
        runs_tasks_here: whether this process does tasks as well, as one of those.
    """

    size: int
    runs_tasks_here: bool

    def executor(self) -> "futures.Executor":
        """Return a working executor; a new one if the last one broke."""

    def is_broken(self, error: BaseException) -> bool:
        """Return whether an error means that workers are gone, and not that a task failed."""

    def check_alive(self) -> None:
        """Look whether any worker is left, since nothing has come back for a while.

        Raises:
            WorkersLostError: if none has been there for long.
        """

    def close(self) -> None:
        """Stop the workers; tasks that have not begun are not done."""
