"""Spans of a text and what takes their place."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from statuary.editing.edit_error import EditError
from statuary.editing.yaml.yaml_nodes import BREAKS, LINE_BREAK, YamlNode, keeps_breaks


class Replacement(NamedTuple):
    """A span of a text and what takes its place; an empty span is a place between two characters."""

    start: int
    end: int
    text: str


def apply_replacements(text: str, splices: Iterable[Replacement]) -> str:
    """Return a text with spans replaced, which do not overlap."""
    for splice in sorted(splices, reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


REST_OF_LINE = re.compile(rf"[ \t]*(#[^{BREAKS}]*)?(?=[{BREAKS}]|\Z)")
COMMENT_LINE = re.compile(rf"(?:(?>\r\n|[{BREAKS}])(?P<indent> *+))++#[^{BREAKS}]*")
"""A line that is a comment, with the empty lines above it; nothing in it is tried twice, however many those are."""


def end_of_entry(text: str, node: YamlNode, column: int) -> int:
    """Return where the lines that belong to an entry end, before the line break.

    They are the entry's own, with the comment behind it, and the comment lines below that are indented beyond
    `column`, in which the entry begins, with the empty lines between.

    Raises:
        EditRefused: if something else stands on the entry's last line.
    """
    rest = REST_OF_LINE.match(text, node.end)
    if rest is None:
        raise EditError("something else stands on this line", "write it on a line of its own", node.position)
    end = rest.end()
    while (comment := COMMENT_LINE.match(text, end)) and len(comment["indent"]) > column:
        end = comment.end()
    return end


def has_comments_below(text: str, node: YamlNode, column: int) -> bool:
    """Say whether comment lines belong to an entry that begins in a column."""
    return LINE_BREAK.search(text, node.end, end_of_entry(text, node, column)) is not None


def insertion_below(
    text: str, node: YamlNode, column: int, lines: Sequence[str], *, apart: bool = False
) -> Replacement:
    """Return the splice that writes lines below an entry.

    It stands before the line break that ends the entry, so that whether the file's last line has one stays as
    it is.

    Args:
        text: the whole file.
        node: the entry's value.
        column: where the entry begins.
        lines: what is written.
        apart: whether an empty line comes first.

    Raises:
        EditRefused: as `end_of_entry`.
    """
    end = end_of_entry(text, node, column)
    line_break = line_break_near(text, end)
    first = line_break if apart and not keeps_breaks(text, node) else ""
    return Replacement(end, end, first + "".join(line_break + line for line in lines))


def line_break_near(text: str, index: int) -> str:
    """Return the line break that a text uses: the one before an index, else the one behind it, else LF."""
    before = LINE_BREAK.findall(text[:index])
    behind = LINE_BREAK.search(text, index)
    nearest = before[-1] if before else behind[0] if behind else "\n"
    return nearest if nearest in ("\n", "\r\n", "\r") else "\n"


def follows_empty_line(text: str, node: YamlNode) -> bool:
    """Say whether an empty line is above a node's line and the comments that lead to it."""
    above = LINE_BREAK.split(text[: node.start])[:-1]
    while above and above[-1].lstrip(" ").startswith("#"):
        above.pop()
    return bool(above) and not above[-1].strip(" ")
