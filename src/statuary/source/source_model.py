"""The base of source models, and the types of their values.

The readers of YAML and JSON keep each scalar as it was written (`null`, `~` and empty values become None);
these types give it meaning. So an unquoted `0x…` address, a name such as `1.10` or `on`, and a date arrive
unchanged.
"""

import re
import types
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import date, timedelta
from functools import lru_cache, partial
from typing import Annotated, ClassVar, Literal, TypeVar, Union, get_args, get_origin
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, PlainValidator, WithJsonSchema
from typing_extensions import get_type_hints, is_typeddict

from statuary.base.findings import did_you_mean
from statuary.base.limits import MAX_NUMBER_DIGITS, MAX_QUOTED
from statuary.base.primitives import (
    Address,
    ChainId,
    Hex,
    Instant,
    InvalidValueError,
    parse_address,
    parse_chain_id,
    parse_duration,
    parse_instant,
    parse_lowercase_hex,
    shorten,
)
from statuary.base.reserved_names import is_reserved_name
from statuary.registry import import_provided


class SourceModel(BaseModel):
    """Base class of the models for content files; unknown keys are errors."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        arbitrary_types_allowed=True,
        defer_build=True,  # a command builds only the models that it uses
    )

    @classmethod
    def known_keys(cls) -> list[str]:
        """Return the keys that a file may have where this model is used."""
        return [field.alias or name for name, field in cls.model_fields.items()]


class SectionSource(SourceModel):
    """Base of the models for a section's keys in site.yaml."""

    def to_settings(self) -> tuple[object, ...] | None:
        """Convert the keys to the section's settings.

        Returns:
            The settings, or None if the key of an extension disables it.
        """
        raise NotImplementedError


Value = TypeVar("Value")


def convert_model(kind: Callable[..., Value], model: SourceModel, /, **other_fields: object) -> Value:
    """Create an object from a pydantic model's fields of the same names.

    Args:
        kind: the class of the new object.
        model: the pydantic model.
        other_fields: values for fields that the model does not have.
    """
    shared = {
        name: getattr(model, name)
        for name in _shared_field_names(kind, type(model))
        if name not in other_fields
    }
    return kind(**shared, **other_fields)


@lru_cache(maxsize=64)
def _shared_field_names(kind: Callable[..., object], model: type[SourceModel]) -> tuple[str, ...]:
    fields: Iterable[str] = kind._fields if hasattr(kind, "_fields") else vars(kind)["__dataclass_fields__"]
    return tuple(name for name in fields if name in model.model_fields)


def _validate_string(value: object) -> str:
    if isinstance(value, str):
        return value
    raise InvalidValueError(
        f"expected a string, found {describe_value(value)}", "write one string; put it in quotes if needed"
    )


def _validate_duration(value: object) -> timedelta:
    duration = parse_duration(value) if isinstance(value, str) else None
    if duration is None:
        raise InvalidValueError(
            f"{describe_value(value)} is not a duration", "write it like 90m, 2h or 1d12h"
        )
    return duration


def _validate_boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return bool(value == "true")
    raise InvalidValueError(f"expected true or false, found {describe_value(value)}", "write true or false")


def _validate_integer(value: object) -> int:
    digits = value[1:] if isinstance(value, str) and value[:1] == "-" else value
    if isinstance(digits, str) and digits.isascii() and digits.isdigit() and len(digits) <= MAX_NUMBER_DIGITS:
        return int(str(value))
    raise InvalidValueError(f"expected a whole number, found {describe_value(value)}", "write decimal digits")


def _validate_instant(value: object) -> Instant:
    return parse_instant(_validate_string(value))


def _validate_time_zone(value: object) -> ZoneInfo:
    name = _validate_string(value)
    if name not in NO_ZONES and not name.startswith(("posix/", "right/")):
        with suppress(ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(name)
    raise InvalidValueError(
        f"unknown time zone {name!r}",
        did_you_mean(name[:MAX_QUOTED], available_timezones())
        or "write an IANA name such as Etc/UTC or Europe/Zurich",
    )


NO_ZONES = ("localtime", "Factory", "posixrules")
"""Files among time zones that mean the machine's own zone, or none."""


def describe_value(value: object) -> str:
    """Describe a value from a file for an error message.

    Returns:
        A phrase such as `a mapping` or `the number 7`, or a short string in quotes.
    """
    if value is None:
        return "nothing (null)"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"the number {value}"
    text = str(value)
    return repr(text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…")


Text = Annotated[str, BeforeValidator(_validate_string)]
"""Any text, as written."""

Flag = Annotated[bool, BeforeValidator(_validate_boolean), WithJsonSchema({"type": "boolean"})]
"""`true` or `false`; `yes` and `on` are errors."""

WholeNumber = Annotated[int, BeforeValidator(_validate_integer), WithJsonSchema({"type": "integer"})]
"""A decimal whole number."""

INSTANT_SCHEMA = {
    "type": "string",
    "format": "date-time",
    "description": "ISO 8601 date and time with an offset, such as 2026-11-02T10:00:00Z",
}
InstantText = Annotated[Instant, PlainValidator(_validate_instant), WithJsonSchema(INSTANT_SCHEMA)]
"""An ISO 8601 date and time with an offset; becomes an `Instant`."""

TimeZoneText = Annotated[
    ZoneInfo,
    PlainValidator(_validate_time_zone),
    WithJsonSchema({"type": "string", "description": "IANA time zone name, such as Etc/UTC"}),
]
"""An IANA time zone name; becomes a `ZoneInfo`."""

DurationText = Annotated[
    timedelta,
    PlainValidator(_validate_duration),
    WithJsonSchema({"type": "string", "description": "a duration, such as 90m, 2h or 1d12h"}),
]
"""A duration such as `90m`; becomes a `timedelta`."""

CHAIN_ID_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^\\d{1,20}$"}]}
ChainIdText = Annotated[
    ChainId,
    BeforeValidator(_validate_string),
    AfterValidator(parse_chain_id),
    WithJsonSchema(CHAIN_ID_SCHEMA),
]
"""A chain id; quotes are not needed."""

AddressText = Annotated[
    Address,
    BeforeValidator(_validate_string),
    AfterValidator(parse_address),
    WithJsonSchema({"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"}),
]
"""An address; quotes are not needed."""

HexText = Annotated[
    Hex,
    BeforeValidator(_validate_string),
    AfterValidator(parse_lowercase_hex),
    WithJsonSchema({"type": "string", "pattern": "^0x([0-9a-f]{2})*$"}),
]
"""Bytes as `0x` and lower-case hex digits; quotes are not needed."""


def model_members(model: object) -> dict[str, object]:
    """Return the keys that a pydantic model or TypedDict allows, with their types.

    For a union, these are the keys of its first model.
    """
    return next(
        (
            members
            for option in _allowed_types(model)
            if (members := _members_of_union_option(option)) is not None
        ),
        {},
    )


def item_type(model: object, containers: tuple[type, ...] = (list, dict, tuple)) -> object:
    """Return the type of the items of a list or mapping type.

    For example, `str` for `list[str]`. For a union, this is the item type of its first list or mapping.

    Args:
        model: the type.
        containers: the types that count as lists or mappings.

    Returns:
        The type of the items, or None if the type has none.
    """
    for option in _allowed_types(model):
        arguments = get_args(option)
        if arguments and get_origin(option) in containers:
            return arguments[0] if arguments[-1] is ... else arguments[-1]
    return None


def allows_string(model: object) -> bool:
    """Return whether a type, such as `str | None`, accepts a string.

    Args:
        model: the type.
    """
    return any(option is str or get_origin(option) is Literal for option in _allowed_types(model))


@lru_cache(maxsize=256)
def _members_of_union_option(option: object) -> dict[str, object] | None:
    if isinstance(option, type) and issubclass(option, BaseModel):
        return {field.alias or name: field.annotation for name, field in option.model_fields.items()}
    return dict(get_type_hints(option, include_extras=True)) if is_typeddict(option) else None


def _allowed_types(model: object) -> list[object]:
    if get_origin(model) in (Union, types.UnionType):
        return [option for choice in get_args(model) for option in _allowed_types(choice)]
    if get_origin(model) is Annotated or str(get_origin(model)).endswith("Required"):
        return _allowed_types(get_args(model)[0])
    return [] if model is type(None) else [model]


MAX_NAME_LENGTH = 255
"""Most characters of a name."""

MAX_BODY_LENGTH = 25_000
"""Most characters of an update's text."""

MAX_ID_LENGTH = 100
"""Most characters of an id, so that every file system allows the names of its files."""

IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def _validate_name(text: str) -> str:
    if not text.strip():
        raise InvalidValueError("the name is empty", "write the title that readers see")
    return _validate_length(MAX_NAME_LENGTH, "name", text)


def _validate_identifier(text: str) -> str:
    if not IDENTIFIER.fullmatch(text):
        raise InvalidValueError(
            f"id {shorten(text)} has characters that a URL cannot contain", "use letters, digits, - and _"
        )
    if is_reserved_name(text):
        raise InvalidValueError(f"id {text} is the name of a device on Windows", "choose another id")
    return _validate_length(MAX_ID_LENGTH, "id", text)


def _validate_length(limit: int, value_name: str, text: str) -> str:
    if len(text) > limit:
        raise InvalidValueError(
            f"the {value_name} has {len(text):,} characters, more than {limit:,}", "shorten it"
        )
    return text


def _validate_translations(check: Callable[[str], str], value: object) -> str:
    if not isinstance(value, dict):
        return check(_validate_string(value))
    text: str = import_provided("text per language")(value, lambda text: check(_validate_string(text)))
    return text


PER_LANGUAGE = {"type": "object", "additionalProperties": {"type": "string"}}
Name = Annotated[
    str,
    PlainValidator(partial(_validate_translations, _validate_name)),
    WithJsonSchema(
        {"anyOf": [{"type": "string", "minLength": 1, "maxLength": MAX_NAME_LENGTH}, PER_LANGUAGE]}
    ),
]
"""A title that readers see."""

Body = Annotated[
    str,
    PlainValidator(partial(_validate_translations, partial(_validate_length, MAX_BODY_LENGTH, "text"))),
    WithJsonSchema({"anyOf": [{"type": "string", "maxLength": MAX_BODY_LENGTH}, PER_LANGUAGE]}),
]
"""The text of an update, with a small subset of HTML."""

Identifier = Annotated[
    Text,
    AfterValidator(_validate_identifier),
    WithJsonSchema({"type": "string", "pattern": f"^{IDENTIFIER.pattern}$", "maxLength": MAX_ID_LENGTH}),
]
"""A published id: letters, digits, `-` and `_`, because it becomes part of a URL."""


def _validate_date(value: object) -> date:
    try:
        return date.fromisoformat(_validate_string(value))
    except ValueError:
        raise InvalidValueError(
            f"{describe_value(value)} is not a date", "write it like 2026-11-02"
        ) from None


def _validate_tweet_id(value: object) -> int:
    digits = value if isinstance(value, str) and value.isascii() and value.isdigit() else ""
    if 0 < len(digits) <= len(str(LARGEST_TWEET_ID)) and int(digits) <= LARGEST_TWEET_ID:
        return int(digits)
    raise InvalidValueError(f"{describe_value(value)} is not a post number", "write decimal digits")


LARGEST_TWEET_ID = (1 << 63) - 1
"""Posts have 63-bit numbers (snowflakes); real pages contain numbers of 19 digits."""

TweetId = Annotated[
    int, BeforeValidator(_validate_tweet_id), WithJsonSchema({"type": "integer", "minimum": 0})
]
"""The number of a post on social media."""

DateText = Annotated[
    date, BeforeValidator(_validate_date), WithJsonSchema({"type": "string", "format": "date"})
]
"""A day, `YYYY-MM-DD`."""
