"""A text as a YAML scalar: plain if every YAML reader reads the same text, else quoted or a block."""

import re
from textwrap import wrap

from statuary.editing.yaml.yaml_nodes import LINE_BREAK

FOLDED_FROM = 100
"""Characters from which a paragraph is folded over several lines."""

FOLDED_WIDTH = 100
"""Characters of a folded line, indentation excluded."""

AMBIGUOUS = re.compile(
    r"~|null|true|false|yes|no|on|off|y|n|\.nan|[-+]?\.inf|=|<<"
    r"|[-+]?\.?[0-9][0-9_.:]*(e[-+]?[0-9_.]*)?|[-+]?0[xob][0-9a-f_]*|[-+.]+",
    re.IGNORECASE,
)
"""Plain words that a YAML 1.1 or 1.2 reader does not read as text."""

NOT_PLAIN = re.compile(r"^[-?:,\[\]{}#&*!|>'\"%@`\s]|:(\s|$)|\s#|\s$")
"""Characters that a plain scalar must not contain."""

NOT_PLAIN_IN_BRACKETS = re.compile(r"[,\[\]{}]|:")
"""Further characters that a plain scalar in brackets must not contain."""

NOT_PRINTED = re.compile(
    r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]|[\u2028\u2029]"
)
"""Characters that are written as escapes; a tab is one of them."""

TO_ESCAPE = re.compile(rf'["\\]|{NOT_PRINTED.pattern}')
"""Characters that are escaped in double quotes."""

ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def scalar_lines(text: str, indent: int, quote: str = "") -> list[str]:
    """Return a text as a scalar: what follows the key on its line, then the lines of a block, if it is one."""
    if len(text) > FOLDED_FROM and can_be_folded(text):
        return [">-", *(" " * indent + line for line in fold_lines(text))]
    if can_be_literal(text):
        return ["|-", *(" " * indent + line if line else "" for line in text.split("\n"))]
    return [inline_scalar(text, quote)]


def can_be_folded(text: str) -> bool:
    """Return whether a paragraph reads back unchanged from a folded block."""
    return not NOT_PRINTED.search(text) and "  " not in text and text == text.strip(" ")


def fold_lines(text: str) -> list[str]:
    """Return the lines of a folded paragraph."""
    return wrap(text, FOLDED_WIDTH, break_long_words=False, break_on_hyphens=False)


def can_be_literal(text: str) -> bool:
    """Return whether a text of several lines reads back unchanged from a literal block."""
    lines = text.split("\n")
    return (
        len(lines) > 1
        and all(lines[end].strip(" ") for end in (0, -1))
        and not lines[0].startswith(" ")
        and not any(NOT_PRINTED.search(line) for line in lines)
    )


def inline_scalar(text: str, quote: str = "", *, bracketed: bool = False) -> str:
    """Return a text as a scalar on one line, in the given quotation marks, or in those that it needs."""
    if not quote and can_be_plain(text) and not (bracketed and NOT_PLAIN_IN_BRACKETS.search(text)):
        return text
    if quote != '"' and not NOT_PRINTED.search(text) and (quote or '"' in text or "\\" in text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + TO_ESCAPE.sub(_escaped, text) + '"'


def can_be_plain(text: str) -> bool:
    """Return whether a text needs no quotes in a block."""
    return bool(text) and not (
        NOT_PLAIN.search(text)
        or AMBIGUOUS.fullmatch(text)
        or NOT_PRINTED.search(text)
        or LINE_BREAK.search(text)
        or text.startswith(("---", "..."))
    )


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if character in ESCAPES:
        return ESCAPES[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
