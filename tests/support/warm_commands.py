"""Commands in processes that begin with everything imported: a thousand of them take minutes, not an hour."""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from statuary.__main__ import main
from statuary.cli.main import COMMANDS, command

CRASHED = 70
"""The exit code of a command that ends with a traceback."""


MOST_SECONDS = 240
"""A fork takes locks along that threads of its parent hold; a child that waits for one is killed after this time."""

INTERRUPT = {signal.SIGINT, signal.SIGTERM}
INTERRUPTED = 128 + signal.SIGINT


class Outcome(NamedTuple):
    """How a command ended: its exit code, or the negative number of the signal, and what it printed."""

    code: int
    output: str
    memory: int = 0  # bytes at most, beyond those of the process that it was forked from


class WarmCommand:
    """A command in a process of its own."""

    def __init__(self, log: Path, *arguments: object, prepare: Callable[[], None] = lambda: None) -> None:
        """Start it.

        Args:
            log: takes what it prints.
            arguments: of the command line.
            prepare: is called in the new process first.
        """
        self.log = log
        sys.stdout.flush()
        self._first_bytes, told = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPT)  # until the command begins
        self.pid = os.fork()
        if self.pid == 0:
            os.write(told, b"%d" % resident_bytes())
            self._run([str(one) for one in arguments], prepare)
        os.close(told)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPT)

    def _run(self, arguments: list[str], prepare: Callable[[], None]) -> None:
        code = CRASHED
        try:
            signal.alarm(MOST_SECONDS)
            os.setsid()
            file = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, 1)
            os.dup2(file, 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)  # pytest has others
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            prepare()
            sys.argv[1:] = arguments
            if signal.SIGINT in signal.sigpending():  # it came before the command began
                sys.exit(INTERRUPTED)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPT)
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0
        except BaseException:  # noqa: BLE001 - what it is, the log says
            traceback.print_exc()
        finally:
            signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPT)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def send(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def wait(self) -> Outcome:
        """Wait for its end; whoever interrupts that ends the command as well."""
        try:
            _, status, used = os.wait4(self.pid, 0)
        except KeyboardInterrupt:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise
        code = os.waitstatus_to_exitcode(status)
        with os.fdopen(self._first_bytes) as first:
            memory = (used.ru_maxrss << 10) - int(first.read() or 0)
        return Outcome(code, self.log.read_text("utf-8", "replace"), memory)


def resident_bytes() -> int:
    """Return how much memory this process has at present."""
    _, pages, *_ = Path("/proc/self/statm").read_text().split()
    return int(pages) * os.sysconf("SC_PAGESIZE")


def warm_up(*arguments: object, log: Path) -> None:
    """Import every command, and run one in this process, which imports what it imports as it runs."""
    for row in COMMANDS.values():
        import_module(row.target.partition(":")[0])
    file, kept = os.open(log, os.O_WRONLY | os.O_CREAT), os.dup(1)
    os.dup2(file, 1)
    try:
        command([str(one) for one in arguments], prog_name="statuary", standalone_mode=False)
    except SystemExit:
        pass
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
