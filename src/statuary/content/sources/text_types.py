"""Kinds of text that several sources share, with Statuspage's limits."""

import re
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from statuary.content.source_model import Text, describe_value
from statuary.domain.primitives import InvalidValueError, shorten

MAX_NAME_LENGTH = 255
"""Most characters of a name."""

MAX_BODY_LENGTH = 25_000
"""Most characters of an update's text."""

MAX_ID_LENGTH = 100
"""Most characters of an id, so that every file system allows the names of its files."""

IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def _name(text: str) -> str:
    if not text.strip():
        raise InvalidValueError("the name is empty", "write the title that readers see")
    return _within(MAX_NAME_LENGTH, "name", text)


def _body(text: str) -> str:
    return _within(MAX_BODY_LENGTH, "text", text)


def _identifier(text: str) -> str:
    if not IDENTIFIER.fullmatch(text):
        raise InvalidValueError(
            f"id {shorten(text)} has characters that a URL cannot contain", "use letters, digits, - and _"
        )
    return _within(MAX_ID_LENGTH, "id", text)


def _within(limit: int, what: str, text: str) -> str:
    if len(text) > limit:
        raise InvalidValueError(f"the {what} has {len(text):,} characters, more than {limit:,}", "shorten it")
    return text


Name = Annotated[
    Text,
    AfterValidator(_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_NAME_LENGTH}),
]
"""A title that readers see."""

Body = Annotated[
    Text, AfterValidator(_body), WithJsonSchema({"type": "string", "maxLength": MAX_BODY_LENGTH})
]
"""The text of an update, with a small subset of HTML."""

Identifier = Annotated[
    Text,
    AfterValidator(_identifier),
    WithJsonSchema({"type": "string", "pattern": f"^{IDENTIFIER.pattern}$", "maxLength": MAX_ID_LENGTH}),
]
"""A published id: letters, digits, `-` and `_`, because it becomes part of a URL."""


def _date(value: Any) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidValueError(
            f"{describe_value(value)} is not a date", "write it like 2026-11-02"
        ) from None


def _tweet_id(value: Any) -> int:
    is_number = isinstance(value, str) and value.isascii() and value.isdigit()
    if is_number and len(value) <= TWEET_ID_DIGITS and int(value) <= LARGEST_TWEET_ID:
        return int(value)
    raise InvalidValueError(f"{describe_value(value)} is not a post number", "write decimal digits")


LARGEST_TWEET_ID = (1 << 63) - 1
"""Posts have 63-bit numbers (snowflakes); real pages contain numbers of 19 digits."""

TWEET_ID_DIGITS = 19
"""Digits of the largest number."""

TweetId = Annotated[int, BeforeValidator(_tweet_id), WithJsonSchema({"type": "integer", "minimum": 0})]
"""The number of a post on social media."""

DateText = Annotated[date, BeforeValidator(_date), WithJsonSchema({"type": "string", "format": "date"})]
"""A day, `YYYY-MM-DD`."""
