"""Strings with translations in the content."""

import re
from collections.abc import Callable, Mapping
from typing import Self

from statuary.base.primitives import InvalidValueError, shorten

EXPECTED = "expected a string, or a mapping from language to string"
"""The start of the message about a mapping with wrong keys."""

LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


class Translated(str):  # noqa: SLOT000 - it has a member
    """A string that also has its translations.

    Its own text is in the language of the APIs, or else in the first language of the mapping.
    """

    def __new__(cls, texts: Mapping[str, str], language: str = "") -> Self:
        """Make a string from its texts by language tag."""
        return super().__new__(cls, texts.get(language) or next(iter(texts.values())))

    def __init__(self, texts: Mapping[str, str], _language: str = "") -> None:
        self.by_language = texts


def parse_translated_text(value: dict[str, object], validate: Callable[[object], str]) -> str:
    """Convert a text in several languages, such as `{en: Slow, de: Langsam}`.

    Args:
        value: the texts by language tag.
        validate: a function that checks a text, and returns it.

    Raises:
        InvalidValueError: if the mapping is empty, a key is not a language tag, or a text is invalid.
    """
    wrong = next((key for key in value if not LANGUAGE_TAG.fullmatch(key)), None)
    if not value or wrong is not None:
        what = "an empty mapping" if wrong is None else f"a mapping with the key {shorten(wrong)}"
        raise InvalidValueError(
            f"{EXPECTED}, found {what}",
            "write one text, or one for each language of `languages` in site.yaml, such as {en: Slow answers, de: Langsame Antworten}",
        )
    return Translated({tag: validate(text) for tag, text in value.items()})
