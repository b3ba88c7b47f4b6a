"""Run another program with limits on time, memory and output.

The program gets an empty working folder and its own session, so that its children end with it. The shell's
`ulimit` bounds memory and output; without a POSIX shell only the time is limited.
"""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, NamedTuple

from statuary.domain.errors import StatuaryError

FIXED_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
"""Old Vypers write some members in the order of Python's hashes."""

MAX_STDERR_CHARACTERS = 2000
"""How much of the end of standard error is kept."""


class RunLimits(NamedTuple):
    """Limits for one program: wall-clock seconds, bytes of data segment, and bytes of standard output."""

    seconds: float = 300
    memory_bytes: int = 8 << 30
    output_bytes: int = 128 << 20


class ProgramOutput(NamedTuple):
    """How a program ended."""

    exit_code: int  # negative for the signal that ended it
    stdout: bytes
    stderr: str  # the end of its standard error


class RunError(StatuaryError):
    """A program cannot be started or exceeds a limit."""


_RUNNING: set["subprocess.Popen[bytes]"] = set()


def run_program(limits: RunLimits, command: Sequence[str | Path], stdin: bytes = b"") -> ProgramOutput:
    """Run a program to its end.

    Args:
        stdin: given as a file, because old compilers ask for its size.

    Raises:
        RunError: if it cannot be started, takes too long, or writes too much.
    """
    with (
        TemporaryDirectory(prefix="statuary-") as folder,
        TemporaryFile() as input_file,
        TemporaryFile() as output,
        TemporaryFile() as errors,
    ):
        input_file.write(stdin)
        input_file.seek(0)
        exit_code = _run(limits, command, folder, (input_file, output, errors))
        if os.fstat(output.fileno()).st_size >= limits.output_bytes:
            raise RunError(f"the output has more than {limits.output_bytes:,} bytes")
        stderr = _content(errors)[-MAX_STDERR_CHARACTERS:].decode("utf-8", "replace")
        return ProgramOutput(exit_code, _content(output), stderr)


def _run(
    limits: RunLimits,
    command: Sequence[str | Path],
    folder: str,
    streams: tuple[IO[bytes], IO[bytes], IO[bytes]],
) -> int:
    process = _start(_with_ulimit(limits, [str(part) for part in command]), folder, streams)
    _RUNNING.add(process)
    try:
        return process.wait(limits.seconds)
    except subprocess.TimeoutExpired:
        _stop(process)
        raise RunError(f"it did not finish within {limits.seconds:g} seconds") from None
    except BaseException:
        _stop(process)
        raise
    finally:
        _RUNNING.discard(process)


def _start(
    command: list[str], folder: str, streams: tuple[IO[bytes], IO[bytes], IO[bytes]]
) -> "subprocess.Popen[bytes]":
    stdin, stdout, stderr = streams
    environment = {**os.environ, **FIXED_ENVIRONMENT}
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise RunError(f"it cannot be started: {error.strerror}") from None


def stop_all_programs() -> None:
    """Stop every running program: Ctrl-C does not reach their sessions."""
    for process in tuple(_RUNNING):
        _stop(process)


def _with_ulimit(limits: RunLimits, command: list[str]) -> list[str]:
    if os.name != "posix":
        return command
    ulimit = f"ulimit -d {limits.memory_bytes // 1024} && ulimit -f {limits.output_bytes // 512}"
    return ["sh", "-c", f'{ulimit} && exec "$0" "$@"', *command]


def _stop(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _content(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read()
