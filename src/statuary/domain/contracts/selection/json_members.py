"""The byte ranges of an object's members in JSON text.

The text is canonical compact JSON: one object, no white space between tokens, no duplicate keys. Values are
not parsed, only skipped by their strings and brackets.
"""

import json
import re
from typing import NamedTuple

from statuary.domain.errors import StatuaryError

STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')
STRING_OR_BRACKET = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[][{}]')
SCALAR = re.compile(rb"[^\s,:{}\[\]\"]+")

QUOTE, COMMA, COLON, OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET = b'",:{}[]'


class NotCanonicalError(StatuaryError, ValueError):
    """The text is not one compact JSON object; `str(error)` names the problem and the byte."""


class MemberSpan(NamedTuple):
    """One member of an object, as byte offsets in its text."""

    name: str  # unescaped
    start: int  # the opening quote of the name
    value: int  # the first byte of the value
    end: int  # the first byte after the value


def members(text: bytes, start: int = 0) -> list[MemberSpan]:
    """Return the members of the object that begins at byte `start` of `text`, in their order.

    Raises:
        NotCanonicalError: if no compact object begins there.
    """
    if _byte(text, start) != OPENING_BRACE:
        raise NotCanonicalError(f"no object at byte {start}")
    if _byte(text, start + 1) == CLOSING_BRACE:
        return []
    found = [_member(text, start + 1)]
    while (mark := _byte(text, found[-1].end)) == COMMA:
        found.append(_member(text, found[-1].end + 1))
    if mark != CLOSING_BRACE:
        raise NotCanonicalError(f"no comma or closing brace at byte {found[-1].end}")
    return found


def items(text: bytes, start: int = 0) -> list[tuple[int, int]]:
    """Return the byte ranges of the items of the array that begins at byte `start`.

    Raises:
        NotCanonicalError: if no compact array begins there.
    """
    if _byte(text, start) != OPENING_BRACKET:
        raise NotCanonicalError(f"no array at byte {start}")
    if _byte(text, start + 1) == CLOSING_BRACKET:
        return []
    found = [(start + 1, value_end(text, start + 1))]
    while (mark := _byte(text, found[-1][1])) == COMMA:
        begin = found[-1][1] + 1
        found.append((begin, value_end(text, begin)))
    if mark != CLOSING_BRACKET:
        raise NotCanonicalError(f"no comma or closing bracket at byte {found[-1][1]}")
    return found


def holds_object(text: bytes, member: MemberSpan) -> bool:
    """Return whether the value of a member is an object."""
    return text[member.value] == OPENING_BRACE


def _member(text: bytes, start: int) -> MemberSpan:
    name = STRING.match(text, start)
    if name is None or _byte(text, name.end()) != COLON:
        raise NotCanonicalError(f"no member name at byte {start}")
    value = name.end() + 1
    return MemberSpan(json.loads(name[0]), start, value, value_end(text, value))


def value_end(text: bytes, start: int) -> int:
    """Return the first byte after the value that begins at byte `start`.

    Raises:
        NotCanonicalError: if no value begins there, or it has no end.
    """
    first = _byte(text, start)
    if first in (OPENING_BRACE, OPENING_BRACKET):
        return _container_end(text, start)
    simple = (STRING if first == QUOTE else SCALAR).match(text, start)
    if simple is None:
        raise NotCanonicalError(f"no value at byte {start}")
    return simple.end()


def _container_end(text: bytes, start: int) -> int:
    depth = 0
    for token in STRING_OR_BRACKET.finditer(text, start):
        match token[0]:
            case b"{" | b"[":
                depth += 1
            case b"}" | b"]":
                depth -= 1
                if not depth:
                    return token.end()
    raise NotCanonicalError(f"the value at byte {start} has no end")


def _byte(text: bytes, position: int) -> int:
    """Return the byte at a position, or -1 beyond the end."""
    return text[position] if position < len(text) else -1
