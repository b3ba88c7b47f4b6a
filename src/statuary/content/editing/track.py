"""The way through a text to the place that a pointer names, as far as it exists."""

from typing import NamedTuple

from statuary.content.editing.nodes import Kind, Node, nodes_of
from statuary.content.editing.refused import EditRefused
from statuary.content.unreadable import Unreadable
from statuary.content.yaml_text import read_yaml
from statuary.domain.findings import Pointer


class Track(NamedTuple):
    """How far a pointer leads.

    Attributes:
        root: the whole text's mapping.
        node: the deepest node that exists.
        key: the key that this node is the value of; None for the root and for items of lists.
        missing: the steps of the pointer that lead on from there; empty if the place exists.
        brackets: the collection in brackets that holds this node, if one does.
    """

    root: Node
    node: Node
    key: Node | None
    missing: Pointer
    brackets: Node | None = None


def track_to(text: str, pointer: Pointer) -> Track:
    """Follow a pointer through a text.

    Raises:
        EditRefused: if the text cannot be read, holds no mapping, or the way leads through an anchor, an alias, a
            tag or a merged mapping, since a change there may show elsewhere.
    """
    root = _root(text)
    track = Track(root=root, node=root, key=None, missing=pointer)
    _refuse_sharing(root)
    while track.missing:
        found = _member(track.node, track.missing[0])
        if found is None:
            break
        brackets = track.node if track.node.flow else track.brackets
        track = Track(root=root, key=found[0], node=found[1], missing=track.missing[1:], brackets=brackets)
        _refuse_sharing(track.node)
    return track


def _root(text: str) -> Node:
    try:
        read_yaml(text)
    except Unreadable as unreadable:
        raise EditRefused(str(unreadable), unreadable.remedy, unreadable.position) from None
    root = nodes_of(text)
    if root is None or root.kind is not Kind.MAPPING:
        raise EditRefused("the file holds no mapping of keys", "write its first key by hand")
    return root


def _refuse_sharing(node: Node) -> None:
    if node.kind is Kind.ALIAS or node.marked:
        raise EditRefused(
            "an anchor, an alias or a tag stands here, and a change would show elsewhere",
            "write the value out, or edit the file by hand",
            node.position,
        )
    merged = next((key for key, _ in node.members if key is not None and key.value == "<<"), None)
    if merged is not None:
        raise EditRefused(
            "another mapping is merged into this one", "write its keys out", position=merged.position
        )


def _member(node: Node, step: str | int) -> tuple[Node | None, Node] | None:
    if node.kind is Kind.SEQUENCE:
        in_range = isinstance(step, int) and 0 <= step < len(node.members)
        return node.members[step] if isinstance(step, int) and in_range else None
    return next((pair for pair in node.members if pair[0] is not None and pair[0].value == str(step)), None)
