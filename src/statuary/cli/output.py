"""Printed changes and sizes, and the progress of long work."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Self

from statuary.base.progress import NoProgress, Progress
from statuary.cli.escape import escape_control_chars
from statuary.publish.plan import Action, Change, Plan
from statuary.status.urls import EPOCH_DOCUMENT

EPOCHS_FOLDER = EPOCH_DOCUMENT.prefix


def change_counts_line(plan: Plan, *, applied: bool) -> str:
    """Return a sentence like `2 added, 1 replaced, 0 removed, 9 kept`.

    Args:
        plan: the changes of a build.
        applied: whether the changes were made; after a dry run, the sentence says `would be added`.
    """
    counts = plan.counts
    would = "" if applied else "would be "
    if plan.is_empty:
        return "nothing changed" if applied else "nothing would change"
    return (
        f"{counts[Action.ADD]} {would}added, {counts[Action.REPLACE]} {would}replaced, "
        f"{counts[Action.REMOVE]} {would}removed, {plan.unchanged} kept ({format_size(plan.changed_size)} {would}written)"
    )


def changed_file_lines(changes: Iterable[Change]) -> Iterator[str]:
    """Yield a line for each changed file.

    The precomputed later versions of documents, which can be thousands of files, share one line with their
    number.
    """
    epochs: Counter[Action] = Counter()
    size = 0
    for change in changes:
        if change.path.startswith(EPOCHS_FOLDER):
            epochs[change.action] += 1
            size += change.size
        else:
            yield escape_control_chars(str(change))
    if epochs:
        counts = ", ".join(f"{number:,} to {action}" for action, number in sorted(epochs.items()))
        yield f"  {EPOCHS_FOLDER}: {counts} ({format_size(size)})"


def case_insensitive_disk_warning(folder: str) -> str:
    """Return the warning that a case-insensitive disk lacks some file names.

    The note also says how to deploy the site from there.

    Args:
        folder: the folder of the site, for the message.
    """
    return (
        f"{folder}/ is on a file system that ignores case: both forms of an address are one file there. If the files are"
        " sent to a host that does not (Caddy, Cloudflare, nginx, S3), look-ups by lower-case addresses get 404.\n"
        f"    deploy with `statuary publish {folder} --to s3://BUCKET` (or gs://, az://), or pack the site with `statuary"
        f" snapshot create --from {folder} site.zip` and run `statuary publish site.zip --to FOLDER` on the server"
    )


def format_size(size: int) -> str:
    """Format a size in bytes with a unit, such as `1.2 MB`."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{size:,} bytes" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1000
    raise AssertionError


def show_progress() -> AbstractContextManager[Progress]:
    """Return a context manager that shows progress bars in a terminal.

    Elsewhere, such as in a log file, nothing is shown.
    """
    return ProgressBars() if sys.stderr.isatty() else nullcontext(NoProgress())


class ProgressBars:
    """Shows the stages of a build as bars on standard error.

    A bar disappears when its stage ends.
    """

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
        """Show a progress bar for a stage of the work.

        Args:
            stage: the text beside the bar.
            total: the number of steps; if it is None, the bar only shows activity.
        """
        self.task = self.progress.add_task(stage, total=total)

    def advance(self, steps: int) -> None:
        """Advance the current bar by a number of steps."""
        self.progress.advance(self.task, steps)

    def end(self) -> None:
        """Remove the bar of the current stage."""
        self.progress.remove_task(self.task)
