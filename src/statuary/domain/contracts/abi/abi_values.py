"""ABI-encoded values (Solidity's "Contract ABI Specification"), in canonical encoding only.

Every tail follows the previous one without gap or overlap, and all padding is zero. Sourcify accepts
constructor arguments if decoding and encoding them again gives the same bytes, which holds for canonical
encodings only. This also bounds the work: each byte is read once, so overlapping offsets cannot multiply it.
"""

from collections.abc import Sequence
from typing import Any

from statuary.domain.contracts.abi.abi_types import WORD, AbiType, ArrayType, BasicType, TupleType
from statuary.domain.primitives import InvalidValueError

AbiValue = Any
"""int for numbers and addresses, bool, bytes, str, or a list of these for arrays and tuples."""


def decode_abi_values(types: TupleType, data: bytes) -> list[AbiValue]:
    """Decode the arguments of a call or constructor.

    Raises:
        InvalidValueError: if `data` is not exactly the canonical encoding of values of these types.
    """
    values, end = _decode_sequence(types.items, data, 0)
    if end != len(data):
        raise InvalidValueError(f"{len(data) - end} bytes follow the last argument")
    return values


def _decode_sequence(types: Sequence[AbiType], data: bytes, start: int) -> tuple[list[AbiValue], int]:
    """Decode heads from `start` and their tails; return the values and the end."""
    tail = start + sum(item.head_bytes for item in types)
    if tail > len(data):
        raise InvalidValueError(f"{tail} bytes are needed, there are {len(data)}")
    values, at = [], start
    for item in types:
        if item.is_dynamic:
            if _unsigned(data, at) != tail - start:
                raise InvalidValueError(f"the offset at byte {at} is not {tail - start}")
            value, tail = _decode_dynamic(item, data, tail)
        else:
            value = _decode_static(item, data, at)
        values.append(value)
        at += item.head_bytes
    return values, tail


def _decode_dynamic(item: AbiType, data: bytes, start: int) -> tuple[AbiValue, int]:
    match item:
        case TupleType(items):
            return _decode_sequence(items, data, start)
        case ArrayType(of, None):
            length = _unsigned(data, start)
            # ethers requires a remaining word for each item, which also limits arrays of empty items
            if length * WORD > len(data) - start - WORD:
                raise InvalidValueError(f"an array of {length} items does not fit in {len(data)} bytes")
            return _decode_sequence([of] * length, data, start + WORD)
        case ArrayType(of, int(length)):
            if length * WORD > len(data) - start:
                raise InvalidValueError(f"an array of {length} items does not fit in {len(data)} bytes")
            return _decode_sequence([of] * length, data, start)
        case BasicType():
            return _decode_text(item, data, start)
        case _:
            raise InvalidValueError("an array without a length is not allowed here")


def _decode_text(item: BasicType, data: bytes, start: int) -> tuple[bytes | str, int]:
    length = _unsigned(data, start)
    end = start + WORD + length
    padded = end + -length % WORD
    if padded > len(data):
        raise InvalidValueError(f"{item.kind} of {length} bytes does not fit in {len(data)} bytes")
    if any(data[end:padded]):
        raise InvalidValueError(f"the padding at byte {end} is not zero")
    raw = data[start + WORD : end]
    if item.kind == "bytes":
        return raw, padded
    try:
        return raw.decode("utf-8"), padded
    except UnicodeDecodeError:
        raise InvalidValueError(f"the string at byte {start} is not UTF-8") from None


def _decode_static(item: AbiType, data: bytes, at: int) -> AbiValue:
    match item:
        case TupleType(items):
            return _decode_sequence(items, data, at)[0]
        case ArrayType(of, length):
            if not of.head_bytes:
                raise InvalidValueError("an array has items without bytes")
            return _decode_sequence([of] * (length or 0), data, at)[0]
        case BasicType(kind="bytesN", size=size):
            if any(data[at + size : at + WORD]):
                raise InvalidValueError(f"the padding at byte {at + size} is not zero")
            return data[at : at + size]
        case _:
            return _decode_number(item, _unsigned(data, at), at)


def _decode_number(item: BasicType, word: int, at: int) -> int | bool:
    bits = {"address": 160, "bool": 1}.get(item.kind, item.size)
    if item.kind == "int":
        number = word - (1 << 256) if word >> 255 else word
        if not -(1 << bits - 1) <= number < 1 << bits - 1:
            raise InvalidValueError(f"the word at byte {at} is not a {item.name}")
        return number
    if word >> bits:
        raise InvalidValueError(f"the word at byte {at} is not a {item.name}")
    return bool(word) if item.kind == "bool" else word


def _unsigned(data: bytes, at: int) -> int:
    if at + WORD > len(data):
        raise InvalidValueError(f"a word is missing at byte {at}")
    return int.from_bytes(data[at : at + WORD], "big")
