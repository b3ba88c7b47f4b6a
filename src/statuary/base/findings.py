"""Findings: what is wrong with the content.

A finding has a pointer (keys and indexes from the top of its file). Its line is looked up only when the
finding is shown, so correct content costs nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from statuary.base.limits import MAX_MESSAGE, MAX_SHOWN_FINDINGS

Pointer = tuple[str | int, ...]
"""Keys and indexes from the top of a file to a value in it; `()` is the whole file."""


class Severity(StrEnum):
    """The severity of a finding.

    An error stops the build, or only withholds what it is about: a record, a component, a document or an
    extension. A warning stops the build only with `--strict`. A note never does.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A line and a column of a text, in characters from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something wrong with a content file, and what to do about it."""

    rule: str  # the name of the rule, in kebab-case; `--skip` takes the names of checks
    message: str  # what is wrong, with the value
    hint: str = ""  # what to do, in the imperative; empty if the message contains it
    path: str = ""
    pointer: Pointer = ()
    on_key: bool = False  # whether the fault is in the key and not in its value
    severity: Severity = Severity.ERROR
    position: Position | None = None

    def __post_init__(self) -> None:
        if len(self.message) > MAX_MESSAGE:
            half = MAX_MESSAGE // 2
            object.__setattr__(self, "message", f"{self.message[:half]}…{self.message[-half:]}")

    def with_path(self, path: str, pointer_prefix: Pointer = ()) -> "Finding":
        """Return a copy of the finding that names its file.

        Args:
            path: the path of the file.
            pointer_prefix: the keys and indexes that lead to the checked part of the file, such as `("updates", 2)`.
        """
        return replace(self, path=path, pointer=(*pointer_prefix, *self.pointer))


def sorted_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by file and position, and remove duplicates."""
    start = Position(0, 0)
    return sorted(
        set(findings),
        key=lambda finding: (finding.path, finding.position or start, finding.rule, finding.message),
    )


def has_errors(findings: Iterable[Finding]) -> bool:
    """Return whether any finding is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def error_count(findings: Iterable[Finding]) -> int:
    """Return the number of findings that are errors."""
    return sum(finding.severity is Severity.ERROR for finding in findings)


def has_warnings_or_errors(findings: Iterable[Finding]) -> bool:
    """Return whether any finding is a warning or an error."""
    return any(finding.severity is not Severity.NOTE for finding in findings)


class Rule(NamedTuple):
    """A rule as `statuary check --list` shows it."""

    name: str  # the name of the rule, in kebab-case
    severity: Severity  # the severity of findings that state none
    group: str  # the heading under which `check --list` prints the rule
    sentence: str
    can_skip: bool = False  # whether `--skip` and `--only` may name the rule or its group


LIKENESS = 0.6
"""The minimum similarity (`difflib` ratio) of a suggestion."""


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Suggest the known word that is most similar to a misspelt one.

    Returns:
        A string such as `did you mean 'resolved'?`; empty if no known word is similar.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

    by_lower = {candidate.lower(): candidate for candidate in words}
    close = get_close_matches(word.lower(), by_lower, 1, cutoff=LIKENESS)
    return f"did you mean {by_lower[close[0]]!r}?" if close else ""


class Suggestions:
    """Suggests known words for misspelt ones.

    A search takes as long as there are known words, so only the first `MAX_SHOWN_FINDINGS` words get a suggestion.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        self.left = MAX_SHOWN_FINDINGS  # searches

    def suggest_similar(self, word: str) -> str:
        """Suggest a known word that is similar to a misspelt one.

        Returns:
            A string such as `did you mean 'resolved'?`; empty if no known word is similar, or after too many
            suggestions.
        """
        self.left -= 1
        return did_you_mean(word, self.words) if self.left >= 0 else ""
