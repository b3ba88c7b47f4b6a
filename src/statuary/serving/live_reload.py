"""Reload pages when the site changes: an event stream for each, and the script that listens."""

from collections.abc import Callable

EVENTS_PATH = "/_statuary/changes"
SCRIPT_PATH = "/_statuary/reload.js"

SCRIPT_TEXT = b'new EventSource("/_statuary/changes").addEventListener("change", () => location.reload());\n'
SCRIPT_TAG = b'<script src="/_statuary/reload.js"></script>'

STREAM_HEADERS = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
STREAM_BEGINS = b"retry: 1000\n\n"
CHANGE_EVENT = b"event: change\ndata: site\n\n"
COMMENT = b":\n\n"

HEARTBEAT = 15.0
"""Seconds between comments on a quiet stream; a broken connection is noticed when one is sent."""


Wake = Callable[[], object]
"""Wakes the stream of one page; it may be called from any thread."""


class ReloadEvents:
    """The event streams of all open pages."""

    def __init__(self) -> None:
        self.waiting: set[Wake] = set()

    def announce(self) -> None:
        """Tell every open page that the site has changed."""
        for wake in tuple(self.waiting):
            wake()


def with_reload_script(page: bytes) -> bytes:
    """Return an HTML page that reloads itself when the site changes."""
    before, closing, after = page.rpartition(b"</body>")
    return before + SCRIPT_TAG + closing + after if closing else page + SCRIPT_TAG
