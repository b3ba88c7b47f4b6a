"""RLP, the encoding of headers, transactions and trie nodes (Ethereum's yellow paper, appendix B).

Each value has exactly one encoding, and no other is accepted.
"""

from typing import Final

from statuary.domain.errors import StatuaryError
from statuary.domain.limits import MAX_RLP_DEPTH

RlpItem = bytes | list["RlpItem"]
"""Bytes, or a list of items."""

SHORT: Final = 55
"""The longest payload whose length is in its first byte."""

BYTES, LIST = 0x80, 0xC0


class EvidenceError(StatuaryError, ValueError):
    """Bytes that do not show a claim; the message is a clause that follows a colon."""


def encode_rlp(item: RlpItem) -> bytes:
    """Return the encoding of an item."""
    if isinstance(item, list):
        payload = b"".join(map(encode_rlp, item))
        return _prefix(LIST, len(payload)) + payload
    if len(item) == 1 and item[0] < BYTES:
        return item
    return _prefix(BYTES, len(item)) + item


def _prefix(kind: int, length: int) -> bytes:
    if length <= SHORT:
        return bytes([kind + length])
    size = number_bytes(length)
    return bytes([kind + SHORT + len(size)]) + size


def number_bytes(number: int) -> bytes:
    """Return a number as RLP has it: big-endian, without leading zeros."""
    return number.to_bytes((number.bit_length() + 7) // 8)


def decode_rlp(data: bytes) -> RlpItem:
    """Return the item that bytes encode; raise EvidenceError if they are not the encoding of one item."""
    item, end = _decode(data, 0, len(data), MAX_RLP_DEPTH)
    if end != len(data):
        raise EvidenceError(f"{len(data) - end} bytes follow an RLP item")
    return item


def decode_list(data: bytes) -> list[RlpItem]:
    """Return the list that bytes encode; raise EvidenceError if they are not the encoding of a list."""
    item = decode_rlp(data)
    if not isinstance(item, list):
        raise EvidenceError("it is not an RLP list")
    return item


def _decode(data: bytes, at: int, limit: int, depth: int) -> tuple[RlpItem, int]:
    """Return the item at an offset, and its end, which is at most the limit."""
    if not depth:
        raise EvidenceError(f"RLP nests deeper than {MAX_RLP_DEPTH} levels")
    if at >= limit:
        raise EvidenceError("an RLP item is cut off")
    first = data[at]
    if first < BYTES:
        return data[at : at + 1], at + 1
    start, end = _payload(data, at, limit)
    if first < LIST:
        if end - start == 1 and data[start] < BYTES:
            raise EvidenceError("an RLP byte has a needless prefix")
        return data[start:end], end
    items: list[RlpItem] = []
    while start < end:
        item, start = _decode(data, start, end, depth - 1)
        items.append(item)
    return items, end


def _payload(data: bytes, at: int, limit: int) -> tuple[int, int]:
    """Return where the payload of an item with a prefix starts and ends."""
    length, start = (data[at] - BYTES) % (LIST - BYTES), at + 1
    if length > SHORT:
        size = data[start : start + length - SHORT]
        start += length - SHORT
        length = int.from_bytes(size)
        if length <= SHORT or size[0] == 0:
            raise EvidenceError("the length of an RLP item is not in its shortest form")
    if start + length > limit:
        raise EvidenceError("an RLP item is cut off")
    return start, start + length


def as_number(item: RlpItem) -> int:
    """Return the number that an item holds; raise EvidenceError if it is a list, or has leading zeros."""
    if isinstance(item, list) or item[:1] == b"\0":
        raise EvidenceError("a number is not in its shortest form")
    return int.from_bytes(item)


def as_bytes(item: RlpItem, *lengths: int) -> bytes:
    """Return the bytes that an item holds, of one of some lengths; of any if none is given.

    Raises:
        EvidenceError: if it is a list, or of another length.
    """
    if isinstance(item, list) or (lengths and len(item) not in lengths):
        raise EvidenceError(f"a member is not {' or '.join(map(str, lengths)) or 'any number of'} bytes")
    return item
