"""The blocks of README and manual: each is marked, commands run in order from an empty folder, and outputs are compared.

The word after the fence says what a block is; pages show none of it:

    sh              commands, which run here: in order, in an empty folder with an empty HOME
    sh account      commands that need an account, a host or a package index; here only their names and options are looked at
    text output     what the commands before it print, or what the command of `ALONE` prints; `…` stands for anything
    text output account  what a command prints that needs an account
    yaml, toml, json, python …  a file, or a part of one; `text` is neither a command nor what one prints
"""

import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from statuary.cli.main import command as statuary
from statuary.extensions.hosting import installation
from statuary.extensions.hosting.installation import Installation
from support.commands import run_command
from support.manual import MANUAL, is_generated
from support.manual_blocks import Block, blocks_of
from support.requirements import CHECKOUT
from support.tiers import few_by_default

NOW = "1795168800"
"""2026-11-20T10:00:00Z: ids of incidents in the manual begin with this day."""

MARKS = {
    "sh",
    "sh account",
    "text output",
    "text output account",
    "text",
    "yaml",
    "toml",
    "python",
    "json",
    "javascript",
    "markdown",
    "jinja",
    "css",
    "crontab",
}

PROJECT = 'statuary init --demo --git && statuary build && printf "A full disk.\\n" > postmortem.txt'
"""What a page begins with that does not begin a project itself; a postmortem is written by a person."""

ALONE = {
    "README.md": (
        {
            "content/incidents/slow.yaml": "name: Slow\ncomponents:\n  rpc: degraded\nupdates:\n"
            "  - {at: 2026-11-02T10:00:00Z, status: investigating, body: Slow.}\n"
        },
        "statuary build",
    ),
    "pages.md": (
        {"content/pages/about.md": "---\ntitle: About\n---\n\n[Help](help/suport.md)\n"},
        "statuary check",
    ),
    "components.md": (
        {"content/theme/templates/base.html": '<p>\n\n{% include "/proc/self/environ" %}\n'},
        "statuary build",
    ),
}
"""Files, and the command whose output a page shows that is not that of the commands before."""

SHELL_SYNTAX = {*"|&;<>$`(){}*?#"}
"""What only a shell understands."""

FIXED_WORDS = {"s3://bucket": "store"}
"""A folder stands for the object store."""


PAGES = [
    CHECKOUT / "README.md",
    *sorted(path for path in MANUAL.rglob("*.md") if not is_generated(path.relative_to(MANUAL).as_posix())),
]
WITH_BLOCKS = [page for page in PAGES if blocks_of(page)]
WITH_COMMANDS = [
    page for page in WITH_BLOCKS if {block.mark for block in blocks_of(page)} & {"sh", "text output"}
]


def name_of(page: Path) -> str:
    return page.relative_to(CHECKOUT if page.name == "README.md" else MANUAL).as_posix()


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=name_of)
def test_manual_code_blocks_have_language(page: Path) -> None:
    blocks = blocks_of(page)
    assert page.read_text("utf-8").count("```") == 2 * len(blocks)
    assert {block.mark for block in blocks} <= MARKS
    assert [block for block in blocks if block.mark == "text" and "statuary " in block.text] == []


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which `PROJECT` has run."""
    shell = Shell(tmp_path_factory.mktemp("project"))
    shell.run(PROJECT)
    return shell.folder


@pytest.mark.parametrize("page", few_by_default(WITH_COMMANDS, 1), ids=name_of)
def test_manual_commands_print_shown_output(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    shell = Shell(tmp_path)
    blocks = blocks_of(page)
    if "statuary init" not in "".join(block.text for block in blocks if block.mark == "sh"):
        shutil.copytree(request.getfixturevalue("project"), shell.folder, dirs_exist_ok=True)
    printed = ""
    for block in blocks:
        if block.mark == "sh":
            printed = shell.run(block.text)
        elif block.mark == "text output":
            printed = shell.alone(page.name) if page.name in ALONE else printed
            assert is_shown(block.text, printed), printed


def is_shown(text: str, printed: str) -> bool:
    """Return whether lines are among those that were printed; `…` stands for anything."""
    expected = re.escape(text.rstrip()).replace("…", "(.|\n)*?")
    return re.search(rf"^{expected}$", printed, re.MULTILINE) is not None


class Shell:
    """A shell in an empty folder, with an empty HOME."""

    def __init__(self, root: Path) -> None:
        self.folder, home, programs = (root / name for name in ("folder", "home", "programs"))
        for folder in (self.folder, home, programs):
            folder.mkdir()
        # tests/extensions/hosting/test_installation.py builds the wheel that a checkout of statuary needs
        (programs / "statuary").write_text(
            f"#!{sys.executable}\n"
            "from statuary.extensions.hosting import installation\n"
            "installation.detect_installation = lambda _: installation.Installation('statuary')\n"
            "from statuary.__main__ import main\nmain()\n",
            encoding="utf-8",
        )
        (programs / "statuary").chmod(stat.S_IRWXU)
        names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
        self.environment = dict.fromkeys(names, "manual@example.org") | {
            "HOME": str(home),
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "SOURCE_DATE_EPOCH": NOW,
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }

    def run(self, text: str) -> str:
        """Run commands, of which none may fail; return what they print."""
        for word, instead in FIXED_WORDS.items():
            text = text.replace(word, instead)
        return self._printed(text, {0})

    def alone(self, page: str) -> str:
        """Return what the command prints whose output a page shows alone."""
        files, command = ALONE[page]
        for path, body in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body, encoding="utf-8")
        return self._printed(command, {0, 1, 4})

    def _printed(self, text: str, codes: set[int]) -> str:
        lines = text.replace("\\\n", " ").splitlines()
        if all(line.startswith("statuary ") and not SHELL_SYNTAX & {*line} for line in lines):
            return "".join(self._printed_here(shlex.split(line)[1:], codes) for line in lines)
        done = subprocess.run(
            ["bash", "-eu", "-o", "pipefail", "-c", text],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        assert done.returncode in codes, f"{text}\n{done.stdout}"
        return done.stdout

    def _printed_here(self, arguments: list[str], codes: set[int]) -> str:
        """Run a command in this process, where it begins at once; return what it prints."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            patch.setattr(installation, "detect_installation", lambda _: Installation("statuary"))
            done = run_command(self.folder, *arguments)
        assert done.exit_code in codes, f"{arguments}\n{done.output}"
        return done.output


def commands_of(block: Block) -> Iterator[list[str]]:
    """Yield the words of each command of statuary in a block."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while any(word.endswith("statuary") for word in words):
            start = next(number for number, word in enumerate(words) if word.endswith("statuary"))
            end = next(
                (n for n, word in enumerate(words) if n > start and word in ("&&", "|", ";")), len(words)
            )
            yield words[start + 1 : end]
            words = words[end:]


ELSEWHERE = [
    pytest.param(words, id=f"{name_of(page)}: {' '.join(words)}"[:80])
    for page in WITH_BLOCKS
    for block in blocks_of(page)
    if block.mark == "sh account"
    for words in commands_of(block)
]


@pytest.mark.parametrize("words", ELSEWHERE)
def test_manual_account_commands_use_existing_options(words: list[str]) -> None:
    found: click.Command = statuary
    context, rest = click.Context(found), list(words)
    while isinstance(found, click.Group):
        inner = found.get_command(context, rest.pop(0))
        assert inner is not None, words
        found = inner
    flags = {flag for option in found.params for flag in (*option.opts, *option.secondary_opts)}
    assert {word.partition("=")[0] for word in rest if word.startswith("--")} <= flags
