"""The strings of pages, one file per language, English as fallback."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import orjson
from markupsafe import Markup, escape

from statuary.base.json_values import JsonObject
from statuary.base.reasons import Reason
from statuary.site.pages.page_parts import CORE_FOLDERS, page_parts_of_extensions
from statuary.site.settings import LANGUAGES
from statuary.system.files import read_file

DEFAULT_LANGUAGE = "en"

RTL_LANGUAGES = frozenset(
    ("ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "syr", "ug", "ur", "yi")
)
"""The languages that are written from right to left, unless their tag names a script."""

RTL_SCRIPTS = frozenset(("adlm", "arab", "hebr", "nkoo", "rohg", "samr", "syrc", "thaa"))

SCRIPT_LETTERS = 4

PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\w+)\}")


class _TextPart(NamedTuple):
    """A part of a text: a placeholder's name, or the characters between two."""

    text: str
    is_name: bool = False


@lru_cache(maxsize=4_096)
def _split_at_placeholders(text: str) -> tuple[_TextPart, ...]:
    parts, place = [], 0
    for match in PLACEHOLDER.finditer(text):
        parts.append(_TextPart(text[place : match.start()]))
        parts.append(_TextPart(match[1], is_name=True) if match[1] else _TextPart(match[0][0]))
        place = match.end()
    return tuple(part for part in (*parts, _TextPart(text[place:])) if part.text)


class PageTexts:
    """The translated texts of pages in one language (a BCP 47 tag)."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language = language
        self.by_key = dict(texts)

    @property
    def direction(self) -> str:
        """The direction of the language's script: `rtl` or `ltr`."""
        language, *subtags = self.language.lower().split("-")
        scripts = [subtag for subtag in subtags if len(subtag) == SCRIPT_LETTERS]
        is_rtl = scripts[0] in RTL_SCRIPTS if scripts else language in RTL_LANGUAGES
        return "rtl" if is_rtl else "ltr"

    def __call__(self, key: str, /, **values: object) -> str:
        """Return a text with values in its placeholders.

        Raises:
            KeyError: if the text or a value is missing.
        """
        text = self.by_key[key]
        return self.fill(text, values) if values else text

    @staticmethod
    def fill(text: str, values: Mapping[str, object]) -> str:
        """Replace each `{name}` in a string by the value with this name.

        Unlike `str.format`, this method gives a string no access to attributes of the values.

        Raises:
            KeyError: if a value is missing.
        """
        return "".join(
            [str(values[part]) if is_name else part for part, is_name in _split_at_placeholders(text)]
        )

    def markup(self, key: str, /, **parts: object) -> Markup:
        """Return a translated text as HTML, with values in its placeholders.

        Args:
            key: the key of the text, which is escaped.
            parts: the values of the placeholders, by name; values that are not markup are escaped.
        """
        filled = self.fill(str(escape(self(key))), {name: escape(part) for name, part in parts.items()})
        return Markup(filled)  # noqa: S704 - text and parts are escaped

    def count(self, key: str, number: int, /, **values: object) -> str:
        """Return a translated text about a number, such as `3 incidents`.

        Args:
            key: the beginning of the text's key, which ends in `.one` if the language treats the number as
                singular, else in `.other`.
            values: the values of further placeholders, by name.
        """
        form = "one" if str(number) in self("number.singular").split() else "other"
        return self(f"{key}.{form}", count=self.number(number), **values)

    def number(self, number: int) -> str:
        """Format a whole number as the language does: `1,200` in English."""
        return f"{number:,}".replace(",", self("number.group"))

    def decimal(self, number: float, digits: int) -> str:
        """Format a number with the language's decimal point.

        Args:
            digits: the number of decimal places.
        """
        return f"{number:.{digits}f}".replace(".", self("number.point"))

    def percent(self, value: float) -> str:
        """Format a percentage (0 to 100): `99.95%`, but `100%` without decimals."""
        return self("number.percent", percent="100" if value == 100 else self.decimal(value, 2))

    def reason(self, reason: Reason) -> str:
        """Return the reason for a claim's result, as a sentence in the page's language.

        A claim is a statement about a contract. The sentence can follow a colon.
        """
        values = {
            name: self.number(value) if isinstance(value, int) else value for name, value in reason.values
        }
        return self(f"claim_reason.{reason.key}", **values)


@lru_cache(maxsize=8)
def page_texts(
    language: str, replacements: tuple[tuple[str, str], ...] = (), folders: tuple[Path, ...] = ()
) -> PageTexts:
    """Return the translated texts of pages in a language.

    Args:
        replacements: key and text for each text that the theme replaces.
        folders: the folders with the texts of extensions.
    """
    tags = (DEFAULT_LANGUAGE, language) if language in LANGUAGES else (DEFAULT_LANGUAGE,)
    texts: dict[str, str] = {}
    for tag in tags:
        for folder in (*CORE_FOLDERS, *folders):
            texts |= _read_texts(tag, folder)
    return PageTexts(language, texts | dict(replacements))


@lru_cache(maxsize=1024)
def english_sentence(reason: Reason) -> str:
    """Return the reason for a claim's result in English, for proofs and messages.

    A claim is a statement about a contract.
    """
    return page_texts(DEFAULT_LANGUAGE).reason(reason)


def invalid_texts(
    replacements: Iterable[tuple[str, str]], extensions: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield the texts of a theme that pages cannot use.

    For example, a text with an unknown placeholder.

    Args:
        replacements: the key and the new text of each text that the theme replaces.
        extensions: the keys of enabled extensions.

    Yields:
        The key of the text, and what is wrong with it.
    """
    english: dict[str, str] = {}
    for folder in (*CORE_FOLDERS, *(parts.folder for parts in page_parts_of_extensions(extensions))):
        english |= _read_texts(DEFAULT_LANGUAGE, folder)
    for key, text in replacements:
        if key not in english and not key.startswith("description."):
            owner = key.partition(".")[0]
            if owner in extensions or not page_parts_of_extensions(
                [owner]
            ):  # texts of a disabled extension may stay
                yield key, "no page has a text with this key"
            continue
        try:
            unknown = _placeholders(text) - _placeholders(english.get(key, ""))
        except ValueError as error:
            yield key, f"its braces are not balanced: {error}"
            continue
        if unknown:
            yield key, f"unknown placeholder {{{min(unknown)}}}"


def _placeholders(text: str) -> set[str]:
    """Return the placeholders of a text, such as `name` and `name.part`."""
    parsed = Formatter().parse(text)
    return {
        f"{name}{'!' if convert else ''}{form or ''}" for _, name, form, convert in parsed if name is not None
    }


@lru_cache(maxsize=32)
def _read_texts(language: str, folder: Path) -> dict[str, str]:
    file = folder / "texts" / f"{language}.json"
    if not file.is_file():  # a language begins with one section
        return {}
    return dict(_flatten_texts(orjson.loads(read_file(file)), ""))


def _flatten_texts(table: JsonObject, prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        name = f"{prefix}{key}"
        yield from _flatten_texts(value, f"{name}.") if isinstance(value, dict) else [(name, str(value))]


_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls but tab, line feed and carriage return
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f"  # tags: invisible text within the text
    "\ud800-\udfff"  # half of a character, which UTF-8 cannot encode
)
_JOINERS, _VARIANTS, _OTHER = "\u200c\u200d", "\ufe00-\ufe0e", "[^\x00-\x7f]"

HIDDEN_CHARACTERS = re.compile(
    f"[{_HIDDEN}{_JOINERS}{_VARIANTS}\ufe0f](?:(?<=[{_HIDDEN}])"
    f"|(?<=[{_JOINERS}])(?:(?<!{_OTHER}[{_JOINERS}])|(?!{_OTHER}))"
    f"|(?<=[{_VARIANTS}])(?<!{_OTHER}[{_VARIANTS}])|(?<=[A-Za-z_$]\ufe0f))"
)
"""Characters to show by number; joiners in scripts and emoji only if they join nothing."""

ALIKE = "\u0250-\u02af\u0370-\u03ff\u0400-\u058f\u13a0-\u13ff\u1f00-\u1fff\u2c80-\u2cff\uff21-\uff5a\U0001d400-\U0001d7ff"
"""Letters of other alphabets that look like Latin ones: phonetic, Greek, Cyrillic, Armenian, Cherokee, Coptic, wide, mathematical."""

_ALIKE = re.compile(f"[{ALIKE}]")
_WORD = re.compile(r"\w+")
_LATIN = re.compile("[A-Za-z]")


def visible_text(text: str) -> str:
    """Replace hidden characters in a text by codes such as `⟨U+202E⟩`."""
    return HIDDEN_CHARACTERS.sub(lambda match: f"⟨{code_point(match[0])}⟩", text)


MAX_LINE_LENGTH = 1_000
"""Characters of a name or sentence that are shown."""


def one_line(text: str) -> str:
    """Put a text on one line, with codes for hidden characters.

    A long text is cut.
    """
    line = text if len(text) <= MAX_LINE_LENGTH else " ".join(text.split())
    cut = line if len(line) <= MAX_LINE_LENGTH else line[:MAX_LINE_LENGTH] + " …"
    return " ".join(visible_text(cut).split())


def isolate_text_direction(name: str) -> str:
    """Wrap a name so that its text direction affects nothing else.

    A right-to-left name could otherwise reorder the words around it.
    """
    if name.isascii() or not any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name):
        return name
    return f"\u2068{name}\u2069"


def visible_name(text: str) -> str:
    """Put a name on one line, and mark letters that may deceive.

    For example, if a Cyrillic letter looks like a Latin one in the same word, its code is added after it.
    """
    line = one_line(text)
    return line if line.isascii() or not _LATIN.search(line) else _ALIKE.sub(_append_code_point, line)


class MixedWords(NamedTuple):
    """The result of looking for letters that imitate Latin ones in a text."""

    text: str  # the text, in which the imitating letters are marked
    code_points: list[str]  # the code points of the imitating letters


def mark_lookalike_letters(text: str, mark: Callable[[str], str] | None = None) -> MixedWords:
    """Mark letters that imitate Latin letters in the same word.

    Args:
        mark: returns what replaces such a letter, given the letter followed by its code point. None only finds
            the letters.

    Returns:
        The text, and the code points of the letters.
    """
    names: dict[str, None] = {}

    def mark_letter(letter: re.Match[str]) -> str:
        names[code_point(letter[0])] = None
        return mark(_append_code_point(letter)) if mark else letter[0]

    def mark_word(word: re.Match[str]) -> str:
        return _ALIKE.sub(mark_letter, word[0]) if _LATIN.search(word[0]) else word[0]

    if text.isascii() or not _ALIKE.search(text):
        return MixedWords(text, [])
    lines = [_WORD.sub(mark_word, line) if _ALIKE.search(line) else line for line in text.split("\n")]
    return MixedWords("\n".join(lines), list(names))


def hidden_characters(text: str) -> list[str]:
    """Return the codes of hidden characters in a text, such as `U+202E`.

    Each code occurs once, in the order of the text.
    """
    return list(dict.fromkeys(code_point(match[0]) for match in HIDDEN_CHARACTERS.finditer(text)))


def code_point(character: str) -> str:
    """Return the Unicode code point of a character, such as `U+202E`."""
    return f"U+{ord(character):04X}"


def _append_code_point(letter: re.Match[str]) -> str:
    return f"{letter[0]}⟨{code_point(letter[0])}⟩"
