"""The two edits: append an item to a list, set a value.

Each takes a text and returns the text with exactly that difference, or refuses. Everything else in the text
(comments, order, quotes, empty lines, line ends) stays, since nothing but the span in question is written.
That the result says what was meant, and nothing else has changed, is not assumed: it is read again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from statuary.content.parse_yaml import NULLS, Tree, parse_yaml
from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Pointer
from statuary.editing.edit_error import EditError
from statuary.editing.yaml.expected_tree import with_item, with_value
from statuary.editing.yaml.node_path import NodePath, find_node
from statuary.editing.yaml.replacements import (
    Replacement,
    apply_replacements,
    follows_empty_line,
    has_comments_below,
    insertion_below,
)
from statuary.editing.yaml.yaml_blocks import YamlValue, entry_lines, item_lines, value_lines
from statuary.editing.yaml.yaml_nodes import LINE_BREAK, NodeKind, YamlNode
from statuary.editing.yaml.yaml_scalars import inline_scalar
from statuary.editing.yaml.yaml_style import YamlStyle


def append_item(text: str, pointer: Pointer, item: YamlValue) -> str:
    """Return a text with an item added at the end of a list.

    Args:
        text: the whole file.
        pointer: the list; it, and mappings that lead to it, are made if they are missing.
        item: what is added.

    Raises:
        EditRefused: if what stands there is no list, or one in brackets that is not empty, or if an anchor or
            an alias is in the way.
    """
    track = find_node(text, pointer)
    if track.missing or _is_empty(text, track.node):
        return set_value(text, pointer, [item])
    if track.node.kind is not NodeKind.SEQUENCE:
        raise EditError(f"{_dotted(pointer)} is not a list", position=track.node.position)
    _refuse_brackets(track.node)
    return _verified(text, [_insert_item(text, track, item)], with_item(parse_yaml(text), pointer, item))


def set_value(text: str, pointer: Pointer, value: YamlValue, after: Sequence[str] = ()) -> str:
    """Return a text in which a key has a value, whether it was there before or not.

    Args:
        text: the whole file.
        pointer: the key; mappings that lead to it are made if they are missing.
        value: what it shall hold.
        after: keys of which the last one is followed by a new one; without them a new one is the last.

    Raises:
        EditRefused: if a list or mapping stands there that is not empty, or if brackets, an anchor or an alias are
            in the way.
    """
    track = find_node(text, pointer)
    splices = _insert_key(text, track, value, after) if track.missing else _replace_value(text, track, value)
    return _verified(text, splices, with_value(parse_yaml(text), pointer, value))


def _insert_item(text: str, track: NodePath, item: YamlValue) -> Replacement:
    """Return the splice that writes an item below a list's last one, lined up and spaced like it."""
    items = [inner for _, inner in track.node.members]
    last = items[-1]
    hand = YamlStyle.of(track.root)
    if last.kind is NodeKind.MAPPING and not (last.flow or last.marked):
        hand = replace(hand, gap=last.column - track.node.column)
    lines = item_lines(item, track.node.column, hand)
    apart = len(items) > 1 and follows_empty_line(text, last)
    return insertion_below(text, last, track.node.column, lines, apart=apart)


def _insert_key(text: str, track: NodePath, value: YamlValue, after: Sequence[str]) -> list[Replacement]:
    """Return the splices that write a key which is missing, and the keys that lead to it."""
    name, parent = str(track.missing[0]), track.node
    for step in reversed(track.missing[1:]):
        value = {str(step): value}
    if _is_empty(text, parent):
        return _replace_value(text, track._replace(missing=()), {name: value})
    if parent.kind is not NodeKind.MAPPING:
        raise EditError(f"key {name!r} has no place in a {parent.kind.value}", position=parent.position)
    _refuse_brackets(parent)
    entries = [(key, inner) for key, inner in parent.members if key is not None]
    key, neighbour = ([entry for entry in entries if entry[0].value in after] or entries)[-1]
    lines = entry_lines(name, value, parent.column, YamlStyle.of(track.root))
    apart = key is not entries[0][0] and follows_empty_line(text, key)
    return [insertion_below(text, neighbour, parent.column, lines, apart=apart)]


def _replace_value(text: str, track: NodePath, value: YamlValue) -> list[Replacement]:
    """Return the splices that give a key another value than it has."""
    key, node = track.key, track.node
    if key is None:
        raise EditError("only the value of a key is replaced", "edit the file by hand", node.position)
    if track.brackets is not None:
        _refuse_brackets(track.brackets)
    is_text_for_text = node.kind is NodeKind.SCALAR and not isinstance(value, Mapping | list)
    if not (is_text_for_text or _is_empty(text, node)):
        raise EditError(
            f"key {key.value!r} holds a {node.kind.value} already", "edit the file by hand", node.position
        )
    _refuse_header_comment(text, node)
    if isinstance(value, str) and has_comments_below(text, node, key.column):
        first, *lines = [inline_scalar(value, _quote(node))]  # in a block of text they would be text
    else:
        first, *lines = value_lines(value, key.column, YamlStyle.of(track.root), _quote(node))
    splices = [_replace_on_key_line(text, key, node, first)]
    if lines:
        splices.append(insertion_below(text, node, key.column, lines))
    return splices


def _replace_on_key_line(text: str, key: YamlNode, node: YamlNode, written: str) -> Replacement:
    """Return the splice that writes what stands on a key's line; nothing takes the spaces before it along."""
    if written and node.start < node.end:
        return Replacement(node.start, node.end, written)
    start = node.start
    while start > key.end and text[start - 1] == " ":
        start -= 1
    return Replacement(start, max(start, node.end), f" {written}" if written else "")


def _quote(node: YamlNode) -> str:
    return node.style if node.style in ("'", '"') else ""


def _is_empty(text: str, node: YamlNode) -> bool:
    """Say whether a value is null, or an empty pair of brackets."""
    if node.kind is NodeKind.SCALAR:
        return not node.style and node.value in NULLS
    return node.flow and not node.members and not text[node.start + 1 : node.end - 1].strip(" ")


def _refuse_brackets(node: YamlNode) -> None:
    if node.flow:
        raise EditError(
            f"a {node.kind.value} in brackets stands here",
            "write it on lines of its own, without brackets",
            node.position,
        )


def _refuse_header_comment(text: str, node: YamlNode) -> None:
    first_line = LINE_BREAK.split(text[node.start : node.end])[0]
    if node.style in ("|", ">") and "#" in first_line:
        raise EditError("a comment stands behind the text's indicator", "move it", node.position)


def _verified(text: str, splices: Sequence[Replacement], intended: Tree) -> str:
    """Return the edited text once it is certain what it says.

    Raises:
        EditRefused: if it would say anything else than what is intended.
    """
    edited = apply_replacements(text, splices)
    try:
        if parse_yaml(edited) == intended:
            return edited
    except UnreadableError:
        pass
    open_end = not LINE_BREAK.search(text[-1:])
    raise EditError(
        "the file is written in a way that this edit would disturb",
        "end its last line with a line break" if open_end else "edit the file by hand",
    )


def _dotted(pointer: Pointer) -> str:
    return ".".join(map(str, pointer)) or "the file"
