"""Parse the paths of ERC-7730, such as `#.params.amount`.

The paths begin at a call or message (`#`), a container (`@`) or the descriptor (`$`).
"""

import re
from typing import NamedTuple

from typing_extensions import override

from statuary.base.primitives import InvalidValueError
from statuary.extensions.clear_signing.limits import MAX_PATH
from statuary.extensions.clear_signing.plain_text import quote_shortened

RELATIVE, DATA, CONTAINER, DESCRIPTOR = "", "#", "@", "$"
ROOTS = (DATA, CONTAINER, DESCRIPTOR)

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*", re.ASCII)
_DESCRIPTOR_NAME = re.compile(r"[A-Za-z0-9_$ -]+", re.ASCII)
_INDEX = re.compile(r"\[(-?[0-9]{1,9})\]", re.ASCII)
_SLICE = re.compile(r"\[(-?[0-9]{1,9})?:(-?[0-9]{1,9})?\]", re.ASCII)


class Member(NamedTuple):
    """A step to a struct's member, a parameter, or a key."""

    name: str


class Item(NamedTuple):
    """A step to an array's item. A negative index counts from the end."""

    number: int


class Items(NamedTuple):
    """A step to all items of an array, `[]`."""


class Slice(NamedTuple):
    """A step to a range of bytes or of an array's items.

    Negative numbers count from the end. If `start` or `end` is None, the range has no limit on that side.
    """

    start: int | None
    end: int | None

    @property
    def length(self) -> int | None:
        """The number of items in the slice.

        None if it depends on the length of the whole array or byte string.
        """
        start = self.start or 0
        if self.end is None:
            return -start if start < 0 else None
        return self.end - start if (start < 0) == (self.end < 0) else None


Step = Member | Item | Items | Slice


class Path(NamedTuple):
    """A parsed path to a value, such as `#.params.amount`."""

    root: str  # the start of the path: one of ROOTS, or RELATIVE
    steps: tuple[Step, ...]

    def from_root(self, group_steps: tuple[Step, ...]) -> "Path":
        """Make a path absolute: from the root of the call or message.

        Args:
            group_steps: the steps from the root to the group of the field. They are put before a relative
                path.
        """
        return Path(DATA, group_steps + self.steps) if self.root == RELATIVE else self

    @override
    def __str__(self) -> str:
        """Format the path as in ERC-7730; the root of data is omitted."""
        text = ".".join(map(_format_step, self.steps))
        return text if self.root in (DATA, RELATIVE) else f"{self.root}.{text}"


def _format_step(step: Step) -> str:
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
    """Parse a path in a descriptor, such as `#.params.amount`.

    Raises:
        InvalidValueError: if the string is not a path, or is too long.
    """
    if len(text) > MAX_PATH:
        raise InvalidValueError(
            f"the path has {len(text):,} characters", f"write at most {MAX_PATH:,} characters"
        )
    first_part, dot, remainder = text.partition(".")
    root, body = (first_part, remainder) if first_part in ROOTS else (RELATIVE, text)
    if first_part in ROOTS and not dot:
        if first_part == DATA:
            return Path(DATA, ())
        raise InvalidValueError(
            f"the path {text!r} has no steps, so it leads to no value",
            "write it as `@.value` or `params.amount`",
        )
    return Path(root, tuple(_parse_step(part, text, root) for part in body.split(".")))


def _parse_step(step_text: str, path_text: str, root: str) -> Step:
    name = _DESCRIPTOR_NAME if root == DESCRIPTOR else _NAME
    if name.fullmatch(step_text):
        return Member(step_text)
    if step_text == "[]":
        return Items()
    if match := _INDEX.fullmatch(step_text):
        return Item(int(match[1]))
    if match := _SLICE.fullmatch(step_text):
        return Slice(*(None if bound is None else int(bound) for bound in match.groups()))
    raise InvalidValueError(
        f"the path {quote_shortened(path_text)} has the invalid part {quote_shortened(step_text)}",
        "write names, `[0]`, `[]` and `[0:20]`, with dots between them",
    )
