"""What a text must say after an edit, as the value that reading gives."""

from collections.abc import Mapping

from statuary.content.parse_yaml import Tree
from statuary.domain.findings import Pointer
from statuary.editing.yaml.yaml_blocks import YamlValue


def to_tree(value: YamlValue) -> Tree:
    """Return a value as `read_yaml` gives it: scalars as text, null as None."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {key: to_tree(inner) for key, inner in value.items()}
    return [to_tree(inner) for inner in value]


def with_value(tree: Tree, pointer: Pointer, value: YamlValue) -> Tree:
    """Return a tree in which a pointer leads to a value; the tree itself stays as it is."""
    if not pointer:
        return to_tree(value)
    step, rest = pointer[0], pointer[1:]
    if isinstance(tree, list) and isinstance(step, int):
        return [with_value(item, rest, value) if at == step else item for at, item in enumerate(tree)]
    inner = tree if isinstance(tree, dict) else {}
    return {**inner, str(step): with_value(inner.get(str(step)), rest, value)}


def with_item(tree: Tree, pointer: Pointer, item: YamlValue) -> Tree:
    """Return a tree in which the list at a pointer has one more item."""
    found = tree
    for step in pointer:
        found = found[step]
    return with_value(tree, pointer, [*found, item])
