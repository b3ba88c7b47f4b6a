"""The base of statuary's errors, and the description of unexpected exceptions."""

import os
from typing import Final

BUG_REPORT_HINT: Final = "this is a defect of statuary; please report it with this line"
"""The hint of findings about unexpected exceptions."""

MAX_SHOWN: Final = 200  # characters of an exception's message
GUARD: Final = "base/budget.py"  # it calls what fails, so its lines are never the place of a defect
PACKAGE: Final = __file__.rpartition(os.sep)[0].rpartition(os.sep)[0]


class StatuaryError(Exception):
    """An error for the user; `str(error)` says what is wrong."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint  # what to do; empty if the message contains it


def error_for_user(error: BaseException) -> StatuaryError:
    """Convert any exception to an error to show to the user.

    An unexpected exception gets a hint that says how to report the bug.
    """
    if isinstance(error, StatuaryError):
        return error
    if isinstance(error, OSError) and error.strerror:
        return StatuaryError(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    return StatuaryError(describe_exception(error), BUG_REPORT_HINT)


def describe_exception(error: BaseException) -> str:
    """Describe an unexpected exception: type, message and line of code.

    For example, `unexpected KeyError: "'name'" in site/urls.py:42`.
    """
    text = " ".join(str(error).split())
    words = f"{type(error).__name__}: {text[:MAX_SHOWN]!r}" if text else type(error).__name__
    trace, place = error.__traceback__, ""
    while trace:
        package, _, name = trace.tb_frame.f_code.co_filename.partition(f"{PACKAGE}{os.sep}")
        file = name.replace(os.sep, "/")
        if not package and file and file != GUARD:
            place = f" in {file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"unexpected {words}{place}"
