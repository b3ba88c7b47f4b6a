"""Texts as readers see them: no hidden characters.

Templates escape markup. This is about characters that escaping keeps: control characters, which HTML cannot hold, and
those that reverse the direction of text (CVE-2021-42574: source that reads differently from what is compiled).
"""

import re

HIDDEN_CHARACTERS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls but tab, line feed and carriage return
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"  # tags: a text within the text that nobody sees
    "\ud800-\udfff]"  # half of a character, which UTF-8 cannot encode
)
"""Characters that are shown by their number instead; joiners of scripts and emoji (U+200C, U+200D) are not."""


def visible_text(text: str) -> str:
    """Return a text with its hidden characters replaced by their code points, such as `⟨U+202E⟩`."""
    return HIDDEN_CHARACTERS.sub(_numbered, text)


MAX_LINE_LENGTH = 1_000
"""Characters of a name or sentence that are shown."""


def one_line(text: str) -> str:
    """Return a text as one visible line, with white space collapsed and its end cut if it is too long."""
    cut = text if len(text) <= MAX_LINE_LENGTH else text[:MAX_LINE_LENGTH] + " …"
    return " ".join(visible_text(cut).split())


def hidden_characters(text: str) -> list[str]:
    """Return the code points of the hidden characters in a text, each once."""
    return list(dict.fromkeys(code_point(found[0]) for found in HIDDEN_CHARACTERS.finditer(text)))


def code_point(character: str) -> str:
    """Return the code point of a character, such as `U+202E`."""
    return f"U+{ord(character):04X}"


def _numbered(found: re.Match[str]) -> str:
    return f"⟨{code_point(found[0])}⟩"
