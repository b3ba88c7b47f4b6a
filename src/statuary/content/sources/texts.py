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


DateText = Annotated[date, BeforeValidator(_date), WithJsonSchema({"type": "string", "format": "date"})]
"""A day, `YYYY-MM-DD`."""
