"""What a build would change in its target: a value that is shown, asked whether it is empty, and applied."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from typing_extensions import override


class Action(StrEnum):
    """What happens to one path."""

    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Change:
    """One path's change.

    Attributes:
        path: relative to the site's root.
        size: bytes of the new body, 0 for a removal.
    """

    action: Action
    path: str
    size: int

    @override
    def __str__(self) -> str:
        sign = {Action.ADD: "+", Action.REPLACE: "~", Action.REMOVE: "-"}[self.action]
        return f"{sign} {self.path}" + ("" if self.action is Action.REMOVE else f" ({self.size:,} bytes)")


class Plan(NamedTuple):
    """What would change, counted; the changes themselves are read one by one, since there may be millions.

    Attributes:
        counts: changes by action.
        kept: documents that are there already as they should be.
        size: bytes of all documents, each name counted once.
        changed_size: bytes that would be written.
        changes: calls up the changes, in order of their paths.
        conflicts: paths that hold files of another program with other bytes; nothing is applied while there are any.
    """

    counts: dict[Action, int]
    kept: int
    size: int
    changed_size: int
    changes: Callable[[], Iterator[Change]]
    conflicts: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return not any(self.counts.values())

    @property
    def documents(self) -> int:
        """How many paths the site will have."""
        return self.kept + self.counts[Action.ADD] + self.counts[Action.REPLACE]
