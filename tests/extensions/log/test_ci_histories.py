"""Random histories of CI: builds from fresh checkouts, whatever happens to hosts, uploads and clocks; no log is forked."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from statuary.base.files import PublishingError
from statuary.cli.main import command
from statuary.extensions.log.key_changes import follow_key_changes, sign_key_change, write_key_change
from statuary.extensions.log.notes import PrivateKey, PublicKey, parse_checkpoint
from support.go_sumdb import has_go, sumdb_fault
from support.logs import KEY, LOGGED_SITE, log_of, problems_of
from support.random_runs import seeded, times
from support.sites import INCIDENT, write_files

pytestmark = pytest.mark.thorough

HISTORIES = times(2)
"""How many; the issue's figure is 300."""

BUILDS = 5

FLOOR = "log-floor.txt"


class History:
    """A site with its host, a folder, and everything that may happen to a build of it."""

    def __init__(self, root: Path, random: Random) -> None:
        self.root, self.random = root, random
        self.content = write_files(root / "content", LOGGED_SITE)
        self.host = root / "host"
        self.keys = [KEY]  # the last one signs
        self.with_file = random.random() < 0.4
        if random.random() < 0.5:
            floor = "status.plinth.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
            write_files(self.content, {FLOOR: floor})
        self.seen: list[tuple[int, bytes]] = []  # the heads that readers of the host have seen
        self.readers: list[PublicKey] = []  # the keys that they saw with them
        self.signer = 0  # the number of the key that signs what is published
        self.number = self.hour = 0

    def build(self, event: str) -> None:
        """Build from a fresh checkout, and look at what readers then see."""
        self.number += 1
        self.hour += self.random.choice((0, 1, 5, 30))
        hour = max(0, self.hour - 50) if event == "clock back" else self.hour
        write_files(self.content, {"incidents/slow.yaml": INCIDENT.replace("Slow", f"Outage {self.number}")})
        reused = self.random.random() < 0.3 and self.number > 1 and event != "two publishers"
        out = self.root / f"out{self.number - 1 if reused else self.number}"
        if event == "rotation" and self.seen:
            self._rotate()
        options = ["build", "--content", self.content, "--out", out, "--to", self.host]
        options += ["--now", f"2026-11-{20 + hour // 24}T{hour % 24:02}:00:00Z"]
        key = write_files(self.root / "keys", {"log.key": self.keys[-1].text}) / "log.key"
        key.chmod(0o600)
        options += ["--log-key", key] if self.with_file else []
        options += ["--allow-older"]
        options += ["--init-log"] if not self.seen else []
        variables = {"CI": "true", **({} if self.with_file else {"STATUARY_LOG_KEY": self.keys[-1].text})}
        variables |= {"CONTEXT": "deploy-preview"} if event == "preview" else {}
        other = self.root / f"other{self.number}"
        if event == "two publishers" and self.seen:
            # the other builds from the same log, and publishes after this one
            self._run([*options[:4], other, "--to", self._copy(), *options[7:]], variables)
        if event == "preview":
            options[6] = self.root / f"preview{self.number}"
        with self._host(event):
            done = self._run(options, variables)
        assert "Traceback" not in done.output
        site = (
            options[6] if event == "preview" else out if event in ("upload cut", "host down") else self.host
        )
        assert f"Outage {self.number}" in (out / "incidents/slow.json").read_text("utf-8"), done.output
        if event not in ("upload cut", "host down"):
            assert f"Outage {self.number}" in (site / "incidents/slow.json").read_text("utf-8"), done.output
        if other.is_dir():
            late = self._run(["publish", other, "--to", self.host], variables)
            assert late.exit_code in (0, 4), late.output
        self._look()

    def _rotate(self) -> None:
        """Announce another key, and give it to every build from now on: the former ones sign no more."""
        new = PrivateKey(KEY.name, bytes([len(self.keys)]) * 32)
        write_key_change(self.content, sign_key_change(self._signer(), new.public))
        self.keys.append(new)

    def _signer(self) -> PrivateKey:
        """Return the key that signed what is published: an announced one has not, while no upload arrived."""
        checkpoint = parse_checkpoint((self.host / "log/checkpoint").read_bytes())
        return next(key for key in self.keys if checkpoint.note.find_signers([key.public]))

    def _copy(self) -> Path:
        copy = self.root / f"copy{self.number}"
        shutil.copytree(self.host, copy)
        return copy

    @contextmanager
    def _host(self, event: str) -> Iterator[None]:
        """Let the host have its troubles while a build runs: it takes nothing, or does not answer at all."""

        def fails(*_: object, **__: object) -> None:
            raise PublishingError("the host does not answer")

        with ExitStack() as stack:
            if event in ("upload cut", "host down"):
                stack.enter_context(patch("statuary.cli.publication.publish_to_folder", fails))
            if event == "host down":
                stack.enter_context(patch("statuary.extensions.log.options.site_reader", fails))
            yield

    def _run(self, options, variables):
        with patch.dict(os.environ):
            return CliRunner().invoke(command, [str(one) for one in options], env=variables)

    def _look(self) -> None:
        """Verify the host as a reader with memory does: the log continues everything that was seen."""
        if not (self.host / "log/checkpoint").is_file():
            assert not self.seen
            return
        key = self._signer().public
        assert self.keys.index(self._signer()) >= self.signer
        self.signer = self.keys.index(self._signer())
        log = log_of(self.host, key)
        for size, root in self.seen:
            log.verify_extends(log.head._replace(size=size, root=root), "what a reader saw")
        assert [follow_key_changes(earlier, log.list_key_changes()) for earlier in self.readers] == [
            key
        ] * len(self.readers)
        if log.head not in self.seen:
            self.seen.append(log.head)
            self.readers.append(key)
            if has_go():
                for size, root in self.seen:
                    assert sumdb_fault(self.host, key, (size, root)) == ""


EVENTS = ("", "", "", "host down", "upload cut", "two publishers", "preview", "clock back", "rotation")


@pytest.mark.parametrize("part", range(2))
def test_random_ci_histories_never_fork_log(tmp_path, part):
    for number in range(HISTORIES // 2):
        random = seeded(f"1-{part}-{number}")
        history = History(tmp_path / str(number), random)
        history.build("")
        for _ in range(BUILDS - 1):
            history.build(random.choice(EVENTS))
        # whatever happened, a build at a right time is logged, with everything that was published meanwhile
        history.hour += 60
        size = history.seen[-1][0]
        history.build("")
        assert history.seen[-1][0] > size
        key = history.keys[-1].public
        assert problems_of(history.host, key) == []
        shutil.rmtree(tmp_path / str(number))
