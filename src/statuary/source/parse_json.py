"""Parse JSON, keep its numbers' spelling, and locate its parts."""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress

import orjson

from statuary.base.findings import Pointer, Position
from statuary.base.json_values import Json, NumberText
from statuary.base.limits import MAX_JSON_TEXT_DEPTH
from statuary.source.unreadable import BeyondLimitError, UnreadableError

INT64_DIGITS = 18
"""Digits of a whole number that certainly fits into 64 bits."""


def parse_json(text: str) -> Json:
    """Parse JSON without losing the spelling of numbers.

    For example, `1.0e2` becomes a `NumberText`, because Python would write it as `100.0`.

    Raises:
        UnreadableError: with the position, if the text is not JSON or an object repeats a key.
    """
    value = _parse_json_text(text, _parse_integer, NumberText)
    _check_depth(value, text)
    return value


_BEYOND_64_BITS = re.compile(rb"[:\[,]\s*[0-9]{20}")
"""The start of an integer that orjson may turn into a float; false matches only cost time."""


def parse_json_bytes(raw: bytes) -> Json:
    """Parse JSON written by a program, keeping integers above 64 bits.

    Raises:
        orjson.JSONDecodeError: if the bytes are not JSON.
    """
    value: Json = orjson.loads(raw)
    if _BEYOND_64_BITS.search(raw):
        with suppress(UnreadableError):
            return parse_json(raw.decode())
    return value


def parse_json_as_text(text: str) -> Json:
    """Parse JSON, keeping numbers as strings.

    Raises:
        UnreadableError: with the position, if the text is not JSON or an object repeats a key.
    """
    value = _parse_json_text(text, str, str)
    _check_surrogates(text)
    return value


def _parse_json_text(
    text: str, parse_integer: Callable[[str], Json], parse_decimal: Callable[[str], Json]
) -> Json:
    value: Json
    try:
        value = json.loads(
            text,
            object_pairs_hook=_reject_duplicate_keys,
            parse_constant=_reject_constant,
            parse_int=parse_integer,
            parse_float=parse_decimal,
        )
    except json.JSONDecodeError as error:
        raise _syntax_error(error) from None
    except RecursionError:
        raise BeyondLimitError(f"the text is nested more than {MAX_JSON_TEXT_DEPTH} levels") from None
    except _DuplicateKeyError:
        raise _duplicate_key_error(text) from None
    except _ConstantError as error:
        offset = next(start for lexeme, start in _split_lexemes(text) if lexeme == str(error))
        raise UnreadableError(
            f"{error} is not a JSON number", "write a number, or null", Lines(text).position(offset)
        ) from None
    return value


def _syntax_error(error: json.JSONDecodeError) -> UnreadableError:
    """Return the error about text that is not JSON.

    Python 3.13's message for a trailing comma is used on every version.
    """
    text = error.doc[: error.pos].rstrip()
    kind = {"}": "object", "]": "array"}.get(error.doc[error.pos : error.pos + 1])
    if kind is not None and text.endswith(","):
        message = f"illegal trailing comma before end of {kind}"
        position = Lines(error.doc).position(len(text) - 1)
    else:
        message = f"{error.msg[0].lower()}{error.msg[1:]}"
        position = Position(error.lineno, error.colno)
    hint = "check the commas, quotes and brackets before this position"
    return UnreadableError(f"not JSON: {message}", hint, position)


def _check_surrogates(text: str) -> None:
    """Reject text with half of a surrogate pair, which UTF-8 cannot encode."""
    if not SURROGATE.search(text):
        return
    for lexeme, start in _split_lexemes(text):
        if SURROGATE.search(lexeme) and LONE_SURROGATE.search(json.loads(lexeme)):
            message, hint = "the text has an unpaired surrogate", "write both escapes of the surrogate pair"
            raise UnreadableError(message, hint, Lines(text).position(start))


def _check_depth(value: Json, text: str) -> None:
    """Reject values nested deeper than orjson and this project's encoder can write."""
    with suppress(TypeError):  # orjson raises it too, also for a lone surrogate
        orjson.dumps(value)
        return
    depth = 0
    for lexeme, start in _split_lexemes(text):
        depth += (lexeme in "[{") - (lexeme in "]}")
        if depth > MAX_JSON_TEXT_DEPTH:
            raise BeyondLimitError(
                f"the text is nested more than {MAX_JSON_TEXT_DEPTH} levels",
                position=Lines(text).position(start),
            )


SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class _DuplicateKeyError(Exception):
    """A JSON object has the same key twice; the position is not known."""


class _ConstantError(Exception):
    """The JSON contains NaN or Infinity, which the standard forbids."""


def _reject_duplicate_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DuplicateKeyError
    return members


def _reject_constant(name: str) -> Json:
    raise _ConstantError(name)


def _parse_integer(digits: str) -> int | NumberText:
    if len(digits) <= INT64_DIGITS and digits != "-0":
        return int(digits)
    return NumberText(digits)


class Lines:
    """Converts offsets in a text to lines and columns."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def position(self, offset: int) -> Position:
        """Return the line and column at an offset, counted from 1.

        Args:
            offset: the number of characters before the place.
        """
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)


LEXEME = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},:]|[^\s\[\]{},:"]++', re.DOTALL)
"""One JSON lexeme. It never backtracks, so a string of 60 MB needs no extra memory."""


def _split_lexemes(text: str) -> Iterator[tuple[str, int]]:
    for match in LEXEME.finditer(text):
        yield match[0], match.start()


def _duplicate_key_error(text: str) -> UnreadableError:
    keys: list[set[str]] = []
    previous, offset = "", 0
    for lexeme, start in _split_lexemes(text):
        if lexeme in "{[":
            keys.append(set())
        elif lexeme in "}]":
            keys.pop()
        elif lexeme == ":":
            key = json.loads(previous)
            if key in keys[-1]:
                position = Lines(text).position(offset)
                return UnreadableError(f"duplicate key {key!r}", "remove one of the two", position)
            keys[-1].add(key)
        previous, offset = lexeme, start
    raise ValueError("no key is repeated")


def locate_in_json(text: str, parts: Iterable[tuple[Pointer, bool]]) -> list[Position]:
    """Return the line and column of some values in a JSON text.

    Args:
        text: the JSON.
        parts: for each value, the keys and indexes that lead to it, and whether to locate its key instead.

    Returns:
        The positions, in the order of `parts`. A missing value has the position of the nearest value around
        it.
    """
    pointers = list(parts)
    if not pointers:  # nearly every record of a bulk source has no findings
        return []
    offsets = _find_offsets(
        text, {pointer[:end] for pointer, _ in pointers for end in range(len(pointer) + 1)}
    )
    lines = Lines(text)
    return [lines.position(_offset_of_part(offsets, pointer, on_key=on_key)) for pointer, on_key in pointers]


def _offset_of_part(offsets: dict[Pointer, tuple[int, int]], pointer: Pointer, *, on_key: bool) -> int:
    if pointer in offsets:
        return offsets[pointer][0 if on_key else 1]
    ends = range(len(pointer), -1, -1)
    return next((offsets[pointer[:end]][1] for end in ends if pointer[:end] in offsets), 0)


def _find_offsets(text: str, pointers: Collection[Pointer]) -> dict[Pointer, tuple[int, int]]:
    walk = _OffsetSearch(pointers)
    for lexeme, start in _split_lexemes(text):
        walk.process_lexeme(lexeme, start)
        if len(walk.offsets) == len(pointers):
            break
    return walk.offsets


class _OffsetSearch:
    def __init__(self, pointers: Collection[Pointer]) -> None:
        self.pointers = pointers
        self.deepest = max(map(len, pointers), default=0)
        self.offsets: dict[Pointer, tuple[int, int]] = {}
        self.path: list[str | int] = []
        self.expects_key = False
        self.key_start = -1

    def process_lexeme(self, lexeme: str, start: int) -> None:
        if lexeme in "]}":
            self.path[-1:] = []
            self.expects_key = False
        elif lexeme == ",":
            self.move_to_next_item()
        elif lexeme == ":":
            self.expects_key = False
        elif self.expects_key:
            self.path[-1], self.key_start = json.loads(lexeme), start
        else:
            self.record_value_offset(lexeme, start)

    def move_to_next_item(self) -> None:
        if self.path and isinstance(self.path[-1], int):
            self.path[-1] += 1
        else:
            self.expects_key = True

    def record_value_offset(self, lexeme: str, start: int) -> None:
        if len(self.path) <= self.deepest and (pointer := tuple(self.path)) in self.pointers:
            is_member = bool(self.path) and isinstance(self.path[-1], str)
            self.offsets.setdefault(pointer, (self.key_start if is_member else start, start))
        if lexeme in "{[":
            self.path.append("" if lexeme == "{" else 0)
            self.expects_key = lexeme == "{"
