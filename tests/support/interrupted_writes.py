"""Commands that write files of their own, or edit a line of the content, for campaigns that interrupt them."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from support.interrupted_logs import written
from support.sites import NOW, SMALL_SITE, write_files

MAINTENANCE = "maintenance schedule --name Works --id works --component rpc --scheduled-for 2026-12-01T10:00:00Z --duration 1h"

WRITES = {
    "init": f"init --content new --name Plinth --component rpc=RPC --no-git --now {NOW}",
    "setup": "setup netlify --content content --out project --url https://status.example.org --yes --install statuary",
    "hosting": "hosting cloudflare --content content --out project",
    "report": f"report 2026-Q3 --content content --out reports --now {NOW}",
    "schema": "schema --update --content content",
    "pack make": "pack make contracts.pack --from SITE",
    "maintenance": f"{MAINTENANCE} --content content --now {NOW}",
    "component": f"component set rpc major_outage --content content --now {NOW}",
}
"""The command lines; `SITE` is a built site, and other paths are below one folder."""

PATHS = {"new", "content", "project", "reports", "contracts.pack"}


class WrittenFiles:
    """A folder that one command after another writes into, each from the same beginning."""

    def __init__(self, root: Path, site: Path) -> None:
        self.root, self.site = root / "writes", site
        self.whole: dict[str, Mapping[str, bytes]] = {}  # by command, after a run that nobody disturbed
        self.before: Mapping[str, bytes] = {}

    def begin(self, kind: str) -> list[object]:
        """Put everything back to the beginning, and return the command."""
        shutil.rmtree(self.root, ignore_errors=True)
        write_files(self.root / "content", dict(SMALL_SITE))
        self.before = written(self.root)
        words = {"SITE": self.site} | {path: self.root / path for path in PATHS}
        return [words.get(word, word) for word in WRITES[kind].split(" ")]

    def fault(self, kind: str, *, is_over: bool) -> str:
        """Return what is neither as before nor as an undisturbed command leaves it; empty for nothing."""
        files = written(self.root)
        whole = self.whole.setdefault(kind, files)  # the first run is not disturbed
        if is_over:
            return "" if files == whole else f"not as an undisturbed run: {_differing(files, whole)}"
        torn = {path for path, body in files.items() if body not in (self.before.get(path), whole.get(path))}
        lost = self.before.keys() - files.keys()
        return f"torn: {sorted(torn)[:5]}, lost: {sorted(lost)[:5]}" if torn or lost else ""


def _differing(files: Mapping[str, bytes], whole: Mapping[str, bytes]) -> list[str]:
    return sorted(path for path in files.keys() | whole.keys() if files.get(path) != whole.get(path))[:5]
