"""The indentation and quotation marks that the author of a YAML text uses."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from statuary.editing.yaml.yaml_nodes import NodeKind, YamlNode
from statuary.editing.yaml.yaml_scalars import can_be_plain


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlStyle:
    """Indentation in columns, and quotation marks."""

    mapping_indent: int = 2  # of a mapping below its key
    list_indent: int = 2  # of the dashes of a list below its key
    item_indent: int = 2  # from a dash to its item
    quote: str = ""  # the quotation mark around values that need none, if the author always writes one
    quotes: dict[str, str] = field(default_factory=dict)  # the same by key

    @classmethod
    def of(cls, root: YamlNode) -> Self:
        """Return the style of a text, as far as its first mapping and list show it."""
        quotes = dict(_quotes(root))
        habits = set(quotes.values())
        return cls(
            mapping_indent=_first_indent(root, NodeKind.MAPPING, NodeKind.MAPPING),
            list_indent=_first_indent(root, NodeKind.MAPPING, NodeKind.SEQUENCE),
            item_indent=_first_indent(root, NodeKind.SEQUENCE, NodeKind.MAPPING),
            quote=habits.pop() if len(habits) == 1 else "",
            quotes=quotes,
        )

    def quote_of(self, key: str) -> str:
        """Return the quotation mark for the value of a key that needs none."""
        return self.quotes.get(key, self.quote)


def _first_indent(root: YamlNode, outer: NodeKind, inner: NodeKind) -> int:
    """Return the indentation of the first collection of a kind in one of another kind; 2 if there is none."""
    found = ((at, block) for at, block in _blocks(root) if (at.kind, block.kind) == (outer, inner))
    return next((block.column - at.column for at, block in found), 2)


def _blocks(node: YamlNode) -> Iterator[tuple[YamlNode, YamlNode]]:
    """Yield each block collection after the one that holds it, except where anchors or tags hide columns."""
    for _, inner in node.members:
        if inner.kind in (NodeKind.MAPPING, NodeKind.SEQUENCE) and not (
            inner.flow or inner.marked or node.marked
        ):
            yield node, inner
        yield from _blocks(inner)


def _quotes(node: YamlNode) -> Iterator[tuple[str, str]]:
    """Yield each key whose value needs no quotation mark, with the mark that it has or an empty text."""
    for key, inner in node.members:
        if (
            key is not None
            and inner.kind is NodeKind.SCALAR
            and inner.style in ("", "'", '"')
            and can_be_plain(inner.value)
        ):
            yield key.value, inner.style
        yield from _quotes(inner)
