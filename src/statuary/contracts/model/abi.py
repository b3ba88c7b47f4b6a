"""ABIs: types as ethers v6 parses them, signatures, selectors and values.

Sourcify computes signatures and checks constructor arguments with ethers, so what ethers rejects (`function`,
`fixed128x18`, the enum and struct names in library ABIs) is rejected here too. Specification: Solidity's
"Contract ABI Specification"; deviations noted below are those of ethers' `ParamType`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import orjson

from statuary.base.json_values import Json
from statuary.base.limits import MAX_ABI_TYPE_DEPTH
from statuary.base.primitives import InvalidValueError, keccak256

WORD = 32
"""Bytes of one ABI word."""

_BASIC = re.compile(r"(address|bool|bytes([0-9]*)|string|(u?int)([0-9]*))", re.ASCII)
_ARRAY = re.compile(r"(.*)\[([0-9]*)\]", re.ASCII | re.DOTALL)
_IDENTIFIER = re.compile(r"[a-zA-Z$_][a-zA-Z0-9$_]*", re.ASCII)
_LONGEST_NUMBER = 30
_LONGEST_REMEMBERED = 40


@dataclass(frozen=True)
class BasicType:
    """An elementary ABI type, such as `address`, `bytes7` or `uint256`."""

    name: str  # the canonical name (`uint256` for `uint`)
    kind: str  # the name of the type without the size, such as `uint`
    size: int = 0  # the bytes of `bytesN`, or the bits of an integer; 0 for other types

    is_dynamic: bool = False
    inline_size: int = WORD

    @property
    def canonical_name(self) -> str:
        """The name of the type in function signatures, such as `uint256`."""
        return self.name


@dataclass(frozen=True)
class ArrayType:
    """An array, `T[]` or `T[n]`.

    `length` is None for `T[]`.
    """

    item: "AbiType"
    length: int | None

    @cached_property
    def is_dynamic(self) -> bool:
        """Whether the length of the encoded array depends on its value.

        A call then contains an offset in place of the array, which follows the other arguments.
        """
        return self.length is None or self.item.is_dynamic

    @cached_property
    def inline_size(self) -> int:
        """The size in bytes of the array among a call's arguments.

        32 if the array is dynamic: the arguments then contain only an offset to it.
        """
        return WORD if self.is_dynamic else self.item.inline_size * (self.length or 0)

    @property
    def canonical_name(self) -> str:
        """The name of the type in function signatures, such as `uint256[3]`."""
        return f"{self.item.canonical_name}[{'' if self.length is None else self.length}]"


@dataclass(frozen=True)
class TupleType:
    """A struct, or a list of arguments."""

    items: tuple["AbiType", ...]

    @cached_property
    def is_dynamic(self) -> bool:
        """Whether the length of the encoded tuple depends on its value.

        A call then contains an offset in place of the tuple, which follows the other arguments.
        """
        return any(item.is_dynamic for item in self.items)

    @cached_property
    def inline_size(self) -> int:
        """The size in bytes of the tuple among a call's arguments.

        32 if the tuple is dynamic: the arguments then contain only an offset to it.
        """
        return WORD if self.is_dynamic else sum(item.inline_size for item in self.items)

    @property
    def canonical_name(self) -> str:
        """The name of the type in function signatures, such as `(address,uint256)`."""
        return f"({','.join(item.canonical_name for item in self.items)})"


AbiType = BasicType | ArrayType | TupleType


def parse_abi_parameters(parameters: Json, *, may_be_indexed: bool = False) -> TupleType:
    """Parse the parameters of a function or event into one tuple type.

    Args:
        parameters: the `inputs` of an ABI item; null is treated as no parameters.
        may_be_indexed: whether the parameters are those of an event; `indexed` is an error elsewhere.

    Raises:
        InvalidValueError: if the library ethers would reject the type or name of a parameter.
    """
    return TupleType(parse_abi_types(parameters, may_be_indexed=may_be_indexed))


def parse_abi_types(parameters: Json, *, may_be_indexed: bool = False) -> tuple[AbiType, ...]:
    """Parse the types of a function's or event's parameters.

    Args:
        parameters: the `inputs` of an ABI item; null is treated as no parameters.
        may_be_indexed: whether the parameters are those of an event; `indexed` is an error elsewhere.

    Raises:
        InvalidValueError: if the library ethers would reject the type or name of a parameter.
    """
    if not parameters:
        return ()
    if not isinstance(parameters, list):
        raise InvalidValueError("`inputs` of an ABI item is not a list")
    return tuple([_parse_parameter(parameter, 0, may_be_indexed=may_be_indexed) for parameter in parameters])


def is_identifier(name: Json) -> bool:
    """Return whether a JSON value can name a function or parameter.

    The rule is that of ethers, the JavaScript library with which Sourcify parses ABIs.
    """
    if not isinstance(name, str):
        return False
    # `str.isidentifier` is several times faster, and accepts the same names as ethers except those with `$`
    return (name.isascii() and name.isidentifier()) or _IDENTIFIER.fullmatch(name) is not None


def _parse_parameter(parameter: Json, depth: int, *, may_be_indexed: bool) -> AbiType:
    if not isinstance(parameter, dict) or not isinstance(type_name := parameter.get("type"), str):
        raise InvalidValueError("an ABI parameter has no `type`")
    name = parameter.get("name")
    components = parameter.get("components")
    if name and not is_identifier(name):
        raise InvalidValueError(f"parameter name {name!r} is not an identifier")
    if not may_be_indexed and parameter.get("indexed") is not None:
        raise InvalidValueError("`indexed` is set on a parameter that is not a direct parameter of an event")
    if components is None and not depth and len(type_name) <= _LONGEST_REMEMBERED:
        return _parse_type_cached(type_name)
    return _parse_type(type_name, components, depth)


@lru_cache(maxsize=1024)
def _parse_type_cached(type_name: str) -> AbiType:
    return _parse_type(type_name, None, 0)


def _parse_type(type_name: str, components: Json, depth: int) -> AbiType:
    if depth > MAX_ABI_TYPE_DEPTH:
        raise InvalidValueError(f"an ABI type is nested deeper than the limit of {MAX_ABI_TYPE_DEPTH} levels")
    if array := _ARRAY.fullmatch(type_name):
        length = _parse_type_number(array[2]) if array[2] else None
        return ArrayType(_parse_type(array[1], components, depth + 1), length)
    # Like the library ethers, treat any type that starts with `tuple` as a tuple, and take the types of its
    # members from `components`.
    if type_name == "tuple" or type_name.startswith(("tuple(", "(")):
        return _parse_tuple(components, depth)
    return _parse_basic_type(type_name)


def _parse_tuple(components: Json, depth: int) -> TupleType:
    if not isinstance(components, list):
        raise InvalidValueError("a parameter of type tuple has no list of `components`")
    return TupleType(
        tuple(_parse_parameter(component, depth + 1, may_be_indexed=False) for component in components)
    )


def _parse_basic_type(type_name: str) -> BasicType:
    match = _BASIC.fullmatch(type_name)
    if match is None:
        raise InvalidValueError(f"type {type_name[:80]!r} is not an ABI type")
    name, bytes_size, integer, bits = match.groups()
    if integer:
        size = _parse_type_number(bits) if bits else 256
        if not 0 < size <= 256 or size % 8:
            raise InvalidValueError(
                f"type {type_name[:80]!r} is not an ABI type: the bits of an integer are a multiple of 8, "
                "from 8 to 256"
            )
        return BasicType(type_name if bits else f"{integer}256", integer, size)
    if bytes_size:
        size = _parse_type_number(bytes_size)
        if not 0 < size <= WORD:
            raise InvalidValueError(
                f"type {type_name[:80]!r} is not an ABI type: bytesN has a length from 1 to {WORD}"
            )
        return BasicType(type_name, "bytesN", size)
    if name in ("string", "bytes"):
        return BasicType(name, name, is_dynamic=True)
    return BasicType(name, name)


def _parse_type_number(decimal_digits: str) -> int:
    if len(decimal_digits) > _LONGEST_NUMBER:
        raise InvalidValueError(
            f"an ABI type contains a number of {len(decimal_digits)} digits; the limit is {_LONGEST_NUMBER}"
        )
    return int(decimal_digits)


def canonical_signature(name: str, input_types: Sequence[AbiType]) -> str:
    """Return the signature of a function, such as `transfer(address,uint256)`.

    Args:
        name: the name of the function, event or error.
        input_types: the types of its parameters.
    """
    return f"{name}({','.join(item.canonical_name for item in input_types)})"


SIGNATURE_KINDS: Final = ("function", "event", "error")
"""The kinds of item that have a signature, in served order."""

REMEMBERED_SIGNATURES = 65_536
"""The number of cached hashes: half of all signatures in real contracts repeat within a few records."""

REMEMBERED_ITEMS: Final = 16_384
LONGEST_REMEMBERED_ITEM: Final = 1_000
"""The number of items that are cached with their signatures (about 6 MB), and the longest one in bytes."""

_TEXTS: Final[dict[bytes, str | None]] = {}


def abi_signatures(abi: Json) -> dict[str, list[dict[str, str]]]:
    """List the functions, events and errors of an ABI as signatures.

    Signatures are unique and sorted. Sourcify's server sorts them by another rule, so compare with its records as sets.

    Args:
        abi: the record's `abi`: the contract's interface, a JSON list.

    Returns:
        For each of `function`, `event` and `error`, the signatures with their hashes.
    """
    texts: dict[str, set[str]] = {kind: set() for kind in SIGNATURE_KINDS}
    for item in abi if isinstance(abi, list) else ():
        if (
            isinstance(item, dict)
            and (kind := item.get("type")) in SIGNATURE_KINDS
            and (text := cached_item_signature(item))
        ):
            texts[kind].add(text)
    return {kind: [signature_with_hashes(text) for text in sorted(texts[kind])] for kind in SIGNATURE_KINDS}


def cached_item_signature(abi_item: Mapping[str, Json]) -> str | None:
    """Return an ABI item's signature from a cache, or compute it.

    Contracts of one standard, such as ERC-20, repeat the same items.

    Returns:
        A signature such as `transfer(address,uint256)`, or None if the item is invalid.
    """
    try:
        key = orjson.dumps(abi_item)
    except TypeError:  # orjson raises a TypeError for a lone surrogate, or too deep nesting
        return item_signature(abi_item)
    if len(key) > LONGEST_REMEMBERED_ITEM:
        return item_signature(abi_item)
    if key not in _TEXTS:
        if len(_TEXTS) == REMEMBERED_ITEMS:
            _TEXTS.clear()
        _TEXTS[key] = item_signature(abi_item)
    return _TEXTS[key]


def item_signature(abi_item: Mapping[str, Json]) -> str | None:
    """Return an ABI item's signature, such as `transfer(address,uint256)`.

    Returns:
        The signature, or None if the library ethers would reject the item.
    """
    name = abi_item.get("name")
    if not is_identifier(name):
        return None
    try:
        inputs = parse_abi_types(abi_item.get("inputs"), may_be_indexed=abi_item.get("type") == "event")
        if abi_item.get("type") == "function":
            # Parse the outputs although the signature does not contain them, because the library ethers
            # rejects a function with invalid outputs.
            parse_abi_types(abi_item.get("outputs"))
    except InvalidValueError:
        return None
    return canonical_signature(str(name), inputs)


@lru_cache(maxsize=REMEMBERED_SIGNATURES)
def signature_hash(signature: str) -> str:
    """Return the Keccak-256 of a signature as `0x` and 64 hex digits.

    The EVM identifies an event by this hash, and a function by its first 4 bytes.
    """
    return "0x" + keccak256(signature.encode("utf-8", "surrogatepass")).hex()


def signature_with_hashes(signature: str) -> dict[str, str]:
    """Return a signature with its hashes, as a contract's record lists it.

    Example: {"signature": "transfer(address,uint256)", "signatureHash4": "0xa9059cbb", "signatureHash32": "0xa9059cbb2a…"}
    """
    digest = signature_hash(signature)
    return {"signature": signature, "signatureHash4": digest[:10], "signatureHash32": digest}


AbiValue = Any
"""int for numbers and addresses, bool, bytes, str, or a list of these for arrays and tuples."""


def decode_abi_values(types: TupleType, data: bytes) -> list[AbiValue]:
    """Decode the ABI-encoded arguments of a call or constructor.

    Args:
        types: the types of the arguments.
        data: the encoded arguments.

    Raises:
        InvalidValueError: if `data` is not exactly the canonical encoding of values of these types.
    """
    decoded = _decode_sequence(types.items, data, 0)
    if decoded.end != len(data):
        raise InvalidValueError(f"the data has {len(data) - decoded.end} bytes more than the arguments need")
    values: list[AbiValue] = decoded.value
    return values


class _Decoded(NamedTuple):
    value: AbiValue
    end: int


def _decode_sequence(types: Sequence[AbiType], data: bytes, start: int) -> _Decoded:
    """Decode the values of a tuple, an array or an argument list.

    Args:
        start: the offset of the first value in `data`.
    """
    tail = start + sum(item.inline_size for item in types)
    if tail > len(data):
        raise InvalidValueError(
            f"the data ends too early: it has {len(data)} bytes, and these types need at least {tail}"
        )
    values, offset = [], start
    for item in types:
        if item.is_dynamic:
            if _read_unsigned_word(data, offset) != tail - start:
                raise InvalidValueError(
                    f"the offset stored at byte {offset} of the data should be {tail - start}"
                )
            value, tail = _decode_dynamic(item, data, tail)
        else:
            value = _decode_static(item, data, offset)
        values.append(value)
        offset += item.inline_size
    return _Decoded(values, tail)


def _decode_dynamic(abi_type: AbiType, data: bytes, start: int) -> _Decoded:
    match abi_type:
        case TupleType(items):
            return _decode_sequence(items, data, start)
        case ArrayType(of, None):
            length = _read_unsigned_word(data, start)
            # Like the library ethers, require at least one word of data for each item. This limits the length
            # of an array even if its items take no space.
            if length * WORD > len(data) - start - WORD:
                raise InvalidValueError(
                    f"the data is too short: an array of {length} items does not fit in its {len(data)} bytes"
                )
            return _decode_sequence([of] * length, data, start + WORD)
        case ArrayType(of, int(length)):
            if length * WORD > len(data) - start:
                raise InvalidValueError(
                    f"the data is too short: an array of {length} items does not fit in its {len(data)} bytes"
                )
            return _decode_sequence([of] * length, data, start)
        case BasicType():
            return _decode_bytes_or_string(abi_type, data, start)
        case _:
            raise InvalidValueError("an array type has no length, but values at this place need a fixed size")


def _decode_bytes_or_string(abi_type: BasicType, data: bytes, start: int) -> _Decoded:
    length = _read_unsigned_word(data, start)
    end = start + WORD + length
    padded = end + -length % WORD
    if padded > len(data):
        raise InvalidValueError(
            f"the data is too short: a {abi_type.kind} value of {length} bytes does not fit in its {len(data)} "
            "bytes"
        )
    if any(data[end:padded]):
        raise InvalidValueError(f"the padding of the data should be zeros from byte {end} on")
    raw = data[start + WORD : end]
    if abi_type.kind == "bytes":
        return _Decoded(raw, padded)
    try:
        return _Decoded(raw.decode("utf-8"), padded)
    except UnicodeDecodeError:
        raise InvalidValueError(f"the string value at byte {start} of the data is not valid UTF-8") from None


def _decode_static(abi_type: AbiType, data: bytes, offset: int) -> AbiValue:
    match abi_type:
        case TupleType(items):
            return _decode_sequence(items, data, offset).value
        case ArrayType(of, length):
            if not of.inline_size:
                raise InvalidValueError("an array type has items that take no bytes, such as empty tuples")
            return _decode_sequence([of] * (length or 0), data, offset)[0]
        case BasicType(kind="bytesN", size=size):
            if any(data[offset + size : offset + WORD]):
                raise InvalidValueError(
                    f"the padding of the data should be zeros from byte {offset + size} on"
                )
            return data[offset : offset + size]
        case _:
            return _decode_number(abi_type, _read_unsigned_word(data, offset), offset)


def _decode_number(abi_type: BasicType, word: int, offset: int) -> int | bool:
    bits = {"address": 160, "bool": 1}.get(abi_type.kind, abi_type.size)
    if abi_type.kind == "int":
        number = word - (1 << 256) if word >> 255 else word
        if not -(1 << bits - 1) <= number < 1 << bits - 1:
            raise InvalidValueError(
                f"the 32 bytes at byte {offset} of the data are not a valid {abi_type.name} value"
            )
        return number
    if word >> bits:
        raise InvalidValueError(
            f"the 32 bytes at byte {offset} of the data are not a valid {abi_type.name} value"
        )
    return bool(word) if abi_type.kind == "bool" else word


def _read_unsigned_word(data: bytes, offset: int) -> int:
    if offset + WORD > len(data):
        raise InvalidValueError(
            f"the data ends too early: {WORD} bytes are expected at byte {offset}, and it has {len(data)} bytes"
        )
    return int.from_bytes(data[offset : offset + WORD], "big")
