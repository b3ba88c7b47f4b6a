"""The local server: uvicorn if it is installed, else the standard library's."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from statuary.domain.errors import StatuaryError
from statuary.serving.asgi_app import AsgiApp
from statuary.serving.http_handler import SiteServer
from statuary.serving.live_reload import ReloadEvents
from statuary.serving.site_app import SiteApp

SHUTDOWN_SECONDS = 1
"""Seconds that open connections get when the server stops; an event stream never ends by itself."""

POLLING_SECONDS = 1.0
"""Seconds between two scans of the content where watchfiles is not installed."""

LOOPBACK = "127.0.0.1"


class ServerError(StatuaryError):
    """The server cannot start."""


ContentState = dict[str, tuple[int, int]]
"""Time (nanoseconds) and size (bytes) of files by path."""


class WatchedContent(NamedTuple):
    """Content that is rebuilt when it changes."""

    folder: Path
    rebuild: Callable[[], None]
    built: ContentState
    """The state that the first build read, or an older one."""


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 picks a free one.

    Raises:
        ServerError: if the port is taken, or the host is not this machine's.
    """
    try:
        listening = socket.create_server((host, port), reuse_port=False)
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (")[0]
        raise ServerError(f"cannot listen on {host}:{port}: {why}", "--port 0 takes a free port") from None
    # connections inherit it; asyncio sets it only where a socket names its protocol, and without it the end of
    # a body waits 40 ms for the client's acknowledgement
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def serve(site: SiteApp, listening: socket.socket, watched: WatchedContent | None = None) -> None:
    """Serve until interrupted; `watched` is rebuilt on changes."""
    stopped = Event()
    if watched is not None and site.events is not None:
        arguments = (watched, site.events, stopped)
        Thread(target=rebuild_on_changes, args=arguments, daemon=True).start()
    run = _run_uvicorn if find_spec("uvicorn") else _run_standard_server
    try:
        with suppress(KeyboardInterrupt):  # Ctrl-C is the usual way to stop it
            run(site, listening)
    finally:
        stopped.set()


def _run_uvicorn(site: SiteApp, listening: socket.socket) -> None:
    import uvicorn  # noqa: PLC0415 - an extra

    config = uvicorn.Config(
        AsgiApp(site),
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[listening])


def _run_standard_server(site: SiteApp, listening: socket.socket) -> None:
    SiteServer(site, listening).serve_forever()


def rebuild_on_changes(watched: WatchedContent, events: ReloadEvents, stopped: Event) -> None:
    """Rebuild the site after each burst of changes since `watched.built`, and notify the open pages."""
    built = watched.built
    for _ in _moments_to_look(watched.folder, stopped):
        found = content_state(watched.folder)
        if found != built:
            built = found
            watched.rebuild()
            events.announce()


def _moments_to_look(folder: Path, stopped: Event) -> Iterator[object]:
    """Yield after each change, and once when changes are noticed: what came before that is found by looking."""
    if not find_spec("watchfiles"):
        while not stopped.wait(POLLING_SECONDS):
            yield None
        return
    from watchfiles import watch  # noqa: PLC0415 - an extra

    changes = watch(
        folder, stop_event=stopped, raise_interrupt=False, rust_timeout=1000, yield_on_timeout=True
    )
    yield next(changes, None)
    yield from (change for change in changes if change)


def content_state(folder: Path) -> ContentState:
    """Return time and size of each file below a folder, hidden ones left out."""
    found = {}
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for file in (Path(parent, name) for name in names):
            with suppress(OSError):
                status = file.stat()
                found[str(file)] = status.st_mtime_ns, status.st_size
    return found
