"""Tasks for workers in tests: functions of a module, so that other processes can run them."""

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from statuary.base.files import PublishingError
from statuary.extensions.packs.pack_tasks import CompressedRange, CompressionTask, compress_range


@dataclass(frozen=True)
class Square:
    """A number to be squared; the first process that has it may be ended by it.

    Attributes:
        name: for messages.
        number: the number.
        trace: a file that is there once the task was begun; None leaves no trace.
        kills: how often whoever has it is killed, before it is done.
    """

    name: str
    number: int
    trace: Path | None = None
    kills: int = 0


def square(task: Square) -> int:
    """Square the number, or end this process as the machine would when it runs out of memory."""
    if task.trace is not None and task.kills and os.getpid() != int(os.environ["STATUARY_DRIVER"]):
        with task.trace.open("a") as file:
            file.write("x")
        if task.trace.stat().st_size <= task.kills:
            os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
    return task.number**2


def whose(_: Square) -> int:
    """Return who does it, slowly enough that everybody has a turn."""
    time.sleep(0.05)
    return os.getpid()


def imported_modules(_: None) -> set[str]:
    """Return the names of the modules of this process."""
    return set(sys.modules)


def fail(task: Square) -> int:
    """Fail at the seventh."""
    if task.number == 7:
        raise OSError(28, "No space left on device", "build/.statuary")
    return task.number


def compress_range_or_die(task: CompressionTask) -> CompressedRange:
    """Compress documents for packs, or end this process if it is the first worker that does so."""
    trace = Path(os.environ["STATUARY_TRACE"])
    if os.getpid() != int(os.environ["STATUARY_DRIVER"]) and not trace.exists():
        trace.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return compress_range(task)


def interrupt_packing(_: object) -> None:
    """End as if somebody had pressed Ctrl-C."""
    raise KeyboardInterrupt


def fail_packing(_: object) -> None:
    """Fail as a worker does that cannot write."""
    raise PublishingError("the disk is full")
