"""A value as the lines of a YAML block."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from statuary.editing.yaml.yaml_scalars import inline_scalar, scalar_lines
from statuary.editing.yaml.yaml_style import YamlStyle

YamlValue: TypeAlias = "bool | str | Sequence[YamlValue] | Mapping[str, YamlValue] | None"
"""What can be written: null, true or false, texts, and lists and mappings of these."""

MAX_INLINE_WIDTH = 100
"""Characters that a list of words may take on its key's line."""


def entry_lines(key: str, value: YamlValue, column: int, hand: YamlStyle) -> list[str]:
    """Return the lines of `key: value`, the key in a column."""
    name = " " * column + inline_scalar(key) + ":"
    first, *rest = value_lines(value, column, hand, hand.quote_of(key))
    return [f"{name} {first}" if first else name, *rest]


def item_lines(value: YamlValue, column: int, hand: YamlStyle) -> list[str]:
    """Return the lines of `- value`, the dash in a column."""
    dash = " " * column + "-" + " " * (hand.gap - 1)
    if isinstance(value, Mapping) and value:
        first, *rest = mapping_lines(value, column + hand.gap, hand)
        return [dash + first.lstrip(" "), *rest]
    deeper = replace(hand, dash=hand.gap)  # a list within a list is never level with it
    first, *rest = value_lines(value, column, deeper, "")
    return [dash + first, *rest] if first else [dash.rstrip(" "), *rest]


def mapping_lines(value: Mapping[str, YamlValue], column: int, hand: YamlStyle) -> list[str]:
    """Return the lines of a mapping's entries, its keys in a column."""
    return [line for key, inner in value.items() for line in entry_lines(key, inner, column, hand)]


def block_text(value: Mapping[str, YamlValue], hand: YamlStyle | None = None) -> str:
    """Return a whole new file."""
    return "".join(f"{line}\n" for line in mapping_lines(value, 0, hand or YamlStyle()))


def value_lines(value: YamlValue, column: int, hand: YamlStyle, quote: str) -> list[str]:
    """Return what stands behind `key:` or a dash, and the lines below it."""
    if isinstance(value, str):
        return scalar_lines(value, column + hand.step, quote)
    if value is None or isinstance(value, bool):
        return [{None: "null", True: "true", False: "false"}[value]]
    if not value:
        return ["{}" if isinstance(value, Mapping) else "[]"]
    if isinstance(value, Mapping):
        return ["", *mapping_lines(value, column + hand.step, hand)]
    words = _words(value)
    if words and len(words) + column < MAX_INLINE_WIDTH:
        return [words]
    return ["", *(line for item in value for line in item_lines(item, column + hand.dash, hand))]


def _words(value: Sequence[YamlValue]) -> str:
    """Return a list of short texts in brackets; nothing if it holds anything else."""
    if not all(isinstance(item, str) and "\n" not in item for item in value):
        return ""
    return f"[{', '.join(inline_scalar(str(item), bracketed=True) for item in value)}]"
