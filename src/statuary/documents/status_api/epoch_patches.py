"""Patches: a document as ranges of an earlier one's bytes and new texts.

    {"base": "<SHA-256 of the earlier bytes>", "parts": [[0, 180], "text", [212, 40960]]}

A part is a range of the earlier bytes (first, and the one after the last) or a text. `edge/epochs.js` reads the same.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

import orjson

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.media_types import JSON, JSON_FEED

SHORTEST_RANGE = 24
"""Bytes from which a range is shorter than the text: `[123456,123499],"",` around it."""

NEAR = 1 << 17
"""Bytes of a document around a place within which the same text is looked for: twice as many on either side."""


class PatchError(ValueError):
    """A patch is malformed, or belongs to other bytes."""


class _Piece(NamedTuple):
    """A range of the earlier bytes, and the text that follows it; either may be empty."""

    start: int
    stop: int
    text: bytes


class PatchBase:
    """A document that patches refer to.

    Attributes:
        body: its bytes.
    """

    def __init__(self, document: Document) -> None:
        self.body = document.body
        self._digest = sha256(document.body).hexdigest()
        # the others are compared by lines
        self._separator = b',"' if document.media_type in (JSON, JSON_FEED) else b"\n"
        self._places: dict[int, dict[bytes, list[int]]] = {}

    def _places_near(self, place: int) -> dict[bytes, list[int]]:
        """Return where each member of an object, or each line, begins, by its bytes up to the separator.

        Of a document of megabytes, only parts that patches refer to are read.
        """
        number = place // NEAR
        places = self._places.get(number)
        if places is None:
            places = self._places[number] = {}
            separator = self._separator
            start = self.body.find(separator, (number - 1) * NEAR) + len(separator) if number > 1 else 0
            for piece in self.body[start : (number + 2) * NEAR].split(separator)[:-1]:
                places.setdefault(piece, []).append(start)
                start += len(piece) + len(separator)
        return places

    def patch(self, document: Document) -> bytes:
        """Return the patch that makes another document of this one; both must be UTF-8."""
        parts: list[list[int] | str] = []
        text = b""
        for start, stop, after in _narrowed(list(self._pieces(document.body)), self.body):
            if stop - start < SHORTEST_RANGE:
                text += self.body[start:stop] + after
                continue
            parts += [text.decode(), [start, stop]] if text else [[start, stop]]
            text = after
        return encode_json({"base": self._digest, "parts": [*parts, text.decode()] if text else parts})

    def _pieces(self, body: bytes) -> Iterator[_Piece]:
        """Yield what bytes consist of: ranges, as long as they get, and texts that are nowhere in the base."""
        start = stop = 0
        place = text = 0
        separator, size = self._separator, len(self._separator)
        while place < len(body):
            end = body.find(separator, place) + size
            end = len(body) if end < size else end
            places: Sequence[int] | None = [stop]
            if self.body.startswith(body[place:end], stop):
                same = end + _same_from(body, end, self.body, stop + end - place)
                end = same if same == len(body) else body.rfind(separator, end - size, same) + size
            else:
                places = self._places_near(stop).get(body[place:end].removesuffix(separator))
            if places is not None:
                # of several the next one: most of the rest is in the same order
                found = places[min(bisect_left(places, stop), len(places) - 1)]
                if found != stop or text < place:
                    yield _Piece(start, stop, body[text:place])
                    start = found
                stop, text = found + end - place, end
            place = end
        yield _Piece(start, stop, body[text:])


def _narrowed(pieces: Sequence[_Piece], base: bytes) -> Iterator[_Piece]:
    """Yield pieces whose texts are shorter: what they share with the base at either end goes to the ranges."""
    start = pieces[0].start
    for (_, stop, text), (following, *_) in pairwise(pieces):
        head = _same(text, base[stop : max(stop, following)])
        rest = text[head:]
        tail = _same(rest[::-1], base[max(stop + head, following - len(rest)) : following][::-1])
        while 0 < head < len(text) and not _begins_character(text[head]):
            head -= 1
        while tail and not _begins_character(text[len(text) - tail]):
            tail -= 1
        yield _Piece(start, stop + head, text[head : len(text) - tail])
        start = following - tail
    yield pieces[-1]._replace(start=start)


def _same_from(one: bytes, first: int, other: bytes, second: int) -> int:
    """Return how many bytes two texts have in common from two places on."""
    found, size, longer = 0, 64, True
    most = min(len(one) - first, len(other) - second)
    while found < most:
        ours = one[first + found : first + min(found + size, most)]
        if other.startswith(ours, second + found):
            found += len(ours)
        elif size == 64:
            return found + _same(ours, other[second + found : second + found + size])
        else:
            longer = False
        size = size * 2 if longer else max(64, size // 2)
    return most


def _same(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts have in common at their beginning."""
    length = min(len(one), len(other))
    differing = int.from_bytes(one[:length]) ^ int.from_bytes(other[:length])
    return length - (differing.bit_length() + 7) // 8


def _begins_character(byte: int) -> bool:
    return byte & 0b1100_0000 != 0b1000_0000


def patched(base: bytes, patch: bytes) -> bytes:
    """Return the bytes that result from a patch and its base.

    Raises:
        PatchError: if it is not a patch of these bytes.
    """
    try:
        value = orjson.loads(patch)
        if value["base"] != sha256(base).hexdigest():
            raise PatchError("the patch belongs to other bytes")
        return b"".join(
            part.encode() if isinstance(part, str) else base[part[0] : part[1]] for part in value["parts"]
        )
    except (orjson.JSONDecodeError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise PatchError("not a patch") from error
