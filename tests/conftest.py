"""What holds for every test."""

import os
import signal


def pytest_configure() -> None:
    """Take Ctrl-C as a foreground process does, and let Python keep what it compiles.

    A shell starts `pytest &` with SIGINT ignored, and the programs that tests interrupt would inherit that. Many tests
    start the program, which would compile the package each time.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
