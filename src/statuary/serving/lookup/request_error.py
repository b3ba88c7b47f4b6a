"""A request that gets an error body."""

from statuary.domain.errors import StatuaryError


class RequestError(StatuaryError):
    """A request that gets an error body, in Sourcify's words."""

    def __init__(self, message: str, custom_code: str = "invalid_parameter", status: int = 400) -> None:
        super().__init__(message)
        self.custom_code = custom_code
        self.status = status
