"""Find declarations in Solidity and Yul sources, without a full parser.

Comments and strings are not searched.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from statuary.base.budget import consume_search_steps, consume_steps
from statuary.contracts.model.compiler import CompilerVersion, parse_compiler_version

CONTRACT_KEYWORDS: Final = ("contract", "library", "interface")
"""The keywords that declare what Solidity compiles."""

_BLANKS: Final = " \t\r\n"

_RETURN_ENDS_LINES: Final = CompilerVersion(0, 4, 25)
"""The first release in which a carriage return ends a comment, as a line feed does."""

_KEPT_SOURCES: Final = 16


def _hidden_text_pattern(line_ends: str) -> re.Pattern[str]:
    # The end of the comment or string may be missing.
    comment = rf"/[^{line_ends}]*+|\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?"
    strings = "|".join(
        rf"(?<={quote})[^{quote}\\{line_ends}]*+(?:\\.[^{quote}\\{line_ends}]*+)*+{quote}?" for quote in "\"'"
    )
    # Python's regex engine finds one of three characters quickly. So first match a quote or a slash, and then
    # use a lookbehind to see which of them begins the string or comment.
    return re.compile(rf"[\"'/](?:(?<=/)(?:{comment})|(?<=([\"']))(?:{strings}))", re.DOTALL)


_HIDDEN: Final = _hidden_text_pattern(r"\n\r")
_HIDDEN_BEFORE: Final = _hidden_text_pattern(r"\n")

_LAYOUT_AT: Final = re.compile(rf"(?<![\w$])layout[{_BLANKS}]+at(?![\w$])")
_IMMUTABLE: Final = re.compile(r"(?<![\w$])immutable(?![\w$])")
_YUL: Final = re.compile(
    r"//[^\n\r]*|/\*.*?(?:\*/|\Z)|\"(?P<name>(?:[^\"\\]|\\.)*)\"|(?P<brace>[{}])|(?<![\w$.])(?P<object>object)(?![\w$.])",
    re.DOTALL,
)


class Declaration(NamedTuple):
    """The declaration of a contract, library or interface in Solidity.

    `head` is the text between its name and the opening brace.
    """

    keyword: str
    head: str  # the code between the contract's name and its body

    @property
    def has_custom_layout(self) -> bool:
        """Whether the contract chooses its first storage slot with `layout at`."""
        return _LAYOUT_AT.search(self.head) is not None


def strip_comments(source_text: str, version: str) -> str:
    """Return a source without comments, and with the text of strings removed.

    Declarations can then be found by searching for words.

    Args:
        version: the version of the compiler. The syntax of comments depends on it.
    """
    # Count the work for a cached source, too. Otherwise, a record's limit would depend on the records before
    # it.
    consume_search_steps(len(source_text))
    return _strip_comments_cached(source_text, version)


@lru_cache(maxsize=_KEPT_SOURCES)
def _strip_comments_cached(source_text: str, version: str) -> str:
    is_recent = parse_compiler_version(version) >= _RETURN_ENDS_LINES
    return (_HIDDEN if is_recent else _HIDDEN_BEFORE).sub(r" \1", source_text)


def find_declaration(source_text: str, contract_name: str, version: str) -> Declaration | None:
    """Find the declaration of a contract in a Solidity source.

    Args:
        version: the version of the compiler, as in records.

    Returns:
        The declaration, or None if the source does not declare the contract.
    """
    if contract_name not in source_text:
        return None
    code = strip_comments(source_text, version)
    for place in find_word_offsets(code, contract_name):
        keyword = _keyword_before(code, place)
        # Ignore a match inside braces, because there a keyword may be an identifier of inline assembly.
        if keyword and code.count("{", 0, place) == code.count("}", 0, place):
            start = place + len(contract_name)
            end = code.find("{", start)
            return Declaration(keyword, code[start : end if end >= 0 else len(code)])
    return None


def count_immutables(source_text: str, version: str) -> int:
    """Return the number of immutable variables that a Solidity file declares.

    Args:
        source_text: the text of the file.
        version: the version of solc. The syntax of comments depends on it.
    """
    return len(_IMMUTABLE.findall(strip_comments(source_text, version))) if "immutable" in source_text else 0


def yul_object_name(source_text: str) -> str:
    """Return the name of the outermost object in a Yul source.

    solc names code without an object `object`.
    """
    consume_search_steps(len(source_text))
    is_named = False
    for token in _YUL.finditer(source_text):
        if is_named and token["name"] is not None:
            return token["name"]
        if token["brace"]:
            return "object" if token["brace"] == "{" else ""
        is_named = is_named or token["object"] is not None
    return ""


def find_word_offsets(text: str, word: str) -> Iterator[int]:
    """Yield each offset of a word, ignoring it inside longer words."""
    place, last = text.find(word) if word else -1, 0
    while place >= 0:
        consume_search_steps(place - last)
        last = place
        end = place + len(word)
        if not (
            _is_identifier_character(text[place - 1 : place]) or _is_identifier_character(text[end : end + 1])
        ):
            yield place
        place = text.find(word, end)
    consume_search_steps(len(text) - last)


def _is_identifier_character(character: str) -> bool:
    return character.isalnum() or character in ("_", "$")


def _keyword_before(code: str, name_offset: int) -> str:
    end = name_offset
    while end and code[end - 1] in _BLANKS:
        end -= 1
    consume_steps(name_offset - end)
    if end == name_offset:
        return ""
    for keyword in CONTRACT_KEYWORDS:
        start = end - len(keyword)
        if (
            start >= 0
            and code.startswith(keyword, start)
            and not _is_identifier_character(code[max(start - 1, 0) : start])
        ):
            return keyword
    return ""
