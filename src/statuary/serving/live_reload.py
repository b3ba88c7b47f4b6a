"""Telling open pages that the site has changed: one stream of events for each, and the script that listens."""

import asyncio
from collections.abc import AsyncIterator

EVENTS_PATH = "/_statuary/changes"
SCRIPT_PATH = "/_statuary/reload.js"

SCRIPT_TEXT = b'new EventSource("/_statuary/changes").addEventListener("change", () => location.reload());\n'
SCRIPT_TAG = b'<script src="/_statuary/reload.js"></script>'

HEARTBEAT = 15.0
"""Seconds between comments on a quiet stream; a broken connection is noticed when one is sent."""


class ReloadEvents:
    """Counts the changes of a site and wakes whoever waits for the next one."""

    def __init__(self) -> None:
        self.waiting: set[asyncio.Event] = set()

    def announce(self) -> None:
        """Tell every open page; call it from the event loop's own thread."""
        for event in self.waiting:
            event.set()

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the text of an event stream: an event for each change, a comment when it is quiet."""
        event = asyncio.Event()
        self.waiting.add(event)
        try:
            yield b"retry: 1000\n\n"
            while True:
                try:
                    await asyncio.wait_for(event.wait(), HEARTBEAT)
                    event.clear()
                    yield b"event: change\ndata: site\n\n"
                except TimeoutError:
                    yield b":\n\n"
        finally:
            self.waiting.discard(event)


def with_reload_script(page: bytes) -> bytes:
    """Return an HTML page that reloads itself when the site changes."""
    before, closing, after = page.rpartition(b"</body>")
    return before + SCRIPT_TAG + closing + after if closing else page + SCRIPT_TAG
