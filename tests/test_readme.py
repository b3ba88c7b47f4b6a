"""The README: its links lead to files, and the commands that it shows exist."""

import re

import pytest
from click.testing import CliRunner

from statuary.cli.main import COMMANDS, command
from support.requirements import CHECKOUT

TEXT = (CHECKOUT / "README.md").read_text("utf-8")
SHOWN = {
    tuple(word for word in words.split() if word)
    for words in re.findall(
        r"(?:statuary|bin/statuary) ((?:[a-z]+ ?){1,2})(?= ?[-`.\n]| [0-9a-zA-Z/.]+)", TEXT
    )
}
SHOWN_COMMANDS = sorted(words for words in SHOWN if words[0] in COMMANDS)


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", TEXT))
def test_readme_link_points_to_file(link):
    assert (CHECKOUT / link).is_file()


def test_readme_shows_every_main_command():
    assert {words[0] for words in SHOWN_COMMANDS} >= {
        "init",
        "build",
        "serve",
        "incident",
        "maintenance",
        "contract",
        "setup",
        "conform",
        "tick",
        "next",
    }


@pytest.mark.parametrize("words", SHOWN_COMMANDS, ids=" ".join)
def test_command_shown_in_readme_exists(words):
    group = words[0] in ("incident", "maintenance", "contract", "component", "snapshot")
    assert CliRunner().invoke(command, [*words[: 1 + group], "--help"]).exit_code == 0
