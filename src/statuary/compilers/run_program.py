"""Another program, run within bounds: time, memory, and how much it may say.

The program gets an empty folder to work in and a session of its own, so that what it starts ends with it.
Memory and answer are bounded by the system (`ulimit`); where there is no POSIX shell, time alone is.
"""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, NamedTuple

FIXED_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
"""Old Vypers write some members in the order of Python's hashes."""

MAX_STDERR_CHARACTERS = 2000
"""Characters of a program's last words that are kept."""


class RunLimits(NamedTuple):
    """How much a program may take.

    Attributes:
        seconds: from start to end.
        memory: bytes of data.
        answer: bytes that it may write.
    """

    seconds: float = 300
    memory: int = 8 << 30
    answer: int = 128 << 20


class ProgramOutput(NamedTuple):
    """What a program said.

    Attributes:
        code: its exit code; negative for the signal that ended it.
        output: its standard output.
        complaint: the end of its standard error.
    """

    code: int
    output: bytes
    stderr: str


_RUNNING: set["subprocess.Popen[bytes]"] = set()
"""The programs that run now."""


class RunError(Exception):
    """A program that could not be started, or did not end by itself."""


def run_program(bounds: RunLimits, command: Sequence[str | Path], given: bytes = b"") -> ProgramOutput:
    """Run a program to its end.

    Args:
        bounds: what it may take.
        command: the program and its arguments.
        given: its standard input, as a file: old compilers ask for its size.

    Raises:
        RunFailed: if it cannot be started, takes too long, or says too much.
    """
    with (
        TemporaryDirectory(prefix="statuary-") as folder,
        TemporaryFile() as standard_input,
        TemporaryFile() as output,
        TemporaryFile() as stderr,
    ):
        standard_input.write(given)
        standard_input.seek(0)
        code = _run(bounds, command, folder, (standard_input, output, stderr))
        if os.fstat(output.fileno()).st_size >= bounds.answer:
            raise RunError(f"it said more than {bounds.answer:,} bytes")
        return ProgramOutput(
            code, _whole(output), _whole(stderr)[-MAX_STDERR_CHARACTERS:].decode("utf-8", "replace")
        )


def _run(
    bounds: RunLimits,
    command: Sequence[str | Path],
    folder: str,
    streams: tuple[IO[bytes], IO[bytes], IO[bytes]],
) -> int:
    standard_input, output, stderr = streams
    try:
        process = subprocess.Popen(
            _limited(bounds, [str(part) for part in command]),
            stdin=standard_input,
            stdout=output,
            stderr=stderr,
            cwd=folder,
            env={**os.environ, **FIXED_ENVIRONMENT},
            start_new_session=True,
        )
    except OSError as error:
        raise RunError(f"it cannot be started: {error.strerror}") from None
    _RUNNING.add(process)
    try:
        return process.wait(bounds.seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        raise RunError(f"it did not end within {bounds.seconds:g} seconds") from None
    except BaseException:
        _end(process)
        raise
    finally:
        _RUNNING.discard(process)


def stop_all_programs() -> None:
    """End every program that runs now: Ctrl-C does not reach sessions of their own."""
    for process in tuple(_RUNNING):
        _end(process)


def _limited(bounds: RunLimits, command: list[str]) -> list[str]:
    if os.name != "posix":
        return command
    limits = f"ulimit -d {bounds.memory // 1024} && ulimit -f {bounds.answer // 512}"
    return ["sh", "-c", f'{limits} && exec "$0" "$@"', *command]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program that has not ended, and whatever it started."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _whole(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read()
