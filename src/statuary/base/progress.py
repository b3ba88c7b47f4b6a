"""The progress of a build's stages, and the timing of garbage collection."""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Receives the progress of a build; a progress bar is one."""

    def begin(self, stage: str, total: int | None) -> None:
        """Announce that a stage of the work begins.

        Args:
            stage: the name of the stage, for the user.
            total: the number of its steps; None if it is unknown.
        """

    def advance(self, steps: int) -> None:
        """Announce that this many more steps of the current stage are done."""

    def end(self) -> None:
        """Announce that the current stage has ended or failed."""


class NoProgress:
    """Ignores progress."""

    def begin(self, stage: str, total: int | None) -> None:
        """Do nothing."""

    def advance(self, steps: int) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


@contextmanager
def report_stage(progress: Progress, name: str, total: int | None = None) -> Iterator[None]:
    """Report a stage's beginning and end around a `with` block.

    Args:
        progress: receives the reports.
        name: the name of the stage.
        total: the number of its steps; None if unknown.
    """
    progress.begin(name, total)
    try:
        yield
    finally:
        progress.end()


def track_progress(progress: Progress, items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items, and count a step of progress after each."""
    for item in items:
        yield item
        progress.advance(1)


OBJECTS: Final = 20_000
"""New objects between two collections; a record makes up to 2,000 and frees them without collection."""


def enable_garbage_collection() -> None:
    """Enable Python's garbage collection, which is off when a command starts.

    Objects that exist already, such as imported modules, are never searched, which saves time.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(OBJECTS)
        gc.enable()
