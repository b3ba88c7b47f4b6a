"""The nodes of YAML text, each with its span of characters.

libyaml's marks are exact with two exceptions: a block collection ends where the next token begins, and a
block scalar includes the blank lines after it. Here, a node ends after the last character that its value
depends on.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from textwrap import wrap
from typing import NamedTuple, Self, TypeAlias, cast

import orjson
from yaml import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from yaml._yaml import CParser, Mark

from statuary.base.findings import Position

BREAKS = "\n\r\x85\u2028\u2029"
"""The line breaks of libyaml; CR LF counts as one."""

LINE_BREAK = re.compile(rf"\r\n|[{BREAKS}]")


class NodeKind(Enum):
    """The kind of a YAML node, named as in messages."""

    SCALAR = "scalar"
    MAPPING = "mapping"
    SEQUENCE = "list"
    ALIAS = "alias"


class YamlNode(NamedTuple):
    """A value in a YAML text, with its start and end.

    Attributes:
        members: the keys and values of a collection; the keys of a list are None.
    """

    kind: NodeKind
    start: int  # the index of its first character, anchor and tag included
    end: int  # the index after its last character
    line: int  # counted from 0
    column: int  # counted from 0
    value: str = ""  # the text of a scalar
    style: str = ""  # the first character of a scalar: a quote, `|`, `>`; empty if it is plain
    flow: bool = False  # whether it is a collection in brackets
    marked: bool = False  # whether it has an anchor or a tag
    members: tuple[tuple["YamlNode | None", "YamlNode"], ...] = ()

    @property
    def position(self) -> Position:
        """The line and column at which the node starts, counted from 1."""
        return Position(self.line + 1, self.column + 1)


def parse_nodes(text: str) -> YamlNode | None:
    """Parse YAML to a tree of nodes with their positions.

    Returns:
        The root node, or None if the text has no value.
    """
    return _NodeComposer(text).compose_root()


class _NodeComposer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.events: Iterator[Event] = iter(CParser(text).get_event, None)

    def compose_root(self) -> YamlNode | None:
        for event in self.events:
            if isinstance(event, (ScalarEvent, MappingStartEvent, SequenceStartEvent)):
                return self.compose_node(event)
        return None

    def compose_node(self, event: Event) -> YamlNode:
        match event:
            case ScalarEvent():
                return self.compose_scalar(event)
            case AliasEvent():
                return _make_yaml_node(NodeKind.ALIAS, event, _end_offset(event))
            case MappingStartEvent():
                return self.compose_collection(NodeKind.MAPPING, event)
            case SequenceStartEvent():
                return self.compose_collection(NodeKind.SEQUENCE, event)
        raise TypeError(f"{event} begins no node")

    def compose_scalar(self, event: ScalarEvent) -> YamlNode:
        end = _end_offset(event)
        if event.style in ("|", ">"):
            end = end_of_block_scalar(self.text, _start_mark(event).index, end)
        node = _make_yaml_node(NodeKind.SCALAR, event, end, is_marked=bool(event.anchor or event.tag))
        return node._replace(value=event.value, style=event.style or "")

    def compose_collection(self, kind: NodeKind, event: MappingStartEvent | SequenceStartEvent) -> YamlNode:
        members: list[tuple[YamlNode | None, YamlNode]] = []
        while not isinstance(inner := next(self.events), (MappingEndEvent, SequenceEndEvent)):
            key = self.compose_node(inner) if kind is NodeKind.MAPPING else None
            members.append((key, self.compose_node(inner if key is None else next(self.events))))
        end = _end_offset(inner) if event.flow_style else members[-1][1].end
        node = _make_yaml_node(kind, event, end, is_marked=bool(event.anchor or event.tag))
        return node._replace(flow=bool(event.flow_style), members=tuple(members))


def _start_mark(event: Event) -> Mark:
    return cast("Mark", event.start_mark)


def _end_offset(event: Event) -> int:
    return cast("Mark", event.end_mark).index


def _make_yaml_node(kind: NodeKind, event: Event, end: int, *, is_marked: bool = False) -> YamlNode:
    start = _start_mark(event)
    return YamlNode(kind, start.index, end, start.line, start.column, marked=is_marked)


HEADER = re.compile(r"[|>](?P<indicators>[-+0-9]*)")


def keeps_trailing_blank_lines(text: str, node: YamlNode) -> bool:
    """Return whether blank lines after a YAML value belong to the value.

    Blank lines belong to a value that is, or ends with, a block scalar `|+`.
    """
    while node.members and not node.flow:
        node = node.members[-1][1]
    if node.style not in ("|", ">"):
        return False
    header = HEADER.search(text, node.start)
    return header is not None and "+" in header["indicators"]


def end_of_block_scalar(text: str, start: int, libyaml_end: int) -> int:
    """Return the offset at which a block scalar ends.

    Blank lines at the end belong only to a scalar that begins with `|+`. The last line break is never
    included.

    Args:
        text: the YAML.
        start: the offset at which the scalar starts.
        libyaml_end: the offset at which libyaml stopped reading.
    """
    header = HEADER.search(text, start)
    span = text[start:libyaml_end]
    lines = LINE_BREAK.split(span)
    breaks = LINE_BREAK.findall(span)
    last_line = len(lines) - 1
    # If the text ends with a line break, the last item is empty: it begins the next line of the file.
    if lines[last_line] == "" and last_line > 0:
        last_line -= 1
    if header is None or "+" not in header["indicators"]:
        indent = min((len(line) - len(line.lstrip(" ")) for line in lines[1:] if line.strip(" ")), default=0)
        # Skip blank lines at the end. A line with more spaces than the indentation is not blank, but content.
        while last_line > 0 and not lines[last_line].strip(" ") and len(lines[last_line]) <= indent:
            last_line -= 1
    return start + sum(map(len, lines[: last_line + 1])) + sum(map(len, breaks[:last_line]))


FOLDED_FROM = 100
"""Characters from which a paragraph is folded over several lines."""

FOLDED_WIDTH = 100
"""Characters of a folded line, indentation excluded."""

AMBIGUOUS = re.compile(
    r"~|null|true|false|yes|no|on|off|y|n|\.nan|[-+]?\.inf|=|<<"
    r"|[-+]?\.?[0-9][0-9_.:]*(e[-+]?[0-9_.]*)?|[-+]?0[xob][0-9a-f_]*|[-+.]+",
    re.IGNORECASE,
)
"""Plain words that a YAML 1.1 or 1.2 reader does not read as strings."""

NOT_PLAIN = re.compile(r"^[-?:,\[\]{}#&*!|>'\"%@`\s]|:(\s|$)|\s#|\s$")
"""Characters that a plain scalar must not contain."""

NOT_PLAIN_IN_BRACKETS = re.compile(r"[,\[\]{}]|:")
"""Further characters that a plain scalar in brackets must not contain."""

NOT_PRINTED = re.compile(
    r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]|[\u2028\u2029]"
)
"""Characters that are written as escapes; a tab is one of them."""

TO_ESCAPE = re.compile(rf'["\\]|{NOT_PRINTED.pattern}')
"""Characters that are escaped in double quotes."""

ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def yaml_scalar_lines(text: str, indent: int, quote: str = "") -> list[str]:
    """Format a string as YAML, as a block if it is long.

    Args:
        text: the string.
        indent: the indentation of a block scalar's lines.
        quote: the quotation mark to use on one line; empty for the one that the string needs, if any.

    Returns:
        The text after the key on the key's line, then, for a block scalar, the lines of the block.
    """
    if len(text) > FOLDED_FROM and can_be_folded(text):
        return [">-", *(" " * indent + line for line in fold_lines(text))]
    if can_be_literal(text):
        return ["|-", *(" " * indent + line if line else "" for line in text.split("\n"))]
    return [inline_yaml_scalar(text, quote)]


def can_be_folded(text: str) -> bool:
    """Return whether a paragraph can be written as a folded YAML block.

    It can if YAML reads it back unchanged from a block that begins with `>`.
    """
    return not NOT_PRINTED.search(text) and "  " not in text and text == text.strip(" ")


def fold_lines(text: str) -> list[str]:
    """Break a paragraph into the lines of a folded YAML block (`>`)."""
    return wrap(text, FOLDED_WIDTH, break_long_words=False, break_on_hyphens=False)


def can_be_literal(text: str) -> bool:
    """Return whether a string can be written as a literal YAML block.

    It must have several lines, and YAML must read them back unchanged from a block that begins with `|`.
    """
    lines = text.split("\n")
    return (
        len(lines) > 1
        and all(lines[end].strip(" ") for end in (0, -1))
        and not lines[0].startswith(" ")
        and not any(NOT_PRINTED.search(line) for line in lines)
    )


def inline_yaml_scalar(text: str, quote: str = "", *, bracketed: bool = False) -> str:
    """Format a string as YAML on one line, quoted if necessary.

    Args:
        quote: the quotation mark to use; empty for the one that the string needs, if any.
        bracketed: whether the string is inside brackets, where a comma needs quotation marks.
    """
    if not quote and can_be_plain_scalar(text) and not (bracketed and NOT_PLAIN_IN_BRACKETS.search(text)):
        return text
    if quote != '"' and not NOT_PRINTED.search(text) and (quote or '"' in text or "\\" in text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + TO_ESCAPE.sub(_escape_character, text) + '"'


def can_be_plain_scalar(text: str) -> bool:
    """Return whether YAML needs no quotation marks for a string."""
    return bool(text) and not (
        NOT_PLAIN.search(text)
        or AMBIGUOUS.fullmatch(text)
        or NOT_PRINTED.search(text)
        or LINE_BREAK.search(text)
        or text.startswith(("---", "..."))
    )


def _escape_character(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if character in ESCAPES:
        return ESCAPES[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlStyle:
    """The style of a YAML text: indentation and quotation marks."""

    mapping_indent: int = 2  # the indent of a mapping below its key
    list_indent: int = 2  # the indent of the dashes of a list below its key
    item_indent: int = 2  # the distance from a dash to its item
    quote: str = ""  # the quotation mark around values that need none, if the author always writes one
    quotes: dict[str, str] = field(default_factory=dict)  # the quotation mark around such values, by key

    @classmethod
    def detect(cls, root: YamlNode) -> Self:
        """Detect the indentation and quotation marks of a YAML text.

        Args:
            root: the root node of the parsed text.
        """
        quotes = dict(_quotes_by_key(root))
        habits = set(quotes.values())
        return cls(
            mapping_indent=_first_indent(root, NodeKind.MAPPING, NodeKind.MAPPING),
            list_indent=_first_indent(root, NodeKind.MAPPING, NodeKind.SEQUENCE),
            item_indent=_first_indent(root, NodeKind.SEQUENCE, NodeKind.MAPPING),
            quote=habits.pop() if len(habits) == 1 else "",
            quotes=quotes,
        )

    def quote_for_key(self, key: str) -> str:
        """Return the quotation mark that this style uses for a key's value."""
        return self.quotes.get(key, self.quote)


def _first_indent(root: YamlNode, outer: NodeKind, inner: NodeKind) -> int:
    """Return the indentation of the first collection of a kind inside another.

    Returns:
        The number of spaces; 2 if there is no such collection.
    """
    pairs = ((at, block) for at, block in _block_collections(root) if (at.kind, block.kind) == (outer, inner))
    return next((block.column - at.column for at, block in pairs), 2)


def _block_collections(node: YamlNode) -> Iterator[tuple[YamlNode, YamlNode]]:
    for _, inner in node.members:
        if inner.kind in (NodeKind.MAPPING, NodeKind.SEQUENCE) and not (
            inner.flow or inner.marked or node.marked
        ):
            yield node, inner
        yield from _block_collections(inner)


def _quotes_by_key(node: YamlNode) -> Iterator[tuple[str, str]]:
    for key, inner in node.members:
        if (
            key is not None
            and inner.kind is NodeKind.SCALAR
            and inner.style in ("", "'", '"')
            and can_be_plain_scalar(inner.value)
        ):
            yield key.value, inner.style
        yield from _quotes_by_key(inner)


YamlValue: TypeAlias = "bool | int | str | Sequence[YamlValue] | Mapping[str, YamlValue] | None"
"""A value that can be written."""

MAX_INLINE_WIDTH = 100
"""Characters of a list on the line of its key."""


def yaml_entry_lines(key: str, value: YamlValue, column: int, style: YamlStyle) -> list[str]:
    """Format a key and its value as lines of YAML.

    Args:
        column: the column at which the key begins.
        style: the indentation and quotation marks.
    """
    name = " " * column + inline_yaml_scalar(key) + ":"
    first_line, *other_lines = yaml_value_lines(value, column, style, style.quote_for_key(key))
    return [f"{name} {first_line}" if first_line else name, *other_lines]


def yaml_item_lines(value: YamlValue, column: int, style: YamlStyle) -> list[str]:
    """Format a list item as lines of YAML, with a dash.

    Args:
        column: the column of the dash.
        style: the indentation and quotation marks.
    """
    dash = " " * column + "-" + " " * (style.item_indent - 1)
    if isinstance(value, Mapping) and value:
        first_line, *other_lines = yaml_mapping_lines(value, column + style.item_indent, style)
        return [dash + first_line.lstrip(" "), *other_lines]
    deeper = replace(style, list_indent=style.item_indent)  # a list within a list is always indented
    first_line, *other_lines = yaml_value_lines(value, column, deeper, "")
    return [dash + first_line, *other_lines] if first_line else [dash.rstrip(" "), *other_lines]


def yaml_mapping_lines(value: Mapping[str, YamlValue], column: int, style: YamlStyle) -> list[str]:
    """Format a mapping as lines of YAML.

    Args:
        column: the column at which the keys begin.
        style: the indentation and quotation marks.
    """
    return [line for key, inner in value.items() for line in yaml_entry_lines(key, inner, column, style)]


def yaml_file_text(value: Mapping[str, YamlValue], style: YamlStyle | None = None) -> str:
    """Format a mapping as the text of a new YAML file.

    Args:
        value: the keys and values of the file.
        style: the indentation and quotation marks; None for statuary's own style.
    """
    return "".join(f"{line}\n" for line in yaml_mapping_lines(value, 0, style or YamlStyle()))


def yaml_value_lines(value: YamlValue, column: int, style: YamlStyle, quote: str) -> list[str]:
    """Format a value as the YAML that follows a key.

    Args:
        column: the column at which the key begins.
        style: the indentation and quotation marks.
        quote: the quotation mark to use for a string; empty for the one that the string needs, if any.

    Returns:
        The text after the key on the key's line, then the lines below.
    """
    if isinstance(value, str):
        return yaml_scalar_lines(value, column + style.mapping_indent, quote)
    if value is None or isinstance(value, int):
        return [orjson.dumps(value).decode()]
    if isinstance(value, Mapping):
        return ["", *yaml_mapping_lines(value, column + style.mapping_indent, style)] if value else ["{}"]
    words = _inline_list(value)
    if words and len(words) + column < MAX_INLINE_WIDTH:
        return [words]
    return [
        "",
        *(line for item in value for line in yaml_item_lines(item, column + style.list_indent, style)),
    ]


def _inline_list(value: Sequence[YamlValue]) -> str:
    """Format strings as a YAML list in brackets, such as `[a, b]`.

    Returns:
        The list; empty if an item has several lines or is not a string.
    """
    if not all(isinstance(item, str) and "\n" not in item for item in value):
        return ""
    return f"[{', '.join(inline_yaml_scalar(str(item), bracketed=True) for item in value)}]"
