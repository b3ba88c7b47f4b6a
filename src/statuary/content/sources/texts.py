"""Kinds of text that several sources share, with the limits that Statuspage sets them."""

from datetime import date
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from statuary.content.source_model import Text, described
from statuary.domain.primitives import Malformed

Name = Annotated[Text, Field(min_length=1, max_length=255)]
"""A name that readers see: 1 to 255 characters, as Statuspage allows."""

Body = Annotated[Text, Field(max_length=25_000)]
"""The text of an update: at most 25,000 characters, as Statuspage allows; a small subset of HTML may be in it."""

Identifier = Annotated[Text, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=100)]
"""A published id: letters, digits, `-` and `_`, since ids become parts of URLs."""


def _date(value: Any) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise Malformed(f"{described(value)} is not a date", "write it like 2026-11-02") from None


def _tweet_id(value: Any) -> int:
    is_number = isinstance(value, str) and value.isascii() and value.isdigit()
    if is_number and len(value) <= TWEET_ID_DIGITS and int(value) <= LARGEST_TWEET_ID:
        return int(value)
    raise Malformed(f"{described(value)} is not the number of a post", "write its decimal digits")


LARGEST_TWEET_ID = (1 << 63) - 1
"""Posts are numbered in 63 bits (snowflakes); real pages hold numbers of 19 digits."""

TWEET_ID_DIGITS = 19
"""Digits of the largest one."""

TweetId = Annotated[int, BeforeValidator(_tweet_id), WithJsonSchema({"type": "integer", "minimum": 0})]
"""The number of a post on social media."""

DateText = Annotated[date, BeforeValidator(_date), WithJsonSchema({"type": "string", "format": "date"})]
"""A day, `YYYY-MM-DD`."""
