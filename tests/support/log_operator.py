"""An operator of a site with a log, its host and its keys, and a reader of the host."""

import shutil
from pathlib import Path

from click.testing import CliRunner

from statuary.cli.main import command
from statuary.extensions.log.notes import PrivateKey, parse_private_key
from support.logs import KEY, LOGGED_SITE, ORIGIN
from support.sites import INCIDENT, write_files


class Operator:
    """Who keeps a site, its host and its keys, and a reader who verifies the host after each build."""

    def __init__(self, root: Path) -> None:
        self.root, self.number = root, 0
        self.content, self.host = write_files(root / "content", LOGGED_SITE), root / "host"
        (root / "keys").mkdir()
        (root / "keys/0").write_text(KEY.text)
        (root / "keys/0").chmod(0o600)

    def build(self, key: int, *options: object, code: int = 0) -> str:
        """Publish another outage from a fresh checkout, signed with a key."""
        self.number += 1
        write_files(self.content, {"incidents/slow.yaml": INCIDENT.replace("Slow", f"Outage {self.number}")})
        now = f"2026-11-{20 + self.number // 24}T{self.number % 24:02}:00:00Z"
        out = self.root / f"out{self.number}"
        shutil.rmtree(out, ignore_errors=True)
        keyed = ("--log-key", self.root / f"keys/{key}") if key >= 0 else ()
        done = self.run(
            "build",
            "--content",
            self.content,
            "--out",
            out,
            "--now",
            now,
            "--to",
            self.host,
            *keyed,
            *options,
            code=code,
        )
        assert f"Outage {self.number}" in (self.host / "incidents/slow.json").read_text("utf-8")
        return done

    def rotate(self, former: int, new: int, *options: object, code: int = 0) -> str:
        """Make a new key."""
        keys = self.root / "keys"
        arguments = ("--log-key", keys / f"{former}", "--out", keys / f"{new}", "--content", self.content)
        return self.run("log", "rotate", *arguments, *options, code=code)

    def key(self, number: int) -> PrivateKey:
        """Return a key."""
        return parse_private_key((self.root / f"keys/{number}").read_text())

    def rename(self, origin: str) -> None:
        """Name the log otherwise in site.yaml."""
        write_files(self.content, {"site.yaml": LOGGED_SITE["site.yaml"].replace(ORIGIN, origin)})

    def run(self, *arguments: object, code: int = 0) -> str:
        done = CliRunner().invoke(command, [str(one) for one in arguments])
        assert done.exit_code == code, done.output
        return done.output

    def verify(self, *arguments: object, site: object = None, code: int = 0, who: str = "reader") -> str:
        """Verify the host as a reader does, who remembers what it saw before."""
        state = {"STATUARY_STATE": str(self.root / who)}
        done = CliRunner().invoke(
            command, [str(one) for one in ("log", "verify", site or self.host, *arguments)], env=state
        )
        assert done.exit_code == code, done.output
        return done.output
