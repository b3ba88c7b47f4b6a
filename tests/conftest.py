"""What holds for every test."""

import signal


def pytest_configure() -> None:
    """Take Ctrl-C as a foreground process does.

    A shell starts `pytest &` with SIGINT ignored, and the programs that tests interrupt would inherit that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
