"""The base of every error that statuary raises for a person to read."""


class StatuaryError(Exception):
    """What is wrong, and what to do about it.

    Attributes:
        hint: what to do; empty if the message says it.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
