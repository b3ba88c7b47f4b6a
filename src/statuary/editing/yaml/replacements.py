"""Replacements of spans of a text, and where lines are inserted."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from statuary.editing.errors import EditError
from statuary.editing.yaml.yaml_nodes import BREAKS, LINE_BREAK, YamlNode, keeps_breaks


class Replacement(NamedTuple):
    """A span of a text and its new text; an empty span inserts."""

    start: int
    end: int
    text: str


def apply_replacements(text: str, replacements: Iterable[Replacement]) -> str:
    """Return a text with spans replaced; they must not overlap."""
    for one in sorted(replacements, reverse=True):
        text = text[: one.start] + one.text + text[one.end :]
    return text


REST_OF_LINE = re.compile(rf"[ \t]*(#[^{BREAKS}]*)?(?=[{BREAKS}]|\Z)")
COMMENT_LINE = re.compile(rf"(?:(?>\r\n|[{BREAKS}])(?P<indent> *+))++#[^{BREAKS}]*")
"""A comment line with the empty lines above it; possessive, so that it never backtracks."""


def end_of_entry(text: str, node: YamlNode, column: int) -> int:
    """Return where the lines that belong to an entry end, before the line break.

    These are the entry's own lines with a comment after it, and the comment lines below that are indented further
    than `column`, where the entry begins, with the empty lines between them.

    Raises:
        EditError: if something else follows on the entry's last line.
    """
    rest = REST_OF_LINE.match(text, node.end)
    if rest is None:
        raise EditError("something else is on this line", "move it to a separate line", node.position)
    end = rest.end()
    while (comment := COMMENT_LINE.match(text, end)) and len(comment["indent"]) > column:
        end = comment.end()
    return end


def has_comments_below(text: str, node: YamlNode, column: int) -> bool:
    """Return whether comment lines belong to an entry that begins in a column."""
    return LINE_BREAK.search(text, node.end, end_of_entry(text, node, column)) is not None


def insertion_below(
    text: str, node: YamlNode, column: int, lines: Sequence[str], *, apart: bool = False
) -> Replacement:
    """Return the replacement that inserts lines below an entry.

    They go before the line break that ends the entry, so that a last line without a line break stays without one.

    Raises:
        EditError: as `end_of_entry`.
    """
    end = end_of_entry(text, node, column)
    line_break = line_break_near(text, end)
    first = line_break if apart and not keeps_breaks(text, node) else ""
    return Replacement(end, end, first + "".join(line_break + line for line in lines))


def line_break_near(text: str, index: int) -> str:
    """Return the line break that a text uses: the one before an index, else the one after it, else LF."""
    before = LINE_BREAK.findall(text[:index])
    behind = LINE_BREAK.search(text, index)
    nearest = before[-1] if before else behind[0] if behind else "\n"
    return nearest if nearest in ("\n", "\r\n", "\r") else "\n"


def follows_empty_line(text: str, node: YamlNode) -> bool:
    """Return whether an empty line precedes a node's line and the comments above it."""
    above = LINE_BREAK.split(text[: node.start])[:-1]
    while above and above[-1].lstrip(" ").startswith("#"):
        above.pop()
    return bool(above) and not above[-1].strip(" ")
