"""JSON text to values: fast for what is canonical, exact for what is not, and the place of any part.

`parse_json` keeps every number's spelling and refuses duplicate keys; `parse_json_as_text` leaves scalars as
text for source models, as the YAML reader does.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from statuary.content.unreadable import UnreadableError
from statuary.domain.findings import Pointer, Position
from statuary.domain.json_values import Json, NumberText

INT64_DIGITS = 18
"""Digits of a whole number that certainly survives 64 bits."""


def parse_json(text: str) -> Json:
    """Return the value of a JSON text; numbers that Python would spell otherwise are `NumberText`.

    Raises:
        Unreadable: with the place, if it is not JSON or a key stands twice in one object.
    """
    return _read(text, parse_int=_whole, parse_float=_fraction)


def parse_json_as_text(text: str) -> Json:
    """Return the value of a JSON text with its numbers as the text they were written as.

    Raises:
        Unreadable: as `parse_json`.
    """
    return _read(text, parse_int=str, parse_float=str)


def _read(text: str, **numbers: Any) -> Json:
    try:
        return json.loads(text, object_pairs_hook=_without_twins, parse_constant=_no_constant, **numbers)
    except json.JSONDecodeError as error:
        raise UnreadableError(
            f"not JSON: {error.msg[0].lower()}{error.msg[1:]}",
            "check the commas, quotes and brackets before this place",
            Position(error.lineno, error.colno),
        ) from None
    except RecursionError:
        raise UnreadableError("the text nests deeper than any real document") from None
    except _Refused as refused:
        raise UnreadableError(str(refused), refused.hint, _place_of_refused(text, refused)) from None


class _Refused(Exception):  # noqa: N818
    def __init__(self, message: str, hint: str, lexeme: str) -> None:
        super().__init__(message)
        self.hint = hint
        self.lexeme = lexeme


def _without_twins(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twin = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Refused(f"key {twin!r} stands twice in this object", "keep one of the two", twin)
    return found


def _no_constant(name: str) -> Json:
    raise _Refused(f"{name} is no JSON number", "write a number, or null", name)


def _whole(digits: str) -> int | NumberText:
    if len(digits) <= INT64_DIGITS and digits != "-0":
        return int(digits)
    return NumberText(digits)


def _fraction(digits: str) -> float | NumberText:
    return NumberText(digits)


LEXEME = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
"""One JSON lexeme; of a text that is not JSON, something to go on with."""


def _lexemes(text: str) -> Iterator[tuple[str, int]]:
    for found in LEXEME.finditer(text):
        yield found[0], found.start()


def _place_of_refused(text: str, refused: _Refused) -> Position:
    """Find a twin key's second place or a constant's first."""
    quoted = json.dumps(refused.lexeme, ensure_ascii=False)
    wanted = (quoted, json.dumps(refused.lexeme), refused.lexeme)
    open_objects: list[set[str]] = []
    for lexeme, start in _lexemes(text):
        if lexeme == refused.lexeme:
            return _position(text, start)
        if lexeme in "{[":
            open_objects.append(set())
        elif lexeme in "}]" and open_objects:
            open_objects.pop()
        elif lexeme in wanted and open_objects and text[start + len(lexeme) :].lstrip()[:1] == ":":
            if lexeme in open_objects[-1]:
                return _position(text, start)
            open_objects[-1].add(lexeme)
    return Position(1, 1)


def locate_in_json(text: str, pointer: Pointer, *, on_key: bool) -> Position:
    """Return where in a JSON text a pointer points; the nearest enclosing place if the part is missing."""
    start = _Walk(text).place(pointer, on_key=on_key)
    return _position(text, start)


class _Walk:
    """One walk over the lexemes of a text that is JSON."""

    def __init__(self, text: str) -> None:
        self.lexemes = list(_lexemes(text))
        self.index = 0

    def place(self, pointer: Pointer, *, on_key: bool) -> int:
        """Return the offset of the part that `pointer` names."""
        for step in pointer:
            here = self.index
            found = self._enter(step)
            if found is None:
                return self.lexemes[here][1] if here < len(self.lexemes) else 0
            key_at = found
        if pointer and on_key and key_at >= 0:
            return key_at
        return self.lexemes[self.index][1] if self.index < len(self.lexemes) else 0

    def _enter(self, step: str | int) -> int | None:
        """Move to the member or item `step` of the value here; return its key's offset, -1 for an item."""
        opening = self.lexemes[self.index][0]
        self.index += 1
        position = 0
        while self.index < len(self.lexemes) and self.lexemes[self.index][0] not in "]}":
            lexeme, start = self.lexemes[self.index]
            if opening == "{":
                self.index += 2
                if json.loads(lexeme) == step:
                    return start
            elif opening == "[" and position == step:
                return -1
            elif opening not in "[{":
                return None
            self._skip()
            position += 1
            if self.index < len(self.lexemes) and self.lexemes[self.index][0] == ",":
                self.index += 1
        return None

    def _skip(self) -> None:
        depth = 0
        while self.index < len(self.lexemes):
            lexeme = self.lexemes[self.index][0]
            depth += (lexeme in "[{") - (lexeme in "]}")
            self.index += 1
            if depth <= 0:
                return


def _position(text: str, offset: int) -> Position:
    line = text.count("\n", 0, offset)
    return Position(line + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)
