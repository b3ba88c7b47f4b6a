"""ABI-encoded values, read and written strictly (Solidity's "Contract ABI Specification").

Only the canonical encoding is read: every tail follows the one before it, without gap or overlap, and all
padding is zero. Sourcify accepts constructor arguments if decoding and encoding them again gives the same
bytes, which is true of canonical encodings and of no others. Strictness is also what bounds the work: each
byte is read once, so offsets that point back into one another cannot multiply it.
"""

from collections.abc import Sequence
from typing import Any

from statuary.domain.contracts.abi_types import WORD, AbiType, Array, Basic, Tuple
from statuary.domain.primitives import Malformed

Value = Any
"""int for numbers and addresses, bool, bytes, str, or a list of these for arrays and tuples."""


def decode_values(types: Tuple, data: bytes) -> list[Value]:
    """Decode the arguments of a call or constructor.

    Raises:
        Malformed: if `data` is not the canonical encoding of values of these types, the whole of it.
    """
    values, end = _decode_sequence(types.items, data, 0)
    if end != len(data):
        raise Malformed(f"{len(data) - end} bytes follow the last argument")
    return values


def encode_values(types: Tuple, values: Sequence[Value]) -> bytes:
    """Encode values canonically.

    Raises:
        Malformed: if the values do not fit the types.
    """
    return _encode_sequence(types.items, values)


def _decode_sequence(types: Sequence[AbiType], data: bytes, start: int) -> tuple[list[Value], int]:
    """Decode heads from `start` and the tails that follow them; return the values and where they end."""
    tail = start + sum(item.head_bytes for item in types)
    if tail > len(data):
        raise Malformed(f"{tail} bytes are needed, there are {len(data)}")
    values, at = [], start
    for item in types:
        if item.is_dynamic:
            if _unsigned(data, at) != tail - start:
                raise Malformed(f"the offset at byte {at} is not {tail - start}")
            value, tail = _decode_dynamic(item, data, tail)
        else:
            value = _decode_static(item, data, at)
        values.append(value)
        at += item.head_bytes
    return values, tail


def _decode_dynamic(item: AbiType, data: bytes, start: int) -> tuple[Value, int]:
    match item:
        case Tuple(items):
            return _decode_sequence(items, data, start)
        case Array(of, None):
            length = _unsigned(data, start)
            # ethers wants a word left per item; it also keeps arrays of nothing from being endless
            if length * WORD > len(data) - start - WORD:
                raise Malformed(f"an array of {length} items does not fit in {len(data)} bytes")
            return _decode_sequence([of] * length, data, start + WORD)
        case Array(of, int(length)):
            if length * WORD > len(data) - start:
                raise Malformed(f"an array of {length} items does not fit in {len(data)} bytes")
            return _decode_sequence([of] * length, data, start)
        case Basic():
            return _decode_text(item, data, start)
        case _:
            raise Malformed("an array without a length stands where it cannot")


def _decode_text(item: Basic, data: bytes, start: int) -> tuple[bytes | str, int]:
    length = _unsigned(data, start)
    end = start + WORD + length
    padded = end + -length % WORD
    if padded > len(data):
        raise Malformed(f"{item.kind} of {length} bytes does not fit in {len(data)} bytes")
    if any(data[end:padded]):
        raise Malformed(f"the padding at byte {end} is not zero")
    raw = data[start + WORD : end]
    if item.kind == "bytes":
        return raw, padded
    try:
        return raw.decode("utf-8"), padded
    except UnicodeDecodeError:
        raise Malformed(f"the string at byte {start} is not UTF-8") from None


def _decode_static(item: AbiType, data: bytes, at: int) -> Value:
    match item:
        case Tuple(items):
            return _decode_sequence(items, data, at)[0]
        case Array(of, length):
            if not of.head_bytes:
                raise Malformed("an array of items without bytes says nothing")
            return _decode_sequence([of] * (length or 0), data, at)[0]
        case Basic(kind="bytesN", size=size):
            if any(data[at + size : at + WORD]):
                raise Malformed(f"the padding at byte {at + size} is not zero")
            return data[at : at + size]
        case _:
            return _decode_number(item, _unsigned(data, at), at)


def _decode_number(item: Basic, word: int, at: int) -> int | bool:
    bits = {"address": 160, "bool": 1}.get(item.kind, item.size)
    if item.kind == "int":
        number = word - (1 << 256) if word >> 255 else word
        if not -(1 << bits - 1) <= number < 1 << bits - 1:
            raise Malformed(f"the word at byte {at} is no {item.name}")
        return number
    if word >> bits:
        raise Malformed(f"the word at byte {at} is no {item.name}")
    return bool(word) if item.kind == "bool" else word


def _unsigned(data: bytes, at: int) -> int:
    if at + WORD > len(data):
        raise Malformed(f"a word is missing at byte {at}")
    return int.from_bytes(data[at : at + WORD], "big")


def _encode_sequence(types: Sequence[AbiType], values: Sequence[Value]) -> bytes:
    if not isinstance(values, list | tuple) or len(values) != len(types):
        raise Malformed(f"{len(types)} values are needed")
    tail_at = sum(item.head_bytes for item in types)
    heads, tails = bytearray(), bytearray()
    for item, value in zip(types, values, strict=True):
        encoded = _encode_one(item, value)
        if item.is_dynamic:
            heads += _word(tail_at + len(tails))
            tails += encoded
        else:
            heads += encoded
    return bytes(heads + tails)


def _encode_one(item: AbiType, value: Value) -> bytes:
    match item:
        case Tuple(items):
            return _encode_sequence(items, value)
        case Array(of, None):
            return _word(len(value)) + _encode_sequence([of] * len(value), value)
        case Array(of, length):
            return _encode_sequence([of] * (length or 0), value)
        case Basic(kind="bytesN", size=size):
            if len(value) != size:
                raise Malformed(f"{item.name} takes {size} bytes")
            return bytes(value).ljust(WORD, b"\0")
        case Basic(kind="string" | "bytes"):
            raw = value.encode("utf-8") if isinstance(value, str) else bytes(value)
            return _word(len(raw)) + raw + bytes(-len(raw) % WORD)
        case _:
            return _word(int(value) % (1 << 256))


def _word(number: int) -> bytes:
    return number.to_bytes(WORD, "big")
