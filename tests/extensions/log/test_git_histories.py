"""Random histories of CI on real git: runners that clone, caches that are lost or old, hosts that replace the whole site.

The log is read at the address of the site. A run deploys if its exit code says so, as generated pipelines do. Runs do not
overlap, since the pipelines' concurrency groups forbid it.
"""

import os
import shutil
from collections import Counter
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from support.file_server import Answers, served
from support.logs import KEY, LOGGED_SITE, log_of, problems_of
from support.random_runs import seeded, times
from support.sites import INCIDENT, git, path_of, record_of, write_files

pytestmark = pytest.mark.thorough

HISTORIES = times(4)
"""How many; 40 by STATUARY_LARGE_RUNS."""

RUNS = 8

EVENTS = (
    "",
    "",
    "",
    "outage",
    "outage",
    "outage without cache",
    "lost cache",
    "old cache",
    "revert",
    "force push",
    "preview",
    "clock back",
)

DEPLOYED = (ExitCode.OK, ExitCode.PUBLISHED_WITH_FAULTS)


class History:
    """A repository, two runners with a cache of the branch, and a host that replaces the whole site."""

    def __init__(self, root: Path, random: Random, url: str, answers: Answers) -> None:
        self.root, self.random, self.host = root, random, root / "host"
        self.author, self.origin, self.cache = root / "author", root / "origin.git", root / "cache"
        self.url, self.number, self.hour = url, 0, 0
        self.answers, self.counts = answers, Counter[str]()
        self.seen: list[tuple[int, bytes]] = []  # the heads that readers have seen
        self.old_caches: list[Path] = []
        self.deployed = root / "deployed"  # the last deployment with a log, which many hosts keep
        git(root, "init", "-q", "--bare", "-b", "main", str(self.origin))
        git(root, "clone", "-q", str(self.origin), str(self.author))
        git(self.author, "checkout", "-qb", "main")
        site = LOGGED_SITE["site.yaml"].replace("log:\n", f"log:\n  url: {url}\n")
        floor = {
            "log-floor.txt": "status.plinth.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
        }
        write_files(
            self.author / "content",
            LOGGED_SITE | {"site.yaml": site} | (floor if random.random() < 0.5 else {}),
        )
        self._commit("first")

    def _commit(self, subject: str) -> None:
        git(self.author, "add", "-A")
        git(self.author, "commit", "-qm", subject)
        git(self.author, "push", "-qf", "origin", "main")

    def run(self, event: str) -> None:
        """Change the content, and build and deploy it as a runner does."""
        self.number += 1
        self.counts[event or "nothing"] += 1
        self.hour += self.random.choice((1, 5, 30))
        self._edit(event)
        checkout = self.root / f"runner{self.number % 2}"
        shutil.rmtree(checkout, ignore_errors=True)
        depth = self.random.choice((["--depth", "1"], []))
        git(self.root, "clone", "-q", *depth, f"file://{self.origin}", str(checkout))
        out = checkout / "build"
        self._restore_cache(out, event)
        if event.startswith("outage"):
            self.answers["/log/checkpoint"] = 500, {}, b"the site is down"
        code, output = self._build(checkout, out, event)
        self.answers.pop("/log/checkpoint", None)
        assert "Traceback" not in output
        news = f"Outage {self.number}"
        assert code in DEPLOYED, output
        assert news in (out / "incidents/slow.json").read_text("utf-8")
        if event == "preview":
            return
        shutil.rmtree(self.host, ignore_errors=True)
        shutil.copytree(out, self.host, ignore=shutil.ignore_patterns(".statuary"))
        self._save_cache(out)
        self.counts["log not extended"] += code != ExitCode.OK
        self._look()

    def _edit(self, event: str) -> None:
        if event == "revert" and self.number > 2:
            git(self.author, "revert", "--no-edit", "-n", "HEAD")
        if event == "force push" and self.number > 2:
            git(self.author, "reset", "-q", "--hard", "HEAD~1")
        incident = INCIDENT.replace("Slow", f"Outage {self.number}")
        record = {path_of(self.number + 1): record_of(self.number + 1)} if self.random.random() < 0.4 else {}
        write_files(self.author / "content", {"incidents/slow.yaml": incident, **record})
        self._commit(f"change {self.number}")

    def _restore_cache(self, out: Path, event: str) -> None:
        cache = self.cache
        if event == "old cache" and self.old_caches:
            cache = self.random.choice(self.old_caches)
        if cache.is_dir() and event not in ("lost cache", "outage without cache"):
            shutil.copytree(cache, out)

    def _save_cache(self, out: Path) -> None:
        if self.cache.is_dir():
            self.old_caches.append(self.cache.rename(self.root / f"cache{self.number}"))
        shutil.copytree(out, self.cache)

    def _build(self, checkout: Path, out: Path, event: str) -> tuple[int, str]:
        hour = max(0, self.hour - 50) if event == "clock back" else self.hour
        options = ["build", "--content", checkout / "content", "--out", out, "--allow-older"]
        options += ["--now", f"2026-11-{6 + hour // 24:02}T{hour % 24:02}:00:00Z"]
        options += ["--init-log"] if not self.seen else []
        if self.seen and not (self.host / "log/checkpoint").is_file():
            self.counts["repaired from an earlier deployment"] += 1
            options += ["--log-from", self.deployed]
        variables = {"CI": "true", "STATUARY_LOG_KEY": KEY.text}
        variables |= {"CONTEXT": "deploy-preview"} if event == "preview" else {}
        with patch.dict(os.environ):
            done = CliRunner().invoke(command, list(map(str, options)), env=variables)
        return done.exit_code, done.output

    def _look(self) -> None:
        """Verify the site as a reader who remembers does: its log continues everything that was seen."""
        if not (self.host / "log/checkpoint").is_file():
            self.counts["deployed without a log"] += 1
            return
        shutil.rmtree(self.deployed, ignore_errors=True)
        shutil.copytree(self.host, self.deployed)
        log = log_of(self.host)
        for size, root in self.seen:
            log.verify_extends(log.head._replace(size=size, root=root), "what a reader saw")
        if log.head not in self.seen:
            self.seen.append(log.head)


@pytest.mark.parametrize("part", range(4))
def test_random_git_histories_never_fork_log(tmp_path, part):
    """Every outage is deployed, no log is forked, and a build at a right time extends it again.

    That build is a plain one, unless the site was down while the cache was lost: it then reads an earlier deployment.
    """
    counts = Counter[str]()
    for number in range(HISTORIES // 4):
        random = seeded(f"git-{part}-{number}")
        root = tmp_path / str(number)
        host = root / "host"
        host.mkdir(parents=True)
        answers: Answers = {"/absent": (404, {}, b"")}
        with served(host, answers=answers) as (url, _):
            history = History(root, random, url, answers)
            history.run("")
            for _ in range(RUNS - 1):
                history.run(random.choice(EVENTS))
            history.hour += 60
            size = history.seen[-1][0]
            history.run("")
            assert history.seen[-1][0] > size
            assert problems_of(history.host) == []
        counts += history.counts
        shutil.rmtree(root)
    print(dict(counts))
