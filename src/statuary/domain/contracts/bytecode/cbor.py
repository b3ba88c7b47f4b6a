"""A strict decoder for the few CBOR items that compilers append to bytecode (RFC 8949).

Only definite lengths are accepted, and nothing may follow the item: solc and Vyper never write anything else.
A general library would replace sixty lines with a compiled dependency, and is less strict than a proof
requires.
"""

import struct
from typing import Any

from statuary.domain.limits import MAX_CBOR_DEPTH
from statuary.domain.primitives import InvalidValueError

CborValue = Any
"""A decoded item: int, bytes, str, list, dict (keys are text, bytes or numbers), bool, None or float."""

_FALSE, _TRUE, _NULL, _UNDEFINED = 20, 21, 22, 23
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}


def decode_cbor(data: bytes) -> CborValue:
    """Decode `data`, which must be one item.

    Raises:
        InvalidValueError: if `data` is not exactly one well-formed item.
    """
    item, end = decode_cbor_prefix(data, 0)
    if end != len(data):
        raise InvalidValueError(f"{len(data) - end} bytes follow the CBOR item")
    return item


def decode_cbor_prefix(data: bytes, start: int) -> tuple[CborValue, int]:
    """Decode the item that starts at byte `start`; return it and the byte after it.

    Raises:
        InvalidValueError: if no well-formed item starts there.
    """
    return _item(data, start, 0)


def _item(data: bytes, start: int, depth: int) -> tuple[CborValue, int]:
    if depth > MAX_CBOR_DEPTH:
        raise InvalidValueError(f"CBOR nested more than {MAX_CBOR_DEPTH} levels")
    if start >= len(data):
        raise InvalidValueError("CBOR ends in the middle of an item")
    major, argument, at = _head(data, start)
    if major <= 1:
        return (-1 - argument if major else argument), at
    if major <= 3:
        return _bytes(data, at, argument) if major == 2 else _text(data, at, argument)
    if major <= 5:
        return (_list if major == 4 else _map)(data, at, argument, depth)
    # a tag tells how to read the item after it; the item itself is enough here
    return _item(data, at, depth + 1) if major == 6 else _simple(data, start, argument, at)


def _head(data: bytes, start: int) -> tuple[int, int, int]:
    """Return the major type, its argument, and where the content starts (RFC 8949, section 3)."""
    major, detail = data[start] >> 5, data[start] & 0x1F
    if detail < 24:
        return major, detail, start + 1
    if detail > 27:
        raise InvalidValueError(f"CBOR item of indefinite or reserved length at byte {start}")
    width = 1 << (detail - 24)
    content = start + 1 + width
    if content > len(data):
        raise InvalidValueError("CBOR ends in the middle of a length")
    return major, int.from_bytes(data[start + 1 : content], "big"), content


def _bytes(data: bytes, at: int, length: int) -> tuple[bytes, int]:
    if length > len(data) - at:
        raise InvalidValueError(f"CBOR string of {length} bytes where {len(data) - at} are left")
    return data[at : at + length], at + length


def _text(data: bytes, at: int, length: int) -> tuple[str, int]:
    raw, end = _bytes(data, at, length)
    try:
        return raw.decode("utf-8"), end
    except UnicodeDecodeError:
        raise InvalidValueError(f"CBOR text at byte {at} is not UTF-8") from None


def _list(data: bytes, at: int, count: int, depth: int) -> tuple[list[CborValue], int]:
    if count > len(data) - at:  # each item takes a byte at least, so a huge count costs nothing
        raise InvalidValueError(f"CBOR array of {count} items where {len(data) - at} bytes are left")
    items = []
    for _ in range(count):
        item, at = _item(data, at, depth + 1)
        items.append(item)
    return items, at


def _map(data: bytes, at: int, count: int, depth: int) -> tuple[dict[CborValue, CborValue], int]:
    if 2 * count > len(data) - at:
        raise InvalidValueError(f"CBOR map of {count} pairs where {len(data) - at} bytes are left")
    pairs: dict[CborValue, CborValue] = {}
    for _ in range(count):
        key, at = _item(data, at, depth + 1)
        if isinstance(key, list | dict) or key in pairs:
            raise InvalidValueError(f"CBOR map key {key!r} is repeated or not a plain value")
        pairs[key], at = _item(data, at, depth + 1)
    return pairs, at


def _simple(data: bytes, start: int, argument: int, at: int) -> tuple[CborValue, int]:
    detail = data[start] & 0x1F
    if detail in _FLOATS:
        return struct.unpack(_FLOATS[detail], data[start + 1 : at])[0], at
    plain = {_FALSE: False, _TRUE: True, _NULL: None, _UNDEFINED: None}
    if detail not in plain:
        raise InvalidValueError(f"CBOR simple value {argument} is not allowed here")
    return plain[detail], at
