"""`python -m statuary`, and the `statuary` command."""

import atexit
import gc
import os
import sys
from contextlib import suppress
from io import TextIOWrapper

INTERRUPTED = 128 + 2
"""The exit code that shells give a command which SIGINT ended."""


def main() -> None:
    """Run the command line and exit with its code."""
    gc.disable()  # imports leave no garbage, and looking for it is a tenth of a small build
    atexit.register(gc.freeze)  # Python looks for garbage twice more before it ends
    # pydantic looks for plugins in every installed package, which takes as long as reading a small site
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files that are not UTF-8
    try:
        from statuary.cli.exit_codes import ExitCode
        from statuary.cli.main import command

        command(prog_name="statuary")
    except KeyboardInterrupt:  # # Ctrl-C before the command began; later the command handles it
        sys.exit(INTERRUPTED)
    except OSError as error:  # an error that no command reports with a path: of a disk, or of the output
        with suppress(OSError):
            sys.stderr.write(f"statuary: {error.filename or 'writing the output'}: {error.strerror}\n")
        sys.exit(ExitCode.FAILED)


if __name__ == "__main__":
    main()
