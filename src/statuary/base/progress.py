"""The progress of a build's stages, and the timing of garbage collection."""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Receives the progress of a build."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage begins; `total` is the number of its steps, if known."""

    def advance(self, steps: int) -> None:
        """The current stage has completed more steps."""

    def end(self) -> None:
        """The current stage has ended or failed."""


class NoProgress:
    """Ignores progress."""

    def begin(self, stage: str, total: int | None) -> None:
        """Do nothing."""

    def advance(self, steps: int) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


@contextmanager
def stage(progress: Progress, name: str, total: int | None = None) -> Iterator[None]:
    """Report the beginning and the end of a stage."""
    progress.begin(name, total)
    try:
        yield
    finally:
        progress.end()


def counted(progress: Progress, items: Iterable[Item]) -> Iterator[Item]:
    """Yield items, and report each after it has been processed."""
    for item in items:
        yield item
        progress.advance(1)


OBJECTS: Final = 20_000
"""New objects between two collections; a record makes up to 2,000 and frees them without collection."""


def enable_garbage_collection() -> None:
    """Start garbage collection unless it has been started already.

    Objects imported so far are never scanned.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(OBJECTS)
        gc.enable()
