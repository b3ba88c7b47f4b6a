"""Explain why an object store refused a request."""

from collections.abc import Mapping
from typing import NamedTuple


class Refusal(NamedTuple):
    """The reason why a store refused a request, and what to do."""

    reason: str
    hint: str


AGAIN = "run the command again"

REFUSALS = {
    "PermissionDeniedError": Refusal("it denies access", "check the credentials and their permissions"),
    "UnauthenticatedError": Refusal("it does not accept the credentials", "check them"),
    "NotFoundError": Refusal("it does not exist", "check the name of the bucket and the endpoint"),
    "FileNotFoundError": Refusal("it does not exist", "check the name of the bucket and the endpoint"),
    "InvalidPathError": Refusal("it does not allow the path", "check the prefix of the URL"),
    "UnknownConfigurationKeyError": Refusal("a setting is unknown", "check the variables of the store"),
    "NotSupportedError": Refusal("it does not support the request", "check the endpoint"),
    "TimeoutError": Refusal("it does not respond in time", AGAIN),
}
"""Refusals by the name of the exception's class, since the library is imported only where a store is used."""

OTHER_REFUSAL = Refusal("it cannot be reached, or its response is an error", AGAIN)

CREDENTIALS = {
    "s3": (
        ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_SKIP_SIGNATURE"),
    )
}
"""The variables that a store needs, and those of which one replaces them, by the scheme of its URL."""


def explain_refusal(request_error: BaseException, store_url: str, environment: Mapping[str, str]) -> Refusal:
    """Explain in words why a request to an object store failed.

    Args:
        request_error: the exception from the library.
        store_url: the URL of the store.
        environment: the environment variables, in which credentials may be missing.
    """
    names = [kind.__name__ for kind in type(request_error).__mro__]
    refusal = next((REFUSALS[name] for name in names if name in REFUSALS), OTHER_REFUSAL)
    needed, others = CREDENTIALS.get(store_url.partition(":")[0], ((), ()))
    missing = [name for name in needed if not environment.get(name)]
    if missing and not any(map(environment.get, others)):
        return Refusal(
            f"{refusal.reason}, and {' and '.join(missing)} are not set",
            "set the credentials of the store where the command runs",
        )
    return refusal
