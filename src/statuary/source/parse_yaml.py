"""Parse YAML with scalars as strings, and locate parts of it.

libyaml composes the nodes. They become values here because PyYAML's constructors resolve `yes`, dates and
numbers, and take twice the time. As in the JSON schema of YAML 1.2, only `null`, `~` and an empty value mean
null.
"""

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from yaml import MappingNode, Node, ScalarNode, SequenceNode, YAMLError
from yaml._yaml import CParser
from yaml.reader import ReaderError

from statuary.base.findings import Pointer, Position
from statuary.base.json_values import Json
from statuary.base.limits import MAX_EXPANSION, MAX_NODES, MAX_YAML_DEPTH, MAX_YAML_TEXT_DEPTH
from statuary.source.unreadable import BeyondLimitError, UnreadableError

NULLS = frozenset({"", "~", "null"})
"""The plain scalars that mean null."""


class PlainText(str):
    """A string that has no quotes in YAML, such as `12` or `yes`."""

    __slots__ = ()


class _PlainComposer(CParser):
    """libyaml's parser without resolvers: every node keeps its spelling."""

    def resolve(self, _kind: type, _value: object, _implicit: object) -> str:
        return ""

    def descend_resolver(self, _parent: object, _index: object) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


def parse_yaml(text: str, scalar: Callable[[str], str] = str) -> Json:
    """Parse YAML, keeping all scalars as strings.

    Args:
        text: the YAML.
        scalar: the type of an unquoted scalar: `str`, or `PlainText` to mark that it has no quotes.

    Raises:
        UnreadableError: with the position, if the text is not YAML, has a duplicate or composite key, a tag
            or a second document, or expands beyond the limits.
    """
    node = _compose_document(text)
    return None if node is None else _Constructor(scalar, len(text)).build_value(node, 0)


def locate_in_yaml(text: str, parts: Iterable[tuple[Pointer, bool]]) -> list[Position]:
    """Return the line and column of some values in a YAML text.

    Args:
        text: the YAML.
        parts: for each value, the keys and indexes that lead to it, and whether to locate its key instead.

    Returns:
        The positions, in the order of `parts`. A missing value has the position of the nearest value around
        it.
    """
    node = _compose_document(text)
    children: _Children = {}
    return [_locate_node(node, pointer, children, on_key=on_key) for pointer, on_key in parts]


_Children: TypeAlias = dict[int, dict[str | int, tuple[Node | None, Node]]]
"""Children by the identity of their mapping or sequence, then by key or index; each with its key's node."""


def _locate_node(node: Node | None, pointer: Pointer, children: _Children, *, on_key: bool) -> Position:
    if node is None:
        return Position(1, 1)
    mark = node.start_mark
    for step in pointer:
        if id(node) not in children:
            children[id(node)] = _child_nodes(node)
        own_children = children[id(node)]
        key, child = own_children.get(step) or own_children.get(str(step)) or (None, None)
        if child is None:
            break
        # The first item of a list or mapping may be lines below its key. So take the position of the key,
        # which the user will look for.
        is_collection = not isinstance(child, ScalarNode)
        mark = key.start_mark if key is not None and (on_key or is_collection) else child.start_mark
        node = child
    return Position(mark.line + 1, mark.column + 1)


def _child_nodes(node: Node) -> dict[str | int, tuple[Node | None, Node]]:
    if isinstance(node, MappingNode):
        # If a key occurs twice, keep its first value. `dict` keeps the last one, so reverse the order of the
        # pairs.
        pairs = [(key.value, (key, value)) for key, value in node.value if isinstance(key, ScalarNode)]
        return dict(reversed(pairs))
    if isinstance(node, SequenceNode):
        return {index: (None, item) for index, item in enumerate(node.value)}
    return {}


def _compose_document(text: str) -> Node | None:
    _check_raw_depth(text)
    try:
        return _PlainComposer(text).get_single_node()
    except ReaderError as error:
        text_before = text[: error.position]
        position = Position(text_before.count("\n") + 1, error.position - text_before.rfind("\n"))
        message = f"not YAML: character {error.character!r} is not allowed in text"
        raise UnreadableError(
            message, "remove it, or write it as an escape in double quotes", position
        ) from None
    except YAMLError as error:
        raise _syntax_error(error) from None
    except UnicodeEncodeError:
        raise UnreadableError("the text has an unpaired surrogate", "save the file as UTF-8") from None


def _check_raw_depth(text: str) -> None:
    """Reject nesting that would overflow libyaml's stack, before it parses.

    Brackets inside quotes count too; even so, no real file reaches the limit.
    """
    if text.count("[") + text.count("{") > MAX_YAML_TEXT_DEPTH:
        depth = 0
        for bracket in BRACKET.findall(text):
            depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
            if depth > MAX_YAML_TEXT_DEPTH:
                raise BeyondLimitError(
                    f"the file has more than {MAX_YAML_TEXT_DEPTH:,} nested opening brackets",
                    "close the brackets, or quote the text that contains them",
                )
    if text.count("- ") + text.count("? ") > MAX_YAML_TEXT_DEPTH and DASHES_IN_A_ROW.search(text):
        raise BeyondLimitError(f"the file has more than {MAX_YAML_TEXT_DEPTH:,} nested lists or keys")


BRACKET = re.compile(r"[\[\]{}]")
DASHES_IN_A_ROW = re.compile(rf"(?:[-?][ \t]+){{{MAX_YAML_TEXT_DEPTH}}}")


def _syntax_error(error: YAMLError) -> UnreadableError:
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or error).replace("\n", " ")
    position = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
    sentences = (sentences for part, sentences in PROBLEMS.items() if problem.startswith(part))
    message, hint = next(sentences, (problem, ""))
    return UnreadableError(f"not YAML: {message or problem}", hint, position)


PROBLEMS = {
    "mapping values are not allowed in this context": (
        "unexpected colon",
        "quote a text that has a colon, and check the indentation",
    ),
    "could not find expected ':'": ("a key has no colon", "write `key: value`, with a space after the colon"),
    "did not find expected node content": (
        "a value is not complete",
        "close the bracket, or write the value",
    ),
    "did not find expected key": ("", "check the indentation and the quotes above this line"),
    "did not find expected '-' indicator": ("", "check the indentation above this line"),
    "did not find expected ',' or": ("", "close the bracket, and separate items with commas"),
    "found unexpected end of stream": ("unexpected end of the file", "close the open quote or bracket"),
    "found character that cannot start any token": (
        "",
        "indent with spaces, and quote a text that starts with this character",
    ),
    "found undefined alias": ("", "quote a text that starts with *"),
    "found duplicate anchor": ("", "give each anchor its own name"),
    "but found another document": ("the file has a second document", "keep one document; remove the `---`"),
}
"""By the beginning of libyaml's message: our message (empty: the same), and the hint."""


class _Constructor:
    """Converts YAML nodes to values, and limits the size that aliases give them."""

    def __init__(self, scalar: Callable[[str], str], size: int) -> None:
        self.scalar = scalar
        self.nodes_left = MAX_NODES
        self.size_left = MAX_EXPANSION * size

    def build_value(self, node: Node, depth: int) -> Json:
        if node.tag:
            raise _error_at(node, f"tag {node.tag!r} is not supported", "remove the tag")
        self.count_node(node, depth)
        if isinstance(node, ScalarNode):
            text: str = node.value
            if node.style:  # quoted, or a block
                return text
            return None if text in NULLS else self.scalar(text)
        if isinstance(node, SequenceNode):
            return [self.build_value(item, depth + 1) for item in node.value]
        return self.build_mapping(node, depth)

    def build_mapping(self, node: Node, depth: int) -> dict[str, Json]:
        members: dict[str, Json] = {}
        for key, item in node.value:
            name = key.value
            if not isinstance(key, ScalarNode):
                raise _error_at(key, "a key is a list or a mapping", "write a string as the key")
            if name == "<<" and not key.style:
                raise _error_at(key, "the YAML merge key `<<` is not supported", "write its keys out")
            if name in members:
                raise _error_at(key, f"duplicate key {name!r}", "remove one of the two")
            members[name] = self.build_value(item, depth + 1)
        return members

    def count_node(self, node: Node, depth: int) -> None:
        self.nodes_left -= 1
        self.size_left -= 1 + (len(node.value) if isinstance(node, ScalarNode) else 0)
        if self.nodes_left < 0 or self.size_left < 0:
            raise BeyondLimitError(
                "the file's aliases make it too large",
                "write the values without aliases",
                _start_position(node),
            )
        if depth > MAX_YAML_DEPTH:
            raise BeyondLimitError(
                f"the file is nested deeper than {MAX_YAML_DEPTH} levels",
                "reduce the nesting; check that no anchor (&name) contains its own alias (*name)",
                _start_position(node),
            )


def _error_at(node: Node, message: str, hint: str) -> UnreadableError:
    return UnreadableError(message, hint, _start_position(node))


def _start_position(node: Node) -> Position:
    return Position(node.start_mark.line + 1, node.start_mark.column + 1)
