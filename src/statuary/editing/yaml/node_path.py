"""The way through a text to the place that a pointer names, as far as it exists."""

from typing import NamedTuple

from statuary.content.parse_yaml import parse_yaml
from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Pointer
from statuary.editing.edit_error import EditError
from statuary.editing.yaml.yaml_nodes import NodeKind, YamlNode, parse_nodes


class NodePath(NamedTuple):
    """How far a pointer leads.

    Attributes:
        root: the whole text's mapping.
        node: the deepest node that exists.
        key: the key that this node is the value of; None for the root and for items of lists.
        missing: the steps of the pointer that lead on from there; empty if the place exists.
        brackets: the collection in brackets that holds this node, if one does.
    """

    root: YamlNode
    node: YamlNode
    key: YamlNode | None
    missing: Pointer
    brackets: YamlNode | None = None


def find_node(text: str, pointer: Pointer) -> NodePath:
    """Follow a pointer through a text.

    Raises:
        EditRefused: if the text cannot be read, holds no mapping, or the way leads through an anchor, an alias, a
            tag or a merged mapping, since a change there may show elsewhere.
    """
    root = _root(text)
    track = NodePath(root=root, node=root, key=None, missing=pointer)
    _refuse_sharing(root)
    while track.missing:
        found = _member(track.node, track.missing[0])
        if found is None:
            break
        brackets = track.node if track.node.flow else track.brackets
        track = NodePath(root=root, key=found[0], node=found[1], missing=track.missing[1:], brackets=brackets)
        _refuse_sharing(track.node)
    return track


def _root(text: str) -> YamlNode:
    try:
        parse_yaml(text)
    except UnreadableError as unreadable:
        raise EditError(str(unreadable), unreadable.hint, unreadable.position) from None
    root = parse_nodes(text)
    if root is None or root.kind is not NodeKind.MAPPING:
        raise EditError("the file holds no mapping of keys", "write its first key by hand")
    return root


def _refuse_sharing(node: YamlNode) -> None:
    if node.kind is NodeKind.ALIAS or node.marked:
        raise EditError(
            "an anchor, an alias or a tag stands here, and a change would show elsewhere",
            "write the value out, or edit the file by hand",
            node.position,
        )
    merged = next((key for key, _ in node.members if key is not None and key.value == "<<"), None)
    if merged is not None:
        raise EditError(
            "another mapping is merged into this one", "write its keys out", position=merged.position
        )


def _member(node: YamlNode, step: str | int) -> tuple[YamlNode | None, YamlNode] | None:
    if node.kind is NodeKind.SEQUENCE:
        in_range = isinstance(step, int) and 0 <= step < len(node.members)
        return node.members[step] if isinstance(step, int) and in_range else None
    return next((pair for pair in node.members if pair[0] is not None and pair[0].value == str(step)), None)
