"""Sockets: those that a server listens on, and connections over TCP."""

import socket
from contextlib import suppress

from statuary.base.errors import StatuaryError

MAX_PORT = 65_535

Socket = socket.socket


class ServerError(StatuaryError):
    """The server cannot start."""


def listen(host: str, port: int) -> Socket:
    """Open a socket that accepts connections.

    Args:
        host: an address or name of this machine.
        port: the number of the port; 0 for any free port.

    Raises:
        ServerError: if the port is taken, or the host is not this machine's.
    """
    try:
        listening = socket.create_server((host, port), reuse_port=False)
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (")[0]
        raise ServerError(f"cannot listen on {host}:{port}: {why}", "--port 0 chooses a free port") from None
    # Accepted connections inherit TCP_NODELAY. Without this option, the end of a response may wait 40 ms for
    # an acknowledgement.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def shut_down_connection(connection: Socket) -> None:
    """End all reads and writes of a connection."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def check_connection(host: str, port: int, seconds: float) -> None:
    """Check that a server accepts TCP connections.

    Args:
        host: the name or address of the server.
        seconds: how long to wait.

    Raises:
        OSError: if the server does not accept a connection in time.
        OverflowError: if there is no such port.
        UnicodeError: if the host is not a name.
    """
    with socket.create_connection((host, port), timeout=seconds):
        pass
