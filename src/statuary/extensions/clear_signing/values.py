"""Decode a call's or message's values, and find them by path."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from statuary.base.budget import consume_steps
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
        """The value as bytes: an integer becomes 32 bytes, a bool one."""
        if isinstance(self.value, bytes):
            return self.value
        if isinstance(self.value, str):
            return self.value.encode()
        return (int(self.value) % (1 << 256)).to_bytes(1 if isinstance(self.value, bool) else WORD, "big")


Value = Leaf | Sequence["Value"] | Mapping[str, "Value"]


def decode_call(parameters: tuple[Parameter, ...], data: bytes) -> Value:
    """Decode the arguments of a contract call.

    Args:
        parameters: the parameters of the function.
        data: the data of the call, without the selector.

    Raises:
        InvalidValueError: if the data is too short.
    """
    return _decode_struct(StructType(parameters), data, 0)


def _is_dynamic_type(value_type: ValueType) -> bool:
    match value_type:
        case ListType(item, length):
            return length is None or _is_dynamic_type(item)
        case StructType(members):
            return any(_is_dynamic_type(member.type) for member in members)
        case BasicType(is_dynamic=is_dynamic):
            return is_dynamic
        case _:
            return False


def _encoded_head_size(value_type: ValueType) -> int:
    if _is_dynamic_type(value_type):
        return WORD
    match value_type:
        case ListType(item, length):
            return _encoded_head_size(item) * (length or 0)
        case StructType(members):
            return sum(_encoded_head_size(member.type) for member in members)
        case _:
            return WORD


def _decode_struct(struct_type: StructType, data: bytes, start: int) -> Value:
    values = _decode_values([member.type for member in struct_type.members], data, start)
    names = [member.name or f"({number})" for number, member in enumerate(struct_type.members)]
    return dict(zip(names, values, strict=True))


def _decode_values(value_types: Sequence[ValueType], data: bytes, start: int) -> list[Value]:
    values, head = list[Value](), start
    for kind in value_types:
        consume_steps(20)
        at = start + _decode_size_or_offset(data, head) if _is_dynamic_type(kind) else head
        values.append(_decode_value(kind, data, at))
        head += _encoded_head_size(kind)
    return values


def _decode_value(value_type: ValueType, data: bytes, offset: int) -> Value:
    match value_type:
        case ListType(item, length):
            count = _decode_size_or_offset(data, offset) if length is None else length
            if count * WORD > len(data):
                raise InvalidValueError(
                    f"the data is too short: an array of {count} items does not fit in its {len(data)} bytes"
                )
            return _decode_values([item] * count, data, offset + WORD if length is None else offset)
        case StructType():
            return _decode_struct(value_type, data, offset)
        case BasicType():
            return _decode_leaf(value_type, data, offset)
        case _:
            raise InvalidValueError(
                "the members of a struct type are unknown, so its value cannot be decoded"
            )


def _decode_leaf(value_type: BasicType, data: bytes, offset: int) -> Leaf:
    if value_type.is_dynamic:
        length = _decode_size_or_offset(data, offset)
        if offset + WORD + length > len(data):
            raise InvalidValueError(
                f"the data is too short: a {value_type.name} value of {length} bytes does not fit in its "
                f"{len(data)} bytes"
            )
        raw = data[offset + WORD : offset + WORD + length]
        return Leaf(value_type.kind, raw if value_type.kind == "bytes" else raw.decode("utf-8", "replace"))
    word = _decode_size_or_offset(data, offset)
    raw = word.to_bytes(WORD, "big")
    if value_type.kind == "address":
        return Leaf("address", raw[-ADDRESS_BYTES:])
    if value_type.kind == "bytesN":
        return Leaf("bytes", raw[: value_type.size])
    if value_type.kind == "bool":
        return Leaf("bool", bool(word))
    number = word % (1 << value_type.size)
    is_negative = value_type.kind == "int" and number >> (value_type.size - 1)
    return Leaf(value_type.kind, number - (1 << value_type.size) if is_negative else number)


def _decode_size_or_offset(data: bytes, offset: int) -> int:
    if not 0 <= offset <= len(data) - WORD:
        raise InvalidValueError(
            f"the data is too short: {WORD} bytes are expected at byte {offset}, and its length is {len(data)}"
        )
    return int.from_bytes(data[offset : offset + WORD], "big")


def parse_message_value(value_type: ValueType, json_value: Json, types: DataTypes) -> Value:
    """Convert a JSON value of an EIP-712 message to its declared type.

    Args:
        types: the struct types that the message defines.

    Raises:
        InvalidValueError: if the value does not have that type.
    """
    consume_steps(5)
    value_type = types.resolve_named_type(value_type)
    if isinstance(value_type, StructType) and isinstance(json_value, dict):
        member_types = {member.name: member.type for member in value_type.members}
        return {
            name: parse_message_value(member_types[name], item, types)
            for name, item in json_value.items()
            if name in member_types
        }
    if isinstance(value_type, ListType) and isinstance(json_value, list):
        return [parse_message_value(value_type.item, item, types) for item in json_value]
    if isinstance(value_type, BasicType):
        return _parse_message_leaf(value_type, json_value)
    raise InvalidValueError("a value of the message does not have the type that `types` states")


def _parse_message_leaf(value_type: BasicType, json_value: Json) -> Leaf:
    try:
        if value_type.kind in ("uint", "int"):
            text = str(json_value)
            return Leaf(value_type.kind, int(text, 16 if text.lower().startswith("0x") else 10))
        if value_type.kind in ("address", "bytes", "bytesN"):
            raw = bytes.fromhex(str(json_value).removeprefix("0x"))
            if value_type.kind != "address" or len(raw) == ADDRESS_BYTES:
                return Leaf("address" if value_type.kind == "address" else "bytes", raw)
    except ValueError:
        raise InvalidValueError(f"{json_value!r} is not a valid value of type {value_type.name}") from None
    if value_type.kind == "address":
        raise InvalidValueError(f"{json_value!r} is not an address: it does not have 20 bytes")
    return (
        Leaf("bool", json_value in (True, "true"))
        if value_type.kind == "bool"
        else Leaf("string", str(json_value))
    )


def find_value_at(value: Value, steps: Sequence[Step]) -> Value | None:
    """Follow a path through structs and arrays to a value.

    Args:
        value: the struct or array at which the path begins.
        steps: the members, indexes and slices to follow, in order.

    Returns:
        The value, or None if there is none.
    """
    for step in steps:
        next_value = _follow_value_step(value, step)
        if next_value is None:
            return None
        value = next_value
    return value


def _follow_value_step(value: Value, step: Step) -> Value | None:
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
    """Convert a JSON constant in a descriptor to a typed value.

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
