"""Names for new files: `<date>-<slug>.yaml`, the date and the words of a title, as no other has them."""

import re
import unicodedata
from collections.abc import Container
from datetime import date
from itertools import count

MAX_SLUG_LENGTH = 60
"""Characters of a slug; it ends at a whole word."""

NO_LETTER = re.compile(r"[^a-z0-9]+")


def new_id(day: date, title: str, fallback: str, taken: Container[str]) -> str:
    """Return an id for a new file: the day, the title's words, and a number if that is taken.

    Args:
        day: what the file is sorted by.
        title: what its words are taken from.
        fallback: a word for a title that holds no Latin letter or digit.
        taken: ids, and file names, that are in use.
    """
    first = f"{day.isoformat()}-{slug(title) or fallback}"
    names = (first if number == 1 else f"{first}-{number}" for number in count(1))
    return next(name for name in names if name not in taken)


def slug(title: str) -> str:
    """Return a title's words in lower case without accents, joined by dashes; empty if none is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii").lower()
    words = NO_LETTER.sub("-", plain.replace("'", "")).strip("-")
    if len(words) <= MAX_SLUG_LENGTH:
        return words
    shorter = words[: MAX_SLUG_LENGTH + 1]
    return shorter.rpartition("-")[0] or shorter[:MAX_SLUG_LENGTH]
