"""`python -m statuary`, and the `statuary` command."""

import atexit
import gc
import os
import sys
from contextlib import suppress
from io import TextIOWrapper

from statuary.cli.exit_codes import ExitCode

LOST_INTERRUPT_DELAY = 0.05
"""The seconds after which the program repeats a lost Ctrl-C, because the code that lost it may still run."""

CLOSED_OUTPUT = 1
"""The exit code after the reader closes the output; click uses the same."""


def main() -> None:
    """Run the command line and exit with its code."""
    _restart_in_utf_8_mode()
    gc.disable()  # imports leave no garbage, and collection takes a tenth of a small build
    atexit.register(gc.freeze)  # otherwise Python collects twice more before it exits
    sys.unraisablehook = _repeat_lost_interrupt
    # Turn the plugins of Pydantic off, because statuary uses none. Pydantic would search all installed
    # packages for them, which takes as long as reading a small site.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # file names that are not UTF-8
    try:
        from statuary.cli.main import command

        try:
            command(prog_name="statuary")
        finally:
            sys.stdout.flush()  # Python flushes only after the last chance to report an error
    except KeyboardInterrupt:  # Ctrl-C before the command began; commands handle later ones
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:  # the reader closed the pipe, as `head` does
        _discard_unwritten_output()
        sys.exit(CLOSED_OUTPUT)
    except OSError as error:  # no command reported it with a path: the disk or the output failed
        with suppress(OSError):
            sys.stderr.write(f"statuary: {error.filename or 'writing the output'}: {error.strerror}\n")
        _discard_unwritten_output()
        sys.exit(ExitCode.FAILED)


def _repeat_lost_interrupt(error: "sys.UnraisableHookArgs") -> None:
    """Repeat a Ctrl-C that came where Python can raise nothing, as while Pydantic makes a model.

    Python would print a traceback, and the command would continue.
    """
    if not isinstance(error.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(error)
        return
    from _thread import interrupt_main
    from threading import Timer

    timer = Timer(LOST_INTERRUPT_DELAY, interrupt_main)
    timer.daemon = True  # the end of the command does not wait for it
    timer.start()


def _restart_in_utf_8_mode() -> None:
    """Restart in Python's UTF-8 mode if the locale has another encoding.

    File names in git are UTF-8. Arguments and output keep the encoding of the terminal's locale.
    """
    if sys.getfilesystemencoding() == "utf-8":
        return
    os.environ.setdefault("PYTHONIOENCODING", f"{sys.stdout.encoding}:backslashreplace")
    arguments = [argument.encode("utf-8", "surrogateescape") for argument in sys.argv[1:]]
    command = [os.fsencode(sys.executable), b"-X", b"utf8", b"-m", b"statuary"]
    os.execv(sys.executable, [*command, *arguments])  # noqa: S606 - this program itself


def _discard_unwritten_output() -> None:
    """Discard output that can no longer be written, such as to a closed pipe.

    Otherwise Python would try to write it at exit, and fail.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
