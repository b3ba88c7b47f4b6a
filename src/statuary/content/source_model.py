"""The base of every source model, and the types that turn text into values.

The readers of YAML and JSON keep each scalar as the text that was written (`null`, `~` and nothing become
None); these types give it meaning. So an unquoted `0x…` address, a name such as `1.10` or `on`, and a date
arrive as they were typed.
"""

from typing import Annotated, Any, ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, PlainValidator, WithJsonSchema

from statuary.domain.limits import MAX_NUMBER_DIGITS, MAX_QUOTED
from statuary.domain.primitives import (
    Address,
    ChainId,
    Hex,
    Instant,
    InvalidValueError,
    parse_address,
    parse_chain_id,
    parse_hex,
    parse_instant,
)


class SourceModel(BaseModel):
    """A mapping in a source file; unknown keys are errors."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        arbitrary_types_allowed=True,
        defer_build=True,  # a command builds only the models that it uses
    )


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise InvalidValueError(
        f"expected a text, found {describe_value(value)}", "write one text; quote it if needed"
    )


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return bool(value == "true")
    raise InvalidValueError(f"expected true or false, found {describe_value(value)}", "write true or false")


def _whole_number(value: object) -> int:
    digits = value[1:] if isinstance(value, str) and value[:1] == "-" else value
    if isinstance(digits, str) and digits.isascii() and digits.isdigit() and len(digits) <= MAX_NUMBER_DIGITS:
        return int(str(value))
    raise InvalidValueError(f"expected a whole number, found {describe_value(value)}", "write decimal digits")


def _instant(value: object) -> Instant:
    return parse_instant(_text(value))


def _time_zone(value: object) -> ZoneInfo:
    name = _text(value)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidValueError(
            f"unknown time zone {name!r}", "write an IANA name such as Etc/UTC or Europe/Zurich"
        ) from None


def describe_value(value: object) -> str:
    """Describe a value of a source file for a message."""
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


Text = Annotated[str, BeforeValidator(_text)]
"""Any text, as written."""

Flag = Annotated[bool, BeforeValidator(_flag), WithJsonSchema({"type": "boolean"})]
"""`true` or `false`; `yes` and `on` are errors."""

WholeNumber = Annotated[int, BeforeValidator(_whole_number), WithJsonSchema({"type": "integer"})]
"""A decimal whole number."""

INSTANT_SCHEMA = {
    "type": "string",
    "format": "date-time",
    "description": "ISO 8601 date and time with an offset, such as 2026-11-02T10:00:00Z",
}
InstantText = Annotated[Any, PlainValidator(_instant), WithJsonSchema(INSTANT_SCHEMA)]
"""An ISO 8601 date and time with an offset; becomes an `Instant`."""

TimeZoneText = Annotated[
    Any,
    PlainValidator(_time_zone),
    WithJsonSchema({"type": "string", "description": "IANA time zone name, such as Etc/UTC"}),
]
"""An IANA time zone name; becomes a `ZoneInfo`."""

CHAIN_ID_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^\\d{1,20}$"}]}
ChainIdText = Annotated[
    ChainId, BeforeValidator(_text), AfterValidator(parse_chain_id), WithJsonSchema(CHAIN_ID_SCHEMA)
]
"""A chain id; quotes are not needed."""

AddressText = Annotated[
    Address,
    BeforeValidator(_text),
    AfterValidator(parse_address),
    WithJsonSchema({"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"}),
]
"""An address; quotes are not needed."""

HexText = Annotated[
    Hex,
    BeforeValidator(_text),
    AfterValidator(parse_hex),
    WithJsonSchema({"type": "string", "pattern": "^0x([0-9a-f]{2})*$"}),
]
"""Bytes as `0x` and lower-case hex digits; quotes are not needed."""
