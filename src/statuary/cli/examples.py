"""Examples at the end of help pages, from `examples.json`."""

import json
from functools import cache
from pathlib import Path

import click

from statuary.system.files import read_file


@cache
def read_examples() -> dict[str, list[str]]:
    """Read the example command lines that help pages show.

    Returns:
        The lines by command, such as `incident open`.
    """
    text = read_file(Path(__file__).with_name("examples.json"))
    examples: dict[str, list[str]] = json.loads(text)
    return examples


def add_examples(command: click.Command, command_path: str) -> None:
    """Add examples to the help of a command, including its subcommands.

    Args:
        command: the command or group.
        command_path: its name on the command line, such as `incident open`.
    """
    lines = read_examples().get(command_path)
    heading = f"Example{'s' if lines and len(lines) > 1 else ''}:"
    if lines and heading not in (command.epilog or ""):
        shown = "\n".join(f"  {line}" for line in lines)
        rest = f"\n\n{command.epilog}" if command.epilog else ""
        command.epilog = f"\b\n{heading}\n{shown}{rest}"
    if isinstance(command, click.Group):
        for name, member in command.commands.items():
            add_examples(member, f"{command_path} {name}")
