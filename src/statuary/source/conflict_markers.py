"""Unresolved git conflicts in a file."""

import re

from statuary.base.findings import Position
from statuary.source.unreadable import UnreadableError

BEGINNING = re.compile(r"^<{7} .*$", re.MULTILINE)
END = re.compile(r"^>{7} .*$", re.MULTILINE)


def refuse_conflict_markers(text: str) -> None:
    """Raise an error if a text has an unresolved git conflict.

    Raises:
        UnreadableError: at the line of the first conflict marker.
    """
    beginning = BEGINNING.search(text) if "<<<<<<< " in text else None
    if beginning is None or END.search(text, beginning.end()) is None:
        return
    line = text.count("\n", 0, beginning.start()) + 1
    raise UnreadableError(
        f"an unresolved git conflict: {beginning[0]}",
        "run `statuary merge-records`, or keep what is right of both versions, and delete the lines that begin with <<<<<<<, ======= and >>>>>>>",
        Position(line, 1),
    )
