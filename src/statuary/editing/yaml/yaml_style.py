"""How the author of a text writes YAML: indentation and quotation marks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from statuary.editing.yaml.yaml_nodes import NodeKind, YamlNode
from statuary.editing.yaml.yaml_scalars import can_be_plain


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlStyle:
    """A way of writing.

    Attributes:
        step: columns that a mapping is indented by below its key.
        dash: columns that the dashes of a list are indented by below its key.
        gap: columns from a dash to what it introduces.
        quote: the quotation mark around every value that would not need one, if that is the habit.
        quotes: the same by key.
    """

    step: int = 2
    dash: int = 2
    gap: int = 2
    quote: str = ""
    quotes: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, root: YamlNode) -> Self:
        """Return the hand that a text is written in, as far as its first mapping and list show it."""
        in_mappings = [(at.column, inner) for at, inner in _blocks(root) if at.kind is NodeKind.MAPPING]
        in_lists = [(at.column, inner) for at, inner in _blocks(root) if at.kind is NodeKind.SEQUENCE]
        mappings = (inner.column - column for column, inner in in_mappings if inner.kind is NodeKind.MAPPING)
        lists = (inner.column - column for column, inner in in_mappings if inner.kind is NodeKind.SEQUENCE)
        items = (inner.column - column for column, inner in in_lists if inner.kind is NodeKind.MAPPING)
        quotes = dict(_quotes(root))
        habits = set(quotes.values())
        return cls(
            step=next(mappings, 2),
            dash=next(lists, 2),
            gap=next(items, 2),
            quote=habits.pop() if len(habits) == 1 else "",
            quotes=quotes,
        )

    def quote_of(self, key: str) -> str:
        """Return the quotation mark that the value of a key is written with even if it needs none."""
        return self.quotes.get(key, self.quote)


def _blocks(node: YamlNode) -> Iterator[tuple[YamlNode, YamlNode]]:
    """Yield each block collection within another one, with that one; anchors and tags hide columns."""
    for _, inner in node.members:
        if inner.kind in (NodeKind.MAPPING, NodeKind.SEQUENCE) and not (
            inner.flow or inner.marked or node.marked
        ):
            yield node, inner
        yield from _blocks(inner)


def _quotes(node: YamlNode) -> Iterator[tuple[str, str]]:
    """Yield each key whose value needs no quotation mark, with the one that it has or nothing."""
    for key, inner in node.members:
        if (
            key is not None
            and inner.kind is NodeKind.SCALAR
            and inner.style in ("", "'", '"')
            and can_be_plain(inner.value)
        ):
            yield key.value, inner.style
        yield from _quotes(inner)
