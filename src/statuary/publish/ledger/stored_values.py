"""Values of content as JSON in the ledger, and back."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cache, partial
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin
from zoneinfo import ZoneInfo

import orjson

Value = TypeVar("Value")
Convert = Callable[..., Any]

MICROSECOND = timedelta(microseconds=1)
OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_NON_STR_KEYS


def encode_value(value: object) -> bytes:
    """Encode a value of content as JSON, without the default values of dataclasses.

    Args:
        value: for example a named tuple or a dataclass whose members have the types that are written there.

    Raises:
        TypeError: if it has a member of another kind, such as a text in several languages.
    """
    return orjson.dumps(value, _to_json_value, OPTIONS)


def decode_value(kind: type[Value], encoded: bytes) -> Value:
    """Restore a value from the bytes that `encode_value` returned.

    Args:
        kind: the type of the value.
        encoded: its JSON.

    Raises:
        LookupError: if the machine has no data of a time zone.
    """
    annotation: object = kind
    value: Value = _convert(converter_of(annotation), orjson.loads(encoded))
    return value


def _to_json_value(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        members = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: member for field, member in members if member != _default_of(field)}
    for kind, as_json in AS_JSON.items():
        if isinstance(value, kind):
            return as_json(value)
    raise TypeError(f"a value of type {type(value).__name__} is not stored")


AS_JSON: Mapping[type, Convert] = {
    tuple: list,  # a named tuple
    frozenset: sorted,
    bytes: bytes.hex,
    Enum: lambda member: member.value,
    timedelta: lambda duration: duration // MICROSECOND,
    ZoneInfo: lambda zone: zone.key,
    MappingProxyType: dict,
}
"""The replacement of values for JSON, by type."""


def _default_of(field: Any) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


@cache
def converter_of(annotation: Hashable) -> Convert | None:
    """Return the function that converts the JSON of a value back to Python.

    Args:
        annotation: the type of the value.

    Returns:
        The function; None if the value is the same in JSON.

    Raises:
        TypeError: if values of this type cannot be stored.
    """
    annotation = getattr(annotation, "__supertype__", annotation)  # the type that a `NewType` stands for
    if annotation in OF_SCALARS:
        return OF_SCALARS[annotation]
    origin = get_origin(annotation)
    if origin is None:
        return _converter_of_class(annotation)
    if origin not in OF_GENERICS:
        raise TypeError(f"values of type {annotation} are not stored")
    return OF_GENERICS[origin](*get_args(annotation))


OF_SCALARS: Mapping[object, Convert | None] = {
    **dict.fromkeys((str, int, bool, Any, dict)),  # the same in JSON
    bytes: bytes.fromhex,
    datetime: datetime.fromisoformat,
    date: date.fromisoformat,
    timedelta: MICROSECOND.__mul__,
    ZoneInfo: ZoneInfo,
}


def _converter_of_tuple(*items: Any) -> Convert:
    if items[-1] is ...:
        return partial(_to_tuple, converter_of(items[0]))
    return partial(_to_members, tuple, [*map(converter_of, items)])


def _converter_of_mapping(key: Any, value: Any) -> Convert | None:
    converters = converter_of(key), converter_of(value)
    return partial(_to_mapping, *converters) if any(converters) else None


def _converter_of_union(*options: Any) -> Convert | None:
    converters = [converter_of(option) for option in options if option is not NoneType]
    if not any(converters):
        return None
    if len(converters) > 1:
        raise TypeError(f"values of the types {options} are not stored")
    return partial(_to_optional, converters[0])


OF_GENERICS: Mapping[object, Callable[..., Convert | None]] = {
    tuple: _converter_of_tuple,
    frozenset: lambda _: frozenset,
    Mapping: _converter_of_mapping,
    dict: _converter_of_mapping,
    Union: _converter_of_union,
    UnionType: _converter_of_union,
    Literal: lambda *_: None,
}
"""The functions that return the converter of a generic type for its arguments."""


def _converter_of_class(kind: Any) -> Convert:
    make: Convert = kind
    if is_dataclass(kind):
        types: dict[str, Any] = {field.name: field.type for field in fields(kind)}
        converters = {name: converter_of(annotation) for name, annotation in types.items()}
        return partial(_to_dataclass, make, {name: one for name, one in converters.items() if one})
    if hasattr(kind, "_fields"):
        members = [converter_of(kind.__annotations__[name]) for name in kind._fields]
        return partial(_to_members, kind._make, members)
    if issubclass(kind, Enum):
        return make
    raise TypeError(f"values of type {kind.__name__} are not stored")


def _convert(converter: Convert | None, value: Any) -> Any:
    return value if converter is None else converter(value)


def _to_optional(converter: Convert | None, value: Any) -> Any:
    return None if value is None else _convert(converter, value)


def _to_tuple(converter: Convert | None, items: list[Any]) -> tuple[Any, ...]:
    return tuple(items if converter is None else map(converter, items))


def _to_members(make: Convert, converters: list[Convert | None], members: list[Any]) -> Any:
    return make(map(_convert, converters, members))


def _to_mapping(of_key: Convert | None, of_value: Convert | None, mapping: dict[str, Any]) -> dict[Any, Any]:
    return {_convert(of_key, key): _convert(of_value, value) for key, value in mapping.items()}


def _to_dataclass(kind: Convert, converters: dict[str, Convert], members: dict[str, Any]) -> Any:
    for name, converter in converters.items():
        if name in members:
            members[name] = converter(members[name])
    return kind(**members)
