"""Other programs (git, compilers, installers), with limits and an environment.

A program gets only the variables of the environment that it needs: no token, key or address of the build. Those of
git that name another repository are left out too: a hook of one repository would read another.
"""

import os
import signal
import subprocess
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from statuary.base.errors import StatuaryError

SYSTEM_VARIABLES: Final = frozenset(
    {
        "PATH",
        "HOME",
        "TMPDIR",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LD_LIBRARY_PATH",
        "PYTHONUTF8",
        # Programs on Windows need the following variables.
        "SYSTEMROOT",
        "PATHEXT",
        "COMSPEC",
        "TEMP",
        "TMP",
        "USERPROFILE",
    }
)
"""The variables that every program gets."""

GIT_VARIABLES: Final = SYSTEM_VARIABLES | {
    "LANGUAGE",
    "USER",
    "LOGNAME",
    "EMAIL",
    "XDG_CONFIG_HOME",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    # git needs the following variables to sign a commit.
    "GNUPGHOME",
    "GPG_TTY",
    "SSH_AUTH_SOCK",
    "DISPLAY",
    "XDG_RUNTIME_DIR",
    *(f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE")),
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
}
"""The variables that git gets, and the hooks of a commit."""

INSTALLER_VARIABLES: Final = SYSTEM_VARIABLES | {
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_CERT",
    "PIP_NO_INDEX",
    "PIP_CONFIG_FILE",
    "PIP_FIND_LINKS",
    "PIP_CACHE_DIR",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_CACHE_DIR",
    "UV_OFFLINE",
    "UV_PYTHON",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
}
"""The variables that pip and uv get, to find packages."""

FIXED_VARIABLES: Final = {"PYTHONHASHSEED": "0"}
"""Old Vypers write some members in the order of Python's hashes."""

GIT_SECONDS = 600
"""The most seconds of one git command: a commit may ask for a passphrase."""

MAX_STDERR_CHARACTERS = 2000
"""Characters at the end of standard error that are kept."""


class ProgramError(StatuaryError):
    """A program cannot be started, or exceeds a limit."""


class MissingProgramError(ProgramError):
    """A program is not installed."""


class RunLimits(NamedTuple):
    """The limits for running a program: seconds, bytes of memory and output."""

    seconds: float = 300
    memory_bytes: int = 8 << 30
    output_bytes: int = 128 << 20


class ProgramOutput(NamedTuple):
    """The output and the exit code of a program."""

    exit_code: int  # the negative number of the signal if a signal ended the program
    stdout: bytes
    stderr: str  # the end of the program's standard error

    @property
    def text(self) -> str:
        """The standard output as UTF-8 text, without white space around it."""
        return self.stdout.decode("utf-8", "replace").strip()


def _inherited_environment(names: Collection[str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in names}
    return {**kept, **FIXED_VARIABLES}


_RUNNING: set["subprocess.Popen[bytes]"] = set()


def run_program(
    limits: RunLimits,
    command: Sequence[str | Path],
    stdin: bytes = b"",
    variables: Collection[str] = SYSTEM_VARIABLES,
) -> ProgramOutput:
    """Run a program in an empty folder, and return its output.

    Args:
        limits: the limits of time, memory and output.
        command: the program and its arguments.
        stdin: the standard input; the program gets it as a file because old compilers ask for its size.
        variables: the names of the environment variables that the program may see.

    Raises:
        ProgramError: if the program cannot be started, takes too long, or writes too much.
    """
    from tempfile import TemporaryDirectory, TemporaryFile  # noqa: PLC0415 - git needs neither

    with (
        TemporaryDirectory(prefix="statuary-") as folder,
        TemporaryFile() as input_file,
        TemporaryFile() as output,
        TemporaryFile() as errors,
    ):
        input_file.write(stdin)
        input_file.seek(0)
        words = _with_ulimit(limits, [str(part) for part in command])
        streams = (input_file, output, errors)
        exit_code = _run_to_end(limits, lambda: _start_process(words, folder, streams, variables))
        if os.fstat(output.fileno()).st_size >= limits.output_bytes:
            raise ProgramError(f"the output has more than {limits.output_bytes:,} bytes")
        stderr = _read_from_start(errors)[-MAX_STDERR_CHARACTERS:].decode("utf-8", "replace")
        return ProgramOutput(exit_code, _read_from_start(output), stderr)


def _run_to_end(limits: RunLimits, start: "Callable[[], subprocess.Popen[bytes]]") -> int:
    process = start()
    _RUNNING.add(process)
    try:
        return process.wait(limits.seconds)
    except subprocess.TimeoutExpired:
        _kill_process(process)
        raise ProgramError(f"the program did not finish within {limits.seconds:g} seconds") from None
    except BaseException:
        _kill_process(process)
        raise
    finally:
        _RUNNING.discard(process)


def _start_process(
    command: list[str],
    folder: str,
    streams: tuple[IO[bytes], IO[bytes], IO[bytes]],
    variables: Collection[str],
) -> "subprocess.Popen[bytes]":
    stdin, stdout, stderr = streams
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env=_inherited_environment(variables),
            start_new_session=True,
        )
    except OSError as error:
        raise ProgramError(f"the program cannot be started: {error.strerror}") from None


def stop_all_programs() -> None:
    """Stop all programs that statuary has started.

    Ctrl-C does not reach them.
    """
    for process in tuple(_RUNNING):
        _kill_process(process)


def _with_ulimit(limits: RunLimits, command: list[str]) -> list[str]:
    if os.name != "posix":
        return command
    ulimit = f"ulimit -d {limits.memory_bytes // 1024} && ulimit -f {limits.output_bytes // 512}"
    return ["sh", "-c", f'{ulimit} && exec "$0" "$@"', *command]


def _kill_process(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _read_from_start(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read()


def run_git(folder: Path, *arguments: str, text: str = "") -> ProgramOutput:
    """Run git in a folder, and return its output and exit code.

    Args:
        text: the standard input.

    Raises:
        MissingProgramError: if git is not installed.
        ProgramError: if git takes too long.
    """
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            input=text.encode(),
            capture_output=True,
            check=False,
            env=_inherited_environment(GIT_VARIABLES),
            timeout=GIT_SECONDS,
        )
    except OSError:
        raise MissingProgramError("git is not installed", "install it") from None
    except subprocess.TimeoutExpired:
        raise ProgramError(f"git did not finish within {GIT_SECONDS} seconds") from None
    return ProgramOutput(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def git_output(folder: Path, *arguments: str) -> str:
    """Run a git command in a folder, and return its standard output.

    Args:
        arguments: the arguments of git, beginning with the command, such as `rev-parse`.

    Returns:
        The output; empty without git, outside a repository, or if git fails.
    """
    try:
        done = run_git(folder, *arguments)
    except ProgramError:
        return ""
    return done.text if done.exit_code == 0 else ""


class GitProcess:
    """Git running in the background, without locking the repository."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        """Start git in a folder.

        Raises:
            MissingProgramError: if git is not installed.
        """
        try:
            self._process = subprocess.Popen(
                ["git", "--no-optional-locks", "-C", str(folder), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_inherited_environment(GIT_VARIABLES),
            )
        except OSError:
            raise MissingProgramError("git is not installed", "install it") from None

    def result(self) -> ProgramOutput:
        """Wait until git ends, and return its exit code and output.

        If git takes too long, it is stopped.
        """
        try:
            output = self._process.communicate(timeout=GIT_SECONDS)[0]
        except subprocess.TimeoutExpired:
            self._process.kill()
            output = self._process.communicate()[0]
        return ProgramOutput(self._process.returncode, output, "")

    def null_separated_output(self) -> Iterator[bytes]:
        """Yield git's output as it arrives, split at null bytes.

        For example, `git ls-files -z` puts a null byte after each path.
        """
        assert self._process.stdout is not None  # noqa: S101 - requested when it was started
        with self._process:
            remainder = b""
            while piece := self._process.stdout.read(1 << 16):
                *complete_parts, remainder = (remainder + piece).split(b"\0")
                yield from complete_parts
