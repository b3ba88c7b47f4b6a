"""An edit as a unified diff."""

from collections.abc import Iterator
from difflib import unified_diff

import click

from statuary.editing.file_edit import FileEdit

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def diff(edit: FileEdit, name: str) -> Iterator[str]:
    """Yield the lines of an edit as a unified diff, coloured where somebody sees it."""
    before = [] if edit.before is None else _lines(edit.before)
    old = "/dev/null" if edit.before is None else f"a/{name}"
    for line in unified_diff(before, _lines(edit.after), old, f"b/{name}"):
        colour = None if line.startswith(("+++", "---")) else COLOURS.get(line[:1])
        shown = line.removesuffix("\n")
        yield click.style(shown, fg=colour) if colour else shown
        if line == shown and line[:1] in ("+", "-", " "):
            yield "\\ No newline at end of file"


def _lines(text: str) -> list[str]:
    """Return a text's lines as git counts them, line feeds included."""
    return [line + "\n" for line in text.split("\n")[:-1]] + (
        [text.rpartition("\n")[2]] if text[-1:] != "\n" else []
    )
