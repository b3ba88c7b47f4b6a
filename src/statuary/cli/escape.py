"""Escape foreign text for a terminal or a log."""

import json
import re

import click

from statuary.base.errors import StatuaryError

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
"""Control characters, line and paragraph separators, direction marks and lone surrogates."""


def escape_control_chars(text: str) -> str:
    """Escape the characters that could harm a terminal or a log.

    Line breaks are escaped, too, so that the text is on one line.
    """
    return UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def json_text(value: object) -> str:
    """Encode a value as indented JSON that is safe to print.

    All characters outside ASCII are escaped.
    """
    return json.dumps(value, indent=2)


def print_error(error: StatuaryError) -> None:
    """Print an error and its hint on standard error.

    Control characters are escaped. Each line begins with `statuary:` or is indented.
    """
    first_line, *other_lines = map(escape_control_chars, str(error).split("\n"))
    lines = [f"statuary: {first_line}", *(f"    | {line}" for line in other_lines)]
    if error.hint:
        lines.append(f"    {escape_control_chars(error.hint)}")
    click.echo("\n".join(lines), err=True)
