"""Why an edit is not made."""

from statuary.domain.findings import Position


class EditError(Exception):
    """An edit that cannot be made without guessing; the text stays as it is.

    Attributes:
        remedy: what to do, or empty.
        position: the place in the text that stands in the way, or None.
    """

    def __init__(self, message: str, hint: str = "", position: Position | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        self.position = position
