"""The base of every error that statuary raises for people to read."""


class StatuaryError(Exception):
    """`str(error)` is what is wrong."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint  # what to do; empty if the message contains it
