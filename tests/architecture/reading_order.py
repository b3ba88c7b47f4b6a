"""Count the lines of the reading order in src/ARCHITECTURE.md.

usage: python tests/architecture/reading_order.py    writes the numbers into the page
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
from architecture.code import SRC

PAGE = SRC / "ARCHITECTURE.md"
ROW = re.compile(r"^\| `([\w/]+\.py)` \| ([\d,]+) \| (\d+) \|", re.MULTILINE)
TOTAL = re.compile(r"^\| \*\*in all\*\* \| [\d,]+ \| \d+ \| \|\n", re.MULTILINE)
LINES_A_MINUTE = 30


class Row(NamedTuple):
    """A file of the reading order, with the numbers that the page states."""

    path: str
    lines: int
    minutes: int


def rows(text: str) -> list[Row]:
    """Return the rows of the reading order."""
    return [
        Row(path, int(lines.replace(",", "")), int(minutes)) for path, lines, minutes in ROW.findall(text)
    ]


def lines_of(path: str) -> int:
    """Return the lines of a module."""
    return (SRC / "statuary" / path).read_text("utf-8").count("\n")


def minutes_of(lines: int) -> int:
    """Return how long reading takes."""
    return max(1, round(lines / LINES_A_MINUTE))


def counted(text: str) -> str:
    """Return the page with the numbers of today."""
    known = {row.path: lines_of(row.path) for row in rows(text)}
    total = f"| **in all** | {sum(known.values()):,} | {sum(map(minutes_of, known.values()))} | |\n"
    text = ROW.sub(
        lambda row: f"| `{row[1]}` | {known[row[1]]:,} | {minutes_of(known[row[1]])} |", TOTAL.sub("", text)
    )
    *_, last = ROW.finditer(text)
    end = text.index("\n", last.end()) + 1
    return text[:end] + total + text[end:]


if __name__ == "__main__":
    PAGE.write_text(counted(PAGE.read_text("utf-8")), "utf-8")
