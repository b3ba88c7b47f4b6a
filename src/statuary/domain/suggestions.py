"""Suggestions for an unknown word."""

from collections.abc import Iterable
from difflib import get_close_matches

LIKENESS = 0.6
"""The smallest ratio of `difflib` for a suggestion."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean …?` with the known word nearest to `word`, or an empty text."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = get_close_matches(word.lower(), by_lower, 1, cutoff=LIKENESS)
    return f"did you mean {by_lower[close[0]]!r}?" if close else ""
