"""Suggestions for a word that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches

LIKENESS = 0.6
"""How alike two words must be, by `difflib`'s ratio, for one to be suggested for the other."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean …?` for the known word nearest to `word`, or an empty text."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = get_close_matches(word.lower(), by_lower, 1, cutoff=LIKENESS)
    return f"did you mean {by_lower[close[0]]!r}?" if close else ""
