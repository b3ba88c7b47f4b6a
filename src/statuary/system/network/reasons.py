"""Reasons of failed connections: fixed sentences that quote nothing from outside."""

import http.client
import socket
import ssl
from urllib.parse import urlsplit

from statuary.system.network.connections import PrivateAddressError

REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (PrivateAddressError, "redirects to a private address"),
    (TimeoutError, "responds too slowly"),
    (ConnectionRefusedError, "refuses the connection"),
    (ConnectionError, "closes the connection"),
    (socket.gaierror, "has an unknown host name"),
    (ssl.SSLCertVerificationError, "has no valid certificate"),
    (ssl.SSLError, "does not speak TLS"),
    (http.client.InvalidURL, "has an invalid address"),
    (UnicodeError, "has an invalid address"),
    (http.client.IncompleteRead, "ends its response early"),
    (http.client.HTTPException, "does not respond as a web server does"),
)
"""What the server does, by the kind of an exception; the first that fits."""

OTHER_REASON = "cannot be reached"


def connection_error_reason(error: BaseException) -> str:
    """Return in plain words why a connection failed.

    For example, `refuses the connection`, to follow the word `it`.

    Args:
        error: the exception of the connection, or urllib's exception around it.
    """
    cause = getattr(error, "reason", None)  # urllib wraps the exception of the connection
    cause = cause if isinstance(cause, BaseException) else error
    return next((reason for kind, reason in REASONS if isinstance(cause, kind)), OTHER_REASON)


def display_origin(url: str) -> str:
    """Return the scheme, host and port of a URL for a message.

    The path, the query and the password may be secret, so they are left out. Any other URL is named `the
    given address`.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "the given address"
    if not host or not host.isprintable() or parts.scheme not in ("http", "https"):
        return "the given address"
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}" + (f":{port}" if port is not None else "")
