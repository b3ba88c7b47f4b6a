"""Why nothing is published."""


class PublishingError(Exception):
    """The target cannot take the site; nothing in it was changed.

    Attributes:
        remedy: what to do, or empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
