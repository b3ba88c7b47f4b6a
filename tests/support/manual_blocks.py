"""The fenced blocks of pages in Markdown."""

import re
from pathlib import Path
from typing import NamedTuple

FENCED = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block."""

    mark: str
    text: str  # without its indentation


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page."""
    found = FENCED.findall(page.read_text("utf-8"))
    return [Block(mark, re.sub(f"^{indent}", "", text, flags=re.MULTILINE)) for indent, mark, text in found]


def file_in(page: Path, name: str) -> str:
    """Return a file that a page shows: the block whose first line is a comment that begins with its name."""
    (text,) = (
        block.text for block in blocks_of(page) if re.match(rf"(#|//) {re.escape(name)}\b", block.text)
    )
    return text
