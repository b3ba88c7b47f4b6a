"""The manual: its references are up to date, its links lead somewhere, and its commands work."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command as statuary
from statuary.content.read_content import read_content
from statuary.extensions.hosting import commands as hosting
from statuary.extensions.hosting.commands import Installation
from statuary.extensions.own_pages.pages import link_findings
from support.manual import MANUAL
from support.requirements import CHECKOUT

PAGES = sorted(
    path for path in MANUAL.rglob("*.md") if re.search(r"^ *```sh$", path.read_text("utf-8"), re.MULTILINE)
)

SHELL_BLOCK = re.compile(r"^( *)```sh\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)

NOW = "1795168800"
"""2026-11-20T10:00:00Z: ids of incidents in the manual begin with this day."""


def test_references_are_up_to_date(tmp_path: Path) -> None:
    """`PYTHONPATH=tests python tests/support/manual.py` writes them again."""
    subprocess.run(  # click remembers help options of commands that other tests of this process ran
        [sys.executable, CHECKOUT / "tests/support/manual.py", tmp_path],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT / "tests")},
        check=True,
        capture_output=True,
    )
    generated = {path.relative_to(tmp_path): path.read_text("utf-8") for path in tmp_path.rglob("*.md")}
    assert len(generated) > 60
    assert {path: (MANUAL / path).read_text("utf-8") for path in generated} == generated
    folders = {path.parent for path in generated if path.parent.name}
    in_manual = {path.relative_to(MANUAL) for folder in folders for path in (MANUAL / folder).glob("*.md")}
    assert in_manual <= generated.keys(), "no page of a command or file that is gone"


def test_every_rule_of_a_message_is_explained() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in (CHECKOUT / "src").rglob("*.py"))
    names = set(re.findall(r'rule="([a-z]+(?:-[a-z]+)+)"', sources))
    names |= {
        *re.findall(
            r'(?:RULE|DEFECT|FAILED|BEYOND_LIMIT|THEME_TEMPLATES)[\w: ]* = "([a-z]+(?:-[a-z]+)+)"', sources
        )
    }
    assert len(names) > 20
    page = (MANUAL / "messages.md").read_text("utf-8")
    assert {name for name in names if f"\n### {name}\n" not in page} == set()


def test_every_link_of_the_manual_works() -> None:
    catalogue, findings = read_content(CHECKOUT / "content")
    assert findings == []
    assert catalogue is not None
    assert len(catalogue.own_pages) > 20
    assert [one for page in catalogue.own_pages for one in link_findings(page, catalogue)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(MANUAL).as_posix())
def test_every_command_works(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of a page run one after the other in a new project; a folder stands for the object store."""
    monkeypatch.chdir(tmp_path)
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "manual@example.org")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", NOW)
    # tests/extensions/hosting/test_installation.py builds the wheel that a checkout of statuary needs
    monkeypatch.setattr(hosting, "read_installation", lambda _: Installation("statuary"))
    commands = [
        line.strip()
        for _, block in SHELL_BLOCK.findall(page.read_text("utf-8"))
        for line in block.splitlines()
    ]
    assert commands
    if not any("statuary init" in command for command in commands):
        run("statuary init --demo")
        run("statuary build")
    (tmp_path / "postmortem.txt").write_text("A full disk.\n", encoding="utf-8")
    for git in (["init", "-q"], ["add", "."], ["commit", "-qm", "Start"]):
        subprocess.run(["git", *git], check=True)
    for command in filter(None, commands):
        run(command.replace("s3://bucket", "store"))


def run(command: str) -> None:
    program, *arguments = shlex.split(command, comments=True)
    assert program == "statuary", command
    result = CliRunner().invoke(statuary, arguments)
    assert result.exit_code == 0, f"{command}\n{result.output}\n{result.exception!r}"
