"""`python -m statuary`, and the `statuary` command."""

import atexit
import gc
import os
import sys
from contextlib import suppress
from io import TextIOWrapper

from statuary.cli.exit_codes import ExitCode

CLOSED_OUTPUT = 1
"""The exit code after the reader of the output has closed it, which is click's."""


def main() -> None:
    """Run the command line and exit with its code."""
    _read_names_as_utf_8()
    gc.disable()  # imports leave no garbage, and looking for it is a tenth of a small build
    atexit.register(gc.freeze)  # Python looks for garbage twice more before it ends
    # pydantic looks for plugins in every installed package, which takes as long as reading a small site
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files that are not UTF-8
    try:
        from statuary.cli.main import command

        try:
            command(prog_name="statuary")
        finally:
            sys.stdout.flush()  # Python itself would do it too late for a sentence
    except KeyboardInterrupt:  # Ctrl-C before the command began; later the command handles it
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:  # the reader has seen enough, as `head` does
        _discard_output()
        sys.exit(CLOSED_OUTPUT)
    except OSError as error:  # an error that no command reports with a path: of a disk, or of the output
        with suppress(OSError):
            sys.stderr.write(f"statuary: {error.filename or 'writing the output'}: {error.strerror}\n")
        _discard_output()
        sys.exit(ExitCode.FAILED)


def _read_names_as_utf_8() -> None:
    """Start again in Python's UTF-8 mode if the locale has another encoding: the names of content are UTF-8 in git.

    Arguments and output keep the encoding of the locale, which is the terminal's.
    """
    if sys.getfilesystemencoding() == "utf-8":
        return
    os.environ.setdefault("PYTHONIOENCODING", f"{sys.stdout.encoding}:backslashreplace")
    arguments = [argument.encode("utf-8", "surrogateescape") for argument in sys.argv[1:]]
    command = [os.fsencode(sys.executable), b"-X", b"utf8", b"-m", b"statuary"]
    os.execv(sys.executable, [*command, *arguments])  # noqa: S606 - this program itself


def _discard_output() -> None:
    """Let what cannot be written go nowhere: Python would try again when it ends, and exit with a code of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
