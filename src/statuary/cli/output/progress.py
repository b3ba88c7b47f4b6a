"""Progress bars on a terminal."""

import sys
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Self

from statuary.build.progress import NoProgress, Progress


def progress() -> AbstractContextManager[Progress]:
    """Return progress bars, or nothing without a terminal."""
    return ProgressBars() if sys.stderr.isatty() else nullcontext(NoProgress())


class ProgressBars:
    """Stages as bars on standard error; each disappears when it ends."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def begin(self, stage: str, total: int | None) -> None:
        """Show a bar; without a total it only shows activity."""
        self.task = self.progress.add_task(stage, total=total)

    def advance(self, steps: int) -> None:
        """Advance the bar."""
        self.progress.advance(self.task, steps)

    def end(self) -> None:
        """Remove the bar."""
        self.progress.remove_task(self.task)
