"""The pages' own texts, by key: a file for each language, English where one says nothing."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from string import Formatter
from typing import Any

FOLDER = files("statuary.documents.pages").joinpath("texts")
DEFAULT_LANGUAGE = "en"


class PageTexts:
    """What the pages say in one language.

    Attributes:
        language: its BCP 47 tag.
    """

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        """Take the texts by key."""
        self.language = language
        self._texts = dict(texts)

    def __call__(self, key: str, /, **values: object) -> str:
        """Return a text with its gaps filled.

        Raises:
            KeyError: if there is no such text, or a gap has no value: a defect of statuary, not of content.
        """
        text = self._texts[key]
        return text.format_map(values) if values else text

    def count(self, key: str, number: int, /, **values: object) -> str:
        """Return a text about a number of things: `<key>.one` for one of them, `<key>.other` for the rest."""
        return self(f"{key}.{'one' if number == 1 else 'other'}", count=self.number(number), **values)

    def number(self, number: int) -> str:
        """Return a whole number with its digits in groups."""
        return f"{number:,}".replace(",", self("number.group"))

    def decimal(self, number: float, digits: int) -> str:
        """Return a number with so many digits behind the point."""
        return f"{number:.{digits}f}".replace(".", self("number.point"))

    def has(self, key: str) -> bool:
        """Say whether there is a text."""
        return key in self._texts


def languages() -> tuple[str, ...]:
    """Return the tags of the languages that there are."""
    names = (entry.name for entry in FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@lru_cache(maxsize=8)
def page_texts(language: str, changed: tuple[tuple[str, str], ...] = ()) -> PageTexts:
    """Return the texts of a language, some of them changed by the site, or all where it is the site's own."""
    own = _read(language) if language in languages() else {}
    return PageTexts(language, _read(DEFAULT_LANGUAGE) | own | dict(changed))


def invalid_texts(changed: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the key of each changed text that cannot be used, and why."""
    english = _read(DEFAULT_LANGUAGE)
    for key, text in changed:
        if key not in english and not key.startswith("description."):
            yield key, "no page says such a text"
            continue
        try:
            unknown = _gaps(text) - _gaps(english.get(key, ""))
        except ValueError as error:
            yield key, f"its braces cannot be read: {error}"
            continue
        if unknown:
            yield key, f"nothing fills its gap {{{min(unknown)}}}"


def _gaps(text: str) -> set[str]:
    """Return what stands in the braces of a text, whole: `{name.part}` is not the gap `{name}`."""
    parsed = Formatter().parse(text)
    return {
        f"{name}{'!' if convert else ''}{form or ''}" for _, name, form, convert in parsed if name is not None
    }


@lru_cache(maxsize=8)
def _read(language: str) -> dict[str, str]:
    table = tomllib.loads(FOLDER.joinpath(f"{language}.toml").read_text("utf-8"))
    return dict(_flat(table, ""))


def _flat(table: Mapping[str, Any], prefix: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in table.items():
        name = f"{prefix}{key}"
        found += _flat(value, f"{name}.") if isinstance(value, dict) else [(name, str(value))]
    return found
