"""The small site, with two components, in a git repository, and the command line in front of it."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from statuary.cli.editing import append_update, edit_session, incident, prompts
from statuary.cli.main import command
from support.sites import SITE, tree, write_files

NOW = "2026-11-02T10:00:00Z"

FILES = {
    ".gitignore": "/build/\n",
    "content/site.yaml": SITE.partition("status:")[0].replace(
        "  id:", "  time_zone: Europe/Zurich\n  created_at: 2026-01-12T09:00:00Z\n  id:"
    ),
    "content/components.yaml": """\
# what the page shows, in this order
components:
  rpc:
    name: Public RPC   # since the beginning
    start_date: 2026-01-12
  bridge:
    name: Bridge
""",
}

GROUPED = """\
components:
  network:
    name: Network
    components:
      rpc:
        name: Public RPC
"""


@dataclass
class ContentRepository:
    """A checkout whose folder the commands run in."""

    root: Path

    def run(self, *arguments: str, now: str = NOW, code: int = 0, text: str | None = None) -> str:
        """Run a command at an instant, expect an exit code, and return what was printed."""
        result = self.result(*arguments, "--now", now, text=text)
        assert result.exit_code == code, result.output
        return result.output

    def result(self, *arguments: str, text: str | None = None) -> Result:
        return CliRunner().invoke(command, arguments, input=text, catch_exceptions=False)

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, encoding="utf-8", check=True
        )
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        write_files(self.root, {path: text})

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def files(self) -> dict[str, str]:
        """The texts of the content folder by path."""
        return {path: body.decode() for path, body in tree(self.root / "content").items()}

    def commit_all(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)


def make_content_repository(
    root: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str] = FILES
) -> ContentRepository:
    """Make the checkout, with a first commit, and step into it."""
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@plinth.example")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(root)
    repository = ContentRepository(root)
    write_files(root, files)
    repository.git("init", "--quiet", "--initial-branch=main")
    repository.commit_all("Begin")
    return repository


def use_interactive_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have commands ask for what is missing; undone with the test, since all that ask are imported by now."""
    for module in (prompts, edit_session, append_update, incident):
        monkeypatch.setattr(module, "is_interactive", lambda: True)
