"""The nodes of a YAML text, with the span of characters of each.

The marks of libyaml's events are exact but for two: a block collection ends where the next token begins, and a
block scalar includes the blank lines after it. Both are corrected here: a node ends after the last character that
its value depends on.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

from yaml import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from yaml._yaml import CParser

from statuary.domain.findings import Position

BREAKS = "\n\r\x85\u2028\u2029"
"""The line breaks of libyaml; CR LF counts as one."""

LINE_BREAK = re.compile(rf"\r\n|[{BREAKS}]")


class NodeKind(Enum):
    """The kind of a node; the value is its name in messages."""

    SCALAR = "scalar"
    MAPPING = "mapping"
    SEQUENCE = "list"
    ALIAS = "alias"


class YamlNode(NamedTuple):
    """A value in a YAML text."""

    kind: NodeKind
    start: int  # the index of its first character, anchor and tag included
    end: int  # the index after its last character
    line: int  # counted from 0
    column: int  # counted from 0
    value: str = ""  # the text of a scalar
    style: str = ""  # the first character of a scalar: a quote, `|`, `>`; empty if it is plain
    flow: bool = False  # whether it is a collection in brackets
    marked: bool = False  # whether it has an anchor or a tag
    # the keys (None in a list) and values of a collection
    members: tuple[tuple["YamlNode | None", "YamlNode"], ...] = ()

    @property
    def position(self) -> Position:
        """Where it starts, counted from 1."""
        return Position(self.line + 1, self.column + 1)


def parse_nodes(text: str) -> YamlNode | None:
    """Return the root node of a text that `parse_yaml` accepts; None if the text holds no value."""
    return _Composer(text).root()


class _Composer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.events = _events(CParser(text))

    def root(self) -> YamlNode | None:
        for event in self.events:
            if isinstance(event, (ScalarEvent, MappingStartEvent, SequenceStartEvent)):
                return self.node(event)
        return None

    def node(self, event: Any) -> YamlNode:
        match event:
            case ScalarEvent():
                return self.scalar(event)
            case AliasEvent():
                return _node(NodeKind.ALIAS, event, _index(event.end_mark))
            case MappingStartEvent():
                return self.collection(NodeKind.MAPPING, event)
            case _:
                return self.collection(NodeKind.SEQUENCE, event)

    def scalar(self, event: Any) -> YamlNode:
        end = _index(event.end_mark)
        if event.style in ("|", ">"):
            end = end_of_block_scalar(self.text, _index(event.start_mark), end)
        return _node(NodeKind.SCALAR, event, end, value=event.value, style=event.style or "")

    def collection(self, kind: NodeKind, event: Any) -> YamlNode:
        members: list[tuple[YamlNode | None, YamlNode]] = []
        while not isinstance(inner := next(self.events), (MappingEndEvent, SequenceEndEvent)):
            key = self.node(inner) if kind is NodeKind.MAPPING else None
            members.append((key, self.node(inner if key is None else next(self.events))))
        end = _index(inner.end_mark) if event.flow_style else members[-1][1].end
        return _node(kind, event, end, flow=bool(event.flow_style), members=tuple(members))


def _index(mark: Any) -> int:
    index: int = mark.index
    return index


def _events(parser: Any) -> Iterator[Any]:
    while (event := parser.get_event()) is not None:
        yield event


def _node(kind: NodeKind, event: Any, end: int, **members: Any) -> YamlNode:
    start = event.start_mark
    return YamlNode(
        kind=kind,
        start=start.index,
        end=end,
        line=start.line,
        column=start.column,
        marked=kind is not NodeKind.ALIAS and bool(event.anchor or event.tag),
        **members,
    )


HEADER = re.compile(r"[|>](?P<indicators>[-+0-9]*)")


def keeps_breaks(text: str, node: YamlNode) -> bool:
    """Return whether blank lines after a node belong to it: whether it is, or ends with, a block scalar `|+`."""
    while node.members and not node.flow:
        node = node.members[-1][1]
    if node.style not in ("|", ">"):
        return False
    header = HEADER.search(text, node.start)
    return header is not None and "+" in header["indicators"]


def end_of_block_scalar(text: str, start: int, reach: int) -> int:
    """Return the end of a block scalar's last line that matters, given where libyaml stopped reading.

    Blank lines after the text matter only to `|+`; the last line break is never part of the answer.
    """
    header = HEADER.search(text, start)
    span = text[start:reach]
    lines = LINE_BREAK.split(span)
    breaks = LINE_BREAK.findall(span)
    last = len(lines) - 1
    if lines[last] == "" and last > 0:  # what follows the last break is the next line
        last -= 1
    if header is None or "+" not in header["indicators"]:
        indent = min((len(line) - len(line.lstrip(" ")) for line in lines[1:] if line.strip(" ")), default=0)
        # a line of spaces beyond the indentation is text
        while last > 0 and not lines[last].strip(" ") and len(lines[last]) <= indent:
            last -= 1
    return start + sum(map(len, lines[: last + 1])) + sum(map(len, breaks[:last]))
