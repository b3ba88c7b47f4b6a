"""Decode CBOR (RFC 8949), the format of the auxdata that compilers append to bytecode."""

import re
import struct
from functools import lru_cache
from typing import Any, Final, NamedTuple

from statuary.base.limits import MAX_CBOR_DEPTH
from statuary.base.primitives import InvalidValueError

CborValue = Any
"""A decoded item: int, bytes, str, list, dict (keys are text, bytes or numbers), bool, None or float."""

_FALSE, _TRUE, _NULL, _UNDEFINED = 20, 21, 22, 23
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}


MAX_CACHED_ITEMS: Final = 1024
"""The number of decoded items that are cached: creation and runtime code mostly end with the same bytes."""


@lru_cache(maxsize=MAX_CACHED_ITEMS)
def decode_cbor(data: bytes) -> CborValue:
    """Decode bytes that contain a single CBOR item.

    Do not modify the returned value, because it is cached and shared.

    Raises:
        InvalidValueError: if `data` is not exactly one well-formed CBOR item.
    """
    item, end = decode_cbor_prefix(data, 0)
    if end != len(data):
        raise InvalidValueError(
            f"{len(data) - end} bytes follow the CBOR item, which should be all of the data"
        )
    return item


class CborItem(NamedTuple):
    """A decoded CBOR item, and the offset after it."""

    value: CborValue
    end: int  # the offset after the item


def decode_cbor_prefix(data: bytes, start: int) -> CborItem:
    """Decode the CBOR item at an offset, ignoring the bytes after it.

    Args:
        data: the bytes that contain the item.
        start: the offset of the item.

    Raises:
        InvalidValueError: if no well-formed item is at the offset.
    """
    if (usual := _USUAL_MAP.match(data, start)) is not None:
        return CborItem({"ipfs": usual[1], "solc": usual[2]}, usual.end())
    return _decode_cbor_item(data, start, 0)


_USUAL_MAP: Final = re.compile(rb"\xa2\x64ipfs\x58\x22(.{34})\x64solc\x43(.{3})", re.DOTALL)
"""The map that solc has written since 0.6.0 if no setting says otherwise: decoded at once, as nearly all auxdata is this."""


def _decode_cbor_item(data: bytes, start: int, depth: int) -> CborItem:
    if depth > MAX_CBOR_DEPTH:
        raise InvalidValueError(f"the CBOR data is nested deeper than the limit of {MAX_CBOR_DEPTH} levels")
    if start >= len(data):
        raise InvalidValueError(f"the CBOR data ends at byte {len(data)}, where another item is expected")
    major, argument, offset = _decode_item_head(data, start)
    if major <= 1:
        return CborItem(-1 - argument if major else argument, offset)
    if major <= 3:
        return (
            _decode_byte_string(data, offset, argument)
            if major == 2
            else _decode_text_string(data, offset, argument)
        )
    if major <= 5:
        return (_decode_array if major == 4 else _decode_map)(data, offset, argument, depth)
    # In CBOR (RFC 8949), a tag (major type 6) only annotates the item that follows. Ignore the tag, and
    # decode that item.
    return (
        _decode_cbor_item(data, offset, depth + 1)
        if major == 6
        else _decode_simple_value(data, start, argument, offset)
    )


class _Head(NamedTuple):
    """The head of a CBOR item (RFC 8949, section 3)."""

    major: int  # the type
    argument: int
    content: int  # the offset after the head


def _decode_item_head(data: bytes, start: int) -> _Head:
    major, detail = data[start] >> 5, data[start] & 0x1F
    if detail < 24:
        return _Head(major, detail, start + 1)
    if detail > 27:
        raise InvalidValueError(f"the CBOR item at byte {start} has an indefinite or reserved length")
    width = 1 << (detail - 24)
    content = start + 1 + width
    if content > len(data):
        raise InvalidValueError(
            f"the CBOR data ends at byte {len(data)}, inside the length of the item at byte {start}"
        )
    return _Head(major, int.from_bytes(data[start + 1 : content], "big"), content)


def _decode_byte_string(data: bytes, start: int, length: int) -> CborItem:
    if length > len(data) - start:
        raise InvalidValueError(
            f"the CBOR data is cut off: a string of {length} bytes has {len(data) - start} left"
        )
    return CborItem(data[start : start + length], start + length)


def _decode_text_string(data: bytes, start: int, length: int) -> CborItem:
    end = _decode_byte_string(data, start, length).end
    try:
        return CborItem(data[start:end].decode("utf-8"), end)
    except UnicodeDecodeError:
        raise InvalidValueError(f"the CBOR text at byte {start} is not valid UTF-8") from None


def _decode_array(data: bytes, offset: int, item_count: int, depth: int) -> CborItem:
    if item_count > len(data) - offset:  # each item takes at least one byte, so reject a huge count early
        raise InvalidValueError(
            f"the CBOR data is cut off: an array of {item_count} items begins where only {len(data) - offset} "
            "bytes are left"
        )
    items = []
    for _ in range(item_count):
        item, offset = _decode_cbor_item(data, offset, depth + 1)
        items.append(item)
    return CborItem(items, offset)


def _decode_map(data: bytes, offset: int, pair_count: int, depth: int) -> CborItem:
    if 2 * pair_count > len(data) - offset:
        raise InvalidValueError(
            f"the CBOR data is cut off: a map of {pair_count} pairs begins where only {len(data) - offset} bytes "
            "are left"
        )
    pairs: dict[CborValue, CborValue] = {}
    for _ in range(pair_count):
        key, offset = _decode_cbor_item(data, offset, depth + 1)
        if isinstance(key, list | dict) or key in pairs:
            raise InvalidValueError(
                f"a CBOR map has the key {key!r}, which is repeated, or is an array or a map"
            )
        pairs[key], offset = _decode_cbor_item(data, offset, depth + 1)
    return CborItem(pairs, offset)


def _decode_simple_value(data: bytes, start: int, argument: int, end: int) -> CborItem:
    detail = data[start] & 0x1F
    if detail in _FLOATS:
        return CborItem(struct.unpack(_FLOATS[detail], data[start + 1 : end])[0], end)
    plain = {_FALSE: False, _TRUE: True, _NULL: None, _UNDEFINED: None}
    if detail not in plain:
        raise InvalidValueError(
            f"the CBOR item at byte {start} has the simple value {argument}; allowed are false, true, null "
            "and undefined"
        )
    return CborItem(plain[detail], end)


@lru_cache(maxsize=MAX_CACHED_ITEMS)
def is_cbor(data: bytes) -> bool:
    """Return whether bytes are exactly one value in CBOR, a binary JSON."""
    try:
        decode_cbor(data)
    except InvalidValueError:
        return False
    return True
