"""What campaigns interrupt besides plain sites: builds of a site with a log that is published, and an import."""

from collections.abc import Mapping
from pathlib import Path

from support.logs import KEY, LOGGED_SITE, log_of, problems_of
from support.sites import INCIDENT, NOW, path_of, record_of, write_files

NEWS = "Outage {}"


class LoggedSite:
    """A site with a log and the folder where it is published; each build tells another outage."""

    def __init__(self, root: Path) -> None:
        self.content, self.out, self.host = (root / f"logged-{name}" for name in ("content", "out", "host"))
        self.key = write_files(root / "logged-keys", {"log.key": KEY.text}) / "log.key"
        self.key.chmod(0o600)
        self.number = 0
        self.heads: dict[Path, tuple[int, bytes]] = {}  # as readers of each folder saw them last

    def next_build(self) -> list[object]:
        """Write the next outage, and return the command that publishes it."""
        self.number += 1
        incident = INCIDENT.replace("Slow", NEWS.format(self.number))
        added = {path_of(self.number + 1): record_of(self.number + 1)}
        removed = {path_of(self.number - 1): None} if self.number > 2 else {}
        write_files(self.content, LOGGED_SITE | {"incidents/slow.yaml": incident} | added | removed)
        now = f"2026-11-{20 + self.number // 1440:02}T{self.number // 60 % 24:02}:{self.number % 60:02}:00Z"
        command = ["build", "--content", self.content, "--out", self.out, "--to", self.host, "--now", now]
        start = [] if self.host.is_dir() else ["--init-log"]
        return [*command, "--workers", "1", "--log-key", self.key, *start]

    def fault(self, *, is_over: bool) -> str:
        """Return what readers find wrong: entries that are gone, or, once a build is over, anything; empty for nothing."""
        try:
            for site in (self.out, self.host):
                self._look(site)
                if is_over:
                    assert problems_of(site) == []
            assert not is_over or self.has_news()
        except Exception as error:  # noqa: BLE001 - whatever a reader meets is counted
            return f"{type(error).__name__}: {error}"
        return ""

    def has_news(self) -> bool:
        """Return whether readers see the newest outage."""
        pages = ((site / "incidents/slow.json").read_text("utf-8") for site in (self.out, self.host))
        return all(NEWS.format(self.number) in page for page in pages)

    def _look(self, site: Path) -> None:
        log = log_of(site)
        if site in self.heads:
            size, root = self.heads[site]
            log.verify_extends(log.head._replace(size=size, root=root), "what a reader saw")
        assert list(log.iter_entries())
        self.heads[site] = log.head


ISSUE = """---
title: Outage {0}
date: 2026-05-{0:02} 10:00:00
resolved: true
resolvedWhen: 2026-05-{0:02} 12:00:00
severity: down
affected:
  - RPC
section: issue
---
We are looking into it.
"""
CONFIGURATION = """title: Plinth Status
params:
  categories:
    - name: Network
  systems:
    - name: RPC
      category: Network
"""


def import_of(root: Path, content: Path) -> list[object]:
    """Write a status page of cState once, and return the command that imports it."""
    issues = {f"content/issues/{number:02}.md": ISSUE.format(number) for number in range(1, 13)}
    write_files(root / "cstate", {"config.yml": CONFIGURATION, **issues})
    return ["import", "cstate", root / "cstate", "--content", content, "--now", NOW]


def written(content: Path) -> Mapping[str, bytes]:
    """Return the files of a content folder that are content: an edit's lock is none."""
    return {
        path.relative_to(content).as_posix(): path.read_bytes()
        for path in sorted(content.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }
