"""Source files on pages: by line, highlighted, with all characters visible.

Lines have anchors. What would make a page unusable is left out with a note: very large files lose their highlighting
first, then their text; very long lines are cut. The record has all of it.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

from markupsafe import Markup, escape

from statuary.documents.pages.contracts.lenient_json import as_object, as_text
from statuary.documents.pages.visible_text import HIDDEN_CHARACTERS, code_point, hidden_characters, one_line
from statuary.domain.json_values import Json

MAX_HIGHLIGHTED_LENGTH = 200_000
"""Characters of a file that still gets colours."""

MAX_SHOWN_LENGTH = 1_000_000
"""Characters of all files of a contract that are shown."""

MAX_SOURCE_LINE_LENGTH = 2_000
"""Characters of a line that are shown."""

CACHED_FILES = 1_024
"""How many coloured files are kept: contracts bring the same library files again and again."""


class SourceView(NamedTuple):
    """A source file.

    Attributes:
        anchor: the prefix of the anchors of its lines.
        markup: its lines with anchors; None if it is not shown.
        hidden: the code points of its hidden characters.
        cut: whether the ends of lines are left out.
        opened: whether it is expanded at first.
    """

    path: str
    anchor: str
    lines: int
    characters: int
    markup: Markup | None
    hidden: tuple[str, ...]
    cut: bool
    opened: bool


def source_views(sources: Json, language: str, target: str) -> Iterator[SourceView]:
    """Yield a record's source files, that of the contract first.

    Args:
        target: the path of the file with the contract.
    """
    files = {path: as_text(as_object(file).get("content")) for path, file in as_object(sources).items()}
    left = MAX_SHOWN_LENGTH
    for place, path in enumerate(_target_first(files, target), start=1):
        content = files[path]
        left -= len(content)
        yield _view(path, content, language, anchor=f"s{place}", shown=left >= 0, opened=place == 1)


def _target_first(files: Mapping[str, str], target: str) -> list[str]:
    return sorted(files, key=lambda path: (path != target, path))


def _view(path: str, content: str, language: str, *, anchor: str, shown: bool, opened: bool) -> SourceView:
    lines = highlighted_lines(content, language) if shown else ()
    return SourceView(
        path=one_line(path),
        anchor=anchor,
        lines=len(lines) if shown else content.count("\n") + 1,
        characters=len(content),
        markup=_numbered(lines, anchor) if shown else None,
        hidden=tuple(hidden_characters(content)),
        cut=any(len(line) > MAX_SOURCE_LINE_LENGTH for line in content.split("\n")),
        opened=opened,
    )


def _numbered(lines: tuple[str, ...], anchor: str) -> Markup:
    """Return lines with their numbers, each a link to itself."""
    numbered = (
        f'<a id="{anchor}-{n}" href="#{anchor}-{n}" tabindex="-1">{n}</a>{line}'
        for n, line in enumerate(lines, start=1)
    )
    return Markup("\n".join(numbered))  # noqa: S704 - `coloured_lines` escapes


@lru_cache(maxsize=CACHED_FILES)
def highlighted_lines(content: str, language: str) -> tuple[str, ...]:
    """Return the lines of a source as HTML."""
    # a carriage return ends a line to compilers, and so a comment; here as well, whatever stands behind it
    unified = content.replace("\r\n", "\n").replace("\r", "\n")
    text = "\n".join(map(_shortened, unified.split("\n")))
    if len(text) > MAX_HIGHLIGHTED_LENGTH:
        return tuple(_visible(line) for line in text.split("\n"))
    lines, line = [], list[str]()
    for style, value in _colours(text, language):
        first, *others = value.split("\n")
        line.append(_piece(first, style))
        for piece in others:
            lines.append("".join(line))
            line = [_piece(piece, style)]
    rest = "".join(line)
    return (*lines, rest) if rest else tuple(lines)


def _shortened(line: str) -> str:
    return line if len(line) <= MAX_SOURCE_LINE_LENGTH else line[:MAX_SOURCE_LINE_LENGTH] + " …"


def _piece(text: str, style: str) -> str:
    if not text:
        return ""
    return f'<span class="{style}">{_visible(text)}</span>' if style else _visible(text)


def _visible(text: str) -> str:
    """Return escaped text; hidden characters are shown by code point and highlighted."""
    escaped = str(escape(text))
    if HIDDEN_CHARACTERS.search(escaped) is None:
        return escaped
    return HIDDEN_CHARACTERS.sub(
        lambda found: f'<span class="hidden-character">{code_point(found[0])}</span>', escaped
    )


def _colours(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the tokens of a text with their style classes; Pygments is loaded with the first source."""
    pieces: Iterator[tuple[str, str]] = import_module(
        "statuary.documents.pages.contracts.highlighting"
    ).highlighted(text, language)
    return pieces
