"""The base of every error that statuary raises for people to read, and how one that nobody foresaw is told."""

import os
from typing import Final

BUG_REPORT_HINT: Final = "this is a defect of statuary; please report it with this line"
"""What to do about an exception that nobody foresaw."""

MAX_WORDS: Final = 200  # characters of what an exception says that are told
PACKAGE: Final = __file__.rpartition(os.sep)[0].rpartition(os.sep)[0]


class StatuaryError(Exception):
    """`str(error)` is what is wrong."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint  # what to do; empty if the message contains it


def describe_exception(error: BaseException) -> str:
    """Return the type and the words of an unexpected exception, and the place in statuary where it was raised."""
    text = " ".join(str(error).split())
    words = f"{type(error).__name__}: {text[:MAX_WORDS]!r}" if text else type(error).__name__
    trace, place = error.__traceback__, ""
    while trace:
        package, _, file = trace.tb_frame.f_code.co_filename.partition(f"{PACKAGE}{os.sep}")
        if not package and file and not file.endswith("work.py"):
            place = f" in {file.replace(os.sep, '/')}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"unexpected {words}{place}"
