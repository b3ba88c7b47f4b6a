"""Merge two edited versions of a YAML file by their values.

Commands append updates to a list and set keys. Git merges lines, so two such edits at the end of a file conflict. Here
the additions of one version are repeated on the text of the other, which keeps its comments and its order.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from statuary.base.findings import Pointer
from statuary.base.json_values import Json, JsonObject
from statuary.source.edit_files import EditError
from statuary.source.edit_yaml import append_yaml_item, set_yaml_value
from statuary.source.parse_yaml import PlainText, parse_yaml
from statuary.source.unreadable import UnreadableError
from statuary.source.yaml_nodes import YamlValue


class MergeConflictError(EditError):
    """Both sides changed the same value, or a version is not YAML."""


COMMENT = re.compile(r"(?:^|[ \t])#.*", re.MULTILINE)


class _Absent(Enum):
    """A marker for a key that one version does not have."""

    ABSENT = 0


_Value = Json | _Absent


class _Addition(NamedTuple):
    """A change of one version that must be repeated in the other."""

    pointer: Pointer
    value: Json
    is_item: bool = False  # whether the value is appended to the list at the pointer


def merge_yaml(base: str, ours: str, theirs: str) -> str:
    """Merge two people's changes to a YAML text, value by value.

    Args:
        base: the version that both sides edited; empty if both versions are new.
        ours: the version of one side.
        theirs: the version of the other side.

    Raises:
        MergeConflictError: if both sides changed the same value, or a version is not YAML.
    """
    try:
        return _merge_additions(base, ours, theirs)
    except MergeConflictError as conflict:
        try:
            return _merge_additions(base, theirs, ours)
        except MergeConflictError:
            raise conflict from None


def _merge_additions(base: str, text: str, other_text: str) -> str:
    try:
        base_tree, tree, other_tree = (parse_yaml(version, PlainText) for version in (base, text, other_text))
        for addition in _additions_of_value(base_tree, tree, other_tree, ()):
            edit = append_yaml_item if addition.is_item else set_yaml_value
            text = edit(text, addition.pointer, _with_original_quotes(addition.value))
    except (EditError, UnreadableError) as error:
        raise MergeConflictError(str(error), error.hint) from None
    for comment in COMMENT.findall(other_text):
        if comment not in base and comment not in text:
            raise MergeConflictError(f"one side wrote the comment {comment.strip()!r} beside the change")
    return text


def _additions_of_value(
    base_value: _Value, our_value: _Value, their_value: _Value, pointer: Pointer
) -> Iterator[_Addition]:
    if their_value in (base_value, our_value):
        return
    if isinstance(our_value, dict) and isinstance(their_value, dict):
        yield from _additions_to_keys(base_value, our_value, their_value, pointer)
    elif isinstance(our_value, list) and isinstance(their_value, list):
        new_items = _new_items(base_value, their_value, pointer)
        yield from (_Addition(pointer, item, is_item=True) for item in new_items if item not in our_value)
    elif our_value == base_value and not isinstance(their_value, _Absent):
        yield _Addition(pointer, their_value)
    else:
        raise MergeConflictError(
            f"both sides changed {_dotted_pointer(pointer)}: {_display_value(our_value)} and {_display_value(their_value)}",
            "keep one of them",
        )


def _additions_to_keys(
    base_value: _Value, our_mapping: JsonObject, their_mapping: JsonObject, pointer: Pointer
) -> Iterator[_Addition]:
    base_mapping = base_value if isinstance(base_value, dict) else {}
    for key in base_mapping:
        if key not in their_mapping:
            raise MergeConflictError(f"one side removed {_dotted_pointer((*pointer, key))}")
    for key, value in their_mapping.items():
        base_item, our_item = (tree.get(key, _Absent.ABSENT) for tree in (base_mapping, our_mapping))
        yield from _additions_of_value(base_item, our_item, value, (*pointer, key))


def _new_items(base_value: _Value, items: Sequence[Json], pointer: Pointer) -> list[Json]:
    known: list[Json] = list(base_value) if isinstance(base_value, list) else []
    new: list[Json] = []
    for item in items:
        if known and item == known[0]:
            known.pop(0)
        else:
            new.append(item)
    if known:
        raise MergeConflictError(
            f"both sides changed the list {_dotted_pointer(pointer)}, and at least one changed or removed an item"
        )
    return new


def _with_original_quotes(value: Json) -> YamlValue:
    """Convert a parsed value to one that YAML writes with the same quotes.

    For example, an unquoted `true` was parsed as a string. It becomes a boolean, which is written without quotes.
    """
    if isinstance(value, PlainText) and value in ("true", "false"):
        return value == "true"
    if isinstance(value, dict):
        return {key: _with_original_quotes(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_original_quotes(item) for item in value]
    return str(value) if isinstance(value, str) else None


def _dotted_pointer(pointer: Pointer) -> str:
    return ".".join(map(str, pointer)) or "the file"


def _display_value(value: _Value) -> str:
    return repr(str(value)) if isinstance(value, str) else "another value"
