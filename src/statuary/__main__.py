"""`python -m statuary`, and the `statuary` command."""

import gc
import sys
from contextlib import suppress
from io import TextIOWrapper

INTERRUPTED = 128 + 2
"""The exit code that shells give a command which SIGINT ended."""


def main() -> None:
    """Run the command line and exit with its code."""
    gc.disable()  # imports leave no garbage, and looking for it is a tenth of a small build
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files that are not UTF-8
    try:
        from statuary.cli.exit_codes import ExitCode
        from statuary.cli.main import command

        command(prog_name="statuary")
    except KeyboardInterrupt:  # before the command began, which handles the rest
        sys.exit(INTERRUPTED)
    except OSError as error:  # of a disk that nothing else names, or of where the output goes
        with suppress(OSError):
            sys.stderr.write(f"statuary: {error.filename or 'writing the output'}: {error.strerror}\n")
        sys.exit(ExitCode.FAILED)


if __name__ == "__main__":
    main()
