"""How an import says no."""


class CannotImport(Exception):  # noqa: N818 - a decision about what was given, not a fault
    """What was given cannot become a contract of the site.

    Attributes:
        remedy: what to do instead, or empty.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy
