"""Help: every command is in a group, and every help page ends with an example that the command takes."""

import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from statuary.cli.examples import read_examples
from statuary.cli.main import COMMAND_GROUPS, COMMANDS, command
from support.sites import write_files


def pages(found: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield every command and group by its words."""
    if words:
        yield " ".join(words), found
    if not isinstance(found, click.Group):
        return
    context = click.Context(found)
    for name in found.list_commands(context):
        member = found.get_command(context, name)
        assert member is not None
        yield from pages(member, (*words, name))


PAGES = dict(pages(command))


def test_help_lists_each_command_once():
    grouped = [name for names in COMMAND_GROUPS.values() for name in names]
    shown = CliRunner().invoke(command, ["--help"]).output
    assert sorted(grouped) == sorted(name for name in COMMANDS if " " not in name)
    assert all(f"\n  {name} " in shown for name in grouped)
    assert all(f"\n{title}:\n" in shown for title in COMMAND_GROUPS)


def test_help_examples_belong_to_existing_commands():
    assert {words for words in read_examples() if words not in PAGES} == set()


@pytest.mark.parametrize("words", [words for words in PAGES if "safe-deployments" not in words])
def test_command_help_ends_with_valid_example(words, tmp_path, monkeypatch):
    write_files(
        tmp_path / "project",
        {"postmortem.md": "", "alert.json": "{}", "record.json": "{}", "addresses.txt": ""},
    )
    (tmp_path / "clear-signing-erc7730-registry").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    shown = CliRunner().invoke(command, [*words.split(), "--help"], terminal_width=200).output
    for example in read_examples()[words]:
        assert f"\n    {example}\n" in shown
        program, *arguments = shlex.split(example)
        assert program == "statuary"
        assert arguments[: len(words.split())] == words.split()
        run = longest_command(arguments)
        with PAGES[run].make_context(run, arguments[len(run.split()) :], resilient_parsing=False) as context:
            assert context.params


def longest_command(arguments: list[str]) -> str:
    """Return the words of a command that arguments begin with, such as `incident open`."""
    return max(
        (" ".join(arguments[:count]) for count in (1, 2)), key=lambda words: (words in PAGES, len(words))
    )


@pytest.mark.parametrize("group", [words for words, page in PAGES.items() if isinstance(page, click.Group)])
def test_group_help_never_truncates_command_summaries(group):
    shown = CliRunner().invoke(command, [*group.split(), "--help"], terminal_width=80).output
    assert [line for line in shown.splitlines() if line.startswith("  ") and line.endswith("...")] == []


NUMBERS = {
    f"{words} {parameter.opts[0]}": parameter
    for words, page in PAGES.items()
    for parameter in page.params
    if isinstance(parameter.type, click.types.IntParamType | click.types.FloatParamType)
}
"""The options that are numbers, by command and name."""


@pytest.mark.parametrize("name", NUMBERS)
def test_number_options_declare_allowed_range(name):
    assert isinstance(NUMBERS[name].type, click.IntRange | click.FloatRange)


def test_serve_port_beyond_range_exits_2():
    done = CliRunner().invoke(command, ["serve", "--port", "80000"])
    assert done.exit_code == 2
    assert "80000 is not in the range 0<=x<=65535" in done.output
