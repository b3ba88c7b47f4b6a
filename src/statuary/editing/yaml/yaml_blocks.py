"""A value as the lines of a YAML block."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import orjson

from statuary.editing.yaml.yaml_scalars import inline_scalar, scalar_lines
from statuary.editing.yaml.yaml_style import YamlStyle

YamlValue: TypeAlias = "bool | int | str | Sequence[YamlValue] | Mapping[str, YamlValue] | None"
"""A value that can be written."""

MAX_INLINE_WIDTH = 100
"""Characters of a list on the line of its key."""


def entry_lines(key: str, value: YamlValue, column: int, style: YamlStyle) -> list[str]:
    """Return the lines of `key: value`, the key in a column."""
    name = " " * column + inline_scalar(key) + ":"
    first, *rest = value_lines(value, column, style, style.quote_of(key))
    return [f"{name} {first}" if first else name, *rest]


def item_lines(value: YamlValue, column: int, style: YamlStyle) -> list[str]:
    """Return the lines of `- value`, the dash in a column."""
    dash = " " * column + "-" + " " * (style.item_indent - 1)
    if isinstance(value, Mapping) and value:
        first, *rest = mapping_lines(value, column + style.item_indent, style)
        return [dash + first.lstrip(" "), *rest]
    deeper = replace(style, list_indent=style.item_indent)  # a list within a list is always indented
    first, *rest = value_lines(value, column, deeper, "")
    return [dash + first, *rest] if first else [dash.rstrip(" "), *rest]


def mapping_lines(value: Mapping[str, YamlValue], column: int, style: YamlStyle) -> list[str]:
    """Return the lines of a mapping's entries, its keys in a column."""
    return [line for key, inner in value.items() for line in entry_lines(key, inner, column, style)]


def block_text(value: Mapping[str, YamlValue], style: YamlStyle | None = None) -> str:
    """Return the text of a new file."""
    return "".join(f"{line}\n" for line in mapping_lines(value, 0, style or YamlStyle()))


def value_lines(value: YamlValue, column: int, style: YamlStyle, quote: str) -> list[str]:
    """Return what follows `key:` or a dash on its line, and the lines below it."""
    if isinstance(value, str):
        return scalar_lines(value, column + style.mapping_indent, quote)
    if value is None or isinstance(value, int):
        return [orjson.dumps(value).decode()]
    if isinstance(value, Mapping):
        return ["", *mapping_lines(value, column + style.mapping_indent, style)] if value else ["{}"]
    words = _words(value)
    if words and len(words) + column < MAX_INLINE_WIDTH:
        return [words]
    return ["", *(line for item in value for line in item_lines(item, column + style.list_indent, style))]


def _words(value: Sequence[YamlValue]) -> str:
    """Return a list of one-line texts in brackets; empty if it holds anything else."""
    if not all(isinstance(item, str) and "\n" not in item for item in value):
        return ""
    return f"[{', '.join(inline_scalar(str(item), bracketed=True) for item in value)}]"
