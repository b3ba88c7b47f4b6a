"""Why a request is refused, in Sourcify's words."""


class RequestError(Exception):
    """A request that gets an error body; `str(refusal)` is its message.

    Attributes:
        custom_code: the `customCode` of the body.
        status: the HTTP status.
    """

    def __init__(self, message: str, custom_code: str = "invalid_parameter", status: int = 400) -> None:
        super().__init__(message)
        self.custom_code = custom_code
        self.status = status
