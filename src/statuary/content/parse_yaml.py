"""YAML text to values whose scalars are still text, and to the place of any of them.

libyaml composes the nodes; they are turned into values here because PyYAML's own constructors resolve
`yes`, dates and numbers (and cost twice the time). YAML 1.2's JSON schema is what readers expect, so only
`null`, `~` and nothing mean null; all other meaning is given by models.
"""

import re
from collections.abc import Callable
from typing import Any

from yaml import MappingNode, ScalarNode, SequenceNode, YAMLError
from yaml._yaml import CParser
from yaml.reader import ReaderError

from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Pointer, Position

Tree = Any
"""dict[str, Tree], list[Tree], text or None."""

NULLS = frozenset({"", "~", "null"})
"""The plain scalars that mean null."""

MAX_NODES = 2_000_000
"""Values that one file may unfold to; aliases count each time, so a bomb stops here."""

MAX_DEPTH = 200
"""Levels that one file may nest; deeper text is an attack or an accident, and recursion has a limit."""


class PlainText(str):
    """A scalar that stood without quotes, so that a model of free-form JSON may read a number from it."""

    __slots__ = ()


class _Composer(CParser):
    """libyaml's parser with no resolvers: every node keeps its text."""

    def resolve(self, _kind: type, _value: object, _implicit: object) -> str:
        return ""

    def descend_resolver(self, _parent: object, _index: object) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


def parse_yaml(text: str, scalar: Callable[[str], str] = str) -> Tree:
    """Return the value that a YAML text holds, scalars as text.

    Args:
        text: the whole file.
        scalar: what a plain (unquoted) scalar becomes: `str`, or `PlainText` to remember that it was plain.

    Raises:
        Unreadable: with the place, if it is not YAML, holds a duplicate or composite key, a tag, more than
            one document, or unfolds beyond the limits.
    """
    node = _compose(text)
    return None if node is None else _Constructor(scalar).value(node, 0)


def locate_in_yaml(text: str, pointer: Pointer, *, on_key: bool) -> Position:
    """Return where in a YAML text a pointer points; the nearest enclosing place if the part is missing."""
    node = _compose(text)
    if node is None:
        return Position(1, 1)
    mark = node.start_mark
    for step in pointer:
        key, child = _child(node, step)
        if child is None:
            break
        mark = key.start_mark if key is not None and (on_key or _is_block(child)) else child.start_mark
        node = child
    return Position(mark.line + 1, mark.column + 1)


def _is_block(node: Any) -> bool:
    """Say whether a value is a collection, whose key is the better place to look at."""
    return not isinstance(node, ScalarNode)


def _child(node: Any, step: str | int) -> tuple[Any, Any]:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if isinstance(key, ScalarNode) and key.value == str(step):
                return key, value
    elif isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
        return None, node.value[step]
    return None, None


def _compose(text: str) -> Any:
    _refuse_depth(text)
    try:
        return _Composer(text).get_single_node()
    except ReaderError as error:
        before = text[: error.position]
        position = Position(before.count("\n") + 1, error.position - before.rfind("\n"))
        message = f"not YAML: character {error.character!r} is not allowed in text"
        raise UnreadableError(
            message, "remove it, or write it as an escape in double quotes", position
        ) from None
    except YAMLError as error:
        raise _unreadable(error) from None
    except UnicodeEncodeError:
        raise UnreadableError("the text holds half of a surrogate pair", "save the file as UTF-8") from None


def _refuse_depth(text: str) -> None:
    """Refuse nesting at which libyaml's own recursion overruns the stack, before it begins.

    Brackets are counted wherever they stand, quoted or not: an overestimate that no honest text reaches.
    """
    if text.count("[") + text.count("{") > MAX_RAW_DEPTH:
        depth = 0
        for bracket in BRACKET.findall(text):
            depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
            if depth > MAX_RAW_DEPTH:
                raise UnreadableError(f"the text opens {MAX_RAW_DEPTH:,} brackets inside one another")
    if text.count("- ") + text.count("? ") > MAX_RAW_DEPTH and DASHES_IN_A_ROW.search(text):
        raise UnreadableError(f"the text opens {MAX_RAW_DEPTH:,} lists or keys inside one another")


MAX_RAW_DEPTH = 1_000
"""Levels of raw text that libyaml composes safely (it was seen to crash between 3,000 and 100,000)."""

BRACKET = re.compile(r"[\[\]{}]")
DASHES_IN_A_ROW = re.compile(rf"(?:[-?][ \t]+){{{MAX_RAW_DEPTH}}}")


def _unreadable(error: YAMLError) -> UnreadableError:
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or error).replace("\n", " ")
    position = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
    said, hint = next((known for part, known in PROBLEMS.items() if problem.startswith(part)), (problem, ""))
    return UnreadableError(f"not YAML: {said or problem}", hint, position)


PROBLEMS = {
    "mapping values are not allowed in this context": (
        "a colon stands where none can",
        "quote a text that holds a colon, and check the indentation",
    ),
    "could not find expected ':'": ("a key has no colon", "write `key: value`, with a space after the colon"),
    "did not find expected key": ("", "check the indentation and the quotes above this line"),
    "did not find expected '-' indicator": ("", "check the indentation above this line"),
    "did not find expected ',' or": ("", "close the bracket, and separate with commas"),
    "found unexpected end of stream": ("the text ends too early", "close the quote or bracket that is open"),
    "found character that cannot start any token": (
        "",
        "indent with spaces, and quote a text that starts with this character",
    ),
    "found undefined alias": ("", "quote a text that starts with *"),
    "found duplicate anchor": ("", "give each anchor a name of its own"),
    "but found another document": (
        "the file holds a second document",
        "keep one in a file; remove the `---` between them",
    ),
}
"""What libyaml says, by how it begins; what a person is told (nothing: the same), and what to do."""


class _Constructor:
    """One reading: it counts what it unfolds."""

    def __init__(self, scalar: Callable[[str], str]) -> None:
        self.scalar = scalar
        self.nodes = 0

    def value(self, node: Any, depth: int) -> Tree:
        if node.tag:
            raise _at(node, f"tag {node.tag!r} would change what the value means", "remove the tag")
        if isinstance(node, ScalarNode):
            if not node.style:  # plain: neither quoted nor a block
                return None if node.value in NULLS else self.scalar(node.value)
            return node.value
        self.count(node, depth)
        if isinstance(node, SequenceNode):
            return [self.value(item, depth + 1) for item in node.value]
        return self.mapping(node, depth)

    def mapping(self, node: MappingNode, depth: int) -> dict[str, Tree]:
        found: dict[str, Tree] = {}
        for key, item in node.value:
            name = key.value
            if not isinstance(key, ScalarNode):
                raise _at(key, "a key is a list or a mapping", "write a text as the key")
            if name in found:
                raise _at(key, f"key {name!r} stands twice in this mapping", "keep one of the two")
            found[name] = self.value(item, depth + 1)
        return found

    def count(self, node: Any, depth: int) -> None:
        self.nodes += 1 + len(node.value)
        if self.nodes > MAX_NODES:
            raise _at(
                node, f"the file unfolds to more than {MAX_NODES:,} values", "write aliases out, or fewer"
            )
        if depth > MAX_DEPTH:
            raise _at(node, f"the file nests deeper than {MAX_DEPTH} levels", "an alias may hold itself")


def _at(node: Any, message: str, hint: str) -> UnreadableError:
    return UnreadableError(message, hint, Position(node.start_mark.line + 1, node.start_mark.column + 1))
