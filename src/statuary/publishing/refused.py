"""Why nothing is published."""


class PublishingRefused(Exception):  # noqa: N818 - states the fact
    """The target cannot take the site; nothing in it was changed.

    Attributes:
        remedy: what to do, or empty.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy
