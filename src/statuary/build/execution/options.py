"""How a build goes about its work: with which hands, and how closely it looks. The outcome is the same."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeVar

from typing_extensions import override

from statuary.content.git_state import GitQuery

Task = TypeVar("Task")
Result = TypeVar("Result")


class TaskExecutor(Protocol):
    """Whoever does the work of partitions: this process, others, or a cluster; a context manager, to let go of them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of all hands; what has not begun is not done."""
        return

    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield what comes of each task, in any order; tasks are taken as they are needed.

        Args:
            work: a function of a module, which can be run anywhere.
            tasks: values that can be sent anywhere.
        """


class InProcessExecutor(TaskExecutor):
    """This process, one task after the other."""

    @override
    def map_unordered(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        return map(work, tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionOptions:
    """How a build works.

    Attributes:
        hands: who presses contracts.
        git: git, which has been asked about the content; None looks at the files alone.
        verify: whether every published file is read and held against the ledger.
    """

    executor: TaskExecutor = field(default_factory=InProcessExecutor)
    git: GitQuery | None = None
    verify: bool = False


DEFAULT_EXECUTION = ExecutionOptions()
"""This process alone, and the times of files."""
