"""Texts that content gives in several languages; few sites load this."""

import re
from collections.abc import Callable, Mapping
from typing import Self

LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


class Translated(str):  # noqa: SLOT000 - it has a member
    """A text that content gives in several languages: itself is in one, that of the APIs, or the first that is given."""

    def __new__(cls, texts: Mapping[str, str], language: str = "") -> Self:
        """Take the texts by BCP 47 tag."""
        return super().__new__(cls, texts.get(language) or next(iter(texts.values())))

    def __init__(self, texts: Mapping[str, str], _language: str = "") -> None:
        self.by_language = texts


def translated_text(value: dict[str, object], validate: Callable[[object], str]) -> str:
    """Return a mapping from language to text as a text; what is none goes to `validate` as it is, which rejects it."""
    if not value or not all(map(LANGUAGE_TAG.fullmatch, value)):
        return validate(value)
    return Translated({tag: validate(text) for tag, text in value.items()})
