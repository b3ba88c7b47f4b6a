"""Detect deceptive text: invisible characters and lookalike letters."""

import unicodedata
from typing import Final

_INVISIBLE: Final = frozenset(("Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"))

LOOK_ALIKE: Final = frozenset(
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425"  # Cyrillic
    "\u04ae\u04ba\u050c\u051a\u051c\u0430\u0432\u0435\u0455\u0456\u0458\u043a\u043c\u043d\u043e"
    "\u0440\u0441\u0442\u0443\u0445\u04af\u04bb\u0501\u051b\u051d\u04cf"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1"  # Greek
    "\u03b3\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03f2\u03f3"
    "\u0555\u054f\u054d\u0578\u057d\u0581\u0570\u0585\u0566\u053c"  # Armenian
    "\u13aa\u13f4\u13df\u13a0\u13ac\u13bb\u13ab\u13e6\u13b7\u13e2\u13da\u13a2\u13d9\u13d4\u13c3"  # Cherokee
)
"""Letters of other scripts that look like Latin ones."""


def describe_deceptive_character(text: str) -> str:
    """Describe the first invisible or lookalike character in a string.

    Returns:
        The end of a sentence, such as `has the character U+200B, which is not seen`. Empty if there is no
        such character.
    """
    for character in text:
        if unicodedata.category(character) in _INVISIBLE:
            return f"has the character U+{ord(character):04X}, which is not seen"
    if text.isascii():
        return ""
    if any(map(_is_styled_letter, text)):
        return "has letters of another style, which look like plain ones"
    has_latin = any(character.isascii() and character.isalpha() for character in text)
    alike = next(
        (letter for word in text.split() for letter in _lookalike_letters(word, has_latin=has_latin)), ""
    )
    if not alike:
        return ""
    name = unicodedata.name(alike, "a letter of another script")
    return f"has {name} (U+{ord(alike):04X}), which looks like a Latin letter"


def _lookalike_letters(word: str, *, has_latin: bool) -> list[str]:
    # Lookalike letters count if they make up the whole word or the text also has Latin letters.
    letters = [character for character in word if character.isalpha()]
    alike = [character for character in letters if character in LOOK_ALIKE]
    return alike if has_latin or len(alike) == len(letters) else []


def _is_styled_letter(character: str) -> bool:
    if character.isascii() or not character.isalpha():
        return False
    return unicodedata.normalize("NFKC", character).isascii()
