"""Paths of ERC-7730.

They begin at a call or message (`#`), a container (`@`) or the descriptor (`$`).
"""

import re
from typing import NamedTuple

from typing_extensions import override

from statuary.base.primitives import InvalidValueError
from statuary.extensions.clear_signing.limits import MAX_PATH
from statuary.extensions.clear_signing.plain_text import quoted

RELATIVE, DATA, CONTAINER, DESCRIPTOR = "", "#", "@", "$"
ROOTS = (DATA, CONTAINER, DESCRIPTOR)

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*", re.ASCII)
_DESCRIPTOR_NAME = re.compile(r"[A-Za-z0-9_$ -]+", re.ASCII)
_INDEX = re.compile(r"\[(-?[0-9]{1,9})\]", re.ASCII)
_SLICE = re.compile(r"\[(-?[0-9]{1,9})?:(-?[0-9]{1,9})?\]", re.ASCII)


class Member(NamedTuple):
    """A struct's member, a parameter, or a key of the descriptor."""

    name: str


class Item(NamedTuple):
    """One item of an array; negative numbers count from the end."""

    number: int


class Items(NamedTuple):
    """All items of an array, `[]`."""


class Slice(NamedTuple):
    """Some bytes of a value, or items of an array.

    Without `end`, they extend to the end.
    """

    start: int | None
    end: int | None

    @property
    def length(self) -> int | None:
        """The number of bytes or items, unless the value decides it."""
        start = self.start or 0
        if self.end is None:
            return -start if start < 0 else None
        return self.end - start if (start < 0) == (self.end < 0) else None


Step = Member | Item | Items | Slice


class Path(NamedTuple):
    """A path; without a root, it is relative to its group."""

    root: str  # one of ROOTS, or RELATIVE
    steps: tuple[Step, ...]

    def below(self, group: tuple[Step, ...]) -> "Path":
        """Return a relative path as one from the root; others are unchanged.

        Args:
            group: the path of the group that contains it.
        """
        return Path(DATA, group + self.steps) if self.root == RELATIVE else self

    @override
    def __str__(self) -> str:
        """Write the path as ERC-7730 does, data without its root."""
        text = ".".join(map(_written, self.steps))
        return text if self.root in (DATA, RELATIVE) else f"{self.root}.{text}"


def _written(step: Step) -> str:
    match step:
        case Member(name):
            return name
        case Item(number):
            return f"[{number}]"
        case Slice(start, end):
            return f"[{'' if start is None else start}:{'' if end is None else end}]"
        case _:
            return "[]"


def parse_path(text: str) -> Path:
    """Parse a path.

    Raises:
        InvalidValueError: if it is not one.
    """
    if len(text) > MAX_PATH:
        raise InvalidValueError(f"a path of {len(text):,} characters", f"write at most {MAX_PATH:,}")
    first_part, dot, remainder = text.partition(".")
    root, body = (first_part, remainder) if first_part in ROOTS else (RELATIVE, text)
    if first_part in ROOTS and not dot:
        if first_part == DATA:
            return Path(DATA, ())
        raise InvalidValueError(
            f"the path {text!r} names nothing", "write it as `@.value` or `params.amount`"
        )
    return Path(root, tuple(_step(part, text, root) for part in body.split(".")))


def _step(part: str, text: str, root: str) -> Step:
    name = _DESCRIPTOR_NAME if root == DESCRIPTOR else _NAME
    if name.fullmatch(part):
        return Member(part)
    if part == "[]":
        return Items()
    if match := _INDEX.fullmatch(part):
        return Item(int(match[1]))
    if match := _SLICE.fullmatch(part):
        return Slice(*(None if bound is None else int(bound) for bound in match.groups()))
    raise InvalidValueError(
        f"the path {quoted(text)} has the part {quoted(part)}",
        "write names, `[0]`, `[]` and `[0:20]`, with dots between them",
    )
