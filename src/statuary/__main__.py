"""`python -m statuary`, and the `statuary` command."""

import gc
import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line and exit with its code."""
    gc.disable()  # imports leave no garbage, and looking for it is a tenth of a small build
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files that are not UTF-8
    from statuary.cli.main import command

    command(prog_name="statuary")


if __name__ == "__main__":
    main()
