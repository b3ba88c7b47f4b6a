"""Decode a call's or message's values, and find them by path."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from statuary.base.budget import consume
from statuary.base.json_values import Json
from statuary.base.primitives import InvalidValueError, decode_hex_digits
from statuary.contracts.model.abi import WORD, BasicType
from statuary.extensions.clear_signing.key_types import ListType, Parameter, StructType, ValueType
from statuary.extensions.clear_signing.path_types import ADDRESS_BYTES, DataTypes
from statuary.extensions.clear_signing.paths import Item, Member, Slice, Step


class Leaf(NamedTuple):
    """A single value of a call or message, with its type.

    `value` is an int, a bool, a string or bytes (addresses are bytes).
    """

    kind: str  # a kind of `BasicType`, or `slice` for bytes that a path selects from a value
    value: int | bool | str | bytes

    @property
    def number(self) -> int:
        """The value as an integer; 0 if it is not a number."""
        return self.value if isinstance(self.value, int) else 0

    @property
    def bytes(self) -> bytes:
        """The value as bytes: 32 for an integer, one for a bool."""
        if isinstance(self.value, bytes):
            return self.value
        if isinstance(self.value, str):
            return self.value.encode()
        return (int(self.value) % (1 << 256)).to_bytes(1 if isinstance(self.value, bool) else WORD, "big")


Value = Leaf | Sequence["Value"] | Mapping[str, "Value"]


def decode_call(parameters: tuple[Parameter, ...], data: bytes) -> Value:
    """Decode the ABI-encoded arguments of a call.

    Args:
        parameters: the parameters of the function.
        data: the data of the call after the selector.

    Raises:
        InvalidValueError: if the data is too short.
    """
    return _decode_struct(StructType(parameters), data, 0)


def _is_dynamic(kind: ValueType) -> bool:
    match kind:
        case ListType(item, length):
            return length is None or _is_dynamic(item)
        case StructType(members):
            return any(_is_dynamic(member.type) for member in members)
        case BasicType(is_dynamic=is_dynamic):
            return is_dynamic
        case _:
            return False


def _head_size(kind: ValueType) -> int:
    if _is_dynamic(kind):
        return WORD
    match kind:
        case ListType(item, length):
            return _head_size(item) * (length or 0)
        case StructType(members):
            return sum(_head_size(member.type) for member in members)
        case _:
            return WORD


def _decode_struct(kind: StructType, data: bytes, start: int) -> Value:
    values = _decode_sequence([member.type for member in kind.members], data, start)
    names = [member.name or f"({number})" for number, member in enumerate(kind.members)]
    return dict(zip(names, values, strict=True))


def _decode_sequence(kinds: Sequence[ValueType], data: bytes, start: int) -> list[Value]:
    values, head = list[Value](), start
    for kind in kinds:
        consume(20)
        at = start + _decode_number(data, head) if _is_dynamic(kind) else head
        values.append(_decode_value(kind, data, at))
        head += _head_size(kind)
    return values


def _decode_value(kind: ValueType, data: bytes, at: int) -> Value:
    match kind:
        case ListType(item, length):
            count = _decode_number(data, at) if length is None else length
            if count * WORD > len(data):
                raise InvalidValueError(
                    f"the data is too short: an array of {count} items does not fit in its {len(data)} bytes"
                )
            return _decode_sequence([item] * count, data, at + WORD if length is None else at)
        case StructType():
            return _decode_struct(kind, data, at)
        case BasicType():
            return _decode_leaf(kind, data, at)
        case _:
            raise InvalidValueError(
                "the members of a struct type are unknown, so its value cannot be decoded"
            )


def _decode_leaf(kind: BasicType, data: bytes, at: int) -> Leaf:
    if kind.is_dynamic:
        length = _decode_number(data, at)
        if at + WORD + length > len(data):
            raise InvalidValueError(
                f"the data is too short: a {kind.name} value of {length} bytes does not fit in its "
                f"{len(data)} bytes"
            )
        raw = data[at + WORD : at + WORD + length]
        return Leaf(kind.kind, raw if kind.kind == "bytes" else raw.decode("utf-8", "replace"))
    word = _decode_number(data, at)
    raw = word.to_bytes(WORD, "big")
    if kind.kind == "address":
        return Leaf("address", raw[-ADDRESS_BYTES:])
    if kind.kind == "bytesN":
        return Leaf("bytes", raw[: kind.size])
    if kind.kind == "bool":
        return Leaf("bool", bool(word))
    number = word % (1 << kind.size)
    is_negative = kind.kind == "int" and number >> (kind.size - 1)
    return Leaf(kind.kind, number - (1 << kind.size) if is_negative else number)


def _decode_number(data: bytes, at: int) -> int:
    if not 0 <= at <= len(data) - WORD:
        raise InvalidValueError(
            f"the data has no {WORD} bytes to read at byte {at}: its length is {len(data)}"
        )
    return int.from_bytes(data[at : at + WORD], "big")


def parse_message_value(kind: ValueType, value: Json, types: DataTypes) -> Value:
    """Parse a value of an EIP-712 message according to its type.

    Args:
        kind: the type.
        value: the JSON value.
        types: the types that the message defines.

    Raises:
        InvalidValueError: if the value does not have that type.
    """
    consume(5)
    kind = types.resolve(kind)
    if isinstance(kind, StructType) and isinstance(value, dict):
        member_types = {member.name: member.type for member in kind.members}
        return {
            name: parse_message_value(member_types[name], item, types)
            for name, item in value.items()
            if name in member_types
        }
    if isinstance(kind, ListType) and isinstance(value, list):
        return [parse_message_value(kind.item, item, types) for item in value]
    if isinstance(kind, BasicType):
        return _parse_message_leaf(kind, value)
    raise InvalidValueError("a value of the message does not have the type that `types` gives it")


def _parse_message_leaf(kind: BasicType, value: Json) -> Leaf:
    try:
        if kind.kind in ("uint", "int"):
            text = str(value)
            return Leaf(kind.kind, int(text, 16 if text.lower().startswith("0x") else 10))
        if kind.kind in ("address", "bytes", "bytesN"):
            raw = bytes.fromhex(str(value).removeprefix("0x"))
            if kind.kind != "address" or len(raw) == ADDRESS_BYTES:
                return Leaf("address" if kind.kind == "address" else "bytes", raw)
    except ValueError:
        raise InvalidValueError(f"{value!r} is not a valid value of type {kind.name}") from None
    if kind.kind == "address":
        raise InvalidValueError(f"{value!r} is not an address: it does not have 20 bytes")
    return Leaf("bool", value in (True, "true")) if kind.kind == "bool" else Leaf("string", str(value))


def value_at(value: Value, steps: Sequence[Step]) -> Value | None:
    """Return the value inside structs and arrays to which a path leads.

    Args:
        value: the struct or array at which the path begins.
        steps: the members, indexes and slices to follow, in order.

    Returns:
        The value, or None if the steps lead nowhere.
    """
    for step in steps:
        next_value = _take_step(value, step)
        if next_value is None:
            return None
        value = next_value
    return value


def _take_step(value: Value, step: Step) -> Value | None:
    match step:
        case Member(name) if isinstance(value, dict):
            return value.get(name)
        case Item(number) if isinstance(value, list):
            return value[number] if -len(value) <= number < len(value) else None
        case Slice(start, end) if isinstance(value, list):
            return value[start:end]
        case Slice(start, end) if isinstance(value, Leaf):
            return Leaf("slice", value.bytes[start:end])
        case _:
            return None


def parse_constant(constant: Json) -> Leaf | None:
    """Convert a constant in a descriptor to a typed value.

    Returns:
        The value, or None if the constant is not a bool, an integer or a string.
    """
    if isinstance(constant, bool):
        return Leaf("bool", constant)
    if isinstance(constant, int):
        return Leaf("int" if constant < 0 else "uint", constant)
    return _parse_text_constant(constant) if isinstance(constant, str) else None


def _parse_text_constant(text: str) -> Leaf:
    raw = decode_hex_digits(text[2:]) if text.startswith("0x") else None
    if raw is not None:
        return Leaf("address" if len(raw) == ADDRESS_BYTES else "bytes", raw)
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdecimal():
        return Leaf("int" if text != digits else "uint", int(text))
    return Leaf("string", text)
