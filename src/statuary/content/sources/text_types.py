"""Kinds of text that several sources share, with the limits that Statuspage sets them."""

import re
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from statuary.content.source_model import Text, describe_value
from statuary.domain.primitives import InvalidValueError, shorten

LONGEST_NAME = 255
"""Characters that Statuspage allows in a name."""

LONGEST_BODY = 25_000
"""Characters that Statuspage allows in the text of an update."""

LONGEST_ID = 100
"""Characters of an id; with the folder above it, its file still has a name that every file system allows."""

IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def _name(text: str) -> str:
    if not text.strip():
        raise InvalidValueError("the name is empty", "write what readers shall see")
    return _within(LONGEST_NAME, "name", text)


def _body(text: str) -> str:
    return _within(LONGEST_BODY, "text", text)


def _identifier(text: str) -> str:
    if not IDENTIFIER.fullmatch(text):
        raise InvalidValueError(
            f"id {shorten(text)} has characters that do not belong in a URL", "use letters, digits, - and _"
        )
    return _within(LONGEST_ID, "id", text)


def _within(limit: int, what: str, text: str) -> str:
    if len(text) > limit:
        raise InvalidValueError(f"the {what} has {len(text):,} characters, more than {limit:,}", "shorten it")
    return text


Name = Annotated[
    Text,
    AfterValidator(_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}),
]
"""A name that readers see."""

Body = Annotated[Text, AfterValidator(_body), WithJsonSchema({"type": "string", "maxLength": LONGEST_BODY})]
"""The text of an update; a small subset of HTML may be in it."""

Identifier = Annotated[
    Text,
    AfterValidator(_identifier),
    WithJsonSchema({"type": "string", "pattern": f"^{IDENTIFIER.pattern}$", "maxLength": LONGEST_ID}),
]
"""A published id: letters, digits, `-` and `_`, since ids become parts of URLs."""


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
    raise InvalidValueError(
        f"{describe_value(value)} is not the number of a post", "write its decimal digits"
    )


LARGEST_TWEET_ID = (1 << 63) - 1
"""Posts are numbered in 63 bits (snowflakes); real pages hold numbers of 19 digits."""

TWEET_ID_DIGITS = 19
"""Digits of the largest one."""

TweetId = Annotated[int, BeforeValidator(_tweet_id), WithJsonSchema({"type": "integer", "minimum": 0})]
"""The number of a post on social media."""

DateText = Annotated[date, BeforeValidator(_date), WithJsonSchema({"type": "string", "format": "date"})]
"""A day, `YYYY-MM-DD`."""
