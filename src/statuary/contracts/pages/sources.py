"""Source files on a contract's page: highlighted lines, hidden characters visible.

The file with the contract has anchors and colours in the page itself; a script adds them to another file when
it is opened. To keep pages usable, very large files lose their highlighting first, then their text, and very
long lines are cut, with a note. A long run of spaces is replaced by its length, so that it cannot hide the
code after it. The record has the complete text.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup, escape

from statuary.base.json_values import Json, as_object, as_text
from statuary.site.pages.page_texts import (
    HIDDEN_CHARACTERS,
    PageTexts,
    code_point,
    hidden_characters,
    mark_lookalike_letters,
    visible_name,
)
from statuary.system.files import read_file

LANGUAGES = Path(__file__).parent / "assets" / "languages.json"


class Highlighter:
    """Highlights the syntax of source files.

    The style classes are `cc` for comments, `cs` for strings, `cn` for numbers, `ck` for keywords, `ct` for
    types, and `cf` for the name in a declaration.
    """

    def __init__(self, grammar: Mapping[str, str]) -> None:
        kinds = (grammar[kind] for kind in ("comment", "string", "number", "word"))
        self._token = re.compile("|".join(f"({kind})" for kind in kinds), re.ASCII)
        self._declares, self._keyword, self._type = (
            re.compile(f"(?:{grammar[key]})", re.ASCII) for key in ("declares", "keyword", "type")
        )

    def highlight(self, source_text: str) -> Iterator[tuple[str, str]]:
        """Split source code into pieces that have one colour each.

        Yields:
            The text of a piece, and its CSS class; an empty class for no colour.
        """
        offset, declared = 0, False
        for match in self._token.finditer(source_text):
            if match.start() > offset:
                yield source_text[offset : match.start()], ""
            offset, word = match.end(), match[0]
            if match.lastindex != 4:
                yield word, ("cc", "cs", "cn")[(match.lastindex or 1) - 1]
                continue
            if self._keyword.fullmatch(word):
                yield word, "ck"
            elif declared:
                yield word, "cf"
            else:
                yield word, "ct" if self._type.fullmatch(word) else ""
            declared = self._declares.fullmatch(word) is not None
        if offset < len(source_text):
            yield source_text[offset:], ""


@cache
def highlighter(language: str) -> Highlighter | None:
    """Return the syntax highlighter for a language.

    Returns:
        The highlighter, or None if the language is not supported.
    """
    table = json.loads(read_file(LANGUAGES))
    grammar = table["languages"].get("Vyper" if language == "Fe" else language)
    return None if grammar is None else Highlighter(table | grammar)


MAX_HIGHLIGHTED_LENGTH = 200_000
"""Characters of a file that still gets colours."""

MAX_SHOWN_LENGTH = 1_000_000
"""Characters of all files of a contract that are shown."""

MAX_SOURCE_LINE_LENGTH = 2_000
"""Characters of a line that are shown."""

MAX_SPACES = 200
"""White space in a row that is shown: what stands behind more would be out of sight."""

_LONG_SPACE = re.compile(rf"[^\S\n]{{{MAX_SPACES + 1},}}")

_OPEN, _CLOSE = "\ufdd1", "\ufdd2"
"""The delimiters of a mark in text that becomes HTML: characters that no text may have."""

_NO_CHARACTERS = re.compile("[\ufdd0-\ufdef]")

_TAGS = {_OPEN: '<span class="hidden-character">', _CLOSE: "</span>"}

CACHED_FILES = 1_024
"""The number of cached files with colours: clones have the same files."""


class SourceView(NamedTuple):
    """A source file, as the page shows it."""

    path: str
    folder: str  # the folder of the path, with a slash at the end; empty for none
    name: str
    anchor: str  # the anchor of the file, and prefix of its lines' anchors
    lines: int
    language: str
    """The language, if a script adds line numbers and colours when the file is opened; else empty."""
    markup: Markup | None  # the lines of the file; None if they are not shown
    hidden: tuple[str, ...]  # the code points of its hidden characters
    mixed: tuple[str, ...]  # letters that look like the Latin letters of the same word
    cut: bool  # whether the ends of lines are cut
    opened: bool


class LineMarks(NamedTuple):
    """The marks that replace hidden parts of a line on a page.

    `{count}` in a mark is filled with the number of characters.
    """

    cut: str = "⟨… {count}⟩"
    spaces: str = "⟨{count}⟩"

    def cut_mark(self, hidden_text: str) -> str:
        """Return the mark for a hidden line end, such as `⟨… 120⟩`.

        Args:
            hidden_text: the end of the line. The mark shows its length.
        """
        return _enclose_in_mark(PageTexts.fill(self.cut, {"count": len(hidden_text)}))

    def spaces_mark(self, hidden_text: str) -> str:
        """Return the mark for long white space, such as `⟨120⟩`.

        Args:
            hidden_text: the white space. The mark shows its length.
        """
        return _enclose_in_mark(PageTexts.fill(self.spaces, {"count": len(hidden_text)}))


UNWORDED = LineMarks()
"""Marks without words of a language."""


def _enclose_in_mark(text: str) -> str:
    return f"{_OPEN}{text}{_CLOSE}"


def source_views(
    sources: Json, language: str, contract_path: str, marks: LineMarks = UNWORDED
) -> Iterator[SourceView]:
    """Prepare a contract's source files for its page.

    The file that declares the contract is first, then the other files in its folder.

    Args:
        sources: the sources by path.
        language: the language of the record.
        contract_path: the path of the file that declares the contract.
        marks: the marks that replace hidden parts of long lines.
    """
    files = {path: as_text(as_object(file).get("content")) for path, file in as_object(sources).items()}
    folder = contract_path.rpartition("/")[0]
    paths = sorted(files, key=lambda path: (path != contract_path, path.rpartition("/")[0] != folder, path))
    remaining = MAX_SHOWN_LENGTH
    for place, path in enumerate(paths, start=1):
        content = files[path]
        remaining -= len(content)
        yield _source_view(
            path, content, language, marks, anchor=f"s{place}", is_shown=remaining >= 0, opened=place == 1
        )


def _source_view(
    path: str, content: str, language: str, marks: LineMarks, *, anchor: str, is_shown: bool, opened: bool
) -> SourceView:
    hidden = tuple(hidden_characters(content))
    mixed = tuple(mark_lookalike_letters(content).code_points)
    without_spaces = _LONG_SPACE.sub("", content) if _longest_line_length(content) > MAX_SPACES else content
    has_spaces = without_spaces != content
    cut = _longest_line_length(without_spaces) > MAX_SOURCE_LINE_LENGTH
    # The browser's script colours the text that is in the page. So leave the colours to the script only if
    # that text is the unchanged source.
    is_deferred = is_shown and not (opened or hidden or mixed or has_spaces or cut)
    markup = None
    if is_shown:
        markup = (
            escape(_unify_line_breaks(content))
            if is_deferred
            else _render_numbered_lines(content, language, marks, anchor)
        )
    visible_path = visible_name(path)
    folder, slash, name = visible_path.rpartition("/")
    return SourceView(
        path=visible_path,
        folder=folder + slash,
        name=name,
        anchor=anchor,
        lines=_unify_line_breaks(content).rstrip("\n").count("\n") + 1,
        language=language if is_deferred else "",
        markup=markup,
        hidden=hidden,
        mixed=mixed,
        cut=cut,
        opened=opened,
    )


def _longest_line_length(content: str) -> int:
    return max(map(len, content.split("\n")))


def _render_numbered_lines(content: str, language: str, marks: LineMarks, anchor: str) -> Markup:
    numbered = (
        f'<a id="{anchor}-{n}" href="#{anchor}-{n}" tabindex="-1">{n}</a>{line}'
        for n, line in enumerate(render_highlighted_lines(content, language, marks), start=1)
    )
    return Markup("\n".join(numbered))  # noqa: S704 - `render_highlighted_lines` escapes


@lru_cache(maxsize=CACHED_FILES)
def render_highlighted_lines(content: str, language: str, marks: LineMarks = UNWORDED) -> tuple[str, ...]:
    """Render the lines of a source file as HTML with syntax colours.

    Args:
        language: the programming language, such as `Solidity`.
        marks: the marks that replace hidden parts of long lines. The default, `⟨… 120⟩`, has no words that
            need a translation.

    Returns:
        The HTML of each line.
    """
    # `_OPEN` and `_CLOSE` delimit characters that readers must notice, so the text itself must not contain
    # them
    text = _NO_CHARACTERS.sub(
        lambda match: _enclose_in_mark(code_point(match[0])), _unify_line_breaks(content)
    )
    text = _LONG_SPACE.sub(
        lambda match: marks.spaces_mark(match[0]), mark_lookalike_letters(text, _enclose_in_mark).text
    )
    text = "\n".join(_shorten_line(line, marks) for line in text.split("\n")).rstrip("\n")
    colours = highlighter(language) if len(text) <= MAX_HIGHLIGHTED_LENGTH else None
    if colours is None:
        return tuple(_escape_visible(line) for line in text.split("\n"))
    lines, line = [], list[str]()
    for value, style in colours.highlight(text):
        first_line, *other_lines = value.split("\n")
        line.append(_render_piece(first_line, style))
        for piece in other_lines:
            lines.append("".join(line))
            line = [_render_piece(piece, style)]
    return (*lines, "".join(line))


def _unify_line_breaks(content: str) -> str:
    # Show a line break at each carriage return, because compilers end a line comment there. Otherwise, code
    # after it would look like part of the comment.
    return content.replace("\r\n", "\n").replace("\r", "\n")


def _shorten_line(line: str, marks: LineMarks) -> str:
    if len(line) <= MAX_SOURCE_LINE_LENGTH:
        return line
    end = MAX_SOURCE_LINE_LENGTH
    if (opened := line.rfind(_OPEN, 0, end)) > line.rfind(_CLOSE, 0, end):
        end = opened  # do not cut the line within a mark
    return line[:end] + marks.cut_mark(line[end:])


def _render_piece(text: str, css_class: str) -> str:
    if not text:
        return ""
    return f'<span class="{css_class}">{_escape_visible(text)}</span>' if css_class else _escape_visible(text)


def _escape_visible(text: str) -> str:
    """Escape text, and replace invisible characters by their code points."""
    escaped = str(escape(text))
    if HIDDEN_CHARACTERS.search(escaped) is None:
        return escaped
    return HIDDEN_CHARACTERS.sub(_replace_hidden_character, escaped)


def _replace_hidden_character(match: re.Match[str]) -> str:
    return _TAGS.get(match[0]) or f"{_TAGS[_OPEN]}{code_point(match[0])}{_TAGS[_CLOSE]}"
