"""Running the site on loopback, and building it again when its content changes."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from statuary.serving.asgi_app import SiteApp
from statuary.serving.live_reload import ReloadEvents

if TYPE_CHECKING:
    from uvicorn import Server

SHUTDOWN_SECONDS = 1
"""Seconds that open connections get when the server stops; an event stream would never end by itself."""

LOOPBACK = "127.0.0.1"


class ServerError(Exception):
    """The server cannot start; `str(error)` is a sentence for the person at the keyboard."""


class WatchedContent(NamedTuple):
    """Content that is built again when it changes.

    Attributes:
        folder: what is looked at, with all below it.
        rebuild: builds the site again; what is wrong with the content it tells by itself.
    """

    folder: Path
    rebuild: Callable[[], None]


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes any that is free.

    Raises:
        CannotServe: if the port is taken, or the host is not this machine's.
    """
    try:
        listening = socket.create_server((host, port), reuse_port=False)
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (")[0]
        raise ServerError(f"cannot listen on {host}:{port}: {why}; try --port 0") from None
    # connections inherit it; asyncio sets it only where a socket names its protocol, and without it the end of
    # a body waits 40 ms for the client's acknowledgement
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def serve(web: SiteApp, listening: socket.socket, watched: WatchedContent | None = None) -> None:
    """Serve until interrupted.

    Args:
        web: the site.
        listening: where it is served.
        watched: what to build again on changes; None if nothing changes.

    Raises:
        CannotServe: if the optional packages are missing.
    """
    try:
        import uvicorn  # noqa: PLC0415 - an extra, needed by this function alone
    except ImportError:
        raise ServerError("serving needs more packages: pip install 'statuary[serve]'") from None
    config = uvicorn.Config(
        web,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    with suppress(KeyboardInterrupt):  # the usual way to stop it
        asyncio.run(_serve(uvicorn.Server(config), listening, web.changes, watched))


async def _serve(
    server: "Server", listening: socket.socket, changes: ReloadEvents | None, watched: WatchedContent | None
) -> None:
    """Serve, and rebuild beside it; whichever ends first ends the other."""
    tasks = [asyncio.create_task(server.serve(sockets=[listening]))]
    if changes is not None and watched is not None:
        tasks.append(asyncio.create_task(rebuild_on_changes(watched, changes)))
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    for task in done:
        task.result()


async def rebuild_on_changes(watched: WatchedContent, changes: ReloadEvents) -> None:
    """Build the site again after each burst of changes, and tell the open pages."""
    from watchfiles import awatch  # noqa: PLC0415 - an extra, needed by this function alone

    async for _ in awatch(watched.folder):
        await asyncio.to_thread(watched.rebuild)
        changes.announce()
