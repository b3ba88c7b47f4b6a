"""Errors of editing."""

from statuary.domain.errors import StatuaryError
from statuary.domain.findings import Position


class EditError(StatuaryError):
    """An edit is ambiguous, or cannot be written or committed."""

    def __init__(self, message: str, hint: str = "", position: Position | None = None) -> None:
        super().__init__(message, hint)
        self.position = position  # the place in the file that prevents the edit, if there is one
