"""The node of a YAML text that a pointer leads to, as far as it exists."""

from typing import NamedTuple

from statuary.content.parse_yaml import parse_yaml
from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Pointer
from statuary.editing.errors import EditError
from statuary.editing.yaml.yaml_nodes import NodeKind, YamlNode, parse_nodes


class NodePath(NamedTuple):
    """The part of a pointer that exists."""

    root: YamlNode  # the whole text's mapping
    node: YamlNode  # the deepest node that exists
    key: YamlNode | None  # the key of this node; None for the root and for items of lists
    missing: Pointer  # the remaining steps of the pointer; empty if all of it exists
    brackets: YamlNode | None = None  # the collection in brackets around this node, if any


def find_node(text: str, pointer: Pointer) -> NodePath:
    """Follow a pointer through a text.

    Raises:
        EditError: if the text cannot be read or is not a mapping, or if an anchor, an alias or a tag is on the
            way: a change there may show elsewhere.
    """
    root = _root(text)
    path = NodePath(root=root, node=root, key=None, missing=pointer)
    _check_not_shared(root)
    while path.missing:
        member = _member(path.node, path.missing[0])
        if member is None:
            break
        brackets = path.node if path.node.flow else path.brackets
        path = NodePath(root, key=member[0], node=member[1], missing=path.missing[1:], brackets=brackets)
        _check_not_shared(path.node)
    return path


def _root(text: str) -> YamlNode:
    try:
        parse_yaml(text)
    except UnreadableError as unreadable:
        raise EditError(str(unreadable), unreadable.hint, unreadable.position) from None
    root = parse_nodes(text)
    if root is None or root.kind is not NodeKind.MAPPING:
        raise EditError("the file is not a mapping", "write its first key yourself")
    return root


def _check_not_shared(node: YamlNode) -> None:
    if node.kind is NodeKind.ALIAS or node.marked:
        raise EditError(
            "this value has an anchor, an alias or a tag; a change may show elsewhere",
            "write the value out, or edit the file yourself",
            node.position,
        )


def _member(node: YamlNode, step: str | int) -> tuple[YamlNode | None, YamlNode] | None:
    if node.kind is NodeKind.SEQUENCE:
        in_range = isinstance(step, int) and 0 <= step < len(node.members)
        return node.members[step] if isinstance(step, int) and in_range else None
    return next((pair for pair in node.members if pair[0] is not None and pair[0].value == str(step)), None)
