"""Random histories of CI on real git: runners that clone, caches that are lost or old, hosts that replace the whole site.

The log is read at the address of the site, and in half of the histories from a branch as well, by the script of the
manual. A run deploys if its exit code says so, as generated pipelines do. Runs do not
overlap, since the pipelines' concurrency groups forbid it.
"""

import os
import shlex
import shutil
import subprocess
import sys
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
from support.manual_blocks import file_in
from support.random_runs import seeded, times
from support.requirements import CHECKOUT
from support.sites import INCIDENT, git, path_of, record_of, write_files

pytestmark = pytest.mark.thorough

HISTORIES = times(8)
"""How many, half of them with a copy of the log; 80 by STATUARY_LARGE_RUNS."""

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

EVENTS_WITH_COPY = (*EVENTS, "outage without cache", "race", "race")
"""Those of histories whose log is kept in a branch; in a race, another run keeps and deploys it first."""

SCRIPT = file_in(CHECKOUT / "content/pages/manual/log.md", "build-with-log.sh")
STATUARY = f"""#!/bin/sh
"{sys.executable}" -m statuary "$@" $STATUARY_OPTIONS
code=$?
if [ -n "$RIVAL" ] && [ -d "$RIVAL" ]; then
  mv "$RIVAL" "$RIVAL.begun"
  (cd "$RIVAL.begun" && RIVAL= bash -e -c "$SCRIPT" >"$RIVAL.out" 2>&1; echo $? >"$RIVAL.code")
fi
exit $code
"""
"""The command, beside which another run of the script begins and ends."""

DEPLOYED = (ExitCode.OK, ExitCode.PUBLISHED_WITH_FAULTS)


class History:
    """A repository, two runners with a cache of the branch, and a host that replaces the whole site."""

    def __init__(
        self, root: Path, random: Random, url: str, answers: Answers, *, is_copied: bool = False
    ) -> None:
        self.root, self.random, self.host = root, random, root / "host"
        self.author, self.origin, self.cache = root / "author", root / "origin.git", root / "cache"
        self.url, self.number, self.hour = url, 0, 0
        self.answers, self.counts, self.is_copied = answers, Counter[str](), is_copied
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
        self._clone(checkout)
        if event == "race":
            self._clone(self.root / "rival")
        out = checkout / "build"
        self._restore_cache(out, event)
        if event.startswith("outage"):
            self.answers["/log/checkpoint"] = 500, {}, b"the site is down"
        code, output = self._build(checkout, out, event)
        if event == "race":
            self._deploy_rival()
        self.answers.pop("/log/checkpoint", None)
        assert "Traceback" not in output
        news = f"Outage {self.number}"
        assert code in DEPLOYED, output
        assert news in (out / "incidents/slow.json").read_text("utf-8")
        if event == "preview":
            return
        self._deploy(out)
        self._save_cache(out)
        self.counts["log not extended"] += code != ExitCode.OK
        self._look()

    def _clone(self, checkout: Path) -> None:
        shutil.rmtree(checkout, ignore_errors=True)
        depth = self.random.choice((["--depth", "1"], []))
        git(self.root, "clone", "-q", *depth, f"file://{self.origin}", str(checkout))

    def _deploy(self, out: Path) -> None:
        shutil.rmtree(self.host, ignore_errors=True)
        shutil.copytree(out, self.host, ignore=shutil.ignore_patterns(".statuary"))

    def _deploy_rival(self) -> None:
        """Deploy what another run built meanwhile, which readers see before this run is deployed."""
        rival = self.root / "rival.begun"
        code = int((self.root / "rival.code").read_text())
        assert code in DEPLOYED, (self.root / "rival.out").read_text()
        self._deploy(rival / "build")
        self._look()
        shutil.rmtree(rival)

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
        options = ["--allow-older", "--now", f"2026-11-{6 + hour // 24:02}T{hour % 24:02}:00:00Z"]
        options += ["--init-log"] if not self.seen else []
        variables = {"CI": "true", "STATUARY_LOG_KEY": KEY.text}
        variables |= {"CONTEXT": "deploy-preview"} if event == "preview" else {}
        if self.is_copied:
            return self._run_script(checkout, options, variables)
        if self.seen and not (self.host / "log/checkpoint").is_file():
            self.counts["repaired from an earlier deployment"] += 1
            options += ["--log-from", str(self.deployed)]
        options = ["build", "--content", str(checkout / "content"), "--out", str(out), *options]
        with patch.dict(os.environ):
            done = CliRunner().invoke(command, options, env=variables)
        return done.exit_code, done.output

    def _run_script(self, checkout: Path, options: list[str], variables: dict[str, str]) -> tuple[int, str]:
        """Run the script of the manual in a checkout."""
        program = write_files(self.root / "programs", {"statuary": STATUARY}) / "statuary"
        program.chmod(0o755)
        variables |= {
            "STATUARY_OPTIONS": shlex.join(options),
            "SCRIPT": SCRIPT,
            "RIVAL": str(self.root / "rival"),
        }
        variables["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-e", "-c", SCRIPT],
            cwd=checkout,
            env=os.environ | variables,
            check=False,
            capture_output=True,
            text=True,
        )
        self.counts["races lost"] += "rejected" in done.stderr
        return done.returncode, done.stdout + done.stderr

    def _look(self) -> None:
        """Verify the site as a reader who remembers does: its log continues everything that was seen."""
        if not (self.host / "log/checkpoint").is_file():
            assert not self.is_copied or not self.seen, "the log is lost"
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

    That build is a plain one, unless the site was down while the cache was lost: it then reads an earlier deployment. Where
    a branch has a copy of the log, no deployment lacks it.
    """
    counts = Counter[str]()
    for number in range(HISTORIES // 4):
        random = seeded(f"git-{part}-{number}")
        root = tmp_path / str(number)
        host = root / "host"
        host.mkdir(parents=True)
        answers: Answers = {"/absent": (404, {}, b"")}
        with served(host, answers=answers) as (url, _):
            is_copied = number % 2 == 1
            history = History(root, random, url, answers, is_copied=is_copied)
            history.run("")
            for _ in range(RUNS - 1):
                history.run(random.choice(EVENTS_WITH_COPY if is_copied else EVENTS))
            history.hour += 60
            size = history.seen[-1][0]
            history.run("")
            assert history.seen[-1][0] > size
            assert problems_of(history.host) == []
        counts += history.counts
        shutil.rmtree(root)
    print(dict(counts))
