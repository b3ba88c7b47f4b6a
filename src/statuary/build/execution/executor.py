"""Executors: this process, several processes, or a cluster.

A task can be repeated with the same result, so the tasks of a lost worker are run again.
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
