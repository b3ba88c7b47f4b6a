"""What the stages announce while they work; whoever shows progress listens."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Someone who wants to know how far a build is."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage begins; `total` is the number of its steps, if that is known."""

    def advance(self, steps: int) -> None:
        """The running stage has done so many further steps."""

    def end(self) -> None:
        """The running stage has ended, well or not."""


class NoProgress:
    """Nobody listens."""

    def begin(self, stage: str, total: int | None) -> None:
        """Say nothing."""

    def advance(self, steps: int) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


@contextmanager
def stage(progress: Progress, name: str, total: int | None = None) -> Iterator[None]:
    """Announce the beginning and the end of a stage."""
    progress.begin(name, total)
    try:
        yield
    finally:
        progress.end()


def counted(progress: Progress, items: Iterable[Item]) -> Iterator[Item]:
    """Announce each item once it has been worked on."""
    for item in items:
        yield item
        progress.advance(1)
