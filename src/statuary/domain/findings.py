"""What a check has to say, as a value.

A finding carries a *pointer* (the path of keys and indexes from the top of its file), never a line: lines
are looked up only when a finding is shown, so that good input pays nothing for them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

Pointer = tuple[str | int, ...]
"""Keys and indexes from the top of a file's value to the part meant; `()` is the whole file."""


class Severity(StrEnum):
    """How much a finding matters: an `error` stops the build, a `warning` does so only with `--strict`."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text file.

    Attributes:
        line: counted from 1.
        column: counted from 1, in characters.
    """

    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something a check has to say about one place in the content.

    Attributes:
        rule: the check's name in kebab-case; what `--skip` takes.
        message: what is wrong, with the value.
        remedy: what to do about it, as an imperative; empty if the message leaves no question.
        path: the file, relative to the content folder, with forward slashes.
        pointer: where in that file.
        on_key: whether the key itself is meant (an unknown key), not the value it holds.
        position: the place, once it is known; readers of text know it at once, others leave it None.
    """

    rule: str
    message: str
    hint: str = ""
    path: str = ""
    pointer: Pointer = ()
    on_key: bool = False
    severity: Severity = Severity.ERROR
    position: Position | None = None

    def within(self, path: str, prefix: Pointer = ()) -> "Finding":
        """Return this finding placed in a file, its pointer below `prefix`."""
        return replace(self, path=path, pointer=(*prefix, *self.pointer))


def order(finding: Finding) -> tuple[str, int, int, str, str]:
    """Return the key that findings are shown by: file, place, rule, message."""
    place = finding.position or Position(0, 0)
    return finding.path, place.line, place.column, finding.rule, finding.message


def sorted_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings sorted by place, without duplicates."""
    return sorted(set(findings), key=order)


def has_errors(findings: Iterable[Finding]) -> bool:
    """Say whether any of the findings stops a build."""
    return any(finding.severity is Severity.ERROR for finding in findings)
