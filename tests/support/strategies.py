"""Random tests that are the same on every run, and YAML as people write it.

The YAML has comments everywhere, every style of scalar, and any line end.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st

steady = settings()
"""Decorates a `@given` test: the examples of the profile that `random_runs` loads."""

WORDS = (
    "rpc",
    "a fix",
    "é日本",
    "x#y",
    "it's",
    'say "so"',
    "0x1f",
    "1.10",
    "on",
    "50%",
    "a:b",
    "\U0001f6a7 works",
)
KEYS = ("name", "body", "status", "components", "updates", "history", "rpc", "on", "1.10", "zählt", "a b")


@dataclass
class Pen:
    """Writes one document, drawing every choice; comments are numbered so that none is like another."""

    draw: Callable
    step: int
    dash: int
    comments: int = 0

    def chance(self, one_in: int) -> bool:
        return self.draw(st.integers(1, one_in)) == 1

    def pick(self, *options):
        return self.draw(st.sampled_from(options))

    def comment(self) -> str:
        self.comments += 1
        return f"# note {self.comments}: {self.pick('- at: x', 'TODO', '| > &', 'é')}"

    def behind(self) -> str:
        return self.pick(" ", "   ") + self.comment() if self.chance(4) else self.pick("", "", "", " ")

    def between(self, column: int) -> list[str]:
        """Lines that mean nothing: empty ones and comments, indented anyhow."""
        lines = []
        while self.chance(4):
            indent = self.pick(0, column, column, column + self.step)
            lines.append(self.pick("", " " * indent + self.comment()))
        return lines

    def mapping(self, column: int, depth: int) -> list[str]:
        keys = self.draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True))
        lines = []
        for key in keys:
            written = self.pick(key, f'"{key}"', f"'{key}'") if " " not in key else f'"{key}"'
            first, *rest = self.value(column, depth)
            lines += [" " * column + f"{written}:{' ' if first else ''}{first}", *rest]
            if not ends_as_block_text(first):
                lines += self.between(column)
        return lines

    def sequence(self, column: int, depth: int) -> list[str]:
        lines = []
        gap = self.pick(2, 2, 4)
        for _ in range(self.draw(st.integers(1, 3))):
            dash = " " * column + "-" + " " * (gap - 1)
            if self.chance(3):
                lines.append(dash + self.in_line() + self.behind())
            else:
                first, *rest = self.mapping(column + gap, depth + 1)
                lines += [dash + first.lstrip(" "), *rest]
        return lines

    def value(self, column: int, depth: int) -> list[str]:
        """What stands behind a key, and the lines below it."""
        kind = self.draw(st.integers(0, 11))
        if kind <= 1 and depth < 3:
            return [self.behind(), *self.mapping(column + self.step, depth + 1)]
        if kind <= 4 and depth < 3:
            return [self.behind(), *self.sequence(column + self.dash, depth + 1)]
        if kind == 5:
            return [self.pick("", "~", "null", "[]", "{}", "[ ]") + self.behind()]
        if kind == 6:
            return [self.pick("[a, 'b']", "{a: b}") + self.behind()]
        if kind <= 8:
            return self.block_text(column + self.step)
        return [self.in_line() + self.behind()]

    def in_line(self) -> str:
        word = self.pick(*WORDS)
        single = "'" + word.replace("'", "''") + "'"
        double = '"' + word.replace('"', '\\"') + '"'
        return self.pick(word, single, double)

    def block_text(self, column: int) -> list[str]:
        header = self.pick("|", "|-", "|+", ">", ">-", ">+") + self.pick("", "", "  " + self.comment())
        lines = [
            " " * column + self.pick(*WORDS, "# no comment", "- no item") for _ in range(self.pick(1, 2))
        ]
        return [header, *lines, *[""] * self.pick(0, 0, 1, 2)]


def ends_as_block_text(first: str) -> bool:
    """Say whether a value is a block of text, in which a comment line would be text."""
    return first.lstrip().startswith(("|", ">"))


@st.composite
def written_yaml(draw) -> str:
    """Draw a document whose top is a mapping."""
    pen = Pen(draw, step=draw(st.sampled_from((2, 2, 4))), dash=draw(st.sampled_from((0, 2, 2))))
    lines = [
        *pen.between(0),
        *pen.pick([], ["---"]),
        *pen.mapping(0, 0),
        *pen.pick([], ["# the end"], ["...", ""]),
    ]
    line_break = draw(st.sampled_from(("\n", "\n", "\r\n")))
    return line_break.join(lines) + draw(st.sampled_from((line_break, line_break, "")))
