"""Texts of content as readers see them: nothing in them can act, or make them look like something else.

Escaping is the templates' business. This is about characters that survive it: controls, which HTML has no way
to write, and those that turn the direction of text around (CVE-2021-42574: source that reads other than it
compiles).
"""

import re

HIDDEN_CHARACTERS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls but tab, line feed and carriage return
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"  # tags: a text within the text that nobody sees
    "\ud800-\udfff]"  # half of a character, which UTF-8 cannot write
)
"""Characters that are shown by their number instead; joiners of scripts and emoji (U+200C, U+200D) are not."""


def visible_text(text: str) -> str:
    """Return a text with its hidden characters shown by number, such as `⟨U+202E⟩`."""
    return HIDDEN_CHARACTERS.sub(_numbered, text)


MAX_LINE_LENGTH = 1_000
"""Characters of a name or sentence that are shown; what is longer was not written to be read."""


def one_line(text: str) -> str:
    """Return a name as one line: legible, each stretch of white space one space, its end cut if it has none."""
    cut = text if len(text) <= MAX_LINE_LENGTH else text[:MAX_LINE_LENGTH] + " …"
    return " ".join(visible_text(cut).split())


def hidden_characters(text: str) -> list[str]:
    """Return the numbers of the hidden characters in a text, each once, such as `U+202E`."""
    return list(dict.fromkeys(code_point(found[0]) for found in HIDDEN_CHARACTERS.finditer(text)))


def code_point(character: str) -> str:
    """Return the number of a character as Unicode writes it."""
    return f"U+{ord(character):04X}"


def _numbered(found: re.Match[str]) -> str:
    return f"⟨{code_point(found[0])}⟩"
