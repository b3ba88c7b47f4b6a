"""The changes that a build would make, as a value."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from typing_extensions import override


class Action(StrEnum):
    """The action of a build on a file."""

    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Change:
    """A file that a build adds, replaces or removes."""

    action: Action
    path: str  # relative to the site's root
    size: int  # bytes of the new body, 0 for a removal

    @override
    def __str__(self) -> str:
        sign = {Action.ADD: "+", Action.REPLACE: "~", Action.REMOVE: "-"}[self.action]
        return f"{sign} {self.path}" + ("" if self.action is Action.REMOVE else f" ({self.size:,} bytes)")


class Plan(NamedTuple):
    """The changes that a build makes to a published site, and their number.

    The changes are yielded one by one, since a site may have millions.
    """

    counts: dict[Action, int]  # changes by action
    unchanged: int  # number of unchanged documents
    size: int  # bytes of all documents, each counted once
    changed_size: int
    changes: Callable[[], Iterator[Change]]  # yields the changes by path
    conflicts: tuple[str, ...] = ()  # paths with files of another program; if any, nothing is applied

    @property
    def is_empty(self) -> bool:
        """Whether nothing in the published site changes."""
        return not any(self.counts.values())

    @property
    def document_count(self) -> int:
        """The number of files that the site has after the changes."""
        return self.unchanged + self.counts[Action.ADD] + self.counts[Action.REPLACE]
