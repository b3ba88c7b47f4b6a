"""How an import says no."""


class ContractImportError(Exception):
    """What was given cannot become a contract of the site.

    Attributes:
        remedy: what to do instead, or empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
