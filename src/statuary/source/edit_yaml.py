"""Edits of YAML: append to a list, or set a key.

Each edit replaces only the affected span, so comments, order, quotes, empty lines and line ends stay. The
edited text is parsed again: an edit that would change anything else raises `EditError`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from statuary.base.findings import Pointer
from statuary.base.json_values import Json, as_list, as_object
from statuary.source.edit_files import EditError
from statuary.source.parse_yaml import NULLS, parse_yaml
from statuary.source.unreadable import UnreadableError
from statuary.source.yaml_nodes import (
    BREAKS,
    LINE_BREAK,
    NodeKind,
    YamlNode,
    YamlStyle,
    YamlValue,
    inline_yaml_scalar,
    keeps_trailing_blank_lines,
    parse_nodes,
    yaml_entry_lines,
    yaml_item_lines,
    yaml_value_lines,
)


class Replacement(NamedTuple):
    """New text for a range of characters of a YAML file."""

    start: int
    end: int
    text: str


def apply_replacements(text: str, replacements: Iterable[Replacement]) -> str:
    """Replace some parts of a text.

    Args:
        replacements: the start, end and new text of each part; parts must not overlap.
    """
    for replacement in sorted(replacements, reverse=True):
        text = text[: replacement.start] + replacement.text + text[replacement.end :]
    return text


REST_OF_LINE = re.compile(rf"[ \t]*(#[^{BREAKS}]*)?(?=[{BREAKS}]|\Z)")
COMMENT_LINE = re.compile(rf"(?:(?>\r\n|[{BREAKS}])(?P<indent> *+))++#[^{BREAKS}]*")
"""A comment line with the empty lines above it; possessive, so that it never backtracks."""


def yaml_entry_end(text: str, node: YamlNode, column: int) -> int:
    """Return the offset where a YAML entry ends, before the line break.

    An entry is a key with its value, or a list item. A comment on its last line belongs to it, and so do
    comment lines below that are indented further.

    Args:
        text: the YAML.
        node: the value of the entry.
        column: the column of the entry.

    Raises:
        EditError: if something else follows on the entry's last line.
    """
    line_rest = REST_OF_LINE.match(text, node.end)
    if line_rest is None:
        raise EditError(
            "the line of the value has another value, too",
            "move the other value to a separate line",
            node.position,
        )
    end = line_rest.end()
    while (comment := COMMENT_LINE.match(text, end)) and len(comment["indent"]) > column:
        end = comment.end()
    return end


def has_comments_below(text: str, node: YamlNode, column: int) -> bool:
    """Return whether comments below a YAML entry belong to it.

    Args:
        text: the YAML.
        node: the value of the entry.
        column: the column of the entry.
    """
    return LINE_BREAK.search(text, node.end, yaml_entry_end(text, node, column)) is not None


def lines_inserted_below(
    text: str, node: YamlNode, column: int, lines: Sequence[str], *, apart: bool = False
) -> Replacement:
    """Return an edit that inserts lines below a YAML entry.

    The lines are inserted before the line break that ends the entry. So if the file did not end with a line
    break, it still does not.

    Args:
        text: the YAML.
        node: the value of the entry.
        column: the column of the entry.
        lines: the lines to insert, without line breaks.
        apart: whether to put an empty line before them.

    Raises:
        EditError: if something else follows on the entry's last line.
    """
    end = yaml_entry_end(text, node, column)
    line_break = line_break_near(text, end)
    line_start = line_break if apart and not keeps_trailing_blank_lines(text, node) else ""
    return Replacement(end, end, line_start + "".join(line_break + line for line in lines))


def line_break_near(text: str, index: int) -> str:
    """Return the line break (LF, CRLF or CR) that a text uses.

    Args:
        index: an offset in the text; the line break before it is returned, else the one after it, else LF.
    """
    breaks_before = LINE_BREAK.findall(text[:index])
    behind = LINE_BREAK.search(text, index)
    nearest = breaks_before[-1] if breaks_before else behind[0] if behind else "\n"
    return nearest if nearest in ("\n", "\r\n", "\r") else "\n"


def follows_empty_line(text: str, node: YamlNode) -> bool:
    """Return whether an empty line is above a YAML node.

    Comments between the line and the node belong to the node.

    Args:
        text: the YAML text.
        node: the node in the text.
    """
    above = LINE_BREAK.split(text[: node.start])[:-1]
    while above and above[-1].lstrip(" ").startswith("#"):
        above.pop()
    return bool(above) and not above[-1].strip(" ")


class NodePath(NamedTuple):
    """The result of following keys and indexes to a YAML node."""

    root: YamlNode  # the whole text's mapping
    node: YamlNode  # the deepest node that exists
    key: YamlNode | None  # the key of this node; None for the root and for items of lists
    missing_steps: Pointer  # the remaining steps of the pointer; empty if all of it exists
    brackets: YamlNode | None = None  # the collection in brackets around this node, if any


def find_yaml_node(text: str, pointer: Pointer) -> NodePath:
    """Find the YAML node at a pointer, such as `("updates", 2, "body")`.

    If a key is missing, the path of the last existing node is returned.

    Raises:
        EditError: if the text cannot be read or is not a mapping. Also if an anchor, an alias or a tag is on
            the way, because a change there could affect other places.
    """
    root = _parse_root(text)
    path = NodePath(root=root, node=root, key=None, missing_steps=pointer)
    _check_not_shared(root)
    while path.missing_steps:
        member = _find_child(path.node, path.missing_steps[0])
        if member is None:
            break
        brackets = path.node if path.node.flow else path.brackets
        path = NodePath(
            root, key=member[0], node=member[1], missing_steps=path.missing_steps[1:], brackets=brackets
        )
        _check_not_shared(path.node)
    return path


def _parse_root(text: str) -> YamlNode:
    try:
        parse_yaml(text)
    except UnreadableError as unreadable:
        raise EditError(str(unreadable), unreadable.hint, unreadable.position) from None
    root = parse_nodes(text)
    if root is None or root.kind is not NodeKind.MAPPING:
        raise EditError("the file is not a mapping", "write the first key into the file yourself")
    return root


def _check_not_shared(node: YamlNode) -> None:
    if node.kind is NodeKind.ALIAS or node.marked:
        raise EditError(
            "the value has an anchor, an alias or a tag, so a change may also affect other values",
            "write the value out, or edit the file yourself",
            node.position,
        )


def _find_child(node: YamlNode, key_or_index: str | int) -> tuple[YamlNode | None, YamlNode] | None:
    if node.kind is NodeKind.SEQUENCE:
        in_range = isinstance(key_or_index, int) and 0 <= key_or_index < len(node.members)
        return node.members[key_or_index] if isinstance(key_or_index, int) and in_range else None
    return next(
        (pair for pair in node.members if pair[0] is not None and pair[0].value == str(key_or_index)), None
    )


def append_yaml_item(text: str, pointer: Pointer, item: YamlValue) -> str:
    """Append an item to a list in a YAML text.

    If the list is missing, it is created, with the mappings around it.

    Args:
        text: the YAML.
        pointer: the keys and indexes that lead to the list.

    Returns:
        The edited text.

    Raises:
        EditError: if the pointer leads to something else than a list, or to a non-empty list in brackets, or
            if an anchor or an alias is on the way.
    """
    path = find_yaml_node(text, pointer)
    if path.missing_steps or _is_empty_scalar(text, path.node):
        return set_yaml_value(text, pointer, [item])
    if path.node.kind is not NodeKind.SEQUENCE:
        key = ".".join(map(str, pointer)) or "the file"
        raise EditError(f"{key} is not a list", position=path.node.position)
    _check_no_brackets(path.node)
    expected = _tree_with_item(parse_yaml(text), pointer, item)
    return _apply_and_verify(text, [_insert_item(text, path, item)], expected)


def set_yaml_value(text: str, pointer: Pointer, value: YamlValue, preceding_keys: Sequence[str] = ()) -> str:
    """Set the value of a key in a YAML text.

    A missing key is created, with the mappings around it.

    Args:
        text: the YAML.
        pointer: the keys and indexes that lead to the value.
        value: the new value.
        preceding_keys: a new key is inserted below the last of these keys; if there is none, below all keys.

    Returns:
        The edited text.

    Raises:
        EditError: if the key has a non-empty list or mapping, or if brackets, an anchor or an alias are on
            the way.
    """
    path = find_yaml_node(text, pointer)
    replacements = (
        _insert_key(text, path, value, preceding_keys)
        if path.missing_steps
        else _replace_value(text, path, value)
    )
    return _apply_and_verify(text, replacements, _tree_with_value(parse_yaml(text), pointer, value))


def _insert_item(text: str, path: NodePath, item: YamlValue) -> Replacement:
    items = [inner for _, inner in path.node.members]
    last_item = items[-1]
    style = YamlStyle.detect(path.root)
    if last_item.kind is NodeKind.MAPPING and not (last_item.flow or last_item.marked):
        style = replace(style, item_indent=last_item.column - path.node.column)
    lines = yaml_item_lines(item, path.node.column, style)
    apart = len(items) > 1 and follows_empty_line(text, last_item)
    return lines_inserted_below(text, last_item, path.node.column, lines, apart=apart)


def _insert_key(
    text: str, path: NodePath, value: YamlValue, preceding_keys: Sequence[str]
) -> list[Replacement]:
    name, parent = str(path.missing_steps[0]), path.node
    for step in reversed(path.missing_steps[1:]):
        value = {str(step): value}
    if _is_empty_scalar(text, parent):
        return _replace_value(text, path._replace(missing_steps=()), {name: value})
    if parent.kind is not NodeKind.MAPPING:
        raise EditError(
            f"the key {name!r} cannot be written into a {parent.kind.value}", position=parent.position
        )
    _check_no_brackets(parent)
    entries = [(key, inner) for key, inner in parent.members if key is not None]
    key, neighbour = ([entry for entry in entries if entry[0].value in preceding_keys] or entries)[-1]
    lines = yaml_entry_lines(name, value, parent.column, YamlStyle.detect(path.root))
    apart = key is not entries[0][0] and follows_empty_line(text, key)
    return [lines_inserted_below(text, neighbour, parent.column, lines, apart=apart)]


def _replace_value(text: str, path: NodePath, value: YamlValue) -> list[Replacement]:
    key, node = path.key, path.node
    if key is None:
        raise EditError(
            "statuary can replace only the value of a key, and this is a list item",
            "edit the file yourself",
            node.position,
        )
    if path.brackets is not None:
        _check_no_brackets(path.brackets)
    is_text_for_text = node.kind is NodeKind.SCALAR and not isinstance(value, Mapping | list)
    if not (is_text_for_text or _is_empty_scalar(text, node)):
        raise EditError(
            f"key {key.value!r} already holds a {node.kind.value}", "edit the file yourself", node.position
        )
    _check_no_header_comment(text, node)
    quote = node.style if node.style in ("'", '"') else ""
    if isinstance(value, str) and has_comments_below(text, node, key.column):
        first_line, *lines = [inline_yaml_scalar(value, quote)]  # a block scalar would include the comments
    else:
        first_line, *lines = yaml_value_lines(value, key.column, YamlStyle.detect(path.root), quote)
    replacements = [_replace_on_key_line(text, key, node, first_line)]
    if lines:
        replacements.append(lines_inserted_below(text, node, key.column, lines))
    return replacements


def _replace_on_key_line(text: str, key: YamlNode, node: YamlNode, scalar_text: str) -> Replacement:
    """Replace the value of a key on the same line.

    For an empty value, the spaces before it are removed, too.
    """
    if scalar_text and node.start < node.end:
        return Replacement(node.start, node.end, scalar_text)
    start = node.start
    while start > key.end and text[start - 1] == " ":
        start -= 1
    return Replacement(start, max(start, node.end), f" {scalar_text}" if scalar_text else "")


def _check_no_header_comment(text: str, node: YamlNode) -> None:
    first_line = LINE_BREAK.split(text[node.start : node.end])[0]
    if node.style in ("|", ">") and "#" in first_line:
        raise EditError(
            "this edit would lose the comment after `|` or `>`",
            "move the comment to a line of its own above the key",
            node.position,
        )


def _is_empty_scalar(text: str, node: YamlNode) -> bool:
    if node.kind is NodeKind.SCALAR:
        return not node.style and node.value in NULLS
    return node.flow and not node.members and not text[node.start + 1 : node.end - 1].strip(" ")


def _check_no_brackets(node: YamlNode) -> None:
    if node.flow:
        raise EditError(
            f"this {node.kind.value} is written in brackets",
            "write it over several lines, without brackets",
            node.position,
        )


def _apply_and_verify(text: str, replacements: Sequence[Replacement], expected: Json) -> str:
    """Apply edits to a YAML text, and check the result by parsing it.

    Raises:
        EditError: if the edited text does not have the expected value.
    """
    edited = apply_replacements(text, replacements)
    try:
        if parse_yaml(edited) == expected:
            return edited
    except UnreadableError:
        pass
    open_end = not LINE_BREAK.search(text[-1:])
    raise EditError(
        "statuary cannot make this edit without changing other parts of the file",
        "end its last line with a line break" if open_end else "edit the file yourself",
    )


_Value: TypeAlias = "YamlValue | Json | Sequence[YamlValue | Json]"


def _to_parsed_value(value: _Value) -> Json:
    """Convert a value as if YAML had been parsed: scalars to strings, null to None."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _to_parsed_value(inner) for key, inner in value.items()}
    return [_to_parsed_value(inner) for inner in value]


def _tree_with_value(tree: Json, pointer: Pointer, value: _Value) -> Json:
    if not pointer:
        return _to_parsed_value(value)
    step, remaining_steps = pointer[0], pointer[1:]
    if isinstance(tree, list) and isinstance(step, int):
        return [
            _tree_with_value(item, remaining_steps, value) if at == step else item
            for at, item in enumerate(tree)
        ]
    inner = tree if isinstance(tree, dict) else {}
    return {**inner, str(step): _tree_with_value(inner.get(str(step)), remaining_steps, value)}


def _tree_with_item(tree: Json, pointer: Pointer, item: YamlValue) -> Json:
    items = tree
    for step in pointer:
        items = as_list(items)[step] if isinstance(step, int) else as_object(items).get(step)
    return _tree_with_value(tree, pointer, [*as_list(items), item])
