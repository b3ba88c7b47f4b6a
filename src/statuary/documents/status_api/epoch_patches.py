"""Patches: a document as ranges of an earlier one's bytes and new texts.

    {"base": "<SHA-256 of the earlier bytes>", "parts": [[0, 180], "text", [212, 40960]]}

A part is a range of the earlier bytes (first, and the one after the last) or a text. `edge/epochs.js` reads the same.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

import orjson

from statuary.documents.document import Document
from statuary.documents.encode import encode_json
from statuary.documents.media_types import JSON, JSON_FEED

SHORTEST_RANGE = 24
"""Bytes from which a range is shorter than the text: `[123456,123499],"",` around it."""


class PatchError(ValueError):
    """A patch is malformed, or belongs to other bytes."""


class PatchBase:
    """A document that patches refer to.

    Attributes:
        body: its bytes.
    """

    def __init__(self, document: Document) -> None:
        self.body = document.body
        self._digest = sha256(document.body).hexdigest()
        self._places: dict[bytes, list[int]] = {}
        place = 0
        for piece in _pieces(document):
            self._places.setdefault(piece, []).append(place)
            place += len(piece)

    def patch(self, document: Document) -> bytes:
        """Return the patch that turns this document into another; both must be UTF-8."""
        parts = [
            [part.start, part.stop] if isinstance(part, range) else part.decode()
            for part in _joined(_narrowed(list(self._parts(document)), self.body), self.body)
        ]
        return encode_json({"base": self._digest, "parts": parts})

    def _parts(self, document: Document) -> Iterator[range | bytes]:
        """Yield the ranges that pieces are found at, the longest that follow one another, and the other pieces."""
        found = range(0)
        for piece in _pieces(document):
            if self.body.startswith(piece, found.stop):
                found = range(found.start, found.stop + len(piece))
                continue
            if found:
                yield found
            places = self._places.get(piece)
            if places is None:
                yield piece
                found = range(found.stop, found.stop)
            else:
                # of several, the next one: most of the others are in the same order
                place = places[min(bisect_left(places, found.stop), len(places) - 1)]
                found = range(place, place + len(piece))
        if found:
            yield found


def _pieces(document: Document) -> Sequence[bytes]:
    """Return the units of comparison: the document's parts, members of objects, or lines."""
    if document.parts or document.media_type not in (JSON, JSON_FEED):
        return document.parts or document.body.splitlines(keepends=True)
    *pieces, last = document.body.split(b',"')
    return [*(piece + b',"' for piece in pieces), last]


def _narrowed(parts: Sequence[range | bytes], base: bytes) -> Iterator[range | bytes]:
    """Yield parts; the common beginning and end of a text and the bytes that it replaces are ranges."""
    for before, part, after in zip([b"", *parts], parts, [*parts[1:], b""], strict=False):
        if isinstance(part, range) or isinstance(before, bytes) or isinstance(after, bytes):
            yield part
            continue
        gap = base[before.stop : after.start]
        head = _same(part, gap)
        tail = _same(part[head:][::-1], gap[head:][::-1])
        while head < len(part) and not _begins_character(part[head]):
            head -= 1
        while tail and not _begins_character(part[len(part) - tail]):
            tail -= 1
        yield range(before.stop, before.stop + head)
        yield part[head : len(part) - tail]
        yield range(after.start - tail, after.start)


def _same(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts have in common at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _begins_character(byte: int) -> bool:
    return byte & 0b1100_0000 != 0b1000_0000


def _joined(parts: Iterable[range | bytes], base: bytes) -> list[range | bytes]:
    """Return parts with neighbours as one; a short range is a text."""
    joined: list[range | bytes] = []
    for part in _continued(parts):
        if isinstance(part, range) and len(part) >= SHORTEST_RANGE:
            joined.append(part)
            continue
        text = base[part.start : part.stop] if isinstance(part, range) else part
        if joined and isinstance(joined[-1], bytes):
            joined[-1] += text
        else:
            joined.append(text)
    return joined


def _continued(parts: Iterable[range | bytes]) -> Iterator[range | bytes]:
    """Yield parts without empty ones; ranges that follow one another are one."""
    found = range(0)
    for part in filter(len, parts):
        if isinstance(part, range) and part.start == found.stop:
            found = range(found.start, part.stop)
            continue
        if found:
            yield found
        found = part if isinstance(part, range) else range(0)
        if isinstance(part, bytes):
            yield part
    if found:
        yield found


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
