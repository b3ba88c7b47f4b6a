"""Commands that edit content, or keep a state of their own, for campaigns that interrupt them."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from statuary.extensions.log.notes import parse_private_key
from statuary.extensions.log.resume import EMPTY, MIN_HEAD_FILE, read_log_floor_file
from statuary.extensions.notify.sent_events import parse_delivery_state
from support.interrupted_logs import written
from support.interrupted_writes import WRITES
from support.receivers import Receiver
from support.sites import SMALL_SITE, write_files

WEIGHTS = {
    "build": 8,
    "tick": 3,
    "publish": 2,
    "publish snapshot": 2,
    "store": 1,
    "snapshot": 2,
    "mirror": 2,
    "extract": 1,
    "import": 2,
    "log": 4,
}
"""How often each command that publishes is killed, in comparison; each other command so often as the rarest."""

EDITS = ("incident", "log init", "notify")
"""The commands that edit content, or keep a state of their own."""

CALLERS = (*WEIGHTS, *EDITS, *WRITES)
"""The commands that are killed, and whose calls of the system fail."""

ORIGIN = "status.plinth.example/log"
URL_VARIABLE = "INTERRUPTED_HOOK_URL"
CHANNELS = f"notify:\n  channels:\n    - {{name: hook, kind: webhook, url_variable: {URL_VARIABLE}}}\n"
OPENED = "incidents/outage.yaml"
EVENTS = 4
"""The events of the small site's incident: two updates, and two changes of a component."""


class EditedContent:
    """A small content folder that one command after another changes, each from the same beginning."""

    def __init__(self, root: Path, receiver: Receiver) -> None:
        self.root, self.receiver = root / "edited", receiver
        self.content, self.key, self.state = (
            self.root / name for name in ("content", "log.key", "state.json")
        )
        self.opened = b""  # the new incident's file, after a run that nobody disturbed
        os.environ[URL_VARIABLE] = receiver.url

    def begin(self) -> None:
        """Put everything back to the beginning."""
        shutil.rmtree(self.root, ignore_errors=True)
        site = {"site.yaml": SMALL_SITE["site.yaml"] + CHANNELS}
        write_files(self.content, dict(SMALL_SITE) | site)
        self.receiver.requests.clear()

    def command(self, kind: str) -> list[object]:
        """Return the command of a kind."""
        content = ["--content", self.content]
        if kind == "log init":
            return ["log", "init", ORIGIN, "--out", self.key, *content]
        if kind == "incident":
            words = [
                "--name",
                "Outage",
                "--id",
                "outage",
                "--component",
                "rpc=major_outage",
                "--body",
                "We look.",
            ]
            return ["incident", "open", *words, "--at", "2026-11-20T11:00:00Z", *content]
        return self.notify("2026-11-02T11:30:00Z")

    def notify(self, now: str) -> list[object]:
        """Return the command that sends what is due at an instant."""
        return ["notify", "--content", self.content, "--state", self.state, "--now", now]

    def fault(self, kind: str, *, is_over: bool) -> str:
        """Return what is wrong with the files; empty for nothing."""
        try:
            getattr(self, f"_check_{kind.replace(' ', '_')}")(is_over=is_over)
        except Exception as error:  # noqa: BLE001 - whatever a reader meets is counted
            return f"{type(error).__name__}: {error}"
        return ""

    def _check_incident(self, *, is_over: bool) -> None:
        files = self._new_files()
        self.opened = self.opened or files[OPENED]  # the first run is not disturbed
        assert files == {OPENED: self.opened} or (not is_over and not files), sorted(files)

    def _check_log_init(self, *, is_over: bool) -> None:
        if is_over or self.key.exists():
            assert parse_private_key(self.key.read_text("utf-8")).name == ORIGIN
        if is_over or (self.content / MIN_HEAD_FILE).exists():
            assert read_log_floor_file(self.content, ORIGIN) == EMPTY

    def _check_notify(self, *, is_over: bool) -> None:
        assert list(parse_delivery_state(self.state.read_bytes(), "state")) == ["hook"]
        if is_over:
            assert len({request.headers["webhook-id"] for request in self.receiver.taken}) == EVENTS
            assert not self._new_files()

    def _new_files(self) -> Mapping[str, bytes]:
        return {path: body for path, body in written(self.content).items() if path not in SMALL_SITE}
