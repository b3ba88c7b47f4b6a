"""A text that cannot be read as what its name says it is."""

from statuary.domain.findings import Position

FIRST = Position(1, 1)
"""Where reading starts."""


class UnreadableError(Exception):
    """A file's text is not what it must be; it becomes one finding at one place.

    Attributes:
        remedy: what to do, or empty.
        position: where reading stopped.
        rule: the finding's rule.
    """

    def __init__(
        self, message: str, hint: str = "", position: Position = FIRST, rule: str = "readable-text"
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.position = position
        self.rule = rule
